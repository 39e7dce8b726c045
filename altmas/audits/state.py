"""What the events of an audit add up to. The events are the truth; this is only their sum, made anew at will.

Every sum is kept as events come in: an answer costs the same however many came before it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from altmas.audits.beginning import checked_changes
from altmas.audits.changes import CHANGEABLE
from altmas.audits.events import GENESIS, Event
from altmas.audits.parts import Drawn, Entry, Fit, Reread
from altmas.audits.values import SKIP, UNSURE

DISPUTED, TAKEN_BACK, OPEN = "disputed", "taken_back", "open"
LABELLED = "label"


@dataclass
class State:
    """The sum of events so far. `known` maps ids to positions, `class_places` class texts to indices."""

    known: Mapping[str, int]
    class_places: Mapping[str, int]
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
    changes: dict[str, Any] = field(default_factory=dict)  # settings that were changed since the audit was made
    changed_by: int = 0  # the last event that changed some
    renewed: dict[str, Any] | None = None  # what was taken over from an earlier audit

    def __post_init__(self) -> None:
        self._schedule = iter(self.due)
        self._next = next(self._schedule)
        self._by_seq: dict[int, Entry] = {}
        self._done: dict[str, list[int]] = {}
        self._undone: dict[str, list[int]] = {}
        self.order: dict[int, int] = {}  # position -> place in the order drawn
        self.resolved: set[int] = set()
        self.taken_back: set[int] = set()  # had an answer once, and have none now: seen, so not as good as undrawn
        self.tally: Counter[str] = Counter()  # what became of the resolved: `label`, `unsure`, `skip`, `disputed`
        self.rereads: list[Reread] = []
        self.to_read: dict[int, int] = {}  # position -> place in the order drawn for second readings
        self._stood: dict[int, Mapping[str, Entry]] = {}  # the answers that were drawn for a reading, as they were then
        self.settled: set[int] = set()  # annotators left these undecided, and an expert decided
        self.late: set[int] = set()  # had an answer that was no label before they had one
        self.asked_again: dict[str, set[int]] = {}  # annotator -> what they were asked once more
        self._read: dict[int, dict[str, Entry]] = {}  # position -> expert -> standing reading
        self._drawn: list[int] = []  # place -> position
        self._first_places: list[int] = []  # of each round
        # (position, by an expert) -> annotator -> answers not taken back, by event
        self._left: dict[tuple[int, bool], dict[str, list[int]]] = {}
        self._standing: dict[int, dict[str, Entry]] = {}
        self._given: dict[str, list[int]] = {}  # annotator -> standing answers, by event
        self._verdicts: dict[int, int | str | None] = {}
        self._unsettled: list[int] = []  # places whose verdict is no label
        self._open: dict[str, list[int]] = {}  # places, for each annotator who asked

    def take(self, events: Iterable[Event]) -> State:
        """Add events, in order."""
        for event in events:
            if event.kind in _STEPS:
                _STEPS[event.kind](self, event, event.body)
            self.seq, self.head = event.seq, event.hash
        return self

    def _draw(self, event: Event, body: dict[str, Any]) -> None:
        positions = tuple(self.known[str(one)] for one in body["items"])
        self._first_places.append(len(self.order))
        for position in positions:
            self.order[position] = len(self.order)
            self._drawn.append(position)
            self._offer(position)
        chances = tuple(body["propensities"])
        before = body.get("before") is True
        self.rounds.append(Drawn(body["round"], positions, chances, body["fit"], len(self.milestones), before))

    def _answer(self, event: Event, body: dict[str, Any]) -> None:
        position, annotator = self.known[str(body["item"])], body["annotator"]
        label = body["answer"] if body["answer"] in (UNSURE, SKIP) else self.class_places[body["label"]]
        expert = body.get("expert") is True
        entry = Entry(event.seq, event.at, position, annotator, label, body.get("note", ""), expert)
        if not expert:
            self.entries.setdefault(position, {}).setdefault(annotator, []).append(entry)
            if isinstance(label, str) and not isinstance(self.verdict(position), int):
                self.late.add(position)
        self.looked_at = False
        self._by_seq[event.seq] = entry
        self._done.setdefault(annotator, []).append(event.seq)
        self._undone[annotator] = []
        self.last_answer = event.at
        self._left_by(entry).append(event.seq)
        self._resolve(entry, event.seq)

    def _undo(self, event: Event, body: dict[str, Any]) -> None:
        self.looked_at = False
        for seq in body["answers"]:
            entry = self._by_seq[seq]
            _take_out(self._left_by(entry), seq)
            _take_out(self._done[entry.annotator], seq)
            self._undone.setdefault(entry.annotator, []).append(seq)
            self._resolve(entry, event.seq)

    def _redo(self, event: Event, body: dict[str, Any]) -> None:
        self.looked_at = False
        for seq in body["answers"]:
            entry = self._by_seq[seq]
            insort(self._left_by(entry), seq)
            _take_out(self._undone[entry.annotator], seq)
            self._done[entry.annotator].append(seq)
            self._resolve(entry, event.seq)

    def _fit(self, event: Event, body: dict[str, Any]) -> None:
        self.fits.append(Fit(body["number"], body["upto"], body["labels"], body["file"], body["sha256"], event.at))
        self.fits.sort(key=lambda fit: fit.number)

    def _rebuild(self, event: Event, body: dict[str, Any]) -> None:
        self.fits = [replace(one, sha256=body["sha256"]) if one.number == body["number"] else one for one in self.fits]

    def _reread(self, event: Event, body: dict[str, Any]) -> None:
        positions, among = (tuple(self._drawn[place] for place in body[name]) for name in ("places", "among"))
        for position in positions:
            self.to_read[position] = len(self.to_read)
            self._stood[position] = dict(self.standing(position))
        chances = tuple(body["chances"])
        self.rereads.append(Reread(body["round"], positions, tuple(body["propensities"]), among, chances, body["fit"]))

    def _again(self, event: Event, body: dict[str, Any]) -> None:
        self.asked_again.setdefault(body["annotator"], set()).update(self.known[str(one)] for one in body["items"])

    def _look(self, event: Event, body: dict[str, Any]) -> None:
        self.looked_at = True

    def _set(self, event: Event, body: dict[str, Any]) -> None:
        new = checked_changes(body)
        if strange := new.keys() - set(CHANGEABLE):
            raise ValueError(f"settings {sorted(strange)} were changed, which no version of altmas does")
        self.changes, self.changed_by = {**self.changes, **new}, event.seq

    def _renew(self, event: Event, body: dict[str, Any]) -> None:
        self.renewed = body

    def _assign(self, event: Event, body: dict[str, Any]) -> None:
        for one in body["items"]:
            position = self.known[str(one)]
            self.assigned.setdefault(position, set()).add(body["annotator"])
            self._offer(position)

    def _left_by(self, entry: Entry) -> list[int]:
        return self._left.setdefault((entry.position, entry.expert), {}).setdefault(entry.annotator, [])

    def _resolve(self, entry: Entry, seq: int) -> None:
        """Sum up one question anew, after one annotator's answer to it has changed."""
        position, annotator = entry.position, entry.annotator
        side = self._read if entry.expert else self._standing
        before, left = side.get(position, {}), self._left[position, entry.expert]
        now = {name: self._by_seq[seqs[-1]] for name, seqs in left.items() if seqs}
        theirs = self._given.setdefault(annotator, [])
        if annotator in before:
            _take_out(theirs, before[annotator].seq)
        if annotator in now:
            insort(theirs, now[annotator].seq)
        side[position] = now
        given = self.standing(position)
        if not entry.expert:
            (self.taken_back.discard if given else self.taken_back.add)(position)
        verdict, last = _verdict(self.counted(position).values()), self._verdicts.get(position)
        read = self.reading(position)
        settles = verdict in UNSETTLED and isinstance(read, int)
        (self.settled.add if settles else self.settled.discard)(position)
        verdict = read if settles else verdict
        if position in self.resolved:
            self.tally[_kind(last)] -= 1
        if len(given) >= self.overlap:
            self.resolved.add(position)
            self.tally[_kind(verdict)] += 1
        else:
            self.resolved.discard(position)
        self._verdicts[position] = verdict
        if position in self.order:
            _keep(self._unsettled, self.order[position], verdict in UNSETTLED)
            self._offer(position)
        while len(self.resolved) >= self._next:
            self.milestones.append(seq)
            self._next = next(self._schedule)

    def _offer(self, position: int) -> None:
        """Put a question on the lists of those who may answer it, and take it off the others'."""
        if position in self.order:
            for annotator, places in self._open.items():
                _keep(places, self.order[position], self.is_open_for(annotator, position))

    @property
    def answered(self) -> int:
        """How many questions are answered: by as many annotators as must, with a label, `unsure` or `skip`.

        This is the one count that a plan is compared with; `labels` of them count in the estimates.
        """
        return len(self.resolved)

    @property
    def labels(self) -> int:
        """How many of the questions answered have a label: neither unsure, skipped nor disputed."""
        return self.tally[LABELLED]

    def standing(self, position: int) -> Mapping[str, Entry]:
        """Each annotator's last answer to an item that was not taken back."""
        return self._standing.get(position, {})

    def counted(self, position: int) -> Mapping[str, Entry]:
        """The answers to an item as they count: those drawn for a second reading as they stood then.

        What is changed afterwards would no longer stand for the answers that nobody reads.
        """
        given, stood = self.standing(position), self._stood.get(position)
        return given if stood is None else {**given, **stood}

    def changed_since_drawn(self) -> int:
        """How many answers were changed or taken back after they had been drawn for a second reading."""
        return sum(
            any(who not in (now := self.standing(position)) or now[who].label != one.label for who, one in then.items())
            for position, then in self._stood.items()
        )

    def reading(self, position: int) -> int | str | None:
        """What experts read: as `verdict` has it of annotators."""
        return _verdict(self._read.get(position, {}).values())

    def read_by(self, position: int) -> Mapping[str, Entry]:
        """Each expert's last reading of an item that was not taken back."""
        return self._read.get(position, {})

    def experts(self) -> dict[str, int]:
        """How many standing readings each expert has."""
        return {who: n for who in self._given if (n := self._count(who, expert=True))}

    def _count(self, annotator: str, *, expert: bool) -> int:
        return sum(self._by_seq[seq].expert == expert for seq in self._given[annotator])

    def to_be_read(self, expert: str) -> Iterator[int]:
        """Positions for this expert: drawn for a second reading and not read yet; then what annotators left undecided.

        Nobody reads an answer of their own again.
        """
        for position in dict.fromkeys((*self.to_read, *self.unsettled())):  # an answer may be in dispute after its draw
            if not self._read.get(position) and (not expert or expert not in self.standing(position)):
                yield position

    def may_be_read(self, position: int) -> bool:
        """Whether an answer was drawn for a second reading, or annotators left it undecided."""
        return position in self.to_read or position in self.settled or self.verdict(position) in UNSETTLED

    def readings_open(self) -> int:
        """How many answers drawn for a second reading were not read yet."""
        return sum(not self._read.get(position) for position in self.to_read)

    def ever_read(self, position: int) -> bool:
        """Whether an expert ever read it, even if that was taken back."""
        return position in self._read

    def passed_over(self, position: int) -> bool:
        """Whether an answer drawn for a second reading was left while one drawn after it was read."""
        place = self.to_read.get(position)
        return place is not None and place < self._last_read and not self._read.get(position)

    @property
    def _last_read(self) -> int:
        return max((place for one, place in self.to_read.items() if self._read.get(one)), default=-1)

    def readings_missing(self) -> int:
        """How many answers drawn for a second reading have no expert's label."""
        return sum(not isinstance(self.reading(position), int) for position in self.to_read)

    def ever_answered(self, position: int) -> bool:
        """Whether any answer was ever given, even if it was taken back."""
        return position in self.entries

    def verdict(self, position: int) -> int | str | None:
        """The label most annotators gave; `disputed` if two are level, `unsure` or `skip` if none was given."""
        return self._verdicts.get(position)

    def is_open_for(self, annotator: str, position: int) -> bool:
        """Whether this annotator may answer a question; who is not named may answer all that are open."""
        given = self.standing(position)
        if position in self.resolved or annotator in given:
            return False
        kept_for = self.assigned.get(position, set())
        return not annotator or annotator in kept_for or len(kept_for | given.keys()) < self.overlap

    def open_for(self, annotator: str) -> Iterator[int]:
        """Positions asked about and not resolved that this annotator may answer, in the order drawn."""
        if annotator not in self._open:
            self._open[annotator] = [k for k, one in enumerate(self._drawn) if self.is_open_for(annotator, one)]
        return (self._drawn[place] for place in self._open[annotator])

    def unsettled(self) -> Iterator[int]:
        """Positions whose verdict is `unsure`, `skip` or `disputed`, in the order drawn."""
        return (self._drawn[place] for place in self._unsettled)

    def round_of(self, position: int) -> int:
        """The round in which a question was drawn."""
        return self.rounds[bisect_right(self._first_places, self.order[position]) - 1].round

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
        return {name: n for name in self._given if (n := self._count(name, expert=False))}

    def given_by(self, annotator: str) -> list[Entry]:
        """The annotator's standing answers, in the order given."""
        return [self._by_seq[seq] for seq in self._given.get(annotator, ())]

    def nth_given_by(self, annotator: str, place: int) -> Entry:
        """One of the annotator's standing answers, counted from 0 in the order given."""
        return self._by_seq[self._given[annotator][place]]


