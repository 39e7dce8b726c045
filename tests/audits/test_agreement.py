"""Krippendorff's alpha, and how far the annotators of an audit agree."""

import pytest

from altmas.audits.agreement import Agreed, agreement, by_annotator, by_class, with_experts
from worlds.audits import make_audit
from worlds.people import EXPERT, with_expert

KRIPPENDORFF_2011 = {  # his worked examples: a string per observer, a letter per unit, a dot where there is none
    "A: two observers, two values": (0.095, ["0100000010", "1110010000"]),
    "B: two observers, names": (0.692, ["aabbdcccedda", "babbbccceddd"]),
    "C: four observers, names, some missing": (0.743, ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]),
}


@pytest.mark.parametrize("case", KRIPPENDORFF_2011)
def test_alpha_is_krippendorff_s(case):
    alpha, observers = KRIPPENDORFF_2011[case]
    units = [
        {str(k): ord(value) for k, value in enumerate(unit) if value != "."} for unit in zip(*observers, strict=True)
    ]
    assert agreement(units)[2] == pytest.approx(alpha, abs=0.0005)


def test_agreement_at_its_ends():
    assert agreement([]) == (0, None, None)
    assert agreement([{"a": 1}, {"a": 2}, {}]) == (0, None, None)
    assert agreement([{"a": 1, "b": 1}, {"a": 2, "b": 2}]) == (2, 1.0, 1.0)
    assert agreement([{"a": 1, "b": 1}] * 2) == (2, 1.0, None)  # one class only: nothing to disagree about
    items, share, alpha = agreement([{"a": 1, "b": 2}, {"a": 2, "b": 1}])
    assert (items, share) == (2, 0.0)
    assert alpha < 0


def test_agreement_of_an_audit_s_annotators(tmp_path, world):
    with make_audit(tmp_path / "a", world, overlap=2) as audit:
        queries = audit.ask(20)
        for k, query in enumerate(queries):
            audit.tell(query.id, world.label(query.position), annotator="mk")
            audit.tell(query.id, (world.wrong if k < 5 else world.label)(query.position), annotator="jo")
        audit.tell(queries[0].id, world.label(queries[0].position), annotator="al")
        found = audit.findings().agreement
        assert found.items == 20
        assert found.share == pytest.approx(16 / 22)  # of pairs: three of the item that three answered
        assert found.annotators == {"mk": 20, "jo": 20, "al": 1}
        assert found.disputed == 4
        assert 0 < found.alpha < 1


# Tables by hand

