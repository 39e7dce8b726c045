"""Conduct: how the answers of an audit came about, as its events tell. A reader decides what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from altmas.audits.events import Event
from altmas.audits.values import SKIP, UNSURE

QUICK_MS = 1000
"""An answer given sooner than this after its item was shown can hardly have been looked at."""


@dataclass(frozen=True)
class Conduct:
    """Counts of answers, and the numbers of labels there were at each look at the estimates, in order.

    `timed` answers came with the time they took; the `quick` ones took less than a second. After `looks_before` of the
    looks, answers still changed. `replanned` and `retargeted` say how often the budget and the targets were changed
    after a look, `reguided` how often the guidelines were after the first answer.
    """

    answers: int
    after_reveal: int
    timed: int
    quick: int
    changed: int
    replaced_by_import: int
    taken_back: int
    looks: tuple[int, ...]
    looks_before: int
    replanned: int = 0
    retargeted: int = 0
    reguided: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def conduct_of(events: Sequence[Event]) -> Conduct:
    """Count what the events tell.

    An answer is `after_reveal` if what a model said of that item had been shown before, to whomever, or an estimate to
    its annotator; so is taking one back. It is `changed` if it took the place of another one by the same annotator, or
    came after all who were to answer had; `taken_back` if it was undone, less those given again as they had been.

    >>> def event(seq, kind, **body):
    ...     return Event(seq, "", kind, body, None, "", "")
    >>> found = conduct_of([
    ...     event(1, "revealed", what="prediction", item=4, annotator="mk"),
    ...     event(2, "answered", item=4, annotator="mk", answer="label", label="cat", ms=300),
    ...     event(3, "looked", labels=1),
    ...     event(4, "undone", answers=[2], item=4, annotator="mk"),
    ... ])
    >>> found.after_reveal, found.quick, found.taken_back, found.looks
    (2, 1, 1, (1,))
    """
    overlap = int(events[0].body["settings"]["overlap"]) if events and events[0].kind == "created" else 1
    shown: set[str] = set()
    saw_estimates: set[str] = set()
    # (item, by an expert) -> annotator -> last answer: an expert who reads otherwise changes no answer
    given: dict[tuple[str, bool], dict[str, str]] = {}
    looks: list[int] = []
    looks_before = answers = after_reveal = timed = quick = changed = replaced = taken_back = 0
    replanned = retargeted = reguided = 0
    for event in events:
        body = event.body
        item, who = str(body.get("item")), str(body.get("annotator"))
        if event.kind == "revealed":
            (shown.add(item) if "item" in body else saw_estimates.add(who))
        elif event.kind == "looked":
            looks.append(int(body["labels"]))
        elif event.kind == "set":
            reguided += "guidelines" in body["settings"] and answers > 0
            if not looks:
                continue
            replanned += "budget" in body["settings"]
            retargeted += "targets" in body["settings"]
        elif event.kind in ("undone", "redone"):
            looks_before = len(looks)
            taken_back += len(body["answers"]) * (1 if event.kind == "undone" else -1)
            after_reveal += item in shown
        elif event.kind == "answered":
            looks_before = len(looks)
            expert = body.get("expert") is True
            said, others = str(body.get("label", body["answer"])), given.setdefault((item, expert), {})
            answers += 1
            after_reveal += item in shown or who in saw_estimates
            timed += "ms" in body
            quick += body.get("ms", QUICK_MS) < QUICK_MS
            late = not expert and who not in others and len(others) >= overlap and said not in others.values()
            # An answer to what was skipped at first takes no other answer's place.
            other = late or (others.get(who, said) != said and others.get(who) not in (UNSURE, SKIP))
            changed += other
            replaced += other and bool(body.get("imported"))
            others[who] = said
    counts = (answers, after_reveal, timed, quick, changed, replaced, taken_back)
    return Conduct(*counts, tuple(looks), looks_before, replanned, retargeted, reguided)
