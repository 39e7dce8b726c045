"""What people cost: a whole run of 300 answers with second readings, and with skipped questions, beside one without.

10,000 items, ten classes, five metrics; then the same at ten times the items.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from workload import confident

import altmas

METRICS = ["accuracy", "macro_precision", "macro_recall", "precision:3", "recall:3"]


def made_up(items, seed=0):
    """Predictions, confidences, labels, and the answers of somebody who is wrong in one of twenty."""
    said, confidence, labels = confident(items, seed)
    wrong = np.random.default_rng([seed, 1]).random(items) < 0.05
    return said, confidence, labels, np.where(wrong, (labels + 1) % 10, labels)


def seconds(world, budget, repeats, **more):
    said, confidence, labels, answers = world
    skipped = more.pop("skipped", False)
    oracle = (lambda item: None if item % 10 == 0 else int(labels[item])) if skipped else answers
    best = np.inf
    for seed in range(repeats):
        start = time.perf_counter()
        altmas.assess(
            said, confidence, oracle=oracle, classes=range(10), metrics=METRICS, budget=budget, seed=seed,
            progress=False, **more,
        )  # fmt: skip
        best = min(best, time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    smoke = parser.parse_args().smoke
    items, budget, repeats = (1_000, 80, 1) if smoke else (10_000, 300, 3)
    seconds(made_up(1_000), 60, 1)  # imports
    for size in (items, 10 * items):
        world = made_up(size)
        alone = seconds(world, budget, repeats)
        read = seconds(world, budget, repeats, expert=world[2], second_readings=budget // 4)
        lost = seconds(world, budget, repeats, skipped=True)
        print(f"{size:,} items: answers alone {alone:.2f} s, with readings {read:.2f} s, some skipped {lost:.2f} s")
        print(f"ratio: readings {read / alone:.2f}, skipped {lost / alone:.2f} times answers alone")


if __name__ == "__main__":
    main()
