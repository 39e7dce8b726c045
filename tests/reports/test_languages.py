"""Reports in another language: what words say is translated, data is not."""

import io
import json
import re

import pytest
from markupsafe import Markup

from altmas.metrics.errors import InputError
from altmas.reports import writing
from altmas.reports.facts import gather
from altmas.reports.sheets import sheets
from altmas.reports.workbook import workbook
from altmas.reports.writing import render, write_report
from altmas.words.language import language, speaking
from worlds.reports import HOSTILE, Page, made

ENGLISH = (
    "the of is are and with from by to for between about it its on this these that than more less worst best right "
    "says which where yet settled would have has not or above below at been them they no only were labels items class "
    "classes interval estimate accuracy each every how what many mean share width left points"
)
"""Common words, without those that German has too, such as "was"; German nouns begin with a capital."""


def english_in(text):
    return set(ENGLISH.split()) & set(re.findall(r"[^\W\d_]+", re.sub(r"altmas \w+( --\w+)?|„[^“]*“", "", text)))


@pytest.fixture(scope="module")
def german(audit):
    with speaking("de"):
        return gather(audit)


def sentences(facts):
    """Everything that words say in the facts; refusals, which are English, left out."""
    for one in facts["models"]:
        verdict = one["verdict"]
        yield from (verdict[name] for name in verdict if name != "worst")
        yield from verdict["worst"]
        yield from (group["verdict"] for group in one["groups"])
        for row in one["comparisons"]:
            yield from (row["sentence"], row["note"])
        if one["calibration"]:
            yield one["calibration"]["sentence"]
    yield from facts["headline"]
    yield from (facts["vendors"] or {"sentences": []})["sentences"]
    for part in ("assumptions", "warnings"):
        yield from facts[part]
    yield from facts["people"]["sentences"]


def test_the_words_know_english():
    assert english_in("Accuracy is about 91%") == {"is", "about"}
    assert not english_in("Genauigkeit etwa 91 %, was „the best“ auch sagt: altmas next --again")


def test_no_english_is_left_in_what_words_say(german):
    said = [one for one in sentences(german) if one]
    assert len(said) > 15
    assert {one: english_in(one) for one in said if english_in(one)} == {}


def test_no_english_is_left_where_there_are_several_models_of_any_method(tmp_path):
    for method in ("certified", "random"):
        with made(tmp_path / method, 30, models=2, method=method) as audit, speaking("de"):
            facts = gather(audit)
        assert {one: english_in(one) for one in sentences(facts) if one and english_in(one)} == {}


def shown(facts):
    """Every text of a page, also those that are read aloud only; names of settings are data, and left out."""
    page = Page(render({**facts, "trail": {**facts["trail"], "settings": {}}} if facts["trail"] else facts, ".html"))
    aloud = [attributes["aria-label"] for _, attributes in page.elements if "aria-label" in attributes]
    return [" ".join(one.split()) for one in (*page.words, *aloud) if one.strip()]


def markdown_of(facts):
    text = render({**facts, "trail": {**facts["trail"], "settings": {}}} if facts["trail"] else facts, ".md")
    return [one.replace("\\", "") for one in re.split(r"\n|\|", text) if one.strip()]


def assert_german(facts, least):
    for texts in (shown(facts), markdown_of(facts)):
        assert len(texts) > least
        assert {one: english_in(one) for one in texts if english_in(one)} == {}
    with speaking(facts["language"]):
        heads = {text for sheet in sheets(facts) for text in (sheet.name, *sheet.columns)}
    assert {one: english_in(one) for one in heads if english_in(one)} == {}


def test_a_german_page_has_no_english(audit):
    with speaking("de"):
        facts = gather(audit, surface="region,device", estimator="beta-i", compare=[("region", "n", "s")])
    assert facts["models"][0]["surface"]
    assert_german(facts, 300)


def test_a_german_page_of_several_models_has_no_english(tmp_path):
    goals = ["accuracy >= 0.2", "accuracy <= 0.1", "recall:cat >= 0.75"]
    with made(tmp_path / "audit", models=3, targets=goals, budget=90) as audit, speaking("de"):
        facts = gather(audit)
    assert {row["outcome"] for row in facts["targets"]["rows"]} >= {"pass", "fail"}
    page = render(facts, ".html")
    assert page.count('class="badge met"') >= 3
    assert 'class="badge missed"' in page
    assert_german(facts, 300)


@pytest.mark.parametrize("settings", [{"answers": 0}, {"method": "informed", "metrics": ["accuracy"], "scores": False}])
def test_a_german_page_says_in_german_what_it_cannot_say(tmp_path, settings):
    with made(tmp_path / "audit", **settings) as audit, speaking("de"):
        facts = gather(audit, surface=None if settings.get("answers") is None else "region")
    assert any(one["left_out"] for one in facts["models"])
    assert_german(facts, 40)


def test_a_workbook_speaks_the_language_of_its_facts(german):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(workbook(german)))
    assert {"Zusammenfassung", "Schätzungen", "Einstellungen"} <= set(book.sheetnames)
    assert [cell.value for cell in book["Schätzungen"][1]][:2] == ["Metrik", "Schätzung"]
    assert isinstance(book["Schätzungen"][2][1].value, float)
    assert "nach einer Anzeige" in [row[0].value for row in book["Ablauf"].iter_rows()]


def test_numbers_and_data_are_the_same_in_every_language(facts, german):
    assert (facts["language"], german["language"]) == ("en", "de")
    assert german["models"][0]["estimates"] == facts["models"][0]["estimates"]  # promises too
    assert german["models"][0]["confusion"] == facts["models"][0]["confusion"]
    assert german["pool"] == facts["pool"]


def test_a_report_says_which_language_it_is_in(audit, tmp_path):
    [page] = Page(write_report(audit, tmp_path / "r.html", lang="de").read_text("utf-8")).all("html")
    assert page["lang"] == "de"
    assert "zwischen" in write_report(audit, tmp_path / "r.md", lang="de").read_text("utf-8")
    assert json.loads(write_report(audit, tmp_path / "r.json").read_text("utf-8"))["language"] == "en"
    assert language() == "en"


def test_facts_are_shown_in_their_own_language(german):
    assert "95-%-Intervall" in render(german, ".html")


def test_a_language_that_there_is_not_is_refused(audit, tmp_path):
    with pytest.raises(InputError, match="lang must be one of en, de; got 'xx'"):
        audit.report(tmp_path / "r.html", lang="xx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("markdown", [False, True])
def test_a_template_keeps_its_tags_and_escapes_what_it_is_given(markdown):
    page = writing._environment(markdown=markdown).from_string('{{ t("<b>{name}</b>: {own}", name=name, own=own) }}')
    shown = page.render(name=HOSTILE[0], own=Markup("<i>ours</i>"))
    assert shown.startswith("<b>")
    assert "<script>" not in shown
    assert shown.endswith("</b>: <i>ours</i>")
