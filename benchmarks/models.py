"""What a contest of many models costs: processor seconds for 60 labels, and how they grow with the models."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

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
    before, start = _peak(), time.process_time()
    altmas.assess(said, oracle=truth, task="best", budget=labels, progress=False)
    return {"seconds": time.process_time() - start, "gib": _peak() - before}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def apart(*case: int) -> dict[str, float]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--one", json.dumps(case)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few models, to see that it runs")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one_run(*json.loads(asked.one))))
        return
    for name, case in ({"5 models x 100 items": (5, 100)} if asked.smoke else CASES).items():
        found = apart(*case)
        print(f"{name}, 60 labels: {found['seconds']:.1f} s, {found['gib']:.2f} GiB")
    few, many = ((5, 100), (20, 100)) if asked.smoke else GROWTH
    ratio = apart(*many)["seconds"] / apart(*few)["seconds"]
    print(f"{many[0]} models beside {few[0]}: ratio: {ratio:.1f}")


if __name__ == "__main__":
    main()
