"""Asking and telling: the same questions until they are answered, every answer once, and `assess` by another door."""

import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest
from audit_world import CLASSES, answer, kinds, make_audit, make_world, standing

import altmas
from altmas.audits.audit import Audit
from altmas.audits.design import Design
from altmas.audits.fits import FitFiles
from altmas.audits.refit_lock import one_at_a_time
from altmas.audits.store import StoreError
from altmas.metrics.errors import InputError
from altmas.pool import Pool

METRICS = ["accuracy", "macro_recall", "f1:cat"]


@pytest.fixture(scope="module")
def world():
    return make_world()


@pytest.fixture
def audit(tmp_path, world):
    with make_audit(tmp_path / "audit", world) as one:
        yield one


def drawn(audit):
    """Positions in the order drawn."""
    return list(audit.state.order)


def rounds(audit):
    return [event.body for event in audit.events() if event.kind == "drawn"]


def assessed(world, count, method="certified", initial=20, batch=10, metrics=METRICS, **more):
    pool = world.pool
    return altmas.assess(
        [CLASSES[c] for c in world.said], world.confidence, classes=CLASSES, ids=pool.ids, metrics=metrics,
        oracle=dict(zip(pool.ids, [CLASSES[c] for c in world.truth], strict=True)), method=method, budget=count,
        initial=initial, batch=batch, progress=False, **more,
    )  # fmt: skip


# The same questions


def test_asking_twice_changes_nothing(audit):
    first = audit.ask(7)
    events = len(audit.events())
    assert audit.ask(7) == first
    assert audit.ask(3) == first[:3]
    assert len(audit.events()) == events
    more = audit.ask(9)
    assert more[:7] == first
    assert len({query.id for query in more}) == 9


def test_an_answered_question_makes_room_for_the_next(audit):
    first = audit.ask(5)
    audit.tell(first[2].id, "cat")
    second = audit.ask(5)
    assert second[:4] == [*first[:2], *first[3:]]
    assert second[4] not in first


def test_the_same_questions_after_reopening(audit, world):
    answer(audit, world, 30)
    queries = audit.ask(10)
    with Audit.open(audit.folder) as again:
        assert again.ask(10) == queries


def test_the_whole_pool_can_be_asked_about_and_no_more(tmp_path):
    world = make_world(45)
    with make_audit(tmp_path / "audit", world) as audit:
        answer(audit, world, 45)
        assert sorted(drawn(audit)) == list(range(45))
        assert audit.ask(5) == []
        assert audit.ask(5, wait=False) == []
        assert audit.status().open == 0


def test_a_query_shows_nothing_that_the_model_said(audit, world):
    query = audit.ask(1)[0]
    assert vars(query) == {
        "id": world.pool.ids[query.position], "position": query.position, "round": 0, "content": {}, "media": False,
    }  # fmt: skip


def test_rounds_are_numbered_as_they_were_drawn(audit, world):
    answer(audit, world, 20)
    later = audit.ask(3)
    assert {query.round for query in later} == {1}
    for query in later[:2]:
        audit.tell(query.id, "cat")
    assert [query.round for query in audit.ask(2)] == [1, 2]


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", True])
def test_only_whole_numbers_of_questions(audit, n):
    with pytest.raises(InputError, match="n must"):
        audit.ask(n)


# `assess`, by another door


@pytest.mark.parametrize(("initial", "batch"), [(20, 10), (35, 7)])
def test_told_in_order_an_audit_is_assess(tmp_path, seed, initial, batch):
    world = make_world(seed=seed)
    count = initial + 7 * batch
    result = assessed(world, count, initial=initial, batch=batch, seed=seed)
    with make_audit(tmp_path / "a", world, metrics=METRICS, initial=initial, batch=batch, seed=seed) as audit:
        answer(audit, world, count)
        assert drawn(audit) == result.answers["position"].tolist()
        given = [p for one in rounds(audit) for p in one["propensities"]]
        np.testing.assert_allclose(given, result.answers["propensity"], rtol=1e-9)
        found = audit.findings()
        expected = result.estimate(METRICS)
        assert found.estimates["metric"].tolist() == METRICS
        for column in ("estimate", "low", "high", "plug_in", "design"):
            np.testing.assert_allclose(found.estimates[column], expected[column], atol=1e-5)
        assert found.estimates["worst_case"].isna().all()
        assert found.estimates["best_case"].isna().all()
        # The design, replayed from the log.
        inclusion = found.estimator.sample.inclusion[drawn(audit)]
        np.testing.assert_allclose(inclusion, result.answers["inclusion"], rtol=1e-9)


