"""The sums that are kept as events come in are those of a recount from scratch."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from altmas.audits.events import Event
from altmas.audits.parts import schedule
from altmas.audits.state import DISPUTED, LABELLED, State
from altmas.audits.values import SKIP, UNSURE

SIZE, CLASSES, PEOPLE = 12, ("cat", "dog", "owl"), ("", "ab", "mk", "zo")

ANSWERS = st.tuples(
    st.just("answered"), st.sampled_from(PEOPLE), st.integers(0, SIZE - 1), st.sampled_from([*CLASSES, UNSURE, SKIP])
)
TURNS = st.tuples(st.sampled_from(["undone", "redone"]), st.sampled_from(PEOPLE), st.integers(0, 99))
ASSIGNED = st.tuples(st.just("assigned"), st.sampled_from(PEOPLE[1:]), st.sets(st.integers(0, SIZE - 1), max_size=3))
DRAWN = st.tuples(st.just("drawn"), st.integers(1, 4))
LOOKED = st.tuples(st.just("looked"), st.sampled_from(PEOPLE))
STEPS = st.lists(st.one_of(ANSWERS, ANSWERS, ANSWERS, TURNS, TURNS, ASSIGNED, DRAWN, LOOKED), max_size=60)


class Recount:
    """Every event is remembered, and everything is counted from the first one whenever it is asked for."""

    def __init__(self, overlap):
        self.overlap, self.order, self.draws, self.rounds, self.assigned = overlap, [], 0, [], {}
        self.answers, self.gone = [], set()  # answers: (seq, position, annotator, label)

    def standing(self, position):
        left = [one for one in self.answers if one[1] == position and one[0] not in self.gone]
        return {who: (seq, label) for seq, _, who, label in sorted(left)}

    def verdict(self, position):
        given = [label for _, label in self.standing(position).values()]
        votes = Counter(one for one in given if one not in (UNSURE, SKIP)).most_common()
        if not votes:
            return UNSURE if UNSURE in given else SKIP if SKIP in given else None
        winners = [label for label, count in votes if count == votes[0][1]]
        return DISPUTED if len(winners) > 1 else CLASSES.index(winners[0])

    def is_open(self, annotator, position):
        given, kept_for = self.standing(position), self.assigned.get(position, set())
        if len(given) >= self.overlap or annotator in given:
            return False
        return not annotator or annotator in kept_for or len(kept_for | set(given)) < self.overlap


def event_of(seq, step, recount, done, undone):
    """The event of a step, where it can happen; the recount and the stacks of undo are told of it."""
    kind, who = step[0], step[1]
    if kind == "drawn":
        items = [p for p in range(SIZE - 1, -1, -1) if p not in recount.order][:who]
        recount.order += items
        number = recount.draws
        recount.draws, recount.rounds = number + 1, recount.rounds + [number] * len(items)
        return kind, {"round": number, "items": items, "propensities": [1.0] * len(items), "fit": None}
    if kind == "assigned":
        for position in step[2]:
            recount.assigned.setdefault(position, set()).add(who)
        return kind, {"items": sorted(step[2]), "annotator": who}
    if kind == "answered":
        position, label = step[2:]
        if position not in recount.order:
            return None
        recount.answers.append((seq, position, who, label))
        done.append((seq, who))
        undone[:] = [one for one in undone if one[1] != who]
        told = {"answer": label} if label in (UNSURE, SKIP) else {"answer": "label", "label": label}
        return kind, {"item": position, "annotator": who, **told}
    # Any answer may be turned, not only the last one: the sums must not rely on the order.
    there, other = (done, undone) if kind == "undone" else (undone, done)
    theirs = [one for one in there if one[1] == who]
    if not theirs:
        return None
    turned = theirs[step[2] % len(theirs)]
    there.remove(turned)
    other.append(turned)
    (recount.gone.add if kind == "undone" else recount.gone.discard)(turned[0])
    return kind, {"answers": [turned[0]], "annotator": who}


def check(state, recount, *, people):
    assert list(state.order) == recount.order
    resolved = {p for p in recount.order if len(recount.standing(p)) >= recount.overlap}
    assert state.resolved == resolved
    kinds = Counter(LABELLED if isinstance(v, int) else v for v in map(recount.verdict, resolved))
    assert +state.tally == kinds
    given = Counter(who for p in recount.order for who in recount.standing(p))
    assert state.annotators() == given
    for position in recount.order:
        assert {w: e.seq for w, e in state.standing(position).items()} == {
            who: seq for who, (seq, _) in recount.standing(position).items()
        }
        assert state.verdict(position) == recount.verdict(position)
        assert state.ever_answered(position) == any(one[1] == position for one in recount.answers)
        assert state.round_of(position) == recount.rounds[recount.order.index(position)]
    unsettled = [p for p in recount.order if recount.verdict(p) in (UNSURE, SKIP, DISPUTED)]
    assert list(state.unsettled()) == unsettled
    for who in people:
        assert list(state.open_for(who)) == [p for p in recount.order if recount.is_open(who, p)]
        seqs = sorted(recount.standing(p)[who][0] for p in recount.order if who in recount.standing(p))
        assert [entry.seq for entry in state.given_by(who)] == seqs
        assert [state.nth_given_by(who, k).seq for k in range(len(seqs))] == seqs


@pytest.mark.parametrize("overlap", [1, 2, 3])
@given(steps=STEPS)
@settings(max_examples=150, deadline=None)
def test_the_sums_are_those_of_a_recount(overlap, steps):
    places, labels = {str(k): k for k in range(SIZE)}, {name: k for k, name in enumerate(CLASSES)}
    state, recount = State(places, labels, overlap, schedule(3, 2, 1.0)), Recount(overlap)
    done, undone, events = [], [], []
    for step in [("drawn", 4), *steps]:
        if step[0] == "looked":  # whoever has looked once has a list that every later event must keep right
            check(state, recount, people=[step[1]])
            continue
        made = event_of(len(events) + 1, step, recount, done, undone)
        if made is not None:
            events.append(Event(len(events) + 1, "now", *made, None, "", ""))
            state.take(events[-1:])
    check(state, recount, people=PEOPLE)
    anew = State(places, labels, overlap, schedule(3, 2, 1.0)).take(events)
    check(anew, recount, people=PEOPLE)
    assert anew.milestones == state.milestones
    assert anew.resolved == state.resolved


def looks_of_an_answer(drawn, monkeypatch):
    """How often a question is looked at for one answer and the next question, after so many were drawn and answered."""
    state = State({str(k): k for k in range(drawn)}, {"cat": 0}, 1, schedule(drawn, 1, 1.0))
    draw = {"round": 0, "items": list(range(drawn)), "propensities": [1.0] * drawn, "fit": None}
    state.take([Event(1, "now", "drawn", draw, None, "", "")])
    looks = Counter()
    honest = State.is_open_for

    def counted(self, annotator, position):
        looks["all"] += 1
        return honest(self, annotator, position)

    for seq in range(2, drawn):
        position = next(state.open_for("mk"))
        told = {"item": position, "annotator": "mk", "answer": "label", "label": "cat"}
        if seq == drawn - 1:
            monkeypatch.setattr(State, "is_open_for", counted)
        state.take([Event(seq, "now", "answered", told, None, "", "")])
        assert next(state.open_for("mk")) == position + 1
    monkeypatch.undo()
    return looks["all"]


def test_an_answer_costs_the_same_however_many_came_before(monkeypatch):
    assert looks_of_an_answer(20, monkeypatch) == looks_of_an_answer(400, monkeypatch) == 1
