"""The README's method of one's own against BALD: what it shows is what runs, with fewer seeds and labels."""

import json
import re
import subprocess
import sys

from worlds.places import ROOT
from worlds.sweeps import environment


def block(language, known_by):
    found = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    return next(one for one in found if known_by in one)


def test_a_method_of_ones_own_against_bald(tmp_path):
    (tmp_path / "mine.py").write_text(block("python", "class Mine"))
    sweep = block("toml", "methods").replace("seeds = 10", "seeds = 2").replace("budgets = [100]", "budgets = [50]")
    (tmp_path / "sweep.toml").write_text(sweep)
    done = subprocess.run(
        [sys.executable, "-m", "altmas", "bench", "sweep.toml", "--jobs", "1", "--json"],
        capture_output=True, text=True, cwd=tmp_path, env=environment(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not [line for line in done.stderr.splitlines() if not line.startswith("altmas: ")]  # no library's warnings
    told = json.loads(done.stdout)
    assert told["baseline"] == "bald"
    assert {one["method"] for one in told["methods"]} == {"bald", "altmas", "certified", "random", "mine"}
    assert {(one["pools"], one["runs"]) for one in told["methods"]} == {(2, 4)}
    assert (tmp_path / "sweep.report.html").read_text().count("<figure>") == 3