def test_an_anytime_audit_told_in_order_is_assess(tmp_path, world):
    method = altmas.make_method("certified", interval="anytime")
    result = assessed(world, 60, method=method, metrics=["accuracy"])
    with make_audit(tmp_path / "a", world, options={"interval": "anytime"}) as audit:
        answer(audit, world, 60)
        assert drawn(audit) == result.answers["position"].tolist()
        row, expected = audit.findings().estimates.iloc[0], result.estimates.iloc[0]
        np.testing.assert_allclose([row.low, row.high], [expected.low, expected.high], atol=1e-5)
        assert "all looks" in row.promise


def test_a_random_audit_told_in_order_is_assess(tmp_path, world):
    result = assessed(world, 60, method="random")
    with make_audit(tmp_path / "a", world, metrics=METRICS, method="random") as audit:
        answer(audit, world, 60)
        assert drawn(audit) == result.answers["position"].tolist()
        table = audit.findings().estimates
        for column in ("estimate", "low", "high"):
            np.testing.assert_allclose(table[column], result.estimates[column], atol=1e-12)
        assert not audit.refit_due()
        assert "fitted" not in kinds(audit)


@pytest.mark.parametrize("method", ["uniform", "informed", "thompson", "hierarchical", "hierarchical-thompson"])
def test_group_methods_go_from_the_first_question_to_the_last(tmp_path, method):
    world = make_world(60)
    with make_audit(tmp_path / "a", world, method=method) as audit:
        answer(audit, world, 40, reply=lambda position: "unsure" if position % 7 == 0 else world.label(position))
        found = audit.findings()
        assert found.estimator is None
        assert found.missing["unsure"] == sum(position % 7 == 0 for position in drawn(audit))
        row = found.estimates.iloc[0]
        assert row.low <= row.estimate <= row.high
        assert len(found.groups()) == 4
        for position in [p for p in drawn(audit) if p % 7 == 0]:
            audit.tell(world.pool.ids[position], world.label(position), replace=True)
        answer(audit, world, 60)
        assert audit.findings().estimates["estimate"].iloc[0] == pytest.approx(world.accuracy)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bald", "altmas", "certified"])
def test_methods_with_a_network_run_in_an_audit(tmp_path, method):
    rng = np.random.default_rng(0)
    world = make_world(60, features=rng.normal(size=(60, 3)).astype(np.float32))
    with make_audit(tmp_path / "a", world, method=method, initial=10, batch=5) as audit:
        answer(audit, world, 20, reply=lambda position: "skip" if position % 9 == 0 else world.label(position))
        assert len(drawn(audit)) == len(set(drawn(audit))) == 20
        assert [one["fit"] for one in rounds(audit)] == [None, 0, 1]
        row = audit.findings().estimates.iloc[0]
        assert 0 <= row.low <= row.estimate <= row.high <= 1
        assert audit.verify().ok


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
    assert (status.answered, status.unsure, status.skipped, status.open, status.asked) == (0, 1, 1, 2, 4)
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
    assert audit.ask(2, annotator="al") == queries[2:4]
    assert audit.ask(2) == queries[:2]  # who does not say who they are gets everything
    with Audit.open(audit.folder) as again:
        assert again.ask(2, annotator="al") == queries[2:4]
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
    assert (status.answered, status.disputed, status.unsure, status.skipped, status.open) == (1, 1, 0, 1, 3)
    assert status.asked == 6


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


# Two at once


def test_two_that_have_one_audit_open_see_each_other(audit, world):
    with Audit.open(audit.folder) as other:
        queries = audit.ask(10)
        assert other.ask(10) == queries
        for k, query in enumerate(queries):
            (audit, other)[k % 2].tell(query.id, world.label(query.position))
        assert audit.status() == other.status()
        assert audit.status().answered == 10
        assert other.undo().id == queries[9].id  # the same annotator, through another door
        assert audit.redo().id == queries[9].id
        with pytest.raises(InputError, match="must be the one already given"):
            other.tell(queries[0].id, world.wrong(queries[0].position))
        assert standing(audit) == standing(other)