HAND = {  # votes; items, agreeing pairs of all, alpha; each annotator's and each class's pairs and agreeing ones
    "three of one mind": (
        [{"a": 0, "b": 0, "c": 0}, {"a": 1, "b": 1, "c": 1}],
        (2, 6 / 6, 1.0), {"a": (4, 4), "b": (4, 4), "c": (4, 4)}, {0: (3, 3), 1: (3, 3)},
    ),
    "one against two": (  # observed 2 * (9 - 5) / 2 = 4, expected (36 - 18) / 5 = 3.6
        [{"a": 0, "b": 0, "c": 1}, {"a": 1, "b": 1, "c": 0}],
        (2, 2 / 6, 1 - 4 / 3.6), {"a": (4, 2), "b": (4, 2), "c": (4, 0)}, {0: (5, 1), 1: (5, 1)},
    ),
    "pairs that change": (  # observed 2, expected (36 - 26) / 5 = 2
        [{"a": 0, "b": 0}, {"b": 0, "c": 1}, {"a": 0, "c": 0}, {"c": 1}],
        (3, 2 / 3, 0.0), {"a": (2, 2), "b": (2, 1), "c": (2, 1)}, {0: (3, 2), 1: (1, 0)},
    ),
    "three classes": (  # observed 2 + 2 = 4, expected (64 - 22) / 7 = 6
        [{"a": 0, "b": 0}, {"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 0, "b": 2}],
        (4, 2 / 4, 1 - 4 / 6), {"a": (4, 2), "b": (4, 2)}, {0: (2, 1), 1: (2, 1), 2: (2, 0)},
    ),
    "nobody twice": ([{"a": 0}, {"b": 1}, {}], (0, None, None), {}, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", HAND)
def test_tables_by_hand(case):
    votes, whole, each, classes = HAND[case]
    assert agreement(votes) == pytest.approx(whole)
    assert by_annotator(votes) == {name: Agreed(*pair) for name, pair in each.items()}
    assert by_class(votes) == {label: Agreed(*pair) for label, pair in classes.items()}


def test_against_experts_by_hand():
    votes = [{"a": 7, "b": 7}, {"a": 1, "b": 2}, {"a": 2}, {"b": 1}, {}]
    found = with_experts(votes, [7, 2, 2, 0, 1])
    assert found == {"a": Agreed(3, 2), "b": Agreed(3, 2)}
    assert found["a"].share == pytest.approx(2 / 3)


# Experts who settle


@pytest.fixture
def disputed(tmp_path, world):
    """Two annotators, of whom the second is wrong about the first four of ten; one question both are unsure of."""
    with with_expert(tmp_path / "a", world, overlap=2) as audit:
        queries = audit.ask(11)
        for k, query in enumerate(queries):
            label, wrong = world.label(query.position), world.wrong(query.position)
            audit.tell(query.id, "unsure" if k == 10 else label, annotator="mk")
            audit.tell(query.id, "unsure" if k == 10 else wrong if k < 4 else label, annotator="jo")
        yield audit, queries


def test_an_expert_settles_a_dispute_and_counts_in_no_pair(disputed, world):
    audit, queries = disputed
    before = audit.findings().agreement
    assert (before.disputed, before.share) == (4, 6 / 10)
    for query in queries[:3]:
        audit.tell(query.id, world.label(query.position), annotator=EXPERT)
    after = audit.findings().agreement
    assert after.disputed == 1
    assert (after.items, after.share, after.alpha) == (before.items, before.share, before.alpha)
    assert after.with_others == before.with_others
    assert after.annotators == {"mk": 11, "jo": 11}
    assert after.experts == {EXPERT: 3}
    assert after.against_experts == {"jo": Agreed(3, 0), "mk": Agreed(3, 3)}


def test_the_verdict_becomes_the_expert_s(disputed, world):
    audit, queries = disputed
    first, unsure = queries[0], queries[10]
    assert audit.status().disputed == 4
    audit.tell(first.id, "dog", annotator=EXPERT)
    audit.tell(unsure.id, world.label(unsure.position), annotator=EXPERT)
    now = audit.status()
    assert (now.disputed, now.unsure, now.settled, now.labels) == (3, 0, 2, 8)
    assert audit.pool.classes[audit.state.verdict(first.position)] == "dog"
    found = audit.findings()
    assert found.labels == 8
    assert found.missing["disputed"] == 3
    assert found.people["readings"] == 0  # what had no answer was not read again
    assert audit.verify(fits=True).ok


def test_annotators_who_agree_after_all_need_no_expert(disputed, world):
    audit, queries = disputed
    first = queries[0]
    audit.tell(first.id, "dog", annotator=EXPERT)
    audit.tell(first.id, world.label(first.position), annotator="jo", replace=True)
    assert audit.status().settled == 0
    assert audit.pool.classes[audit.state.verdict(first.position)] == world.label(first.position)
    audit.undo("jo")
    assert audit.status().settled == 1


def test_taking_a_settlement_back_opens_the_dispute_again(disputed):
    audit, queries = disputed
    audit.tell(queries[0].id, "dog", annotator=EXPERT)
    assert audit.undo(EXPERT).id == queries[0].id
    assert (audit.status().settled, audit.status().disputed) == (0, 4)
    assert audit.status().taken_back == 0
    audit.redo(EXPERT)
    assert (audit.status().settled, audit.status().disputed) == (1, 3)


def test_an_expert_who_is_unsure_settles_nothing(disputed):
    audit, queries = disputed
    audit.tell(queries[0].id, "unsure", annotator=EXPERT)
    assert (audit.status().settled, audit.status().disputed) == (0, 4)
    assert queries[0].id not in {one.id for one in audit.ask(20, annotator=EXPERT)}


def test_an_expert_s_reading_is_no_changed_answer(disputed):
    audit, queries = disputed
    before = audit.findings().conduct.changed
    audit.tell(queries[5].id, "dog", annotator="mk", replace=True)
    audit.tell(queries[0].id, "dog", annotator=EXPERT)
    assert audit.findings().conduct.changed == before + 1
