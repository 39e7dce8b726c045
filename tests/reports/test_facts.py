"""Reports of audits of every kind: several models, no scores, other methods, no label, every label."""

import copy
import json

import pytest

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from altmas.reports.facts import gather
from altmas.reports.writing import render
from altmas.words.promises import kind_of
from worlds.reports import Page, assert_self_contained, made


def test_several_models(tmp_path):
    with made(tmp_path / "audit", models=2, metrics=["accuracy", "mcc"]) as audit:
        facts, found = gather(audit), audit.findings()
    assert [one["name"] for one in facts["models"]] == found.contests[0].table["model"].tolist()  # best first
    assert {one["name"] for one in facts["models"]} == {"model 0", "model 1"}
    for one in facts["models"]:
        expected = found.estimates[found.estimates["model"] == one["name"]]
        assert [row["estimate"] for row in one["estimates"]] == expected["estimate"].tolist()
        assert [row["estimate"] for row in one["groups"][0]["rows"]] == (
            found.groups("class", "accuracy", one["name"])["estimate"].tolist()
        )
    assert [row["p_best"] for row in facts["vendors"]["best"]] == found.best()["p_best"].tolist()
    assert [row["low"] for row in facts["vendors"]["differences"]] == found.differences()["low"].tolist()
    parsed = assert_self_contained(render(facts, ".html"))
    assert "Models compared" in parsed.text
    assert facts["vendors"]["sentences"][0] == facts["headline"][0]
    assert "Models compared" in render(facts, ".md")


def test_no_scores_and_no_groups(tmp_path):
    with made(tmp_path / "audit", scores=False, groups=False) as audit:
        facts = gather(audit)
    parsed = assert_self_contained(render(facts, ".html"))
    assert "The model under test came without scores." in parsed.text
    assert "came without groups of its own" in parsed.text
    assert facts["models"][0]["calibration"] is None
    assert [one["by"] for one in facts["models"][0]["groups"]] == ["class"]


@pytest.mark.parametrize("method", ["certified", "random", "uniform"])
def test_a_class_that_was_never_the_answer(tmp_path, method):
    with made(tmp_path / "audit", method=method) as audit:
        seen = gather(audit)
    assert not any("never the answer" in one for one in seen["warnings"])
    pool = Pool.build(["cat", "dog", "owl"] * 40, classes=["cat", "dog", "owl", "yak"])
    with Audit.create(tmp_path / "other", pool, metrics=["accuracy"], method=method, initial=20, batch=10) as audit:
        for query in audit.ask(20):
            audit.tell(query.id, ["cat", "dog", "owl"][query.position % 3])
        facts = gather(audit)
    assert facts["classes_seen"][3] == {**facts["classes_seen"][3], "class": "yak", "labels": 0}
    sentence = "Class 'yak' was never the answer in 20 labels: it may not occur in the pool."
    assert sum(one.startswith(sentence) for one in facts["warnings"]) == 1
    for kind in (".html", ".md"):
        text = Page(render(facts, kind)).text if kind == ".html" else render(facts, kind)
        assert "was never the answer" in text
        assert "yak" in text


def test_random_sampling(tmp_path):
    with made(tmp_path / "audit", method="random") as audit:
        facts = gather(audit)
    assert facts["models"][0]["verdict"]["promise"].endswith("under random sampling.")
    text = assert_self_contained(render(facts, ".html")).text
    assert "drawn uniformly at random" in text
    assert "Random sampling would have needed" not in text


def test_a_group_method_says_what_it_does_not_give(tmp_path):
    with made(tmp_path / "audit", method="uniform") as audit:
        facts = gather(audit)
    [model] = facts["models"]
    assert {one["part"] for one in model["left_out"]} == {"forecast", "confusion", "recall by true class"}
    text = assert_self_contained(render(facts, ".html")).text
    assert "Method 'uniform' does not give it" in text
    assert "credible interval" in text
    assert "a belief, not coverage" in text
    assert model["groups"]


@pytest.mark.slow
def test_a_surrogate_method_claims_no_coverage(tmp_path):
    with made(tmp_path / "audit", 30, method="bald", options={"draws": 10}) as audit:
        facts = gather(audit)
    [model] = facts["models"]
    assert model["groups"] == []
    assert kind_of(model["estimates"][0]["promise"]) == "spread"
    text = assert_self_contained(render(facts, ".html")).text
    assert "The spread is no coverage" in text
    assert "95% interval)" not in text


def test_spread_of_draws_is_never_called_coverage(facts):
    facts = copy.deepcopy(facts)
    [model] = facts["models"]
    row = {**model["estimates"][0], "promise": "spread of 50 draws, not coverage"}
    model |= {"estimates": [row], "groups": [], "comparisons": [], "forecast": [], "confusion": None, "history": []}
    model |= {"calibration": None, "left_out": [{"part": "confusion", "why": "Method 'altmas' does not give it."}]}
    text = assert_self_contained(render(facts, ".html")).text
    assert "Method 'altmas' does not give it." in text
    assert "There is no history to draw." in text


@pytest.mark.parametrize("unsure", [0, 10])
def test_without_a_label(tmp_path, unsure):
    with made(tmp_path / "audit", unsure, unsure=10) as audit:
        facts = gather(audit)
    assert facts["labels"] == 0
    assert facts["missing"]["unsure"] == unsure
    for text in (assert_self_contained(render(facts, ".html")).text, render(facts, ".md")):
        assert "No item has a label yet" in text
    json.loads(render(facts, ".json"))


def test_few_labels_are_said_to_be_few(tmp_path):
    with made(tmp_path / "audit", 5) as audit:
        facts = gather(audit)
    assert facts["models"][0]["verdict"]["promise"].endswith("With so few labels it may be fewer.")
    assert facts["models"][0]["verdict"]["random"] == ""
    assert_self_contained(render(facts, ".html"))


def test_all_labelled_is_exact(tmp_path):
    with made(tmp_path / "audit", 60, items=60) as audit:
        facts = gather(audit)
    [model] = facts["models"]
    assert "is exactly" in facts["headline"][0]
    assert all(row["low"] == row["estimate"] == row["high"] for row in model["estimates"])
    assert model["verdict"]["next"] == ""
    assert model["verdict"]["worst"][0].startswith("It is worst where it says")
    assert "Nothing is left to ask." in assert_self_contained(render(facts, ".html")).text


def test_two_annotators_and_their_agreement(tmp_path):
    with made(tmp_path / "audit", 20, overlap=2) as audit:
        for one in audit.answers_of("mk")[:15]:
            other = "owl" if one.position % 5 == 0 else one.label
            audit.tell(one.id, other, annotator="jo")
        facts, found = gather(audit), audit.findings().agreement
    assert facts["agreement"]["items"] == found.items == 15
    assert facts["agreement"]["alpha"] == found.alpha
    text = Page(render(facts, ".html")).text
    assert f"Krippendorff's alpha is {found.alpha:.2f}" in text
    assert "jo" in text
