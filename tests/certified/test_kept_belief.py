"""Beliefs as arrays of a file; and the numbers that follow from parts are those that follow from tables."""

import numpy as np
import pytest

import altmas
from altmas.certified import refits
from altmas.certified.kept_belief import arrays_of, belief_in
from altmas.core.pool import Pool
from altmas.metrics.belief import Belief

TOLD = ["estimate", "low", "high", "plug_in", "design"]


def vendor(seed, size=400):
    """A pool of one of several kinds, and its labels: confidence alone, all scores, opinions, several models."""
    rng = np.random.default_rng(seed)
    classes = (2, 3, 5, 30)[seed % 4]
    sure = np.clip(rng.beta(5, 2, size), 0.02, 0.999)
    y = rng.choice(classes, size, p=rng.dirichlet(np.full(classes, 2.0)))
    said = np.where(rng.random(size) < sure, y, rng.integers(0, classes, size))
    scores = rng.dirichlet(np.full(classes, 0.3), size) * (1 - sure[:, None])
    scores[np.arange(size), said] += sure
    other, third = (np.where(rng.random(size) < right, y, rng.integers(0, classes, size)) for right in (0.8, 0.7))
    given = [
        {"scores": np.maximum(sure, 1 / classes)},
        {"scores": scores},
        {"scores": scores, "opinions": {"other": (other, rng.random(size)), "third": third}},
        {"opinions": {"other": other}},
        {"scores": {"a": np.maximum(sure, 1 / classes), "b": scores}},
    ][seed % 5]
    return ({"a": said, "b": scores.argmax(1)} if seed % 5 == 4 else said), given, y, classes


def found(seed):
    said, given, y, classes = vendor(seed)
    names = ["accuracy", "macro_precision", "macro_recall", "mcc", "f1:0"]
    result = altmas.assess(
        said, oracle=y, classes=range(classes), metrics=names, budget=80, initial=30, seed=seed, progress=False, **given
    )
    return result.estimates[TOLD].to_numpy(), result.answers["id"].tolist()


@pytest.mark.parametrize("number", range(20))
def test_numbers_are_those_of_a_table_of_all_items_and_labels(number, monkeypatch):
    """20 pools: the same questions, and estimates and intervals to 1e-9."""
    table, asked = found(number)

    def dense(arrays, pool):
        return Belief.dense(belief_in(arrays, pool).rows())

    monkeypatch.setattr(refits, "belief_in", dense)
    other, again = found(number)
    assert asked == again
    np.testing.assert_allclose(table, other, rtol=0, atol=1e-9)


def test_arrays_say_what_the_belief_said(rng):
    scores = rng.dirichlet(np.ones(3), 50)
    pool = Pool.build(scores.argmax(1), scores=scores, classes=range(3))
    learnt = rng.dirichlet(np.ones(3), 50)
    belief = (
        Belief.dense(pool.scores).scaled(np.full(50, 0.5)).plus(*Belief.dense(learnt).scaled(np.full(50, 0.5)).parts)
    )
    arrays = arrays_of(belief, pool)
    assert sum(name.endswith(":scores") for name in arrays) == 1  # the pool's own are not kept twice
    assert all(one.dtype != object for one in arrays.values())
    again = belief_in(arrays, pool).rows()
    np.testing.assert_allclose(again, belief.rows(), atol=1e-7)
    np.testing.assert_allclose(again.sum(1), 1, atol=1e-12)


def test_a_table_of_an_earlier_version_is_read(rng):
    pool, table = Pool.build([0, 1, 1]), rng.random((3, 2)).astype(np.float32)
    rows = belief_in({"belief": table, "ideal": np.ones(3)}, pool).rows()
    np.testing.assert_allclose(rows, table / table.sum(1, keepdims=True), rtol=1e-6)
