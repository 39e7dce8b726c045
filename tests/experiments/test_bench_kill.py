"""A sweep killed at random and resumed finds what an uninterrupted one finds."""

import os
import random
import signal
import subprocess
import time

import pytest

from altmas.experiments.bench.rows import same_rows, to_frame
from altmas.experiments.bench.spec import read_sweep
from altmas.experiments.bench.sweep import Workers, run_sweep
from worlds.sweeps import SMOKE, command, environment, finished_keys, lines

pytestmark = pytest.mark.slow  # it kills by the clock, which a busy or a very quick machine may outrun


@pytest.mark.parametrize("whole_session", [True, False], ids=["with its workers", "alone"])
def test_killed_five_times_and_resumed(whole_session, tmp_path):
    sweep, rows = tmp_path / "sweep.toml", tmp_path / "rows.jsonl"
    sweep.write_text(SMOKE.read_text().replace("seeds = 2", "seeds = 5"))
    run_sweep(read_sweep(sweep), tmp_path / "whole.jsonl", Workers())
    chance = random.Random(int(whole_session))
    counts = [0]
    for _ in range(5):
        run = subprocess.Popen(
            command(rows, "--jobs", "2", sweep=sweep), env=environment(), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        goal = counts[-1] + chance.randint(0, 4)
        end = time.monotonic() + 60
        while run.poll() is None and lines(rows) <= goal and time.monotonic() < end:
            time.sleep(chance.uniform(0.001, 0.02))
        (os.killpg if whole_session else os.kill)(run.pid, signal.SIGKILL)
        run.wait()
        counts.append(lines(rows))
    assert counts == sorted(set(counts))  # every run was killed half-way, having got further
    assert counts[-1] < 40
    with rows.open("ab") as file:
        file.write(b'{"key":"half a li')
    last = subprocess.run(command(rows, "--jobs", "2", sweep=sweep), env=environment(), capture_output=True, text=True)
    assert last.returncode == 0, last.stderr
    assert same_rows(to_frame(rows), to_frame(tmp_path / "whole.jsonl"))
    assert lines(rows) == len(finished_keys(rows)) == 40  # no cell was kept twice
