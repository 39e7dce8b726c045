"""How many files a newcomer must open to follow a run: distinct modules of ours whose functions were entered.

    python benchmarks/crossings.py

Imports do not count, nor do class bodies: only functions that ran. Run it in two checkouts to compare them.
"""

from __future__ import annotations

import inspect
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import altmas
from altmas.core.loop import Plan, rounds
from altmas.core.method import Job
from altmas.demo import vendor_digits
from altmas.metrics import metrics_named

HOME = Path(altmas.__file__).resolve().parent.parent
ROOMS = ("altmas", "metrics", "surrogates")


def crossed(run: Callable[[], Any]) -> list[str]:
    """The files of ours that a call entered."""
    seen: set[str] = set()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # a function, not a class body
            seen.add(frame.f_code.co_filename)

    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    ours = [Path(name).relative_to(HOME) for name in seen if Path(name).is_relative_to(HOME)]
    return sorted(str(path) for path in ours if path.parts[0] in ROOMS)


def main() -> None:
    vendor = vendor_digits()
    given = {"oracle": vendor.labels, "budget": 100, "progress": False}

    def certified() -> Any:
        return altmas.assess(vendor.predictions, vendor.scores, **given)

    method = altmas.make_method("altmas", draws=10)
    featured = altmas.Pool.build(vendor.predictions, scores=vendor.scores, features=vendor.images)
    job = Job(featured, tuple(metrics_named(["accuracy", "macro_recall"], featured.classes)))

    def alt_mas() -> Any:
        return list(rounds(job, method, lambda item: vendor.labels[item], Plan(60, 50, 10, 0.95)))

    def at_random() -> Any:
        return altmas.assess(vendor.predictions, vendor.scores, method="random", **given)

    certified()  # so that nothing is imported while it is watched
    alt_mas()
    pool = altmas.Pool.build(vendor.predictions, scores=vendor.scores)
    audit = altmas.Audit.create(Path(tempfile.mkdtemp()) / "audit", pool)
    for _ in range(6):
        for query in audit.ask(20):
            audit.tell(query.id, vendor.labels[query.position])
    whole = {"a certified assess": certified, "an audit's refit": audit.refit, "an audit's estimate": audit.estimate}
    counts = {}
    for name, run in {**whole, "the rounds of ALT-MAS": alt_mas, "random sampling": at_random}.items():
        files = crossed(run)
        counts[name] = len(files)
        print(f"{name}: {len(files)} files\n    {' '.join(files)}")
    print(f"ratio: {counts['a certified assess'] / counts['random sampling']:.2f} times the files of random sampling")


if __name__ == "__main__":
    main()
