"""What a contest of many models costs: processor seconds for 60 labels, and how they grow with the models."""

from __future__ import annotations

import argparse
import json
import time

from measuring import apart, peak

CASES = {"109 models x 1,043 items": (109, 1043), "1,000 models x 10,000 items": (1000, 10_000)}
GROWTH = ((50, 1043), (500, 1043))


def one_run(models: int, items: int, labels: int = 60) -> dict[str, float]:
    """Seconds of the processor, and GiB above the imports."""
    import numpy as np

    import altmas

    rng = np.random.default_rng(0)
    truth, hard = rng.integers(0, 2, items), rng.normal(0, 1, items)
    said = {
        f"m{k}": np.where(rng.normal(skill, 1, items) > hard, truth, 1 - truth)
        for k, skill in enumerate(rng.normal(1, 0.5, models))
    }
    before, start = peak(), time.process_time()
    altmas.assess(said, oracle=truth, task="best", budget=labels, progress=False)
    return {"seconds": time.process_time() - start, "gib": peak() - before}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few models, to see that it runs")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one_run(*json.loads(asked.one))))
        return
    for name, case in ({"5 models x 100 items": (5, 100)} if asked.smoke else CASES).items():
        found = apart(__file__, *case)
        print(f"{name}, 60 labels: {found['seconds']:.1f} s, {found['gib']:.2f} GiB")
    few, many = ((5, 100), (20, 100)) if asked.smoke else GROWTH
    ratio = apart(__file__, *many)["seconds"] / apart(__file__, *few)["seconds"]
    print(f"{many[0]} models beside {few[0]}: ratio: {ratio:.1f}")


if __name__ == "__main__":
    main()
