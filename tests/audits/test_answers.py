"""Telling: every answer once, from one annotator or several, one by one or many at a time."""

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError
from worlds.audits import CLASSES, METRICS, answer, kinds, make_audit, make_world, standing


def drawn(audit):
    """Positions in the order drawn."""
    return list(audit.state.order)


# Answers


def test_an_answer_is_acknowledged_with_its_event(audit):
    query = audit.ask(1)[0]
    told = audit.tell(query.id, "cat", annotator="mk", note="blurred", took_ms=812, given_at="2026-01-02T03:04:05Z")
    event = audit.events()[-1]
    assert (told.seq, told.at, told.new) == (event.seq, event.at, True)
    assert event.body == {
        "item": query.id, "annotator": "mk", "answer": "label", "label": "cat", "note": "blurred", "ms": 812,
        "given_at": "2026-01-02T03:04:05Z",
    }  # fmt: skip
    [given] = audit.answers_of("mk")
    assert (given.position, given.id, given.label, given.note, given.seq) == (
        query.position, query.id, "cat", "blurred", told.seq,
    )  # fmt: skip


def test_the_same_answer_again_changes_nothing(audit):
    query = audit.ask(1)[0]
    first = audit.tell(query.id, "cat")
    head = audit.status().head
    again = audit.tell(query.id, "cat")
    assert (again.seq, again.at, again.new) == (first.seq, first.at, False)
    assert audit.status().head == head
    audit.tell(query.id, "cat", note="a thought")
    assert audit.answers_of("")[0].note == "a thought"


def test_another_answer_is_refused_unless_it_replaces(audit):
    query = audit.ask(1)[0]
    audit.tell(query.id, "cat")
    for other in ("dog", "unsure", "skip"):
        with pytest.raises(InputError, match=f"must be the one already given; got 'cat' there, '{other}' now"):
            audit.tell(query.id, other)
    assert audit.tell(query.id, "dog", replace=True).new
    assert standing(audit) == {(query.position, ""): "dog"}
    assert audit.status().answered == 1


@pytest.mark.parametrize("label", ["mouse", "", "CAT", "Unsure", None, 1, 0.5])
def test_labels_that_are_no_class_are_refused(audit, label):
    query = audit.ask(1)[0]
    with pytest.raises(InputError, match="label must be one of the classes 'ant', 'bee', 'cat', 'dog', 'unsure' or"):
        audit.tell(query.id, label)
    assert kinds(audit) == ["created", "drawn"]


def test_ids_that_are_unknown_or_were_not_asked_about_are_refused(audit, world):
    with pytest.raises(InputError, match="id must be one of the pool's; got 'no such id'"):
        audit.tell("no such id", "cat")
    audit.ask(3)
    not_asked = next(p for p in range(200) if p not in audit.state.order)
    with pytest.raises(InputError, match="id must be one that was asked about"):
        audit.tell(world.pool.ids[not_asked], "cat")
    assert kinds(audit) == ["created", "drawn"]


def test_numbers_may_come_as_text_or_from_numpy(tmp_path):
    pool = Pool.build([0, 1] * 30, ids=range(100, 160))
    with Audit.create(tmp_path / "a", pool, metrics="accuracy") as audit:
        a, b, c, d = audit.ask(4)
        audit.tell(str(a.id), "1")
        audit.tell(np.int64(b.id), np.int64(0))
        audit.tell(c.id, 1)
        audit.tell(str(d.id), "unsure")
        assert [one.label for one in audit.answers_of("")] == [1, 0, 1, "unsure"]
        assert [one.id for one in audit.answers_of("")] == [a.id, b.id, c.id, d.id]
        assert audit.tell(a.id, 1).new is False
        audit.assign([np.int64(audit.ask(1)[0].id)], "mk")
        with pytest.raises(InputError, match="label must"):
            audit.tell(a.id, 2)


def test_answers_may_come_late_and_in_any_order(tmp_path, world):
    results = []
    for k, shuffled in enumerate((False, True)):
        with make_audit(tmp_path / str(k), world, metrics=METRICS) as audit:
            queries = audit.ask(30)
            order = np.random.default_rng(1).permutation(30) if shuffled else range(30)
            for place in order:
                audit.tell(queries[place].id, world.label(queries[place].position))
            results.append(audit.findings().estimates)
    # Fits may have been made with other answers, but the sample and its chances are the same.
    assert results[0]["labels"].tolist() == results[1]["labels"].tolist() == [30, 30, 30]
    np.testing.assert_allclose(results[0]["design"], results[1]["design"], atol=0.05)