ASK = """
import sys, time
from altmas.audits.audit import Audit
with Audit.open(sys.argv[1]) as audit:
    print("ready", flush=True)
    sys.stdin.readline()
    print([query.position for query in audit.ask(20, wait=sys.argv[2] == "wait")])
"""


@pytest.mark.parametrize("wait", ["wait", "do not wait"])
def test_processes_that_ask_at_the_same_time_draw_once(audit, world, wait):
    answer(audit, world, 30)
    several = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, audit.folder, wait], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for one in several:
        assert one.stdout.readline() == "ready\n"
    for one in several:
        one.stdin.write("go\n")
        one.stdin.flush()
    said = [one.communicate(timeout=60)[0] for one in several]
    assert len(set(said)) == 1
    assert len(drawn(audit)) == 30
    audit.refresh()
    assert len(drawn(audit)) == 50
    assert kinds(audit).count("fitted") == (2 if wait == "wait" else 1)
    assert audit.verify().ok


# Refits


def test_telling_never_refits(audit, world, monkeypatch):
    queries = audit.ask(200)
    monkeypatch.setattr("altmas.audits.audit.fit", None)  # a fit would fail
    for query in queries:
        audit.tell(query.id, world.label(query.position))
    assert "fitted" not in kinds(audit)
    assert audit.refit_due()
    assert audit.status().fit_labels == 0


def test_a_refit_is_made_once_when_due(audit, world):
    assert not audit.refit()
    queries = audit.ask(20)
    for query in queries[:19]:
        audit.tell(query.id, world.label(query.position))
    assert not audit.refit_due()
    audit.tell(queries[19].id, "unsure")
    assert audit.refit_due()
    assert audit.refit()
    assert not audit.refit_due()
    assert not audit.refit()
    [event] = [event for event in audit.events() if event.kind == "fitted"]
    assert event.body["labels"] == 19
    assert event.body["upto"] == event.seq - 1
    status = audit.status()
    assert (status.fit_labels, status.fit_at, status.refitting) == (19, event.at, False)


def test_refits_come_when_the_answers_have_grown(audit, world):
    answer(audit, world, 120)
    audit.refit()
    made = [event.body["labels"] for event in audit.events() if event.kind == "fitted"]
    assert made == [20, 30, 40, 50, 60, 80, 100, 120]


def test_an_undo_makes_no_refit_due_again(audit, world):
    answer(audit, world, 20)
    audit.refit()
    audit.undo()
    audit.redo()
    audit.undo()
    query = audit.ask(1)[0]
    audit.tell(query.id, "cat")
    assert not audit.refit_due()


def test_refitting_is_seen_while_it_goes_on(audit):
    assert not audit.status().refitting
    with one_at_a_time(audit.folder):
        assert audit.status().refitting
    assert not audit.status().refitting


def test_the_log_says_which_fit_each_round_came_from(audit, world):
    answer(audit, world, 60)
    assert [one["fit"] for one in rounds(audit)] == [None, 0, 1, 2, 3]
    assert [one["round"] for one in rounds(audit)] == [0, 1, 2, 3, 4]


def test_the_chances_in_the_log_are_those_of_the_design(audit, world):
    answer(audit, world, 60, reply=lambda position: "skip" if position % 5 == 0 else world.label(position))
    design = Design(world.pool.size, audit.method, FitFiles(audit.folder).ideal)
    for one in audit.state.rounds:
        open_items = np.flatnonzero(~design.drawn)
        chances = design.run(one.fit, one.positions)
        left = chances[open_items].sum()
        for position, propensity in zip(one.positions, one.propensities, strict=True):
            assert propensity == pytest.approx(chances[position] / left)
            left -= chances[position]


def behind(folder, world, when, *, count=150):
    """A labelling page: questions never wait. `when(answered)` says whether the worker has got round to a refit."""
    with make_audit(folder, world) as audit:
        told = 0
        while told < count:
            for query in audit.ask(audit.settings.batch, wait=False):
                audit.tell(query.id, world.label(query.position))
                told += 1
                if when(told) and audit.refit_due():
                    audit.refit()
        return drawn(audit), [one["fit"] for one in rounds(audit)]


