"""The report says what the findings say, in one file that needs nothing else, and takes nobody's text for markup."""

import copy
import json
import math
import re
import stat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from altmas.metrics.errors import InputError
from altmas.reports import facts_model, figures
from altmas.reports.facts import SCHEMA, gather
from altmas.reports.svg import draw
from altmas.reports.writing import escape, render, write_report
from altmas.words import wording
from altmas.words.extremes import worst_of
from worlds.reports import HOSTILE, MOST_BYTES, Page, assert_self_contained, made


def test_facts_are_the_findings(audit, facts):
    found = audit.findings()
    [model] = facts["models"]
    assert facts["labels"] == found.labels
    for name in ("estimate", "low", "high", "plug_in", "design", "random_needed", "worst_case", "best_case"):
        assert [row[name] for row in model["estimates"]] == found.estimates[name].tolist()
    assert all(row["low"] < row["low_alike"] for row in model["estimates"])
    for table in model["groups"]:
        asked = found.groups(table["by"])
        assert [row["estimate"] for row in table["rows"]] == asked["estimate"].tolist()
        assert [row["p_worst"] for row in table["rows"]] == asked["p_worst"].tolist()
    assert [one["by"] for one in model["groups"]] == ["class", "region", "device"]
    assert [row["high"] for row in model["confusion"]["cells"]] == found.confusion()["high"].tolist()
    assert [row["bias"] for row in model["calibration"]["bins"]] == found.calibration()["bias"].tolist()
    assert tuple(model["calibration"]["ece"].values()) == found.ece()
    needed = found.forecast(0.03)["labels_needed"]
    assert [row["labels_needed"] for row in model["forecast"]] == [None if math.isnan(n) else n for n in needed]
    assert len(model["history"]) == len(found.history)
    assert facts["missing"] == found.missing
    assert facts["missing"]["unsure"] > 0
    assert facts["trail"]["head"] == audit.status().head
    assert [one["hash"] for one in facts["trail"]["events"]] == [one.hash for one in audit.events()]
    assert facts["trail"]["inputs"] == {"vendor.csv": "ab" * 32}
    assert set(facts) == set(SCHEMA)
    assert model["surface"] is None  # nobody asked for it


def test_every_format_says_the_same(facts, page):
    [model] = facts["models"]
    text, markdown = Page(page).text, render(facts, ".md")
    row = next(one for one in model["estimates"] if one["metric"] == "accuracy")
    cell = wording.figure(row["estimate"], share=True)
    assert cell in text
    assert cell in markdown
    for sentence in (facts["headline"][0], *model["verdict"]["worst"], model["verdict"]["unanswered"]):
        assert sentence in text.replace("\N{NO-BREAK SPACE}", " ")
        assert escape(sentence) in markdown
    for heading in (
        "Estimates",
        "Where it is worst",
        "Confusion",
        "Calibration",
        "Labels and precision",
        "Audit trail",
    ):
        assert heading in text
    assert json.loads(render(facts, ".json")) == facts


def test_numbers_of_figures_are_in_tables_too(page):
    """Who cannot see a figure can read its numbers; each figure says what it shows."""
    parsed = Page(page)
    pictures = parsed.all("svg")
    assert all(one["role"] == "img" and one["aria-label"] for one in pictures)
    assert page.count("<figure>") == 8  # three forests, a comparison, a confusion, a reliability diagram, two histories
    assert page.count("<summary>The same numbers as a table</summary>") == 6  # the two histories share one
    assert "<summary>Every cell, with its interval</summary>" in page


def test_page_is_self_contained_and_deterministic(audit, facts, page):
    assert_self_contained(page)
    assert render(gather(audit), ".html") == page
    assert gather(audit) == facts


def test_dark_and_light_use_the_same_figures(page):
    body = page.split("</head>")[1]
    assert not re.search(r"#[0-9a-f]{6}\b", re.sub(r"<code>.*?</code>", "", body))  # colours are the page's own
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_content_and_notes_stay_out_unless_asked_for(audit, facts, page):
    for text in (page, render(facts, ".md"), render(facts, ".json")):
        assert "what item" not in text
        assert "a remark" not in text
    asked = gather(audit, contents=True)
    for text in (render(asked, ".html"), render(asked, ".md"), render(asked, ".json")):
        assert "what item" in text
        assert "a remark" in text
    assert len(asked["items"]) == facts["status"]["labels"] + facts["status"]["unsure"]


def test_asked_comparison_and_the_picked_one(audit, facts):
    [model] = facts["models"]
    by = {one["by"]: one for one in model["comparisons"]}
    assert by["region"]["picked"]
    assert "picked after looking" in by["region"]["note"]
    assert not by["device"]["picked"]  # of two values there is one pair only
    asked = gather(audit, compare=[("region", "n", "e")], rope=0.02)["models"][0]["comparisons"]
    row = next(one for one in asked if one["by"] == "region")
    assert (row["a"], row["b"], row["picked"], row["rope"]) == ("n", "e", False, 0.02)
    expected = audit.findings().compare("region", "n", "e", "accuracy", 0.02)
    assert [row[name] for name in ("estimate", "low", "p_equal")] == [
        expected[k] for k in ("estimate", "low", "p_equal")
    ]


def test_unknown_group_in_a_comparison_is_refused(audit):
    with pytest.raises(InputError, match="group of region must be one of .*got 'nowhere'"):
        gather(audit, compare=[("region", "nowhere", "e")])
    with pytest.raises(InputError, match="colour"):
        gather(audit, compare=[("colour", "n", "e")])


