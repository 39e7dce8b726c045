"""Second readings in audits: drawn and logged, by experts alone, never of one's own answer, replayed and verified."""

import shutil

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.metrics.errors import AltmasError, InputError
from worlds.attacks import forge
from worlds.audits import CLASSES, METRICS, answer, kinds, make_audit
from worlds.people import EXPERT, annotator, bodies, read_again, with_expert


@pytest.fixture(scope="module")
def careless(world):
    """What an annotator says who is wrong about a fifth."""
    said = annotator(world.truth, 0.2, seed=3)
    return lambda position: CLASSES[said[position]]


@pytest.fixture(scope="module")
def template(tmp_path_factory, world, careless):
    """A closed audit of a careless annotator, with two draws of second readings, all read."""
    folder = tmp_path_factory.mktemp("template") / "audit"
    with with_expert(folder, world, metrics=METRICS, budget=120) as audit:
        answer(audit, world, 40, reply=careless)
        read_again(audit, world, 10)
        answer(audit, world, 60, reply=careless)
        read_again(audit, world, 10)
    return folder


@pytest.fixture
def audit(tmp_path, world):
    with with_expert(tmp_path / "audit", world) as one:
        yield one


@pytest.fixture
def read(folder):
    """The audit of the template, to go on with."""
    with Audit.open(folder) as one:
        yield one


# Asking


def test_an_expert_is_asked_about_answers_of_others(audit, world):
    answer(audit, world, 20)
    queries = audit.ask(5, annotator=EXPERT)
    assert len({one.id for one in queries}) == 5
    assert all(audit.state.standing(one.position) for one in queries)
    assert [one.id for one in audit.ask(5, annotator=EXPERT)] == [one.id for one in queries]
    assert kinds(audit).count("reread") == 1
    assert audit.status().to_read == audit.status().readings_open == 5


def test_second_readings_are_the_same_until_they_are_made(audit, world):
    answer(audit, world, 20)
    first = [one.id for one in audit.ask(3, second_reading=True)]
    assert [one.id for one in audit.ask(3, second_reading=True)] == first
    assert kinds(audit).count("reread") == 1
    audit.tell(first[0], "cat", annotator=EXPERT)
    assert [one.id for one in audit.ask(2, second_reading=True)] == first[1:]


def test_no_more_are_drawn_than_are_due_or_asked_for(audit, world):
    answer(audit, world, 40)
    assert len(audit.ask(1, annotator=EXPERT)) == 1
    assert len(audit.state.to_read) == 10  # one for four
    assert len(audit.ask(12, annotator=EXPERT)) == len(audit.state.to_read) == 12


def test_before_there_is_an_answer_nothing_is_read(audit):
    assert audit.ask(3, annotator=EXPERT) == []
    audit.ask(5)
    assert audit.ask(3, annotator=EXPERT) == []
    assert "reread" not in kinds(audit)


def test_an_expert_may_ask_for_ordinary_questions_too(audit):
    assert len(audit.ask(3, annotator=EXPERT, second_reading=False)) == 3


def test_nobody_is_handed_an_item_twice(tmp_path, world):
    """One that was drawn for a reading, and is in dispute since."""
    with with_expert(tmp_path / "a", world, overlap=2) as audit:
        for query in audit.ask(20):
            audit.tell(query.id, world.label(query.position), annotator="mk")
        drawn = audit.ask(2, annotator=EXPERT)
        for query in drawn:
            audit.tell(query.id, world.wrong(query.position), annotator="jo")
        again = [one.id for one in audit.ask(2, annotator=EXPERT)]
        assert again == [one.id for one in drawn]
        assert audit.status().disputed == 2


def test_nobody_reads_an_answer_of_their_own(tmp_path, world):
    with with_expert(tmp_path / "a", world, experts=[EXPERT, "bob"]) as audit:
        queries = audit.ask(20)
        for k, query in enumerate(queries):
            audit.tell(query.id, world.label(query.position), annotator=EXPERT if k % 2 else "mk", expert=False)
        audit.draw_readings(20)
        mine = {one.id for one in queries[1::2]}
        assert not mine & {one.id for one in audit.ask(20, annotator=EXPERT)}
        with pytest.raises(InputError, match="expert must be somebody else than the annotator; got 'ada'"):
            audit.tell(queries[1].id, "cat", annotator=EXPERT)
        assert mine <= {one.id for one in audit.ask(20, annotator="bob")}


