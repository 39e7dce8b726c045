"""The certified method against LURE in one process: a whole run of 400 labels on 10,000 items without features.

Then the same run on ten times the items: the cost must grow at most linearly. The vectorised anytime interval against a
loop over candidate values is in `betting.py`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from workload import confident

from altmas.catalogue import make_method
from altmas.core.loop import Plan, rounds
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.metrics import metrics_named

METRICS = ["accuracy", "macro_precision", "macro_recall", "precision:3", "recall:3"]


def made_up(items, seed=0):
    """A ten-class pool whose confidence tells something about agreement."""
    said, confidence, labels = confident(items, seed)
    return Pool.build(said, scores=confidence, classes=range(10)), labels.tolist()


def seconds(method, pool, labels, budget, repeats):
    metrics = tuple(metrics_named(METRICS, pool.classes))
    best = np.inf
    for seed in range(repeats):
        start = time.perf_counter()
        for _ in rounds(Job(pool, metrics, seed), make_method(method), labels.__getitem__, Plan(budget, 50, 10, 0.95)):
            pass
        best = min(best, time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    smoke = parser.parse_args().smoke
    items, budget, repeats = (1_000, 80, 1) if smoke else (10_000, 400, 7)
    pool, labels = made_up(items)
    seconds("certified", pool, labels, 60, 1)  # imports
    lure, ours = (seconds(method, pool, labels, budget, repeats) for method in ("lure", "certified"))
    print(f"lure {lure:.3f} s, certified {ours:.3f} s")
    print(f"ratio: {ours / lure:.2f} times lure")
    large, more = made_up(10 * items)
    grown = seconds("certified", large, more, budget, 1 if smoke else 3)
    print(f"ten times the items: {grown:.3f} s, {grown / ours:.1f} times as long")


if __name__ == "__main__":
    main()
