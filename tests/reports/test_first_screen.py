"""What a reader sees first: targets, failures, both sides of every class, several models in one table."""

import json

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.core.pool import NO_CLASS, Pool
from altmas.reports import tables
from altmas.reports.facts import gather
from altmas.reports.writing import escape, render
from worlds.reports import CLASSES, Page, assert_self_contained, made

TARGETS = ("accuracy >= 0.2", "accuracy <= 0.1", "recall:cat >= 0.8")


@pytest.fixture(scope="module")
def aimed(tmp_path_factory):
    """An audit with a target that is met, one that is missed, and one of a metric that is not its own."""
    with made(tmp_path_factory.mktemp("aimed") / "audit", targets=TARGETS, budget=80) as audit:
        yield audit, gather(audit)


def failing(folder, method="certified", answers=60, models=1):
    """An audit of models that sometimes give no answer, and then are never right."""
    rng = np.random.default_rng(3)
    truth = rng.integers(3, size=200)
    outputs = {}
    for k in range(models):
        said = [CLASSES[c] if rng.random() < 0.8 else CLASSES[rng.integers(3)] for c in truth]
        outputs[f"model {k}"] = [None if i % 10 == 0 and k == 0 else one for i, one in enumerate(said)]
    audit = Audit.create(folder, Pool.build(outputs, classes=CLASSES), metrics=["accuracy"], method=method, initial=20)
    while len(audit.state.order) < answers:
        for query in audit.ask(10):
            audit.tell(query.id, CLASSES[truth[query.position]])
    return audit


def test_targets_say_what_the_intervals_say(aimed):
    audit, facts = aimed
    rows = {row["target"]: row for row in facts["targets"]["rows"]}
    assert [rows[one]["outcome"] for one in TARGETS[:2]] == ["pass", "fail"]
    for one in audit.settings.targets:
        row = rows[str(one)]
        assert row["outcome"] == one.met_by(row["low"], row["high"])
    found = audit.estimate(["recall:cat"]).iloc[0]
    assert [rows["recall:cat >= 0.8"][name] for name in ("estimate", "low", "high")] == [
        found[name] for name in ("estimate", "low", "high")
    ]
    assert any(row["metric"] == "recall:cat" for row in facts["models"][0]["estimates"])


def test_what_is_not_settled_says_what_it_needs(tmp_path):
    with made(tmp_path / "audit", items=2000, metrics=["accuracy"]) as audit:
        value = float(audit.estimate()["estimate"].iloc[0])
        audit.set(targets=[f"accuracy >= {value - 0.04:.4f}"])
        [row] = gather(audit)["targets"]["rows"]
        needed = audit.findings().forecast(abs(row["estimate"] - row["bound"]))["labels_needed"].iloc[0]
    assert row["outcome"] == "not settled"
    assert row["labels_needed"] == needed > 60
    assert f"About {needed - 60:,.0f} more labels would settle it" in row["sentence"]


def test_targets_are_in_every_format(aimed):
    _, facts = aimed
    text, markdown = assert_self_contained(render(facts, ".html")).text, render(facts, ".md")
    for row in facts["targets"]["rows"]:
        assert row["sentence"] in text
        assert escape(row["sentence"]) in markdown
    assert "Is model 0 good enough?" in text
    assert "Of 80 planned answers 60 are given" in facts["targets"]["note"]
    assert facts["targets"]["note"] in text
    assert json.loads(render(facts, ".json"))["targets"] == facts["targets"]


def test_without_targets_nothing_is_said_of_them(facts, page):
    assert facts["targets"] is None
    assert "good enough" not in Page(page).text


def test_a_finished_plan_and_all_looks_need_no_word_of_caution(tmp_path):
    with made(tmp_path / "one", targets=TARGETS[:1], budget=60) as audit:
        assert gather(audit)["targets"]["note"] == ""
    options = {"options": {"interval": "anytime"}}
    with made(tmp_path / "two", targets=TARGETS[:1], metrics=["accuracy"], **options) as audit:
        assert gather(audit)["targets"]["note"] == ""


def test_a_method_that_cannot_estimate_a_target_leaves_it_unsettled(tmp_path):
    with made(tmp_path / "audit", method="uniform", metrics=["accuracy"], targets=TARGETS) as audit:
        rows = gather(audit)["targets"]["rows"]
    assert [row["outcome"] for row in rows] == ["pass", "fail", "not settled"]