# Telling


def test_a_reading_of_what_was_not_drawn_is_refused(audit, world):
    answer(audit, world, 20)
    drawn = {one.position for one in audit.ask(5, annotator=EXPERT)}
    other = next(one for one in audit.state.order if one not in drawn)
    head = audit.status().head
    for how in ({"annotator": EXPERT}, {"annotator": EXPERT, "expert": True}):
        with pytest.raises(InputError, match="id must be one that was drawn for a second reading, or that annotators"):
            audit.tell(audit.pool.ids[other], "cat", **how)
    assert audit.status().head == head


def test_a_reading_by_somebody_else_is_refused(audit, world):
    answer(audit, world, 20)
    (query,) = audit.ask(1, second_reading=True)
    for who in ("mk", ""):
        with pytest.raises(InputError, match=f"annotator must be one of the experts, ada; got '{who}'"):
            audit.tell(query.id, "cat", annotator=who, expert=True)


def test_who_is_not_named_reads_no_answer_of_nobody(tmp_path, world):
    with make_audit(tmp_path / "a", world) as audit:
        answer(audit, world, 20)
        (query,) = audit.ask(1, second_reading=True)
        with pytest.raises(InputError, match=r"somebody else than the annotator; got ''\. Say who reads"):
            audit.tell(query.id, "cat", expert=True)
        assert audit.tell(query.id, "cat", annotator="bob", expert=True).new
        assert audit.status().experts == {"bob": 1}


def test_a_reading_again_is_the_same_or_replaces(audit, world):
    answer(audit, world, 20)
    (query,) = audit.ask(1, annotator=EXPERT)
    assert audit.tell(query.id, "cat", annotator=EXPERT).new
    assert not audit.tell(query.id, "cat", annotator=EXPERT).new
    with pytest.raises(InputError, match="the one already given; got 'cat' there, 'dog' now"):
        audit.tell(query.id, "dog", annotator=EXPERT)
    audit.tell(query.id, "dog", annotator=EXPERT, replace=True)
    assert audit.state.reading(query.position) == CLASSES.index("dog")
    assert audit.state.verdict(query.position) == world.truth[query.position]  # the answer stays the answer


def test_experts_who_differ_have_read_nothing(tmp_path, world):
    with with_expert(tmp_path / "a", world, experts=[EXPERT, "bob"]) as audit:
        answer(audit, world, 20)
        (query,) = audit.ask(1, annotator=EXPERT)
        audit.tell(query.id, "cat", annotator=EXPERT)
        audit.tell(query.id, "dog", annotator="bob")
        assert audit.state.reading(query.position) == "disputed"
        assert audit.findings().people["readings"] == 0


def test_readings_are_taken_back_and_given_again(audit, world, careless):
    answer(audit, world, 30, reply=careless)
    before = audit.estimate()
    positions = read_again(audit, world, 15)
    after = audit.estimate()
    assert not after["estimate"].equals(before["estimate"])
    done = audit.undo(EXPERT)
    assert done.position == positions[-1]
    assert audit.status().experts == {EXPERT: 14}
    assert audit.status().answered == 30
    assert audit.status().taken_back == 0
    assert [one.position for one in audit.ask(1, annotator=EXPERT)] == [positions[-1]]
    assert audit.redo(EXPERT).position == positions[-1]
    assert audit.estimate().equals(after)
    for _ in positions:
        audit.undo(EXPERT)
    assert audit.findings().people["readings"] == 0
    assert audit.estimate()["estimate"].tolist() == before["estimate"].tolist()


def test_an_expert_can_look_at_what_they_read(audit, world):
    answer(audit, world, 20)
    positions = read_again(audit, world, 3)
    last, place, count = audit.answer_of(EXPERT)
    assert (last.position, place, count) == (positions[-1], 2, 3)
    assert audit.answer_of(EXPERT, 0)[0].position == positions[0]


def test_a_skip_after_a_label_is_not_late(tmp_path, world):
    with make_audit(tmp_path / "a", world, overlap=2) as audit:
        first, second = audit.ask(2)
        audit.tell(first.id, "cat", annotator="mk")
        audit.tell(first.id, "skip", annotator="jo")
        audit.tell(second.id, "skip", annotator="mk")
        audit.tell(second.id, "cat", annotator="jo")
        assert audit.state.late == {second.position}


