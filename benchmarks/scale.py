"""How time and memory grow with the pool: the certified method on millions of items, and an ALT-MAS round.

Processor seconds, and memory above the imports. Each case runs in a process of its own.

The certified method takes 200 labels, for accuracy, macro precision and macro recall, from a confidence per item or
from a score for every class. An ALT-MAS round has D = 64, C = 10, M = 50, `alt_mas_3`.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np
from measuring import apart, peak

CERTIFIED = ((1_000_000, 10, "confidence"), (1_000_000, 1000, "confidence"), (100_000, 1000, "scores"))
SMOKE = ((4_000, 10, "confidence"), (4_000, 100, "confidence"), (1_000, 50, "scores"))
GROWTH = (1_000_000, 4_000_000)
ROUNDS = (10_000, 100_000, 1_000_000)


def certified(items: int, classes: int, given: str) -> dict[str, float]:
    """One audit of a model that is as often right as it says."""
    import pandas  # noqa: F401
    import scipy.optimize
    import scipy.sparse
    import scipy.stats  # noqa: F401

    import altmas
    from altmas.surrogates.outputs import score_calibrated  # noqa: F401

    before, rng = peak(), np.random.default_rng(0)
    said = rng.integers(classes, size=items)
    sure = 0.5 + 0.5 * rng.beta(4, 1, size=items)
    labels = np.where(rng.random(items) < sure, said, rng.integers(classes, size=items))
    scores = sure
    if given == "scores":
        scores = np.empty((items, classes))
        for start in range(0, items, 1000):
            rows = slice(start, start + 1000)
            rest = rng.random(scores[rows].shape) ** 8
            scores[rows] = rest * ((1 - sure[rows]) / rest.sum(1))[:, None]
        scores[np.arange(items), said] += sure
    start = time.process_time()
    altmas.assess(
        said, scores, oracle=labels, classes=range(classes), budget=200, seed=1, progress=False,
        metrics=["accuracy", "macro_precision", "macro_recall"],
    )  # fmt: skip
    return {"seconds": time.process_time() - start, "gib": peak() - before}


def alt_mas_round(items: int) -> dict[str, float]:
    """The quickest of some rounds: the first also compiles."""
    from workload import make_pool

    from altmas.core.answers import Answers
    from altmas.core.method import Job
    from altmas.core.pool import Pool
    from altmas.methods.alt_mas import AltMas
    from altmas.metrics import metrics_named
    from altmas.surrogates import MCDropoutMLP
    from altmas.surrogates.backend import tensorflow

    tensorflow()
    MCDropoutMLP(epochs=1).fit(np.zeros((8, 64), np.float32), [0, 1] * 4, n_classes=10)
    before = peak()
    x, labels, said = make_pool(items, 64)
    chosen = np.random.default_rng(0).choice(items, 200, replace=False)
    answers = Answers().extended(chosen, labels[chosen], 0, np.ones(200))
    pool = Pool.build(said, features=x)
    run = AltMas().begin(Job(pool, tuple(metrics_named(["alt_mas_3"], range(10)))))
    seconds = []
    for number in (1, 2) if items <= 100_000 else (1,):
        start = time.perf_counter()
        run.update(answers, number)
        run.estimate(0.95)
        run.choose(10)
        seconds.append(time.perf_counter() - start)
    return {"seconds": min(seconds), "gib": peak() - before}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small pools, to see that it runs")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        case = json.loads(asked.one)
        print(json.dumps(alt_mas_round(*case) if len(case) == 1 else certified(*case)))
        return
    for items, classes, given in SMOKE if asked.smoke else CERTIFIED:
        found = apart(__file__, items, classes, given)
        print(f"{items:>9,} x {classes:,}, {given}: {found['seconds']:.1f} CPU s, {found['gib']:.2f} GiB")
    few, many = (4_000, 16_000) if asked.smoke else GROWTH
    once, again = (apart(__file__, items, 10, "confidence")["seconds"] for items in (few, many))
    print(f"{many:,} items beside {few:,}: ratio: {again / once:.2f} times the time")
    rounds = []
    for items in (500, 5_000) if asked.smoke else ROUNDS:
        rounds.append(apart(__file__, items))
        seconds, gib = rounds[-1]["seconds"], rounds[-1]["gib"]
        print(f"{items:>9,} items: {seconds:6.1f} s per ALT-MAS round, {gib:.2f} GiB")
    print(f"ratio: {rounds[1]['seconds'] / rounds[0]['seconds']:.1f} times the time for 10 times the items")


if __name__ == "__main__":
    main()
