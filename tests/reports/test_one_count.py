"""One count and one rounding: what commands print and what the report says are the same figures."""

import pytest

from altmas.reports.facts import gather
from altmas.reports.writing import render
from worlds.commands import altmas, told
from worlds.reports import Page, made


@pytest.fixture(scope="module", params=[1, 2], ids=["one", "several"])
def both(request, tmp_path_factory):
    """An audit's folder, its report as text, and its facts."""
    folder = tmp_path_factory.mktemp("count") / "audit"
    with made(folder, 70, models=request.param, items=900, unsure=1, budget=90) as audit:
        facts = gather(audit)
    return folder, Page(render(facts, ".html")).text, facts


def cells(output):
    """The rows of the tables that a command printed."""
    lines = [line for line in output.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]


def test_answers_and_labels(both):
    folder, text, facts = both
    status = altmas("status", folder, "--json").json
    said = told("status", folder)
    assert f"{status['answered']:,} of 90 answered ({status['labels']:,} labels)" in said
    assert (
        f"{status['asked']} questions asked, {status['answered']} answered, {status['labels']} items with a label"
        in text
    )
    assert f"{status['labels']} labels on a pool of 900 items" in text
    assert altmas("estimate", folder, "--json").json["labels"] == status["labels"] == facts["labels"]


def test_estimates(both):
    folder, text, _ = both
    rows = cells(told("estimate", folder))
    assert len(rows) >= 3
    for row in rows:
        assert [cell for cell in row if "%" in cell or "." in cell]
        for cell in row:
            if any(c.isdigit() for c in cell) and not cell.startswith("model"):
                assert cell in text


def test_worst(both):
    folder, text, _ = both
    rows = cells(told("worst", folder, "--by", "region"))
    assert len(rows) >= 3
    for _, size, labels, estimate, interval, *_ in rows:
        assert f"{estimate} {interval}" in text
        assert f"{labels} {int(size):,}" in text


def test_vendors(both):
    folder, text, facts = both
    if facts["vendors"] is None:
        pytest.skip("one model alone")
    rows = [row for row in cells(told("vendors", folder, "--metric", "accuracy")) if len(row) == 7]
    assert len(rows) == 2
    for _, _, estimate, interval, *_ in rows:
        assert f"{estimate} {interval}" in text
