"""Krippendorff's alpha, and how far the annotators of an audit agree."""

import pytest

from altmas.audits.agreement import agreement
from worlds.audits import make_audit

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
