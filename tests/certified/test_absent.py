"""Classes that were never the answer: intervals span the world in which they do not occur, and nothing else moves."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import altmas
from altmas.certified.absent import absence, absent_for, credible
from altmas.certified.estimator import Estimator
from altmas.certified.sample import Sample
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.targets import targets_of, within
from altmas.metrics import from_labels, metric, tally
from altmas.metrics.belief import Belief

CLASSES = (0, 1, 2)
JUMPING = ["macro_recall", "recall:2", "balanced_accuracy", "macro_recall_occurring", "macro_f1_occurring"]
SMOOTH = ["accuracy", "precision:2", "f1:2", "macro_precision", "macro_f1", "mcc"]


def never_true(size=400, seed=0, asked=80):
    """A pool in which class 2 is predicted now and then and never true, and random answers of it."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size)
    said = np.where(rng.random(size) < 0.9, y, 1 - y)
    said[rng.permutation(size)[:20]] = 2
    pool = Pool.build(said, classes=CLASSES)
    belief = 0.85 * np.eye(3)[said] + 0.05
    items = rng.permutation(size)[:asked]
    answers = Answers().extended(items, y[items], 0, np.full(asked, 1 / size))
    return y, pool, Sample(Belief.dense(belief), answers, np.full(size, asked / size), before=belief[items])


def signed(pool, one):
    (target,) = targets_of((metric(one, pool.classes) if isinstance(one, str) else one,), pool)
    return [(1.0, target)]


def interval_of(pool, sample, one):
    return Estimator(pool, sample, 0.95).of(signed(pool, one))[2]


# How credible it is that a class does not occur


def test_a_class_that_was_seen_is_not_absent_and_one_that_was_expected_in_vain_is_likely_so():
    gone = absence(np.array([3, 0, 0, 0, 1]), np.array([0.0, 0.0, 1.0, 8.0, 90.0]))
    assert gone[0] == gone[4] == 0
    assert 0 < gone[1] < gone[2] < 0.5
    assert 0.99 < gone[3] < 1
    assert gone[1] == pytest.approx(0.5 / 3)  # beforehand, where two classes were seen
    many = absence(np.append(np.ones(99, dtype=int), 0), np.zeros(100))
    assert many[-1] == pytest.approx(0.005)
    assert np.isfinite(absence(np.array([0, 5]), np.array([1e6, 5.0]))).all()


def test_as_many_as_are_credibly_absent_together(rng):
    """Against every subset: no more are absent at once than that, but for the tail."""
    for tail in (0.025, 0.2):
        gone = np.where(rng.random(7) < 0.3, 0.0, rng.random(7))
        most = credible(gone, tail)
        number = np.zeros(8)
        for some in product((0, 1), repeat=7):
            number[sum(some)] += np.prod(np.where(some, gone, 1 - gone))
        assert number[len(most) + 1 :].sum() <= tail < number[len(most) :].sum()
        assert (gone[most].min(initial=1.0) >= np.delete(gone, most)).all()
    assert credible(np.zeros(4), 0.025).tolist() == []


# What it does to an interval


@pytest.mark.parametrize("one", JUMPING)
def test_an_interval_holds_the_world_without_the_class_and_those_with_one_member(one):
    y, pool, sample = never_true()
    found, scored = interval_of(pool, sample, one), metric(one, CLASSES)
    open_items = np.setdiff1d(np.arange(pool.size), sample.answers.items)
    worlds = {"without": y}
    for name, predicted in (("one, found", 2), ("one, missed", 0)):
        member = next(int(item) for item in open_items if pool.predictions[item] == predicted)
        worlds[name] = np.where(np.arange(pool.size) == member, 2, y)
    values = {name: float(scored.value(tally(labels, pool.predictions, 3))) for name, labels in worlds.items()}
    assert max(values.values()) - min(values.values()) > 0.15
    for name, value in values.items():
        assert found.low <= value <= found.high, name
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.estimate == pytest.approx(values["without"], abs=0.06)  # which is the likelier world by far
    assert (found.below, found.above) >= (0, 0)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("asked", [8, 20, 80, 390])
@pytest.mark.parametrize("one", JUMPING)
def test_an_interval_stays_inside_the_metric_s_bounds(one, asked, level):
    for seed in range(5):
        _, pool, sample = never_true(seed=seed, asked=asked)
        found = Estimator(pool, sample, level).of(signed(pool, one))[2]
        assert 0 <= found.low <= found.estimate <= found.high <= 1


@pytest.mark.parametrize("one", SMOOTH)
def test_a_metric_that_does_not_jump_is_as_it_would_be(one):
    """The precision of a class that was never the answer may well be above nothing: sums over items tell."""
    _, pool, sample = never_true(asked=30)
    assert absent_for(signed(pool, one), sample, 0.95) is None
    assert interval_of(pool, sample, one) == interval_of(pool, replace(sample, before=None), one)


@pytest.mark.parametrize("one", [*JUMPING, *SMOOTH])
def test_nothing_changes_where_every_class_was_seen(one):
    _, pool, sample = never_true()
    labels = sample.answers.labels.copy()
    labels[0] = 2
    seen = replace(sample, answers=replace(sample.answers, labels=labels))
    assert absent_for(signed(pool, one), seen, 0.95) is None
    assert interval_of(pool, seen, one) == interval_of(pool, replace(seen, before=None), one)


def test_a_part_of_the_pool_goes_by_its_own_answers():
    """A class that was seen elsewhere may still be absent from a group."""
    _, pool, sample = never_true()
    labels = sample.answers.labels.copy()
    labels[0] = 2
    seen = replace(sample, answers=replace(sample.answers, labels=labels))
    ((_, target),) = signed(pool, "recall:2")
    without = np.ones(pool.size, dtype=bool)
    without[sample.answers.items[0]] = False
    assert absent_for([(1.0, within(target, without, "part"))], seen, 0.95) is not None


def test_a_difference_of_models_spans_both_worlds():
    _, pool, sample = never_true()
    pair = Pool.build({"a": pool.predictions, "b": np.minimum(pool.predictions, 1)}, classes=CLASSES)
    a, b = targets_of((metric("recall:2", CLASSES),), pair)
    found = Estimator(pair, sample, 0.95).of([(1.0, a), (-1.0, b)])[2]
    assert found.low <= 0 <= found.high  # nobody has it, or only b misses it
    assert found.high >= 1 - 1e-9
    assert -1 <= found.low <= found.high <= 1


def test_a_function_of_labels_that_jumps_takes_whole_counts():
    _, pool, sample = never_true()

    def recall_of_2(y, said):
        return float(np.mean(said[y == 2] == 2)) if (y == 2).any() else 0.0

    found = interval_of(pool, sample, from_labels("mine", recall_of_2, CLASSES, (0, 1)))
    assert found.low <= 0 <= found.high <= 1


def test_the_precision_of_a_class_not_seen_yet_is_not_ruled_out():
    """Of 12 items predicted so 2 are: after 20 labels 19 of 20 intervals hold that, and 15 fail once in 3,000 tests."""
    held = 0
    for seed in range(20):
        rng = np.random.default_rng(1000 + seed)
        y = rng.integers(0, 2, 600)
        said = np.where(rng.random(600) < 0.97, y, 1 - y)
        said[:12], y[:2] = 2, 2
        found = altmas.assess(
            said, rng.uniform(0.7, 1, 600), oracle=y, classes=CLASSES, metrics=["precision:2", "macro_recall"],
            budget=20, initial=20, seed=seed, progress=False,
        ).estimates  # fmt: skip
        held += found["low"][0] <= 2 / 12 <= found["high"][0]
    assert held >= 15
