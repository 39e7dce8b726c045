"""Undo and redo: a stack for each annotator, that survives reopening."""

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.metrics.errors import InputError
from worlds.audits import CLASSES, kinds, standing

# Undo and redo


def test_undo_and_redo_are_a_stack(audit, world):
    queries = audit.ask(3)
    for query in queries:
        audit.tell(query.id, world.label(query.position))
    full = standing(audit)
    undone = [audit.undo() for _ in range(4)]
    assert [one and one.id for one in undone] == [queries[2].id, queries[1].id, queries[0].id, None]
    assert undone[0].label == world.label(queries[2].position)
    assert undone[0].position == queries[2].position
    assert standing(audit) == {}
    assert audit.ask(3) == queries
    redone = [audit.redo() for _ in range(4)]
    assert [one and one.id for one in redone] == [queries[0].id, queries[1].id, queries[2].id, None]
    assert standing(audit) == full
    assert audit.undo().id == queries[2].id
    assert audit.verify().ok


def test_a_new_answer_ends_redo(audit):
    a, b = audit.ask(2)
    audit.tell(a.id, "cat")
    audit.undo()
    audit.tell(b.id, "dog")
    assert audit.redo() is None
    assert standing(audit) == {(b.position, ""): "dog"}


def test_undo_is_each_annotator_s_own(audit):
    a, b = audit.ask(2)
    audit.tell(a.id, "cat", annotator="mk")
    audit.tell(b.id, "dog", annotator="jo")
    assert audit.undo("mk").id == a.id
    assert audit.undo("mk") is None
    assert audit.undo("nobody") is None
    audit.tell(a.id, "cat", annotator="jo")
    assert audit.redo("mk").id == a.id  # another's answers do not end it
    assert audit.redo("jo") is None


def test_undo_of_a_replacement_brings_the_first_answer_back(audit):
    query = audit.ask(1)[0]
    audit.tell(query.id, "cat")
    audit.tell(query.id, "dog", replace=True)
    assert audit.undo().label == "dog"
    assert standing(audit) == {(query.position, ""): "cat"}
    assert audit.redo().label == "dog"
    assert standing(audit) == {(query.position, ""): "dog"}
    assert [audit.undo().label, audit.undo().label] == ["dog", "cat"]
    assert standing(audit) == {}


def test_undo_goes_on_after_reopening(audit):
    queries = audit.ask(3)
    for query in queries:
        audit.tell(query.id, "cat")
    audit.undo()
    with Audit.open(audit.folder) as again:
        assert again.undo().id == queries[1].id
        assert [again.redo().id, again.redo().id] == [queries[1].id, queries[2].id]
    with Audit.open(audit.folder) as again:
        assert again.redo() is None
        assert again.status().answered == 3


def test_an_undo_that_is_sent_twice_is_made_once(audit):
    queries = audit.ask(3)
    for query in queries:
        audit.tell(query.id, "cat", annotator="mk")
    first = audit.undo("mk", client="u-1")
    assert audit.undo("mk", client="u-1") == first
    with Audit.open(audit.folder) as again:  # the server was killed before it could say so
        assert again.undo("mk", client="u-1") == first
        assert again.status().answered == 2
        redone = again.redo("mk", client="r-1")
        assert again.redo("mk", client="r-1") == redone
        assert (redone.id, redone.position, redone.label) == (first.id, first.position, first.label)
        assert again.status().answered == 3
    assert audit.undo("mk", client="u-2").id == first.id
    for act, who in ((audit.redo, "mk"), (audit.undo, "jo")):
        with pytest.raises(InputError, match="client id must be new, or come with the same content; got 'u-1'"):
            act(who, client="u-1")
    with pytest.raises(InputError, match="client id must be new"):
        audit.tell(queries[2].id, "cat", annotator="mk", client="u-1")
    assert kinds(audit).count("undone") == 2


def test_undo_and_redo_agree_with_a_plain_list(audit, world):
    """Any order of tell, undo, redo and replace, against the obvious model of it."""
    rng = np.random.default_rng(0)
    done, gone = {"mk": [], "jo": []}, {"mk": [], "jo": []}
    queries = audit.ask(15)

    def now():
        out = {}
        for who, entries in done.items():
            out |= {(position, who): label for position, label in entries}
        return out

    for step in range(250):
        who = ("mk", "jo")[rng.integers(2)]
        action = rng.choice(["tell", "tell", "undo", "undo", "redo"])
        if action == "undo":
            found = audit.undo(who)
            assert (found is None) == (not done[who])
            if done[who]:
                gone[who].append(done[who].pop())
        elif action == "redo":
            found = audit.redo(who)
            assert (found is None) == (not gone[who])
            if gone[who]:
                done[who].append(gone[who].pop())
        else:
            query, label = queries[rng.integers(15)], CLASSES[rng.integers(4)]
            if audit.tell(query.id, label, annotator=who, replace=True).new:
                done[who].append((query.position, label))
                gone[who] = []
        assert standing(audit) == now(), step
    with Audit.open(audit.folder) as again:
        assert standing(again) == now()
        assert again.status() == audit.status()
