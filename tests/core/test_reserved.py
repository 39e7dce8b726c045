"""Names that stand for items without an answer or a score, and words that are a class and none at once."""

import pandas as pd
import pytest

import altmas
from altmas.core.no_answer import no_class, patterns_of


@pytest.mark.parametrize("name", ["(no class)", "(no score)"])
def test_no_group_and_no_class_hides_behind_them(name):
    with pytest.raises(altmas.InputError, match=r"group 'region' must not be called"):
        altmas.Pool.build(["a", "b"] * 4, groups={"region": ["north", name] * 4})
    with pytest.raises(altmas.InputError, match="no class|not be called"):
        altmas.Pool.build(["a", name] * 4)


def test_a_class_cannot_be_no_class_too():
    with pytest.raises(altmas.InputError, match=r"not_a_class must be none of the declared classes; got 'ERROR'"):
        altmas.Pool.build(["a", "b", "ERROR"] * 4, classes=["a", "b", "ERROR"], not_a_class=["error"])


def test_a_star_of_the_vendors_own_is_no_pattern():
    named = patterns_of(["c*t error: quota", "c*t error: time"], ["cat"])
    assert not any(no_class([one])("cat") for one in named)


def test_patterns_take_linear_time():
    """Backtracking would not end: eight stars over a text that nearly fits."""
    assert not no_class(["*a" * 8 + "*b"])("a" * 5000)
    assert no_class(["HTTP*try*again"])("http 503: try it again")
    assert not no_class(["ab*ba"])("aba")


def test_a_table_of_one_column_is_a_column():
    said = pd.DataFrame({"said": ["cat", None, "dog"] * 5})
    assert altmas.Pool.build(said).unanswered() == 5


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\ufeff"])
def test_what_cannot_be_seen_makes_no_other_class(hidden):
    with pytest.raises(altmas.InputError, match="spelt"):
        altmas.assess(["cat" + hidden, "dog"] * 20, oracle=["cat", "dog"] * 20, budget=20, progress=False)