def test_a_late_answer_counts_in_its_place(audit, world):
    queries = audit.ask(20)
    for query in queries[1:]:
        audit.tell(query.id, world.label(query.position))
    answer(audit, world, 40, without=[queries[0].position])
    assert audit.ask(1) == queries[:1]
    assert audit.findings().missing["open"] == 1
    audit.tell(queries[0].id, world.label(queries[0].position))
    found = audit.findings()
    assert found.missing["open"] == 0
    assert found.drawn.answers.items.tolist() == drawn(audit)[: found.labels]
    assert audit.verify().ok


def test_unsure_and_skip_close_a_question_for_now(audit):
    queries = audit.ask(4)
    audit.tell(queries[0].id, "unsure")
    audit.tell(queries[1].id, "skip", annotator="mk")
    status = audit.status()
    assert (status.answered, status.labels, status.unsure, status.skipped, status.open) == (2, 0, 1, 1, 2)
    assert audit.ask(2) == queries[2:]
    assert audit.ask(9, again=True) == queries[:2]
    assert audit.ask(1, again=True) == queries[:1]
    assert audit.ask(9, again=True, without={queries[0].position}) == queries[1:2]
    audit.tell(queries[0].id, "cat", replace=True)
    audit.tell(queries[1].id, "dog", annotator="someone else")
    assert audit.ask(9, again=True) == []
    assert audit.status().answered == 2


def test_questions_that_others_hold_are_left_to_them(audit):
    first = audit.ask(6)
    held = [query.position for query in first[:4]]
    mine = audit.ask(3, without=held)
    assert mine[:2] == first[4:]
    assert not {query.position for query in mine} & set(held)
    assert audit.ask(6) == first


def test_assigned_questions_go_to_nobody_else(audit):
    queries = audit.ask(6)
    audit.assign([queries[0].id, queries[1].id], "mk")
    audit.assign([queries[1].id], "jo")
    assert audit.ask(2, annotator="mk") == queries[:2]
    assert audit.ask(2, annotator="jo") == queries[1:3]
    assert audit.ask(2, annotator="al") == queries[3:5]  # jo was just given the one before
    assert audit.ask(2) == queries[:2]  # who does not say who they are gets everything
    with Audit.open(audit.folder) as again:
        assert again.ask(2, annotator="al") == queries[3:5]
    with pytest.raises(InputError, match="id must be one of the pool's"):
        audit.assign(["no such id"], "mk")


# Clients' own ids


def test_a_client_id_that_comes_twice_is_kept_once(audit):
    a, b = audit.ask(2)
    first = audit.tell(a.id, "cat", client="x-1")
    again = audit.tell(a.id, "cat", client="x-1")
    assert (again.seq, again.at, again.new) == (first.seq, first.at, False)
    for item, label in ((a.id, "dog"), (b.id, "cat")):
        with pytest.raises(InputError, match="client id must be new, or come with the same content; got 'x-1'"):
            audit.tell(item, label, client="x-1", replace=True)
    assert kinds(audit).count("answered") == 1
    audit.undo()
    assert audit.tell(a.id, "cat", client="x-1").new is False  # what was taken back does not come back by itself
    assert standing(audit) == {}
    assert audit.tell(a.id, "cat", client="x-2").new


def test_a_client_id_cannot_stand_in_the_way_of_a_refit(audit, world):
    queries = audit.ask(20)
    for k, query in enumerate(queries):
        audit.tell(query.id, world.label(query.position), client=f"fit-{k}")
    assert audit.refit()
    assert not audit.refit_due()


def test_records_are_kept_once_too(audit):
    body = {"what": "prediction", "item": "item-3", "annotator": "mk"}
    first = audit.record("revealed", body, client="r-1")
    assert audit.record("revealed", body, client="r-1").seq == first.seq
    assert kinds(audit) == ["created", "revealed"]
    for kind in ("answered", "drawn", "fitted", "created", "anything"):
        with pytest.raises(InputError, match="kind must be revealed, exported, noted or reported"):
            audit.record(kind, body)


def test_text_that_cannot_be_written_is_refused_by_a_sentence(audit):
    query = audit.ask(1)[0]
    with pytest.raises(InputError, match="must be Unicode"):
        audit.tell(query.id, "cat", note="\ud800")
    with pytest.raises(InputError, match="must be"):
        audit.tell(query.id, "cat", annotator="\udfff")
    with pytest.raises(InputError, match="must be"):
        audit.tell(query.id, "cat", client="\udfff")
    assert audit.tell(query.id, "cat", note="\x00 'quoted' \u2028 😀").new
    assert audit.answers_of("")[0].note == "\x00 'quoted' \u2028 😀"
    assert audit.verify().ok


