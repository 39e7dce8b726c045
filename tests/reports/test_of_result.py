"""Reports of what `assess` found: the same facts and pages as an audit's, without its record."""

import json

import numpy as np
import pytest

import altmas
from altmas.reports.facts import SCHEMA, gather_result
from altmas.reports.writing import escape, render
from worlds.reports import CLASSES, assert_self_contained


def assessed(models=1, **options):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=300)
    said = {}
    for k in range(models):
        right = rng.random(300) < 0.85 - 0.1 * k
        said[f"vendor {k}"] = [CLASSES[c] for c in np.where(right, truth, rng.integers(3, size=300))]
    scores = {name: rng.beta(8, 2, 300) for name in said}
    groups = {"region": rng.choice(["n", "s"], 300), "device": rng.choice(["old", "new"], 300)}
    given = {"scores": scores, "groups": groups, "oracle": [CLASSES[c] for c in truth], "budget": 60, "progress": False}
    return altmas.assess(said, **{**given, **options})


@pytest.fixture(scope="module")
def result():
    return assessed()


def test_the_report_has_what_the_result_has(result):
    facts = gather_result(result, title="Spring", compare=[("region", "n", "s")])
    assert set(facts) == set(SCHEMA)
    [model] = facts["models"]
    assert [row["estimate"] for row in model["estimates"]] == result.estimates["estimate"].tolist()
    assert [row["high"] for row in model["confusion"]["cells"]] == result.confusion["high"].tolist()
    assert [row["bias"] for row in model["calibration"]["bins"]] == result.calibration["bias"].tolist()
    assert len(model["history"]) == len(result.history)
    assert [one["by"] for one in model["groups"]] == ["class", "region", "device"]
    assert model["comparisons"][0]["by"] == "region"
    assert facts["trail"] is facts["status"] is facts["targets"] is None
    assert facts["labels"] == 60
    parsed = assert_self_contained(render(facts, ".html"))
    markdown = render(facts, ".md")
    for sentence in (facts["headline"][0], model["calibration"]["sentence"]):
        assert sentence in parsed.text
        assert escape(sentence) in markdown
    assert "Assessment report" in parsed.text
    for absent in ("Audit trail", "annotator,", "altmas next"):
        assert absent not in parsed.text


@pytest.mark.parametrize("suffix", [".html", ".md", ".json", ".xlsx"])
def test_written_by_name(result, tmp_path, suffix):
    target = result.report(tmp_path / f"report{suffix}", title="Spring")
    assert target.stat().st_size > 1000
    if suffix == ".json":
        assert json.loads(target.read_text())["title"] == "Spring"


@pytest.mark.parametrize(
    "options",
    [
        {"method": "random"},
        {"method": "uniform"},
        {"method": "uniform", "task": altmas.Identify(m=1, by="region")},
        {"method": "stratified"},
        {"models": 3},
        {"models": 2, "task": "best"},
        {"task": altmas.Surface(["region", "device"], "beta-i")},
    ],
    ids=str,
)
def test_every_kind_of_result_writes_its_report(options):
    options = {**options}
    facts = gather_result(assessed(options.pop("models", 1), **options))
    text = assert_self_contained(render(facts, ".html")).text
    assert facts["headline"][0] in text.replace("\N{NO-BREAK SPACE}", " ")
    assert escape(facts["headline"][0]) in render(facts, ".md")
    assert (facts["models"][0]["surface"] is not None) == isinstance(options.get("task"), altmas.Surface)


def test_questions_without_a_label_are_counted():
    rng = np.random.default_rng(1)
    truth = rng.integers(2, size=200)
    unsure = iter(rng.random(200) < 0.2)
    said = np.where(rng.random(200) < 0.9, truth, 1 - truth)
    found = altmas.assess(said, oracle=lambda i: None if next(unsure) else int(truth[i]), budget=60, progress=False)
    facts = gather_result(found)
    lost = 60 - len(found.answers)
    assert facts["missing"] == {"unlabelled": lost}
    assert f"and {lost} questions without one" in assert_self_contained(render(facts, ".html")).text


def test_in_another_language(result, tmp_path):
    text = result.report(tmp_path / "bericht.md", lang="de", title="Frühling").read_text("utf-8")
    assert "## Urteil" in text
    assert "Genauigkeit" in text
    assert json.loads(result.report(tmp_path / "bericht.json", lang="de").read_text("utf-8"))["language"] == "de"