def test_skipped_questions_that_are_answered_again_are_late(tmp_path, world):
    with make_audit(tmp_path / "a", world) as audit:
        answer(audit, world, 30, reply=lambda position: "skip" if position % 3 == 0 else world.label(position))
        missing = audit.status().skipped
        for query in audit.ask(4, again=True):
            audit.tell(query.id, world.label(query.position), replace=True)
        assert audit.status().skipped == missing - 4
        state = audit.findings().found.state
        assert np.isin(state.circumstances.late, state.answers.items).sum() == 4
        assert audit.verify(fits=True).ok


# Numbers


def test_with_a_careful_annotator_an_expert_changes_no_number(tmp_path, world):
    tables = []
    for name, options in (("alone", {}), ("read", {"experts": [EXPERT]})):
        with make_audit(tmp_path / name, world, metrics=METRICS, budget=60, **options) as audit:
            answer(audit, world, 60)
            if options:
                assert len(read_again(audit, world, 20)) == 20
            tables.append(audit.estimate())
    alone, read = tables
    assert read.equals(alone)  # and what only was confirmed promises no more


def test_readings_move_the_estimates_to_the_truth(read, world):
    found = read.findings()
    assert found.people["readings"] == 20
    assert found.people["changed"] >= 1
    row = found.estimates.iloc[0]
    assert row["low"] <= world.accuracy <= row["high"]
    assert "Experts read 20 of 60 answers again and changed" in found.people["sentences"][0]
    assert found.people["sensitivity"] == []
    with pytest.raises(InputError, match="intervals at all looks must be asked for where no expert has read"):
        read.estimate(anytime=True)


def test_the_report_says_who_read(read, tmp_path):
    text = read.report(tmp_path / "report.md").read_text()
    assert "ada, expert" in text
    assert "20 readings" in text
    assert "confirmed by experts" in text
    assert "Experts read 20 of 60 answers again" in text


# Replay


def test_honest_readings_verify(read):
    found = read.verify(fits=True)
    assert found.ok, found.problems
    assert found.notices == ()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_readings_that_come_late_and_disputes_that_are_settled_verify(tmp_path, world, order):
    with with_expert(tmp_path / "a", world, overlap=2) as audit:
        for size in (20, 10, 10):
            for k, query in enumerate(audit.ask(size)):
                label, wrong = world.label(query.position), world.wrong(query.position)
                audit.tell(query.id, label, annotator="mk")
                audit.tell(query.id, wrong if k % 5 == 0 else label, annotator="jo")
            queries = audit.ask(6, annotator=EXPERT)
            for k in order:
                audit.tell(queries[k].id, world.label(queries[k].position), annotator=EXPERT)
            audit.undo(EXPERT)
        assert audit.status().settled > 0
        audit.estimate()
        found = audit.verify(fits=True)
    assert found.ok, found.problems


def test_draws_after_a_settled_dispute_are_left_to_chance(tmp_path, world):
    """Else the likeliest would be drawn for certain."""
    first = set()
    for seed in range(4):
        with with_expert(tmp_path / str(seed), world, overlap=2, seed=seed) as audit:
            for k, query in enumerate(audit.ask(12)):
                audit.tell(query.id, world.label(query.position), annotator="mk")
                audit.tell(query.id, (world.wrong if k == 0 else world.label)(query.position), annotator="jo")
            (dispute,) = audit.ask(1, annotator=EXPERT, wait=False)
            audit.tell(dispute.id, world.label(dispute.position), annotator=EXPERT)
            audit.draw_readings(3)
            (event,) = bodies(audit, "reread")
            run = audit.findings().found.state
            assert np.isfinite(run.reread.run).sum() == audit.pool.size - 1
            first.add(tuple(event["places"]))
    assert len(first) > 1


def forged(folder, change):
    """Every draw of second readings, changed; the chain is made to fit."""
    done = []

    def all_of(told):
        out = []
        for at, kind, body, client in told:
            if kind == "reread" and not done:
                done.append(change(body))
            out.append((at, kind, body, client))
        return out

    forge(folder, all_of)
    assert done


def higher_chances(body):
    body["chances"] = [min(1.5 * one, 1.0) for one in body["chances"]]


