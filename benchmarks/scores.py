"""What a metric of scores costs beside accuracy, on the same answers of one pool: the estimate with its interval."""

from __future__ import annotations

import argparse
import time

import numpy as np

import altmas

NAMES = ("auroc", "auprc", "brier", "log_loss", "recall_at_fpr:0.1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a small pool, to see that it runs")
    items = 2_000 if parser.parse_args().smoke else 1_000_000
    rng = np.random.default_rng(0)
    labels = (rng.random(items) < 0.2).astype(int)
    score = 1 / (1 + np.exp(-(rng.normal(size=items) + 1.5 * labels - 1)))
    scores = np.stack([1 - score, score], axis=1)
    result = altmas.assess(
        scores.argmax(1), scores, oracle=labels, classes=[0, 1], metrics=["accuracy"], budget=400, seed=0,
        progress=False, learners=(),
    )  # fmt: skip
    least = {name: min(_seconds(result, name) for _ in range(3)) for name in ("accuracy", *NAMES)}
    for name in NAMES:
        times = least[name] / least["accuracy"]
        print(f"{items:,} items, {name}: {least[name]:.2f} s, accuracy {least['accuracy']:.2f} s, ratio: {times:.1f}")


def _seconds(result: altmas.Result, name: str) -> float:
    start = time.perf_counter()
    result.estimate([name])
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
