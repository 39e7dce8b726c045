"""What an auditor changes after having seen something is told of in the warnings."""

import pytest

import altmas
from altmas.audits.doubts import doubts_of

SAID = ["cat", "dog"] * 100


@pytest.fixture
def audit(tmp_path):
    with altmas.Audit.create(tmp_path / "audit", altmas.Pool.build(SAID), budget=150, initial=20) as made:
        for query in made.ask(40):
            made.tell(query.id, SAID[query.position])
        yield made


def test_a_plan_cut_after_a_look_is_told_of(audit):
    audit.estimate()  # a look
    assert not any("planned was changed" in one for one in audit.findings().warnings)
    audit.set(budget=40)
    assert any("planned was changed after the estimates had been looked at" in one for one in audit.findings().warnings)


def test_guidelines_changed_while_people_answer_are_told_of(audit):
    assert not any("guidelines" in one for one in audit.findings().warnings)
    audit.set(guidelines="Call every cat a dog.")
    assert any("The guidelines were changed after" in one for one in audit.findings().warnings)


def test_ids_that_hold_the_prediction_are_doubted():
    telling = altmas.Pool.build(SAID, ids=[f"{said}-{i}" for i, said in enumerate(SAID)])
    assert "ids contain what model said, and annotators see them: give the items other ids" in doubts_of(telling)
    plain = altmas.Pool.build(SAID, ids=[f"item-{i}" for i in range(len(SAID))])
    assert doubts_of(plain) == []