def one_chance(body):
    body["chances"][body["among"].index(body["places"][0])] *= 1.01


def other_items(body):
    spare = [one for one in body["among"] if one not in body["places"]]
    body["places"][-1] = spare[0]


def other_propensities(body):
    body["propensities"][0] *= 0.9


def fewer_to_draw_from(body):
    gone = next(k for k, one in enumerate(body["among"]) if one not in body["places"])
    del body["among"][gone], body["chances"][gone]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (higher_chances, "do not have the chances that seed, secret and answers lead to"),
        (one_chance, "do not have the chances that seed, secret and answers lead to"),
        (other_propensities, "do not have the chances that seed, secret and answers lead to"),
        (other_items, "are not those that seed, secret and answers lead to"),
        (fewer_to_draw_from, "are not those that seed, secret and answers lead to"),
        (lambda body: body.update(fit=None), "were drawn with another fit than the newest there was"),
        (lambda body: body.update(round=3), "are not round 0, whose turn it is"),
    ],
)
def test_readings_that_were_picked_or_weighed_by_hand_are_found(tmp_path, folder, change, why):
    forged(folder, change)
    with Audit.open(folder) as audit:
        found = audit.verify()
    assert not found.ok
    assert any(why in one for one in found.problems), found.problems


def undrawn(body, told):
    places = [place for _, kind, body, _ in told if kind == "reread" for place in body["places"]]
    items = [item for _, kind, body, _ in told if kind == "drawn" for item in body["items"]]
    body["item"] = next(one for k, one in enumerate(items) if k not in places)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (undrawn, "reads an answer that was not drawn for it"),
        (lambda body, _: body.update(annotator="mk"), "in the name of somebody who is no expert"),
    ],
)
def test_a_reading_that_could_not_be_is_found(folder, change, why):
    def changed(told):
        last = next(body for _, _, body, _ in reversed(told) if body.get("expert"))
        change(last, told)
        return told

    forge(folder, changed)
    with Audit.open(folder) as audit:
        found = audit.verify()
    assert any(why in one for one in found.problems), found.problems


def test_an_audit_that_is_closed_and_opened_goes_on(folder, world):
    with Audit.open(folder) as audit:
        before, table = audit.status(), audit.estimate()
        waiting = [one.id for one in audit.ask(3, annotator=EXPERT)]
    with Audit.open(folder) as audit:
        now = audit.status()
        assert (now.experts, now.to_read) == (before.experts, before.to_read + 3)
        assert audit.estimate()["estimate"].tolist() == pytest.approx(table["estimate"].tolist(), abs=0.05)
        assert [one.id for one in audit.ask(3, annotator=EXPERT)] == waiting
        read_again(audit, world, 3)
        assert audit.verify(fits=True).ok


def test_what_was_acknowledged_survives_a_kill(tmp_path, world, audit):
    answer(audit, world, 30)
    audit.store.checkpoint()
    read_again(audit, world, 6)
    left = shutil.copytree(audit.folder, tmp_path / "left", ignore=shutil.ignore_patterns("*-shm", "*.lock"))
    with Audit.open(left) as again:
        assert again.status().experts == {EXPERT: 6}
        assert again.state.read_by(next(iter(again.state.to_read)))
        assert again.verify(fits=True).ok


def test_where_nothing_can_be_written_the_numbers_are_the_same(folder, tmp_path, world, careless, monkeypatch):
    """Though a refit is due, and readings to be drawn."""
    with Audit.open(folder) as audit:
        for query in audit.ask(60, annotator="mk"):
            audit.tell(query.id, careless(query.position), annotator="mk")
    copy = shutil.copytree(folder, tmp_path / "copy")
    with monkeypatch.context() as patch, Audit.open(folder) as audit:
        patch.setattr(audit.store, "_read_only", "for a test")
        assert audit.refit_due()
        table = audit.estimate()
        assert audit.status().to_read == 20
        with pytest.raises(AltmasError):
            audit.ask(5, annotator=EXPERT)
    with Audit.open(copy) as audit:
        assert audit.estimate().equals(table)
        assert audit.status().to_read > 20


def test_looking_changes_no_number(read, world, careless):
    table = read.estimate()
    read.draw_readings(7)
    assert read.estimate().equals(table)
    assert read.status().readings_open == 7
    read_again(read, world, 1)
    assert not read.estimate().equals(table)