@pytest.mark.parametrize("method", ["certified", "random", "uniform"])
def test_failures_are_a_figure_of_their_own_and_no_class(tmp_path, method):
    with failing(tmp_path / "audit", method) as audit:
        facts = gather(audit)
    [model] = facts["models"]
    [row] = facts["no_answer"]
    assert (row["items"], row["share"]) == (20, 0.1)
    assert "gave no answer on 20 of 200 items (10.0%)" in row["sentence"]
    text, markdown = Page(render(facts, ".html")).text, render(facts, ".md")
    assert text.index(row["sentence"]) < text.index("How sure are we?")
    assert escape(row["sentence"]) in markdown
    assert not any(NO_CLASS in sentence for sentence in model["verdict"]["worst"])
    assert all(one["group"] != NO_CLASS for one in model["groups"][0]["rows"])
    if model["confusion"]:
        assert all(one["predicted"] != NO_CLASS for one in model["confusion"]["worst"])
        assert any(one["predicted"] == NO_CLASS for one in model["confusion"]["cells"])  # where they are counted


def test_recall_stands_beside_precision(audit, facts):
    [model] = facts["models"]
    rows = model["recalls"]["rows"]
    for row in rows:
        expected = audit.estimate([f"recall:{row['class']}"]).iloc[0]
        for name in ("estimate", "low", "high"):
            assert row[name] == pytest.approx(expected[name], abs=1e-12)
    assert sum(row["p_worst"] for row in rows) == pytest.approx(1)
    text, markdown = Page(render(facts, ".html")).text, render(facts, ".md")
    for said in ("right where it says so (precision)", "found where it is so (recall)"):
        assert said in text
        assert escape(said) in markdown
    assert model["recalls"]["verdict"] in model["verdict"]["worst"]


def test_a_class_that_no_label_named_has_no_recall(tmp_path):
    pool = Pool.build(["cat", "dog", "owl"] * 40, classes=[*CLASSES, "yak"])
    with Audit.create(tmp_path / "audit", pool, metrics=["accuracy"], initial=20) as audit:
        for query in audit.ask(20):
            audit.tell(query.id, CLASSES[query.position % 3])
        rows = gather(audit)["models"][0]["recalls"]["rows"]
    assert rows[3] == {"class": "yak", "labels": 0, "estimate": None, "low": None, "high": None, "p_worst": None}
    assert all(row["labels"] and row["low"] < row["estimate"] <= row["high"] for row in rows[:3])


def test_several_models_are_ranked_in_one_table(tmp_path):
    with failing(tmp_path / "audit", models=3) as audit:
        audit.set(targets=["accuracy >= 0.1"])
        facts, best = gather(audit), audit.findings().best()
    ranking = facts["vendors"]["ranking"]
    assert [row["model"] for row in ranking] == best["model"].tolist()
    assert [row["p_best"] for row in ranking] == best["p_best"].tolist()
    assert {row["model"]: row["no_answer"] for row in ranking} == {"model 0": 0.1, "model 1": 0.0, "model 2": 0.0}
    assert all(row["targets"] == {"accuracy >= 0.1": "pass"} for row in ranking)
    text = assert_self_contained(render(facts, ".html")).text
    first = text[: text.index("Each model in short", text.index("What next?") + 60)]
    assert "Which is best?" in first
    assert first.count("How sure are we?") == 1
    assert "The models, best first" in first
    assert facts["headline"][0] in first.replace("\N{NO-BREAK SPACE}", " ")


def test_the_models_name_stands_in_the_headline(facts, page):
    assert facts["headline"][0].startswith("Accuracy of model 0 is ")
    assert "Model under test: model 0" in Page(page).text
    assert "surrogate" not in page[page.index('id="verdict"') : page.index('id="estimates"')]


def test_items_are_whole(facts):
    cells = tables.every_cell_table(facts["models"][0]["confusion"], 0.95)
    assert cells.rows
    assert all("." not in row[2] for row in cells.rows)


def test_sign_off_names_the_first_and_the_last_event(facts, page):
    events = facts["trail"]["events"]
    end = page[page.index('id="sign"') :]
    assert events[0]["hash"] in end
    assert facts["trail"]["head"] in end
    for line in ("Prepared by", "Reviewed by", "Date", "Signature"):
        assert line in end
