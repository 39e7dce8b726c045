"""How many second readings are due, what cannot be planned, files that bring them, and labels known before."""

import numpy as np
import pandas as pd
import pytest

from altmas.audits.audit import Audit
from altmas.audits.draws import ENGINE
from altmas.audits.from_table import answer_from_table
from altmas.audits.imports import RowsError, import_answers
from altmas.audits.second_readings import answers_planned, planned, readings_due
from altmas.audits.settings import Settings
from altmas.metrics.errors import InputError
from worlds.audits import CLASSES, answer, make_audit, make_world
from worlds.people import EXPERT, annotator, bodies, read_again, with_expert


@pytest.fixture(scope="module")
def careless(world):
    """What an annotator says who is wrong about a fifth."""
    said = annotator(world.truth, 0.2, seed=3)
    return lambda position: CLASSES[said[position]]


@pytest.fixture
def audit(tmp_path, world):
    with with_expert(tmp_path / "audit", world) as one:
        yield one


def test_readings_fall_due_in_portions_as_answers_come(audit, world):
    answer(audit, world, 20)
    assert readings_due(audit, audit.state) == 0
    answer(audit, world, 40)
    audit.refit()
    assert planned(audit, audit.state) == (10, 15)
    assert len(audit.state.to_read) == 10
    answer(audit, world, 60)
    assert audit.refit_due()
    audit.refit()
    assert len(audit.state.to_read) == 15
    assert not audit.refit_due()


def test_no_reading_is_due_where_none_is_left_to_draw(tmp_path, world):
    """What an expert settled is an answer, and none to be read again: it would be due for ever."""
    with with_expert(tmp_path / "a", world, budget=20, second_readings=20, overlap=2) as audit:
        for k, query in enumerate(audit.ask(20)):
            audit.tell(query.id, world.label(query.position), annotator="mk")
            audit.tell(query.id, (world.wrong if k < 3 else world.label)(query.position), annotator="jo")
        for query in audit.ask(3, annotator=EXPERT, wait=False):
            audit.tell(query.id, world.label(query.position), annotator=EXPERT)
        audit.refit()
        assert len(audit.state.to_read) == 17
        assert not audit.refit_due()


@pytest.mark.parametrize("cost", [0.5, 4.0])
def test_money_is_split_between_both(tmp_path, world, careless, cost):
    with with_expert(tmp_path / "a", world, budget=80, cost_expert=cost, batch=5) as audit:
        for _ in range(60):
            goal = answers_planned(audit, audit.state)
            if len(audit.state.order) < goal:
                answer(audit, world, min(len(audit.state.order) + 5, goal), reply=careless)
            audit.refit()
            due = audit.status().readings_open
            if due:
                read_again(audit, world, due)
            elif len(audit.state.order) >= goal:
                break
        asked, read = len(audit.state.order), len(audit.state.to_read)
        assert 0 < read <= asked
        assert 80 - 2 * cost - 2 <= asked + cost * read <= 80
        assert audit.verify(fits=True).ok


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"method": "random"}, "experts must come with a method whose answers can be corrected; got 'random'"),
        ({"options": {"interval": "anytime"}}, "experts must come with a method whose answers can be corrected"),
        ({"experts": [EXPERT, EXPERT]}, "experts must be named once each"),
        ({"experts": [""]}, "experts must be names"),
        ({"experts": [], "second_readings": 5}, "experts must be named for second_readings; got nobody"),
        ({"experts": [], "cost_expert": 5}, "experts must be named for cost_expert; got nobody"),
        ({"second_readings": 61}, "second_readings must be at most 60, one for each answer; got 61"),
        ({"second_readings": 0}, "second_readings must be an int >= 1"),
        ({"second_readings": 5, "cost_expert": 2}, "second_readings must be left out with cost_expert"),
        ({"cost_expert": 0}, "cost_expert must"),
        ({"cost_expert": 2, "budget": None}, "budget must be given with cost_expert"),
    ],
)
def test_plans_that_cannot_be_are_refused(tmp_path, world, given, why):
    with pytest.raises(InputError, match=why):
        with_expert(tmp_path / "a", world, **given)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("options", [{"method": "random"}, {"options": {"interval": "anytime"}}])
def test_of_other_methods_an_expert_settles_and_reads_nothing_again(tmp_path, world, options):
    with make_audit(tmp_path / "a", world, overlap=2, **options) as audit:
        for k, query in enumerate(audit.ask(20)):
            audit.tell(query.id, world.label(query.position), annotator="mk")
            audit.tell(query.id, (world.wrong if k < 2 else world.label)(query.position), annotator="jo")
        for query in audit.ask(5, annotator="bob", second_reading=True):
            audit.tell(query.id, world.label(query.position), annotator="bob", expert=True)
        assert audit.status().settled == 2
        assert audit.ask(5, annotator="bob", second_reading=True) == []
        assert len(audit.estimate()) == 1
    with make_audit(tmp_path / "b", world, **options) as audit:
        answer(audit, world, 20)
        with pytest.raises(InputError, match="method must be certified, without anytime intervals, for second reading"):
            audit.ask(5, annotator="bob", second_reading=True)


