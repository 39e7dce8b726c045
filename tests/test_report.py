"""The report says what the findings say, in one file that needs nothing else, and takes nobody's text for markup."""

import copy
import json
import re
import stat
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError
from altmas.reports import facts_model, figures
from altmas.reports.facts import SCHEMA, gather
from altmas.reports.html import render_html
from altmas.reports.markdown import escape, render_markdown
from altmas.reports.svg import draw
from altmas.reports.writing import render, write_report
from altmas.words import wording
from altmas.words.extremes import worst_of
from altmas.words.verdict import kind_of

CLASSES = ["cat", "dog", "owl"]
HOSTILE = ["<script>alert(1)</script>", "</style></svg><img src=x onerror=alert(1)>", "a|b`*_$x$\n# h\x00 日本"]
MOST_BYTES = 3_000_000


def made(folder, answers=60, names=CLASSES, models=1, *, items=120, scores=True, groups=True, unsure=0, **settings):
    """An audit with real answers, on a pool whose model is right in about four of five."""
    rng = np.random.default_rng(0)
    labels = rng.integers(len(names), size=items)
    outputs, sure = {}, {}
    for k in range(models):
        right = rng.random(items) < 0.8 - 0.1 * k
        said = np.where(right, labels, rng.integers(len(names), size=items))
        outputs[f"model {k}"] = [names[one] for one in said]
        sure[f"model {k}"] = np.clip(np.where(said == labels, rng.beta(8, 2, items), rng.beta(4, 4, items)), 0.34, 1)
    given_scores = sure if scores else None
    given_groups = {"region": rng.choice(["n", "s", "e"], items), "device": rng.choice(["old", "new"], items)}
    pool = Pool.build(outputs, scores=given_scores, classes=names, groups=given_groups if groups else None)
    settings = {"metrics": ["accuracy", "macro_f1", "mcc"], "initial": 20, "batch": 10, **settings}
    contents = pd.DataFrame({"text": [f"what item {k} says" for k in range(items)]})
    audit = Audit.create(folder, pool, items=contents, inputs={"vendor.csv": "ab" * 32}, **settings)
    while len(audit.state.order) < answers:
        for query in audit.ask(min(10, answers - len(audit.state.order)), annotator="mk"):
            lost = query.position % 10 < unsure
            audit.tell(query.id, "unsure" if lost else names[labels[query.position]], annotator="mk", note="a remark")
    return audit


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    with made(tmp_path_factory.mktemp("report") / "audit", unsure=1, title="Animals", guidelines="Look twice.") as one:
        yield one


@pytest.fixture(scope="module")
def facts(audit):
    return gather(audit)


@pytest.fixture(scope="module")
def page(facts):
    return render_html(facts)