def test_questions_that_do_not_wait_depend_on_the_answers_alone(tmp_path, world):
    at_once = behind(tmp_path / "0", world, lambda told: True)  # a refit is made before the next question is asked
    late = behind(tmp_path / "1", world, lambda told: told % 10 == 9)  # a round later
    mixed = behind(tmp_path / "2", world, lambda told: told % 10 == 3 or told % 20 == 0)
    assert at_once == late == mixed
    fits = at_once[1]
    assert fits[:4] == [None, None, None, 0]  # 20 answers make the first due, a round later it is used
    assert fits == sorted(fits, key=lambda one: -1 if one is None else one)
    assert fits[-1] >= 5


def test_a_worker_that_falls_behind_is_in_the_log(tmp_path, world):
    never = behind(tmp_path / "0", world, lambda told: False)
    slow = behind(tmp_path / "1", world, lambda told: told > 60)
    assert set(never[1]) == {None}
    assert slow[1][:7] == [None] * 7
    assert slow[1][-1] is not None


def test_not_waiting_draws_at_least_a_batch(audit):
    assert len(audit.ask(1, wait=False)) == 1
    assert len(drawn(audit)) == 10
    assert len(audit.ask(14, wait=False)) == 14
    assert len(drawn(audit)) == 20


REFIT = """
import sys, time
import altmas.audits.audit as home
real = home.fit
def slow(*arguments):
    made = real(*arguments)
    print("fitting", flush=True)
    time.sleep(float(sys.argv[2]))
    return made
home.fit = slow
with home.Audit.open(sys.argv[1]) as audit:
    audit.refit()
"""


def test_a_killed_refit_leaves_nothing_wrong(audit, world):
    answer(audit, world, 20)
    process = subprocess.Popen([sys.executable, "-c", REFIT, audit.folder, "60"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "fitting\n"
    assert audit.status().refitting
    start = time.perf_counter()
    [query] = audit.ask(1, wait=False)  # nobody waits for it
    audit.tell(query.id, world.label(query.position))
    assert time.perf_counter() - start < 5
    process.kill()
    process.communicate()
    # As if it had been killed while it wrote its file.
    (audit.folder / "fits").mkdir(mode=0o700, exist_ok=True)
    (audit.folder / "fits" / f".0000.npz.{process.pid}.part").write_bytes(b"half")
    assert not audit.status().refitting
    assert audit.verify().ok
    assert audit.refit_due()
    assert audit.refit()
    assert sorted(path.name for path in (audit.folder / "fits").iterdir()) == ["0000.npz"]
    assert audit.verify().ok
    answer(audit, world, 60)


def test_a_refit_waits_for_the_one_under_way_and_is_not_made_twice(audit, world):
    answer(audit, world, 20)
    process = subprocess.Popen([sys.executable, "-c", REFIT, audit.folder, "0.5"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "fitting\n"
    assert not audit.refit()
    assert process.wait(60) == 0
    process.stdout.close()
    assert kinds(audit).count("fitted") == 1


def test_refits_of_the_same_answers_are_the_same(tmp_path, world):
    made = []
    for k in range(2):
        with make_audit(tmp_path / str(k), world) as audit:
            answer(audit, world, 60)
            made.append([event.body["sha256"] for event in audit.events() if event.kind == "fitted"])
    assert made[0] == made[1]
    assert len(set(made[0])) == len(made[0]) == 4


def test_a_closed_audit_says_so(audit):
    audit.close()
    for act in (audit.status, audit.ask, lambda: audit.tell("item-0", "cat"), lambda: audit.content(0)):
        with pytest.raises(StoreError, match="store must be"):
            act()


def test_times_only_go_on(audit, world):
    answer(audit, world, 30)
    times = [event.at for event in audit.events()]
    assert all(before <= after for before, after in pairwise(times))
    assert audit.status().last_answer == times[-1]
    assert all(len(at) == 24 and at.endswith("Z") for at in times)


def test_an_answer_by_nobody_named_is_no_second_opinion(audit):
    first, second = audit.ask(2)
    audit.tell(first.id, "cat", annotator="mk")
    assert not audit.tell(first.id, "cat").new
    with pytest.raises(InputError, match="must be the one already given"):
        audit.tell(first.id, "dog")
    audit.tell(second.id, "cat")
    assert not audit.tell(second.id, "cat", annotator="mk").new
    assert audit.findings().agreement.items == 0
    assert audit.tell(first.id, "dog", annotator="jo").new  # somebody else, by name