# Several annotators


@pytest.fixture
def shared(tmp_path, world):
    with make_audit(tmp_path / "shared", world, overlap=2) as one:
        yield one


def test_each_question_waits_for_its_annotators(shared):
    query = shared.ask(1, annotator="mk")[0]
    shared.tell(query.id, "cat", annotator="mk")
    assert shared.ask(1, annotator="jo") == [query]
    assert shared.ask(1, annotator="mk") != [query]
    assert shared.status().open == shared.status().asked
    shared.tell(query.id, "cat", annotator="jo")
    assert query not in shared.ask(5, annotator="al")
    assert shared.status().open == shared.status().asked - 1
    assert shared.status().annotators == {"mk": 1, "jo": 1}


def test_every_question_is_in_one_state(shared):
    queries = shared.ask(6)
    for k, labels in enumerate([("cat",), ("cat", "cat"), ("cat", "dog"), ("unsure",), ("skip", "skip"), ()]):
        for who, label in zip(("mk", "jo"), labels, strict=False):
            shared.tell(queries[k].id, label, annotator=who)
    status = shared.status()
    assert (status.labels, status.disputed, status.unsure, status.skipped, status.open) == (1, 1, 0, 1, 3)
    assert (status.answered, status.asked) == (3, 6)


def test_most_votes_decide_and_a_tie_is_disputed(shared):
    query = shared.ask(1)[0]
    shared.tell(query.id, "cat", annotator="mk")
    shared.tell(query.id, "dog", annotator="jo")
    assert shared.status().disputed == 1
    assert shared.ask(9, again=True) == [query]
    assert shared.state.verdict(query.position) == "disputed"
    shared.tell(query.id, "dog", annotator="al")
    assert shared.status().disputed == 0
    assert shared.state.verdict(query.position) == CLASSES.index("dog")
    assert shared.ask(9, again=True) == []
    shared.undo("al")
    assert shared.status().disputed == 1


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (["cat", "unsure"], "cat"),
        (["skip", "cat"], "cat"),
        (["unsure", "unsure"], "unsure"),
        (["skip", "unsure"], "unsure"),
        (["skip", "skip"], "skip"),
        (["cat", "cat", "dog"], "cat"),
        (["cat", "dog", "ant", "dog"], "dog"),
        (["cat", "dog", "unsure"], "disputed"),
    ],
)
def test_the_verdict_on_several_answers(shared, given, verdict):
    query = shared.ask(1)[0]
    for k, label in enumerate(given):
        shared.tell(query.id, label, annotator=f"annotator {k}")
    found = shared.state.verdict(query.position)
    assert (CLASSES[found] if isinstance(found, int) else found) == verdict


# Imports: many answers in one transaction


def test_an_import_is_kept_whole_or_not_at_all(audit, world):
    queries = audit.ask(5)

    def bad_file():
        with audit.importing({"file": "bad.csv"}):
            audit.tell(queries[0].id, "cat")
            audit.tell(queries[1].id, "mouse")

    with pytest.raises(InputError, match="label must"):
        bad_file()
    assert kinds(audit) == ["created", "drawn"]
    assert standing(audit) == {}
    with audit.importing({"file": "good.csv"}):
        for query in queries:
            audit.tell(query.id, world.label(query.position))
    assert kinds(audit)[2:] == [*["answered"] * 5, "imported"]
    with audit.importing({"file": "good.csv"}):  # nothing new
        for query in queries:
            assert not audit.tell(query.id, world.label(query.position)).new
    assert len(audit.events()) == 8
    assert audit.verify().ok


def test_an_import_sees_its_own_rows(audit):
    query = audit.ask(1)[0]
    with audit.importing({"file": "twice.csv"}):
        assert audit.tell(query.id, "cat").new
        assert not audit.tell(query.id, "cat").new
        with pytest.raises(InputError, match="must be the one already given"):
            audit.tell(query.id, "dog")
    assert kinds(audit).count("answered") == 1


def test_a_refused_answer_costs_nothing_however_long_the_log(tmp_path):
    world = make_world(3000)
    with make_audit(tmp_path / "a", world, initial=2000) as audit:
        queries = audit.ask(2000)
        with audit.importing({"file": "many"}):
            for query in queries:
                audit.tell(query.id, "cat")
        state = audit.state
        for _ in range(50):
            with pytest.raises(InputError, match="label must"):
                audit.tell(queries[0].id, "mouse")
        assert audit.state is state  # nothing was summed anew
