"""The README's method of one's own against BALD, and that of the page about sweeps: what they show is what runs."""

import json
import re
import subprocess
import sys

from altmas.experiments.bench.spec import check_pools, read_sweep
from worlds.places import ROOT
from worlds.sweeps import environment


def block(language, known_by, page="README.md"):
    found = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    return next(one for one in found if known_by in one)


def test_the_page_about_sweeps_has_a_sweep_that_can_be_read(tmp_path):
    (tmp_path / "mine.py").write_text(block("python", "class Mine", "docs/benchmark.md"))
    (tmp_path / "sweep.toml").write_text(block("toml", "mine.py", "docs/benchmark.md"))
    sweep = read_sweep(tmp_path / "sweep.toml")
    assert [one.label for one in sweep.methods] == ["bald", "altmas", "certified", "random", "mine"]
    check_pools(sweep)  # each method begins on each pool


def test_a_method_of_ones_own_against_bald(tmp_path):
    """With fewer seeds and labels."""
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
