"""Columns of pandas are joined by their index, or refused; never by position against it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import altmas
from altmas.core.alignment import in_one_order

SIZE = 60
RNG = np.random.default_rng(2)
TRUTH = RNG.choice(["cat", "cow", "dog"], SIZE)
SAID = np.where(RNG.random(SIZE) < 0.7, TRUTH, RNG.choice(["cat", "cow", "dog"], SIZE))
RIGHT = float((TRUTH == SAID).mean())
NAMES = [f"item {i}" for i in range(SIZE)]
ORDER = RNG.permutation(SIZE)
S, T = pd.Series(SAID, NAMES), pd.Series(TRUTH, NAMES)


def accuracy(predictions, scores=None, **given):
    """The accuracy of all items, each labelled."""
    size = len(predictions) if not isinstance(predictions, dict) else SIZE
    usual = {"method": "random", "metrics": "accuracy", "budget": size, "initial": size, "progress": False}
    return altmas.assess(predictions, scores, **usual | given).estimates.iloc[0]["estimate"]


def test_labels_in_another_order():
    assert accuracy(S, oracle=T.iloc[ORDER]) == pytest.approx(RIGHT)
    assert accuracy(S.to_frame(), oracle=T.iloc[ORDER].to_frame()) == pytest.approx(RIGHT)
    assert accuracy(S.iloc[ORDER], oracle=T) == pytest.approx(RIGHT)


def test_several_models_scores_groups_and_opinions_in_other_orders():
    scores = pd.DataFrame(0.1, NAMES, ["dog", "cat", "cow"])
    for name, said in zip(NAMES, SAID, strict=True):
        scores.loc[name, said] = 0.8
    found = altmas.assess(
        {"a": S, "b": T.iloc[ORDER]}, {"a": scores.iloc[ORDER]}, oracle=T.iloc[ORDER[::-1]],
        groups=pd.DataFrame({"true": TRUTH}, NAMES).iloc[ORDER], opinions={"o": (T.iloc[ORDER], None)},
        method="random", metrics="accuracy", budget=SIZE, initial=SIZE, progress=False,
    )  # fmt: skip
    assert found.estimates["estimate"].tolist() == pytest.approx([RIGHT, 1.0])
    pool = found.findings.job.pool
    assert (pool.outputs[0].scores.argmax(1) == pool.outputs[0].predictions).all()
    assert pool.groups["true"].tolist() == TRUTH.tolist()
    assert (pool.opinions[0].predictions == pool.outputs[1].predictions).all()


def test_more_labels_than_items():
    assert accuracy(S.iloc[:40], oracle=T.iloc[ORDER]) == pytest.approx((SAID[:40] == TRUTH[:40]).mean())


def test_items_that_were_filtered_keep_their_numbers():
    kept = pd.Series(SAID)[SAID != "cow"]
    right = (SAID == TRUTH)[SAID != "cow"].mean()
    assert accuracy(kept, oracle=pd.Series(TRUTH)) == pytest.approx(right)


def test_an_index_of_several_levels():
    index = pd.MultiIndex.from_product([range(6), range(10)])
    assert accuracy(pd.Series(SAID, index), oracle=pd.Series(TRUTH, index).iloc[ORDER]) == pytest.approx(RIGHT)


def test_ids_and_labels_by_id():
    assert accuracy(SAID, ids=NAMES, oracle=T.iloc[ORDER]) == pytest.approx(RIGHT)
    assert accuracy(SAID, ids=NAMES, oracle=T.iloc[ORDER].to_dict()) == pytest.approx(RIGHT)


def test_columns_without_an_index_go_by_position():
    assert accuracy(SAID, oracle=T.set_axis(ORDER)) == pytest.approx(RIGHT)  # as y_test is, beside model.predict's
    assert accuracy(pl.Series(SAID), oracle=pl.Series(TRUTH)) == pytest.approx(RIGHT)


@pytest.mark.parametrize(
    ("said", "truth", "why"),
    [
        (pd.Series(SAID), pd.Series(TRUTH).iloc[ORDER], "one of the two merely counts rows"),
        (pd.Series(SAID, ["a", "b"] * 30), pd.Series(TRUTH, ["b", "a"] * 30), "with repeated values"),
        (S, T.set_axis([*NAMES[:-1], "other"]), "no row 'item 59'"),
        (S.iloc[:40].reset_index(drop=True), T.reset_index(drop=True), "merely counts rows"),
    ],
    ids=["counts", "twice", "other", "reset"],
)
def test_what_does_not_tell_which_item_is_which_is_refused(said, truth, why):
    with pytest.raises(altmas.InputError, match=f"index of oracle must have the index of predictions; got .*{why}"):
        accuracy(said, oracle=truth)


def test_another_order_beside_a_column_without_index_is_refused():
    with pytest.raises(altmas.InputError, match="scores without an index to tell which is meant"):
        accuracy(S, np.full(SIZE, 0.9), oracle=T.iloc[ORDER])


def test_the_same_index_twice_is_one_order():
    same = pd.Series(SAID, ["a"] * SIZE)
    assert in_one_order({"predictions": same, "oracle": same})["oracle"] is same
