"""What the state of an audit is made of: answers, rounds drawn, second readings, refits, and when those come due."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass

NO_REFIT = sys.maxsize


@dataclass(frozen=True)
class Entry:
    """One answer by one annotator, or a reading by an expert; `label` is a class index, `unsure` or `skip`."""

    seq: int
    at: str
    position: int
    annotator: str
    label: int | str
    note: str
    expert: bool = False


@dataclass(frozen=True)
class Drawn:
    """A round of questions: positions in the order drawn, the chance of each, and the fit whose ranking was used."""

    round: int
    positions: tuple[int, ...]
    propensities: tuple[float, ...]
    fit: int | None
    milestones: int  # reached when it was drawn
    before: bool = False  # in an earlier audit, from which labels were kept


@dataclass(frozen=True)
class Reread:
    """Answers drawn for a second reading, in order; `among` are all answers then, with each one's chance by then."""

    round: int
    positions: tuple[int, ...]
    propensities: tuple[float, ...]
    among: tuple[int, ...]
    chances: tuple[float, ...]
    fit: int | None


@dataclass(frozen=True)
class Fit:
    """A refit: its number, the event up to which it knew the answers, how many labels those were, and its file."""

    number: int
    upto: int
    labels: int
    file: str
    sha256: str
    at: str


def schedule(initial: int, batch: int, growth: float) -> Iterable[int]:
    """How many resolved questions make a refit due, one number after the other; never, for endless growth.

    >>> from itertools import islice
    >>> list(islice(schedule(50, 10, 1.2), 6)), list(islice(schedule(50, 10, 1.0), 3))
    ([50, 60, 80, 100, 120, 150], [50, 60, 70])
    """
    due = initial if math.isfinite(growth) else NO_REFIT
    while True:
        yield due
        if due == NO_REFIT:
            continue
        steps = math.ceil(max(growth * due - initial, 0) / batch - 1e-9)
        due = max(initial + steps * batch, due + batch)
