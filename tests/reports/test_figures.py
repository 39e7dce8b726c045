"""Figures of classes with any name."""

import pytest

from altmas.reports import figures
from altmas.reports.svg import draw


@pytest.mark.parametrize("name", ["日本", "$x_$", "ud\x01\x02", "\ud800", "x" * 500, "", "&amp;<b>"])
def test_any_class_can_be_drawn(name):
    row = {"group": name, "estimate": 0.5, "low": 0.4, "high": 0.6, "p_worst": 0.5}
    assert "<svg" in draw("k", name, figures.forest, [row, {**row, "group": "other"}], 0.95, 0.5)
    cells = [{"true": a, "predicted": b, "estimate": 3.0} for a in (name, "other") for b in (name, "other")]
    assert "<svg" in draw("k", name, figures.confusion, cells)
