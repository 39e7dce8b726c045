"""Values as notebooks show them: a sentence, a table, and nothing of a vendor's that a browser would run."""

import numpy as np
import pytest

import altmas
from altmas.core.estimates import Estimate
from altmas.words.in_short import in_short

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def assessed():
    said = [EVIL, "cat", "cat", None] * 30
    return altmas.assess(said, oracle=[EVIL, "cat", EVIL, "cat"] * 30, budget=60, progress=False)


def test_a_result_shows_its_verdict_and_its_estimates(assessed):
    shown = assessed._repr_html_()
    assert assessed.verdict in shown.replace("&#x27;", "'")
    assert assessed.verdict.startswith("Accuracy is about ")
    assert "gave no answer on 30 of 120 items (25.0%)" in shown
    assert shown.count("<tr>") == 1 + len(assessed.estimates)


def test_what_a_vendor_calls_a_class_stays_text(assessed):
    for shown in (assessed._repr_html_(), assessed.pool._repr_html_()):
        assert "<img" not in shown
    assert "&lt;img src=x onerror=alert(1)&gt;" in assessed.pool._repr_html_()


def test_a_pool_counts_what_was_said(assessed):
    shown = assessed.pool._repr_html_()
    assert "Pool of 120 items, 2 classes" in shown
    assert "<td>cat</td><td>60</td>" in shown
    assert "<td>(no class)</td><td>30</td>" in shown


def test_an_audit_and_its_findings_show_themselves(tmp_path):
    pool = altmas.Pool.build({"ours": ["a", "b"] * 40, "theirs": ["a", "a"] * 40})
    with altmas.Audit.create(tmp_path / "audit", pool, budget=50, title=EVIL) as audit:
        for query in audit.ask(20):
            audit.tell(query.id, "ab"[query.position % 2])
        shown = audit._repr_html_()
        assert "20 of 50 answered; 20 of 80 items asked about." in shown
        assert "ours and theirs" in shown
        assert "<img" not in shown
        found = audit.findings()
        assert found.verdict in found._repr_html_()
        assert "<td>theirs</td>" in found._repr_html_()


def test_whether_one_is_better_shows_its_sentence():
    truth = ["a", "b"] * 60
    answer = altmas.is_better(truth, ["a"] * 120, oracle=truth, progress=False)
    assert answer.sentence in answer._repr_html_().replace("&#x27;", "'")


def test_many_models_are_told_of_in_few_sentences():
    every = [Estimate("accuracy", 0.9, 0.8, 0.95, 50, "approximate 95% coverage", model=f"m{k}") for k in range(9)]
    said = in_short(every, 0.95, 100)
    assert said.count("Accuracy is about 90%") == 6
    assert said.endswith("And 3 more models.")


def test_what_is_not_known_is_said():
    nothing = Estimate("accuracy", float("nan"), np.nan, np.nan, 3, "nothing is promised")
    assert in_short([nothing], 0.95, 100) == "Accuracy cannot be told yet from 3 labels."
    no_interval = Estimate("accuracy", 0.5, np.nan, np.nan, 3, "nothing is promised")
    assert in_short([no_interval], 0.95, 100).endswith("how sure is not known.")
