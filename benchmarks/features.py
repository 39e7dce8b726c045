"""What learners on features cost: a certified run with them, beside the same run on the outputs alone.

Processor seconds of whole runs, each in a process of its own, and peak memory above the imports for a large pool.
"""

from __future__ import annotations

import argparse
import json
import time

from measuring import apart, peak

QUICK = ["kernel", "linear", "neighbours"]
NETWORK = [*QUICK, "network"]
CASES = {
    "10,000 x 784, quick learners": (10_000, 784, 400, QUICK),
    "10,000 x 784, with the network": (10_000, 784, 400, NETWORK),
    "10,000 x 64, quick learners": (10_000, 64, 400, QUICK),
    "10,000 x 64, with the network": (10_000, 64, 400, NETWORK),
    "1,000,000 x 64, quick learners": (1_000_000, 64, 100, QUICK),
}


def one_run(items: int, wide: int, budget: int, learners: list[str]) -> dict[str, float]:
    """Seconds of the processor, and GiB above the imports and the pool itself."""
    import numpy as np
    import sklearn.decomposition
    import sklearn.neighbors  # noqa: F401
    from workload import make_pool

    import altmas

    if "network" in learners:
        from altmas.surrogates.backend import tensorflow

        tensorflow()
    before = peak()
    x, labels, said = make_pool(items, wide)
    sure = np.random.default_rng(1).uniform(0.4, 1.0, items)
    start = time.process_time()
    altmas.assess(
        said, sure, x, oracle=labels, classes=range(10), budget=budget, learners=learners, progress=False
    )  # fmt: skip
    return {"seconds": time.process_time() - start, "gib": peak() - before}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a small pool, to see that it runs")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one_run(*json.loads(asked.one))))
        return
    cases = {"500 x 20, quick learners": (500, 20, 60, QUICK)} if asked.smoke else CASES
    for name, (items, wide, budget, learners) in cases.items():
        with_them, alone = apart(__file__, items, wide, budget, learners), apart(__file__, items, wide, budget, [])
        print(
            f"{name}, {budget} labels: {with_them['seconds']:.1f} s, {with_them['gib']:.2f} GiB; outputs alone "
            f"{alone['seconds']:.1f} s, {alone['gib']:.2f} GiB; ratio: {with_them['seconds'] / alone['seconds']:.1f}"
        )


if __name__ == "__main__":
    main()
