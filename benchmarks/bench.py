"""Forty equal cells of a sweep, `altmas bench` with one process and with two: what a second core is worth."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from altmas.experiments.bench.rows import same_rows, to_frame

SWEEP = """
metrics = ["alt_mas_3"]
methods = ["certified"]
pools = [{{ name = "made", kind = "generated", items = {items}, classes = 10 }}]
budgets = [{budget}]
seeds = {seeds}
"""


def seconds(sweep, rows, jobs):
    """The whole command, starting the processes included."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "altmas", "bench", sweep, "--rows", rows, "--jobs", str(jobs)]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    smoke = parser.parse_args().smoke
    sizes = {"items": 200, "budget": 60, "seeds": 4} if smoke else {"items": 20_000, "budget": 600, "seeds": 40}
    with tempfile.TemporaryDirectory() as folder:
        sweep, *rows = (Path(folder) / name for name in ("sweep.toml", "1.jsonl", "2.jsonl"))
        sweep.write_text(SWEEP.format(**sizes))
        one, two = (seconds(sweep, path, jobs) for path, jobs in zip(rows, (1, 2), strict=True))
        same = same_rows(to_frame(rows[0]), to_frame(rows[1]))
    print(f"{sizes['seeds']} cells: one process {one:.1f} s, two {two:.1f} s, same rows: {same}")
    print(f"ratio: {two / one:.2f} of the time of one process")


if __name__ == "__main__":
    main()