def test_level_is_passed_on(audit):
    narrow, wide = (gather(audit, level=level)["models"][0]["estimates"][0] for level in (0.5, 0.99))
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]


@pytest.mark.parametrize("suffix", [".HTML", ".md", ".json"])
def test_written_file_is_whole_and_private(audit, facts, tmp_path, suffix):
    target = tmp_path / f"report{suffix}"
    target.write_text("old")
    assert write_report(audit, target) == target
    assert target.read_text(encoding="utf-8") == render(facts, suffix.lower())
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == [target.name]


def test_refusals(audit, tmp_path):
    with pytest.raises(InputError, match=r"report must be named \*\.html"):
        write_report(audit, tmp_path / "report.doc")
    with pytest.raises(InputError, match="folder that exists"):
        write_report(audit, tmp_path / "nowhere" / "report.html")
    with pytest.raises(InputError, match="within must"):
        write_report(audit, tmp_path / "report.html", within=0)


def test_nothing_is_left_behind_when_writing_fails(audit, tmp_path, monkeypatch):
    target = tmp_path / "report.json"
    target.mkdir()  # a folder cannot be replaced by a file
    with pytest.raises(OSError, match="report.json"):
        write_report(audit, target)
    assert [one.name for one in tmp_path.iterdir()] == ["report.json"]


def test_hostile_names_stay_text(tmp_path):
    hostile = {"title": HOSTILE[0], "guidelines": HOSTILE[1]}
    with made(tmp_path / "audit", names=HOSTILE, metrics=["accuracy", f"recall:{HOSTILE[0]}"], **hostile) as audit:
        facts = gather(audit, contents=True)
    facts["models"][0]["groups"][1]["by"] = HOSTILE[0]
    facts["items"][0]["answers"][0]["note"] = HOSTILE[1]
    facts["trail"]["events"][-1]["body"]["annotator"] = HOSTILE[0]
    facts["warnings"].append(HOSTILE[1])
    parsed = assert_self_contained(render(facts, ".html"))
    assert HOSTILE[0] in parsed.text
    assert "</style></svg><img src=x onerror=alert(1)>" in parsed.text
    assert [tag for tag, _ in parsed.elements].count("style") == 1
    figure_text = draw("k", HOSTILE[0], figures.forest, facts["models"][0]["groups"][0]["rows"], 0.95, None)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in figure_text
    markdown = render(facts, ".md")
    assert "<script" not in markdown.replace("\\<", "")
    for block in re.findall(r"(?:^\|.*\n)+", markdown, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1  # a pipe in a name makes no column


def many(facts, classes=1000, events=2000):
    """The same facts, as an audit of very many classes and answers would have them."""
    facts = copy.deepcopy(facts)
    [model] = facts["models"]
    rng = np.random.default_rng(0)
    [first, *_] = model["groups"]
    row = first["rows"][0]
    first["rows"] = [
        {**row, "group": f"class number {k}", "estimate": e, "low": e / 2, "high": (1 + e) / 2, "p_worst": 1 / classes}
        for k, e in enumerate(rng.random(classes).tolist())
    ]
    first["verdict"] = worst_of("class", first["rows"])
    model["recalls"]["rows"] = [{**one, "class": one["group"], "labels": 1} for one in first["rows"]]
    estimate = model["estimates"][0]
    model["estimates"] += [{**estimate, "metric": f"recall:class number {k}"} for k in range(classes)]
    cell = model["confusion"]["worst"][0]
    model["confusion"] |= {"classes": classes, "cells": [], "worst": [{**cell, "true": f"t{k}"} for k in range(200)]}
    answer = facts["trail"]["events"][-1]
    facts["trail"]["events"] += [{**answer, "seq": k} for k in range(events)]
    return facts


def test_a_thousand_classes_and_many_events_stay_small_and_readable(facts):
    large = many(facts, events=20_000)
    page = render(large, ".html")
    text = assert_self_contained(page).text
    assert "970 groups between them left out" in text  # in the figure
    assert "The 30 lowest and the 30 highest; 940 between them are in the JSON report." in text
    assert "more rows are in the JSON report" in text
    assert "The first and the last 2,000" in text
    assert len(render(many(facts), ".html").encode()) < 1_000_000
    assert len(render(large, ".md").encode()) < MOST_BYTES


def test_confusion_of_too_many_classes_is_left_out(audit, monkeypatch):
    monkeypatch.setattr(facts_model, "MOST_CLASSES", 2)
    monkeypatch.setattr(facts_model, "MOST_GROUPS", 2)
    [model] = gather(audit)["models"]
    reasons = {one["part"]: one["why"] for one in model["left_out"]}
    assert reasons["confusion"] == "3 classes make 9 cells."
    assert "too many for a table" in reasons["region"]
    assert [one["by"] for one in model["groups"]] == ["device"]


def test_a_broken_record_is_said(facts):
    broken = copy.deepcopy(facts)
    broken["trail"] |= {"intact": False, "problems": ["event 7 was changed after it was written"]}
    assert "not intact : event 7 was changed" in Page(render(broken, ".html")).text
    assert "event 7 was changed" in render(broken, ".md")


@given(st.text(max_size=30))
def test_any_text_survives(text):
    assert not re.search(r"[\x00-\x1f\x7f]", wording.clean(text))
    bare = re.sub(r"\\.", "", escape(text))
    assert not set(bare) & set("\\`*_{}[]<>#|~$&")
