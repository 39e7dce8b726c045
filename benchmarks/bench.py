"""Forty equal cells of a sweep in one process and in two: what a second core is worth."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from altmas.experiments.bench import Workers, run_sweep
from altmas.experiments.bench_rows import same_rows, to_frame
from altmas.experiments.bench_spec import parse_sweep


def forty(items, budget, seeds):
    pool = {"name": "made", "kind": "generated", "items": items, "classes": 10}
    table = {"pools": [pool], "metrics": ["alt_mas_3"], "methods": ["certified"], "budgets": [budget], "seeds": seeds}
    return parse_sweep(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    smoke = parser.parse_args().smoke
    sweep = forty(200, 60, 4) if smoke else forty(10_000, 400, 40)
    seconds, frames = [], []
    with tempfile.TemporaryDirectory() as folder:
        for jobs in (1, 2):
            path = Path(folder) / f"{jobs}.jsonl"
            begin = time.perf_counter()
            run_sweep(sweep, path, Workers(jobs))  # starting the processes is part of it
            seconds.append(time.perf_counter() - begin)
            frames.append(to_frame(path))
    one, two = seconds
    print(f"{len(sweep.cells())} cells: one process {one:.1f} s, two {two:.1f} s, same rows: {same_rows(*frames)}")
    print(f"ratio: {two / one:.2f} of the time of one process")


if __name__ == "__main__":
    main()
