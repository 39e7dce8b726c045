"""Comparisons and ranks of groups, by hand."""

import pandas as pd
import pytest

from altmas.core.ranking import compared, ranked
from altmas.words.groups import comparison_verdict, ranking_verdict


def test_probabilities_of_a_comparison_by_hand():
    row = {
        "metric": "recall:cat",
        "a": 1,
        "b": 2,
        "estimate": 0.05,
        "low": 0.0,
        "high": 0.1,
        "below": 0.025,
        "above": 0.025,
    }
    found = compared(row, 0.05)
    assert found["p_higher"] == pytest.approx(0.5)
    assert found["p_lower"] == pytest.approx(3.2e-5, rel=0.02)
    assert comparison_verdict(found, 0.05, 0.95).startswith("not settled; likeliest: recall:cat of 1 ")
    assert not {"error", "below", "above"} & set(found)


def test_ranks_by_hand():
    table = pd.DataFrame({"group": list("abc"), "estimate": [0.5, 0.5, 0.9], "below": 0.05, "above": 0.05})
    found = ranked(table, "class", 1, 0.95, 0)
    assert found["p"].iloc[:2].tolist() == pytest.approx([0.5, 0.5], abs=0.02)
    assert found["rank"].tolist() == pytest.approx([1.5, 1.5, 3], abs=0.02)
    assert found["rank_low"].tolist() == [1, 1, 3]
    assert found["rank_high"].tolist() == [2, 2, 3]


def test_groups_that_are_certain_come_before_the_likeliest():
    rows = [{"group": "a", "p": 0.99}, {"group": "b", "p": 0.6}, {"group": "c", "p": 0.41}]
    said = ranking_verdict("lowest accuracy by class", rows, 2, 0.6, 0.95)
    assert said == "lowest accuracy by class: a; not settled; likeliest: b (P = 0.60), c (P = 0.41)"
