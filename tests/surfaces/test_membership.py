"""Which arm an item belongs to: attributes by name, with blanks, and guessed from predictors' scores."""

import numpy as np
import pandas as pd
import pytest

import altmas
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError
from altmas.surfaces.membership import membership, membership_from_scores


def test_attributes_from_scores():
    rng = np.random.default_rng(0)
    size = 600
    hat, sex = rng.random(size) < 0.4, rng.choice(["f", "m"], size)
    scores = 2.5 * rng.normal(size=size) + 4 * hat - 2  # right in about four of five, and too sure
    truth = {"hat": [("yes" if hat[i] else "no") if i < 200 else None for i in range(size)]}
    where = membership_from_scores({"hat": scores}, truth, {"sex": sex}, joint=False)
    assert where.arms.names == ("hat", "sex")
    assert where.support.sum() == pytest.approx(size)
    assert 0.3 * size < where.support[2:].sum() < 0.5 * size  # 217 have one
    labels = rng.integers(2, size=size)
    said = np.where(rng.random(size) < np.where(hat, 0.5, 0.95), labels, 1 - labels)
    found = altmas.assess(said, oracle=labels, groups={"sex": sex}, task="surface", by=where, method="surface",
                          estimator="beta-i", budget=200, initial=100, progress=False)  # fmt: skip
    bare, with_hat = found.fitted.marginal("hat")["estimate"]
    assert with_hat < bare - 0.15
    assert found.surface["labels"].sum() == pytest.approx(200)
    assert set(found.answers["propensity"][100:]) == {1.0}
    assert found.fitted.promise.endswith("; as if the probabilities of the attributes were right")


@pytest.mark.parametrize(
    ("scores", "truth", "more", "sentence"),
    [
        ({}, {}, {}, "attribute scores must be given for at least one attribute; got none."),
        ({"hat": [0.0] * 4}, {}, {}, "truth must have a column for every attribute with scores; got none for 'hat'."),
        ({"hat": [0.0] * 4}, {"hat": ["y", None, "y", None]}, {}, "values of attribute hat must be at least two"),
        (
            {"hat": [0.0] * 4},
            {"hat": ["y", "n", "?", None]},
            {"values": {"hat": "ny"}},
            "must be among n, y; got '\\?'",
        ),
        ({"hat": [0.0] * 4}, {"hat": ["y", "n", "?", None]}, {}, "scores of attribute hat must be \\[N, 3\\]"),
        ({"hat": [0.0, np.nan]}, {"hat": ["y", "n"]}, {}, "scores of attribute hat must be finite; got row 1."),
        (
            {"hat": [0.0] * 3},
            {"hat": ["y", "n"]},
            {},
            "attribute hat must be one row per item; got 2 rows for 3 items.",
        ),
        ({"hat": [0.0] * 2}, {"hat": ["y", "n"]}, {"known": {"hat": ["y", "n"]}}, "be known or scored, not both"),
        ([0.0], {}, {}, "attribute scores must be columns by name of attribute; got list."),
        (
            {"hat": [0.1, 0.9]},
            {"hat": ["y", "n"]},
            {},
            "must be logits or log-odds; got numbers from 0 to 1 only. Of",
        ),
        ({"hat": [0.1, 2]}, {"hat": ["y", "n"]}, {"probabilities": True}, "be probabilities, from 0 to 1; got row 1."),
        (
            {"hat": [-3.0, 3.0] * 20},
            {"hat": ["y", "n"] * 20},
            {"values": {"hat": "ny"}},
            "scores of attribute hat must agree with the values that are known; got 0% of 40 right. Are n, y in",
        ),
    ],
)
def test_scores_that_are_refused(scores, truth, more, sentence):
    with pytest.raises(altmas.InputError, match=sentence):
        membership_from_scores(scores, truth, **more)


def test_probabilities_are_the_same_as_their_log_odds():
    rng = np.random.default_rng(0)
    hat = rng.random(300) < 0.4
    odds = 2 * rng.normal(size=300) + 4 * hat - 2
    truth = {"hat": [int(hat[i]) if i < 100 else None for i in range(300)]}
    p = 1 / (1 + np.exp(-odds))
    blank = {"hat": np.where(np.arange(300) < 100, hat.astype(float), np.nan)}
    np.testing.assert_array_equal(
        membership_from_scores({"hat": odds}, blank, joint=False).support,
        membership_from_scores({"hat": odds}, truth, joint=False).support,
    )
    given = ({"hat": odds}, {"hat": p}, {"hat": np.stack([1 - p, p], axis=1)})
    found = [
        membership_from_scores(one, truth, joint=False, probabilities=k > 0).support for k, one in enumerate(given)
    ]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-6)


def test_blanks_are_a_value_of_their_own_however_they_are_written():
    """As Python, NumPy and pandas have them; a file's empty cell is the same."""
    ages = pd.Series([20, 31, 42, 53, 64, 75, None] * 5, dtype="Int64")
    groups = {"age": ages, "side": pd.Series(["a", None, "b", "a", "b", np.nan, "a"] * 5, dtype="category")}
    pool = Pool.build([0, 1] * 17 + [0], groups=groups)
    arms = membership(pool, "age,side").arms
    assert arms.attributes[0].values[-1] == "(missing)"
    assert arms.attributes[0].ordered
    assert arms.attributes[1].values == ("(missing)", "a", "b")


def test_a_name_with_a_comma_stands_in_quotes():
    pool = Pool.build([0, 1] * 3, groups={"north, south": list("nnnsss"), "sex": list("fmfmfm")})
    assert membership(pool, '"north, south",sex').arms.names == ("north, south", "sex")
    assert membership(pool, "north, south").arms.names == ("north, south",)
    with pytest.raises(InputError, match="be attributes of the pool: 'north, south', sex, class; got 'north', 'south'"):
        membership(pool, "north, south,sex")


def test_a_column_that_names_every_item_is_an_id():
    pool = Pool.build(
        [0, 1] * 20, groups={"who": [f"p{k}" for k in range(40)], "few": [f"v{k % 20}" for k in range(40)]}
    )
    with pytest.raises(InputError, match="attribute who must have at most half as many values as items; got 40 for 40"):
        membership(pool, "who")
    assert membership(pool, "few").arms.size == 20