UNSETTLED = (UNSURE, SKIP, DISPUTED)


def _verdict(given: Iterable[Entry]) -> int | str | None:
    labels = [entry.label for entry in given]
    if len(labels) == 1:  # as most are
        return labels[0]
    votes = Counter(label for label in labels if isinstance(label, int)).most_common(2)
    if not votes:
        return UNSURE if UNSURE in labels else SKIP if SKIP in labels else None
    if len(votes) == 2 and votes[0][1] == votes[1][1]:
        return DISPUTED
    return int(votes[0][0])


def _kind(verdict: int | str | None) -> str:
    return verdict if isinstance(verdict, str) else LABELLED


def _take_out(numbers: list[int], number: int) -> None:
    # It is nearly always the last, which a search from the front would find last.
    if numbers[-1] == number:
        numbers.pop()
    else:
        numbers.remove(number)


def _keep(places: list[int], place: int, wanted: bool) -> None:
    """Have a place in a sorted list, or not have it there."""
    at = bisect_left(places, place)
    there = at < len(places) and places[at] == place
    if wanted and not there:
        places.insert(at, place)
    elif there and not wanted:
        del places[at]


_STEPS = {
    "drawn": State._draw,
    "answered": State._answer,
    "undone": State._undo,
    "redone": State._redo,
    "fitted": State._fit,
    "assigned": State._assign,
    "reread": State._reread,
    "again": State._again,
    "looked": State._look,
    "rebuilt": State._rebuild,
    "set": State._set,
    "renewed": State._renew,
}
"""What a kind of event does to the state; the others are only told about."""