class Page(HTMLParser):
    """Elements with their attributes, and the text outside of style."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.words, self._inside = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in self._inside:
            del self._inside[len(self._inside) - 1 - self._inside[::-1].index(tag) :]

    def handle_data(self, data):
        if "style" not in self._inside:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def assert_self_contained(page):
    """No script, no reference that leaves the file, every reference inside it found, every id once."""
    parsed = Page(page)
    tags = {tag for tag, _ in parsed.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "foreignobject"}
    assert not re.search(r"https?:|//[a-z]|@import|javascript:", page.split("</head>")[1])
    [policy] = [one["content"] for one in parsed.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    used = set(re.findall(r"url\(([^)]*)\)", page)) | {a["href"] for _, a in parsed.elements if "href" in a}
    assert {one.removeprefix("#") for one in used} <= set(ids)
    for _, attrs in parsed.elements:
        assert not [name for name in attrs if name.startswith("on") or name in ("src", "srcset", "xlink:href")]
    assert page.count("</style>") == 1
    assert len(page.encode()) < MOST_BYTES
    return parsed


def test_facts_are_the_findings(audit, facts):
    found = audit.findings()
    [model] = facts["models"]
    assert facts["labels"] == found.labels
    for name in ("estimate", "low", "high", "plug_in", "design", "random_needed", "worst_case", "best_case"):
        assert [row[name] for row in model["estimates"]] == found.estimates[name].tolist()
    for table in model["groups"]:
        asked = found.groups(table["by"])
        assert [row["estimate"] for row in table["rows"]] == asked["estimate"].tolist()
        assert [row["p_worst"] for row in table["rows"]] == asked["p_worst"].tolist()
    assert [one["by"] for one in model["groups"]] == ["class", "region", "device"]
    assert [row["high"] for row in model["confusion"]["cells"]] == found.confusion()["high"].tolist()
    assert [row["bias"] for row in model["calibration"]["bins"]] == found.calibration()["bias"].tolist()
    assert tuple(model["calibration"]["ece"].values()) == found.ece()
    assert [row["labels_needed"] for row in model["forecast"]] == found.forecast(0.03)["labels_needed"].tolist()
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
    text, markdown = Page(page).text, render_markdown(facts)
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
    assert render_html(gather(audit)) == page
    assert gather(audit) == facts


def test_dark_and_light_use_the_same_figures(page):
    body = page.split("</head>")[1]
    assert not re.search(r"#[0-9a-f]{6}\b", re.sub(r"<code>.*?</code>", "", body))  # colours are the page's own
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_content_and_notes_stay_out_unless_asked_for(audit, facts, page):
    for text in (page, render_markdown(facts), render(facts, ".json")):
        assert "what item" not in text
        assert "a remark" not in text
    asked = gather(audit, contents=True)
    for text in (render_html(asked), render_markdown(asked), render(asked, ".json")):
        assert "what item" in text
        assert "a remark" in text
    assert len(asked["items"]) == facts["status"]["answered"] + facts["status"]["unsure"]


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
        write_report(audit, tmp_path / "report.pdf")
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
    parsed = assert_self_contained(render_html(facts))
    assert HOSTILE[0] in parsed.text
    assert "</style></svg><img src=x onerror=alert(1)>" in parsed.text
    assert [tag for tag, _ in parsed.elements].count("style") == 1
    figure_text = draw("k", HOSTILE[0], figures.forest, facts["models"][0]["groups"][0]["rows"], 0.95, None)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in figure_text
    markdown = render_markdown(facts)
    assert "<script" not in markdown.replace("\\<", "")
    for block in re.findall(r"(?:^\|.*\n)+", markdown, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1  # a pipe in a name makes no column


def test_several_models(tmp_path):
    with made(tmp_path / "audit", models=2, metrics=["accuracy", "mcc"]) as audit:
        facts, found = gather(audit), audit.findings()
    assert [one["name"] for one in facts["models"]] == ["model 0", "model 1"]
    for one in facts["models"]:
        expected = found.estimates[found.estimates["model"] == one["name"]]
        assert [row["estimate"] for row in one["estimates"]] == expected["estimate"].tolist()
        assert [row["estimate"] for row in one["groups"][0]["rows"]] == (
            found.groups("class", "accuracy", one["name"])["estimate"].tolist()
        )
    assert [row["p_best"] for row in facts["vendors"]["best"]] == found.best()["p_best"].tolist()
    assert [row["low"] for row in facts["vendors"]["differences"]] == found.differences()["low"].tolist()
    parsed = assert_self_contained(render_html(facts))
    assert "Models compared" in parsed.text
    assert facts["vendors"]["sentences"][0] == facts["headline"][0]
    assert "Models compared" in render_markdown(facts)


def test_no_scores_and_no_groups(tmp_path):
    with made(tmp_path / "audit", scores=False, groups=False) as audit:
        facts = gather(audit)
    parsed = assert_self_contained(render_html(facts))
    assert "The model under test came without scores." in parsed.text
    assert "came without groups of its own" in parsed.text
    assert facts["models"][0]["calibration"] is None
    assert [one["by"] for one in facts["models"][0]["groups"]] == ["class"]


def test_random_sampling(tmp_path):
    with made(tmp_path / "audit", method="random") as audit:
        facts = gather(audit)
    assert facts["models"][0]["verdict"]["promise"].endswith("under random sampling.")
    text = assert_self_contained(render_html(facts)).text
    assert "drawn uniformly at random" in text
    assert "Random sampling would have needed" not in text


def test_a_group_method_says_what_it_does_not_give(tmp_path):
    with made(tmp_path / "audit", method="uniform") as audit:
        facts = gather(audit)
    [model] = facts["models"]
    assert {one["part"] for one in model["left_out"]} == {"forecast", "confusion", "calibration"}
    text = assert_self_contained(render_html(facts)).text
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
    text = assert_self_contained(render_html(facts)).text
    assert "The spread is no coverage" in text
    assert "95% interval)" not in text


def test_spread_of_draws_is_never_called_coverage(facts):
    facts = copy.deepcopy(facts)
    [model] = facts["models"]
    row = {**model["estimates"][0], "promise": "spread of 50 draws, not coverage"}
    model |= {"estimates": [row], "groups": [], "comparisons": [], "forecast": [], "confusion": None, "history": []}
    model |= {"calibration": None, "left_out": [{"part": "confusion", "why": "Method 'altmas' does not give it."}]}
    text = assert_self_contained(render_html(facts)).text
    assert "Method 'altmas' does not give it." in text
    assert "There is no history to draw." in text


@pytest.mark.parametrize("unsure", [0, 10])
def test_without_a_label(tmp_path, unsure):
    with made(tmp_path / "audit", unsure, unsure=10) as audit:
        facts = gather(audit)
    assert facts["labels"] == 0
    assert facts["missing"]["unsure"] == unsure
    for text in (assert_self_contained(render_html(facts)).text, render_markdown(facts)):
        assert "No item has a label yet" in text
    json.loads(render(facts, ".json"))


def test_few_labels_are_said_to_be_few(tmp_path):
    with made(tmp_path / "audit", 5) as audit:
        facts = gather(audit)
    assert facts["models"][0]["verdict"]["promise"].endswith("With so few labels it may be fewer.")
    assert facts["models"][0]["verdict"]["random"] == ""
    assert_self_contained(render_html(facts))


def test_all_labelled_is_exact(tmp_path):
    with made(tmp_path / "audit", 60, items=60) as audit:
        facts = gather(audit)
    [model] = facts["models"]
    assert "is exactly" in facts["headline"][0]
    assert all(row["low"] == row["estimate"] == row["high"] for row in model["estimates"])
    assert model["verdict"]["next"] == ""
    assert model["verdict"]["worst"][0].startswith("It is worst where it says")
    assert "Nothing is left to ask." in assert_self_contained(render_html(facts)).text


def test_two_annotators_and_their_agreement(tmp_path):
    with made(tmp_path / "audit", 20, overlap=2) as audit:
        for one in audit.answers_of("mk")[:15]:
            other = "owl" if one.position % 5 == 0 else one.label
            audit.tell(one.id, other, annotator="jo")
        facts, found = gather(audit), audit.findings().agreement
    assert facts["agreement"]["items"] == found.items == 15
    assert facts["agreement"]["alpha"] == found.alpha
    text = Page(render_html(facts)).text
    assert f"Krippendorff's alpha is {found.alpha:.2f}" in text
    assert "jo" in text


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
    estimate = model["estimates"][0]
    model["estimates"] += [{**estimate, "metric": f"recall:class number {k}"} for k in range(classes)]
    cell = model["confusion"]["worst"][0]
    model["confusion"] |= {"classes": classes, "cells": [], "worst": [{**cell, "true": f"t{k}"} for k in range(200)]}
    answer = facts["trail"]["events"][-1]
    facts["trail"]["events"] += [{**answer, "seq": k} for k in range(events)]
    return facts


def test_a_thousand_classes_and_many_events_stay_small_and_readable(facts):
    large = many(facts, events=20_000)
    page = render_html(large)
    text = assert_self_contained(page).text
    assert "970 groups between them left out" in text  # in the figure
    assert "The 30 lowest and the 30 highest; 940 between them are in the JSON report." in text
    assert "more rows are in the JSON report" in text
    assert "The first and the last 2,000" in text
    assert len(render_html(many(facts)).encode()) < 1_000_000
    assert len(render_markdown(large).encode()) < MOST_BYTES


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
    assert "not intact : event 7 was changed" in Page(render_html(broken)).text
    assert "event 7 was changed" in render_markdown(broken)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 4))
def test_an_interval_is_never_written_narrower_than_it_is(one, other, digits):
    low, high = sorted((one, other))
    shown = [float(end.rstrip("%")) / 100 for end in wording.ends(low, high, share=True, digits=digits)]
    assert shown[0] <= low + 1e-7
    assert shown[1] >= high - 1e-7


@given(st.text(max_size=30))
def test_any_text_survives(text):
    assert not re.search(r"[\x00-\x1f\x7f]", wording.clean(text))
    bare = re.sub(r"\\.", "", escape(text))
    assert not set(bare) & set("\\`*_{}[]<>#|~$&")


@pytest.mark.parametrize("name", ["日本", "$x_$", "ud\x01\x02", "\ud800", "x" * 500, "", "&amp;<b>"])
def test_any_class_can_be_drawn(name):
    row = {"group": name, "estimate": 0.5, "low": 0.4, "high": 0.6, "p_worst": 0.5}
    assert "<svg" in draw("k", name, figures.forest, [row, {**row, "group": "other"}], 0.95, 0.5)
    cells = [{"true": a, "predicted": b, "estimate": 3.0} for a in (name, "other") for b in (name, "other")]
    assert "<svg" in draw("k", name, figures.confusion, cells)
