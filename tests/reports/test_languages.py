"""Reports in another language: what words say is translated, data is not."""

import json
import re

import pytest
from markupsafe import Markup

from altmas.metrics.errors import InputError
from altmas.reports import writing
from altmas.reports.facts import gather
from altmas.reports.writing import render, write_report
from altmas.words.language import language, speaking
from worlds.reports import HOSTILE, Page, made

ENGLISH = (
    "the of is are and with from by to for between about it its on this these that than more less worst best right "
    "says which where yet settled would have has not or above below at been them they no only were"
)
"""Common words, without those that German has too, such as "was"."""


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
