"""What the events of an audit add up to. The events are the truth; this is only their sum, made anew at will."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from altmas.audits.events import GENESIS, Event
from altmas.audits.values import SKIP, UNSURE

DISPUTED, TAKEN_BACK, OPEN = "disputed", "taken_back", "open"
NO_REFIT = sys.maxsize


@dataclass(frozen=True)
class Entry:
    """One answer by one annotator; `label` is a class index, `unsure` or `skip`."""

    seq: int
    at: str
    position: int
    annotator: str
    label: int | str
    note: str


@dataclass(frozen=True)
class Drawn:
    """A round of questions: positions in the order drawn, the chance of each, and the fit whose ranking was used."""

    round: int
    positions: tuple[int, ...]
    propensities: tuple[float, ...]
    fit: int | None
    milestones: int  # reached when it was drawn


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


@dataclass
class State:
    """The sum of events so far. `known` maps ids to positions, `labels` class texts to indices."""

    known: Mapping[str, int]
    labels: Mapping[str, int]
    overlap: int
    due: Iterable[int]
    seq: int = 0
    head: str = GENESIS
    rounds: list[Drawn] = field(default_factory=list)
    fits: list[Fit] = field(default_factory=list)
    milestones: list[int] = field(default_factory=list)  # the event at which each refit came due
    entries: dict[int, dict[str, list[Entry]]] = field(default_factory=dict)
    assigned: dict[int, set[str]] = field(default_factory=dict)
    last_answer: str | None = None
    looked_at: bool = False  # since the answers last changed

    def __post_init__(self) -> None:
        self._schedule = iter(self.due)
        self._next = next(self._schedule)
        self._by_seq: dict[int, Entry] = {}
        self._gone: set[int] = set()
        self._done: dict[str, list[int]] = {}
        self._undone: dict[str, list[int]] = {}
        self.order: dict[int, int] = {}  # position -> place in the order drawn
        self.resolved: set[int] = set()
        self.taken_back: set[int] = set()  # had an answer once, and have none now: seen, so not as good as undrawn
        self._verdicts: dict[int, int | str | None] = {}  # looked at on every answer, counted only where one changed

    def take(self, events: Iterable[Event]) -> State:
        """Add events, in order."""
        for event in events:
            if event.kind in _STEPS:
                _STEPS[event.kind](self, event, event.body)
            self.seq, self.head = event.seq, event.hash
        return self

    def _draw(self, event: Event, body: dict[str, Any]) -> None:
        positions = tuple(self.known[str(one)] for one in body["items"])
        for position in positions:
            self.order[position] = len(self.order)
        chances = tuple(body["propensities"])
        self.rounds.append(Drawn(body["round"], positions, chances, body["fit"], len(self.milestones)))

    def _answer(self, event: Event, body: dict[str, Any]) -> None:
        position, annotator = self.known[str(body["item"])], body["annotator"]
        label = body["answer"] if body["answer"] in (UNSURE, SKIP) else self.labels[body["label"]]
        entry = Entry(event.seq, event.at, position, annotator, label, body.get("note", ""))
        self.entries.setdefault(position, {}).setdefault(annotator, []).append(entry)
        self.looked_at = False
        self._by_seq[event.seq] = entry
        self._done.setdefault(annotator, []).append(event.seq)
        self._undone[annotator] = []
        self.last_answer = event.at
        self._resolve(position, event.seq)

    def _undo(self, event: Event, body: dict[str, Any]) -> None:
        self.looked_at = False
        for seq in body["answers"]:
            entry = self._by_seq[seq]
            self._gone.add(seq)
            self._done[entry.annotator].remove(seq)
            self._undone.setdefault(entry.annotator, []).append(seq)
            self._resolve(entry.position, event.seq)

    def _redo(self, event: Event, body: dict[str, Any]) -> None:
        self.looked_at = False
        for seq in body["answers"]:
            entry = self._by_seq[seq]
            self._gone.discard(seq)
            self._undone[entry.annotator].remove(seq)
            self._done[entry.annotator].append(seq)
            self._resolve(entry.position, event.seq)

    def _fit(self, event: Event, body: dict[str, Any]) -> None:
        self.fits.append(Fit(body["number"], body["upto"], body["labels"], body["file"], body["sha256"], event.at))
        self.fits.sort(key=lambda fit: fit.number)

    def _rebuild(self, event: Event, body: dict[str, Any]) -> None:
        self.fits = [replace(one, sha256=body["sha256"]) if one.number == body["number"] else one for one in self.fits]

    def _look(self, event: Event, body: dict[str, Any]) -> None:
        self.looked_at = True

    def _assign(self, event: Event, body: dict[str, Any]) -> None:
        for one in body["items"]:
            self.assigned.setdefault(self.known[str(one)], set()).add(body["annotator"])

    def _resolve(self, position: int, seq: int) -> None:
        self._verdicts[position] = self._count(position)
        (self.taken_back.discard if self.standing(position) else self.taken_back.add)(position)
        if len(self.standing(position)) >= self.overlap:
            self.resolved.add(position)
        else:
            self.resolved.discard(position)
        while len(self.resolved) >= self._next:
            self.milestones.append(seq)
            self._next = next(self._schedule)

    def standing(self, position: int) -> dict[str, Entry]:
        """Each annotator's last answer to an item that was not taken back."""
        out = {}
        for annotator, entries in self.entries.get(position, {}).items():
            left = [entry for entry in entries if entry.seq not in self._gone]
            if left:
                out[annotator] = left[-1]
        return out

    def verdict(self, position: int) -> int | str | None:
        """The label most annotators gave; `disputed` if two are level, `unsure` or `skip` if none was given."""
        return self._verdicts.get(position)

    def _count(self, position: int) -> int | str | None:
        given = [entry.label for entry in self.standing(position).values()]
        votes = Counter(label for label in given if isinstance(label, int)).most_common(2)
        if not votes:
            return UNSURE if UNSURE in given else SKIP if SKIP in given else None
        if len(votes) == 2 and votes[0][1] == votes[1][1]:
            return DISPUTED
        return int(votes[0][0])

    def open_for(self, annotator: str) -> list[int]:
        """Positions asked about and not resolved that this annotator may answer, in the order drawn."""
        free = []
        for position in self.order:
            given = self.standing(position)
            if position in self.resolved or annotator in given:
                continue
            kept_for = self.assigned.get(position, set())
            if not annotator or annotator in kept_for or len(kept_for | given.keys()) < self.overlap:
                free.append(position)
        return free

    def entry(self, seq: int) -> Entry:
        """The answer that came with an event."""
        return self._by_seq[seq]

    def to_undo(self, annotator: str) -> Entry | None:
        """The annotator's last answer."""
        done = self._done.get(annotator)
        return self._by_seq[done[-1]] if done else None

    def to_redo(self, annotator: str) -> Entry | None:
        """The annotator's answer last taken back, if none was given since."""
        undone = self._undone.get(annotator)
        return self._by_seq[undone[-1]] if undone else None

    def annotators(self) -> dict[str, int]:
        """How many standing answers each annotator has."""
        return dict(Counter(name for position in self.entries for name in self.standing(position)))

    def given_by(self, annotator: str) -> list[Entry]:
        """The annotator's standing answers, in the order given."""
        standing = (self.standing(position).get(annotator) for position in self.entries)
        return sorted((entry for entry in standing if entry is not None), key=lambda entry: entry.seq)


_STEPS = {
    "drawn": State._draw,
    "answered": State._answer,
    "undone": State._undo,
    "redone": State._redo,
    "fitted": State._fit,
    "assigned": State._assign,
    "looked": State._look,
    "rebuilt": State._rebuild,
}
"""What a kind of event does to the state; the others are only told about."""
