"""Conduct: how the answers of an audit came about, as its events tell. A reader decides what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from altmas.audits.events import Event

QUICK_MS = 1000
"""An answer given sooner than this after its item was shown can hardly have been looked at."""


@dataclass(frozen=True)
class Conduct:
    """Counts of answers, and the numbers of labels there were at each look at the estimates, in order.

    `timed` answers came with the time they took; the `quick` ones took less than a second.
    """

    answers: int
    after_reveal: int
    timed: int
    quick: int
    changed: int
    replaced_by_import: int
    taken_back: int
    looks: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def conduct_of(events: Sequence[Event]) -> Conduct:
    """Count what the events tell.

    An answer is `after_reveal` if its annotator had seen what a model said of that item, or an estimate, before;
    `changed` if it took the place of another one by the same annotator; `taken_back` if it was undone, less those that
    were given again as they had been.

    >>> def event(seq, kind, **body):
    ...     return Event(seq, "", kind, body, None, "", "")
    >>> found = conduct_of([
    ...     event(1, "revealed", what="prediction", item=4, annotator="mk"),
    ...     event(2, "answered", item=4, annotator="mk", answer="label", label="cat", ms=300),
    ...     event(3, "looked", labels=1),
    ...     event(4, "undone", answers=[2], item=4, annotator="mk"),
    ... ])
    >>> found.after_reveal, found.quick, found.taken_back, found.looks
    (1, 1, 1, (1,))
    """
    shown: set[tuple[Any, Any]] = set()
    last: dict[tuple[Any, Any], Any] = {}
    looks: list[int] = []
    answers = after_reveal = timed = quick = changed = replaced = taken_back = 0
    for event in events:
        body = event.body
        if event.kind == "revealed":
            shown.add((body.get("item"), body.get("annotator")))
        elif event.kind == "looked":
            looks.append(int(body["labels"]))
        elif event.kind in ("undone", "redone"):
            taken_back += len(body["answers"]) * (1 if event.kind == "undone" else -1)
        elif event.kind == "answered":
            who, said = (body["item"], body["annotator"]), body.get("label", body["answer"])
            answers += 1
            after_reveal += who in shown or (None, body["annotator"]) in shown
            timed += "ms" in body
            quick += body.get("ms", QUICK_MS) < QUICK_MS
            other = who in last and last[who] != said
            changed += other
            replaced += other and bool(body.get("imported"))
            last[who] = said
    return Conduct(answers, after_reveal, timed, quick, changed, replaced, taken_back, tuple(looks))
