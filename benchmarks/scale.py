"""How an ALT-MAS round grows with the pool (D = 64, C = 10, M = 50, `alt_mas_3`): time, and peak memory.

Memory is counted above the imports. Each size runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

SIZES = (10_000, 100_000, 1_000_000)


def peak() -> float:
    """Peak resident memory so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def one_size(items: int) -> dict[str, float]:
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
    for number in (1, 2) if items <= 100_000 else (1,):  # the first round also compiles: seconds against minutes
        start = time.perf_counter()
        run.update(answers, number)
        run.estimate(0.95)
        run.choose(10)
        seconds.append(time.perf_counter() - start)
    return {"items": items, "seconds": min(seconds), "gib": peak() - before}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small pools, to see that it runs")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one_size(asked.one)))
        return
    found = []
    for items in (500, 5_000) if asked.smoke else SIZES:
        command = [sys.executable, __file__, "--one", str(items)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
        print("{items:>9,} items: {seconds:6.1f} s per round, peak {gib:.2f} GiB above the imports".format(**found[-1]))
    print(f"ratio: {found[1]['seconds'] / found[0]['seconds']:.1f} times the time for 10 times the items")


if __name__ == "__main__":
    main()