def test_an_audit_of_before_there_were_experts_opens(tmp_path, world, monkeypatch):
    new = ("experts", "second_readings", "cost_expert")
    before = {k: v for k, v in Settings(("accuracy",)).as_dict().items() if k not in new}
    assert Settings.of(before, "then").experts == ()
    whole = Settings.as_dict
    with monkeypatch.context() as patch:
        patch.setattr("altmas.audits.draws.ENGINE", ENGINE - 1)
        patch.setattr(Settings, "as_dict", lambda self: {k: v for k, v in whole(self).items() if k not in new})
        make_audit(tmp_path / "older", world).close()
    with Audit.open(tmp_path / "older") as audit:
        assert "experts" not in audit.created.body["settings"]
        answer(audit, world, 30)
        audit.tell(audit.ask(1, annotator="bob", second_reading=True)[0].id, "cat", annotator="bob", expert=True)
        assert len(audit.estimate()) == 1
        assert audit.verify(fits=True).ok


# Files


def test_an_expert_s_file_is_imported(audit, world, tmp_path):
    answer(audit, world, 20)
    queries = audit.ask(5, annotator=EXPERT)
    table = pd.DataFrame({"id": [one.id for one in queries], "label": [world.label(one.position) for one in queries]})
    table.to_csv(tmp_path / "read.csv", index=False)
    done = import_answers(audit, tmp_path / "read.csv", annotator=EXPERT)
    assert (done.new, done.known) == (5, 0)
    assert import_answers(audit, tmp_path / "read.csv", annotator=EXPERT).known == 5
    assert audit.status().experts == {EXPERT: 5}
    assert audit.status().annotators == {"": 20}
    assert all(one.get("expert") for one in bodies(audit, "answered")[20:])


def test_rows_of_answers_that_were_not_drawn_are_refused(audit, world):
    answer(audit, world, 20)
    drawn = [one.id for one in audit.ask(2, annotator=EXPERT)]
    others = [audit.pool.ids[one] for one in audit.state.order if audit.pool.ids[one] not in drawn][:2]
    table = pd.DataFrame({"id": [*drawn, *others], "label": ["cat"] * 4})
    with pytest.raises(RowsError, match="2 rows that cannot"):
        import_answers(audit, table, annotator=EXPERT, expert=True)
    assert audit.status().experts == {}
    done = import_answers(audit, table, annotator=EXPERT, expert=True, partial=True)
    assert (done.new, len(done.refused)) == (2, 2)


def test_a_question_kept_for_an_annotator_is_not_read_in_their_name(tmp_path, world):
    with make_audit(tmp_path / "a", world) as audit:
        queries = audit.ask(20)
        audit.assign([one.id for one in queries], "mk")
        for one in queries:
            audit.tell(one.id, world.label(one.position), annotator="mk")
        (query,) = audit.ask(1, second_reading=True)
        import_answers(audit, pd.DataFrame({"id": [query.id], "label": ["cat"]}), expert=True)
        assert audit.status().experts == {"": 1}


def test_a_table_reads_again_what_is_drawn_for_it(audit, world):
    table = pd.DataFrame({"id": audit.pool.ids, "label": [world.label(one) for one in range(200)]})
    answer_from_table(audit, table, 40)
    done = answer_from_table(audit, table, 10, annotator=EXPERT)
    assert (done.labels, done.lacking) == (10, 0)
    assert audit.status().experts == {EXPERT: 10}
    assert audit.status().answered == 40
    done = answer_from_table(audit, table, 100, annotator=EXPERT)  # no more than there are answers
    assert audit.status().experts == {EXPERT: 40}


def test_a_table_that_lacks_an_item_leaves_it_unread(audit, world):
    answer(audit, world, 20)
    few = pd.DataFrame({"id": audit.pool.ids[:100], "label": [world.label(one) for one in range(100)]})
    done = answer_from_table(audit, few, 10, annotator=EXPERT)
    assert done.labels + done.lacking == 10
    assert done.lacking > 0
    assert audit.findings().people["readings"] == done.labels


# Labels known before


def test_known_labels_are_kept_with_the_pool(tmp_path, world):
    known = {f"item-{k}": world.label(k) for k in range(0, 200, 4)}
    with make_audit(tmp_path / "a", world, known=known) as audit:
        answer(audit, world, 40)
        table = audit.estimate()
        assert (table["labels"] == 40).all()
        assert "50 labels were known before" in audit.findings().people["sentences"][-1]
    with Audit.open(tmp_path / "a") as audit:
        assert (audit.pool.known >= 0).sum() == 50
        assert audit.pool.known[4] == world.truth[4]
        assert audit.estimate().equals(table)
        assert audit.verify(fits=True).ok
    path = tmp_path / "a" / "pool" / "known.npy"
    values = np.load(path)
    values[0] = (values[0] + 1) % 4
    np.save(path, values)
    with pytest.raises(Exception, match=r"known\.npy"):
        Audit.open(tmp_path / "a").estimate()


def test_known_labels_teach_what_is_drawn(tmp_path):
    world = make_world(300)
    known = {f"item-{k}": world.label(k) for k in range(0, 300, 2)}
    places = []
    for name, options in (("plain", {}), ("taught", {"known": known})):
        with make_audit(tmp_path / name, world, **options) as audit:
            answer(audit, world, 40)
            places.append(list(audit.state.order))
    assert places[0] != places[1]
