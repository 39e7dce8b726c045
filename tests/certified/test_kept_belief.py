"""Beliefs as arrays of a file; and the numbers that follow from parts are those that follow from tables."""

import numpy as np
import pytest

import altmas
from altmas.certified import refits
from altmas.certified.kept_belief import arrays_of, belief_in
from altmas.core.pool import Pool
from altmas.metrics.belief import Belief, Shared, Single
from altmas.metrics.errors import InputError

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


def test_rows_that_no_item_has_are_not_kept(rng):
    pool, key = Pool.build([0, 1, 1, 0], classes=range(3)), np.array([4, 1, 4, 7])
    belief = Belief(4, 3, (Shared(key, rng.dirichlet(np.ones(3), 9), np.ones(4)),))
    arrays = arrays_of(belief, pool)
    assert arrays["belief:0:shared:rows"].shape == (3, 3)
    np.testing.assert_array_equal(belief_in(arrays, pool).rows(), belief.rows())


def test_a_table_of_an_earlier_version_is_read(rng):
    pool, table = Pool.build([0, 1, 1]), rng.random((3, 2)).astype(np.float32)
    rows = belief_in({"belief": table, "ideal": np.ones(3)}, pool).rows()
    np.testing.assert_allclose(rows, table / table.sum(1, keepdims=True), rtol=1e-6)


@pytest.fixture
def kept(rng):
    """A pool, and a belief about it of every kind of part, as a file has it."""
    scores = rng.dirichlet(np.ones(3), 50)
    pool = Pool.build(scores.argmax(1), scores=scores, classes=range(3))
    even, own = (
        Shared(rng.integers(0, 2, 50), rng.dirichlet(np.ones(3), 2), np.full(50, 0.4)),
        Belief.dense(pool.scores),
    )
    learnt = Belief.dense(rng.dirichlet(np.ones(3), 50)).scaled(np.full(50, 0.3)).parts
    single = Single(pool.predictions.astype(np.int32), np.full(50, 0.2))
    return pool, arrays_of(own.scaled(np.full(50, 0.1)).plus(even, single, *learnt), pool)


def put(value, place=3):
    """One number of an array is another."""

    def change(array):
        changed = array.astype(np.result_type(array, np.min_scalar_type(value)))
        changed.flat[place] = value
        return changed

    return change


FORGED = {
    "another scores": ("0:own:of", lambda one: np.array(7)),
    "scores from behind": ("0:own:of", lambda one: np.array(-1)),
    "a number short": ("0:own:share", lambda one: one[1:]),
    "no number": ("0:own:share", put(np.nan)),
    "more than all": ("0:own:share", put(2.0)),
    "a key too high": ("1:shared:key", put(2)),
    "a key too low": ("1:shared:key", put(-1)),
    "fewer classes": ("1:shared:rows", lambda one: one[:, 1:]),
    "less than nothing in common": ("1:shared:rows", put(-0.5, 0)),
    "endless": ("2:single:mass", put(np.inf)),
    "a label too high": ("2:single:label", put(9)),
    "labels that are fractions": ("2:single:label", lambda one: one + 0.5),
    "words": ("2:single:mass", lambda one: one.astype(str)),
    "a score below nothing": ("3:own:scores", put(-0.2)),
    "more items": ("3:own:scores", lambda one: np.concatenate([one, one])),
}


@pytest.mark.parametrize("kind", FORGED)
def test_what_is_no_belief_is_refused(kind, kept):
    pool, arrays = kept
    assert belief_in(arrays, pool).size == 50
    name, change = FORGED[kind]
    arrays[f"belief:{name}"] = change(arrays[f"belief:{name}"])
    with pytest.raises(InputError, match="refit must hold a belief about the pool's items and classes"):
        belief_in(arrays, pool)


def test_mass_that_only_makes_up_for_less_than_nothing_is_refused(kept):
    pool, arrays = kept
    arrays["belief:2:single:mass"] = arrays["belief:2:single:mass"] - 3
    arrays["belief:9:single:label"] = (arrays["belief:2:single:label"] + 1) % 3
    arrays["belief:9:single:mass"] = np.full(50, 3.0)
    with pytest.raises(InputError, match="refit must hold a belief"):
        belief_in(arrays, pool)


@pytest.mark.parametrize("name", ["belief:0", "belief:x:own:share", "belief:0:other:share", "belief:1:shared:more"])
def test_names_that_no_belief_has_are_refused(name, kept):
    pool, arrays = kept
    with pytest.raises(InputError, match="refit must hold a belief"):
        belief_in({**arrays, name: np.ones(50)}, pool)


@pytest.mark.parametrize("table", [np.ones((3, 3)), np.ones((2, 2)), np.full((3, 2), np.nan), np.zeros((3, 2))])
def test_tables_of_earlier_versions_are_checked_too(table):
    with pytest.raises(InputError, match="refit must hold a belief"):
        belief_in({"belief": table.astype(np.float32)}, Pool.build([0, 1, 1]))


@pytest.mark.parametrize("items", [1, 2, 3, 4])
def test_pools_with_fewer_items_than_folds(items):
    said = ["a", "b", "a", "b"][:items]
    result = altmas.assess(said, oracle=said, classes=["a", "b"], budget=max(items - 1, 1), seed=0, progress=False)
    assert len(result.answers) == max(items - 1, 1)
