"""Audits that share draws: how alike their errors are, against draws made again and again."""

import numpy as np
import pytest

from altmas.certified.estimator import Estimator
from altmas.certified.sample import Sample
from altmas.certified.shared_draws import correlations, covariances
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.targets import targets_of
from altmas.metrics import metrics_named
from altmas.metrics.belief import Belief

CLASSES = (0, 1, 2)
SIZE = 80


def test_the_covariance_of_weights_is_that_of_draws():
    """40,000 draws of five items: each covariance within five of its standard errors, 3e-6 for all of them."""
    rng = np.random.default_rng(1)
    shared, later, earlier = np.array([[0.3, 0.8, 0.0, 0.5, 2.0], [0.4, 0.2, 0.5, 0.0, 0.1], [0.2, 0.0, 0.3, 0.6, 0.1]])
    asked = [rng.random((40_000, 5)) < -np.expm1(-hazard) for hazard in (shared, later, earlier)]
    chances = [-np.expm1(-(shared + own)) for own in (later, earlier)]
    weights = [(asked[0] | own) / chance for own, chance in zip(asked[1:], chances, strict=True)]
    each = (weights[0] - 1) * (weights[1] - 1)
    off = each.mean(0) - covariances(chances[0], chances[1], shared)
    assert (np.abs(off) < 5 * each.std(0) / 200).all()


def test_items_that_were_certain_share_nothing_but_certainty():
    assert covariances(np.ones(1), np.ones(1), np.array([np.inf])).tolist() == [0.0]


def _pool(classes=CLASSES):
    rng = np.random.default_rng(4)
    y = rng.choice(3, SIZE, p=[0.5, 0.3, 0.2])
    said = np.where(rng.random(SIZE) < 0.7, y, rng.integers(0, 3, SIZE))
    return Pool.build(said, classes=classes), y


def _estimator(pool, asked, y, hazard, belief):
    items = np.flatnonzero(asked)
    answers = Answers().extended(items, y[items], 0, np.full(len(items), 0.5))
    return Estimator(pool, Sample(Belief.dense(belief), answers, -np.expm1(-hazard)), 0.95)


@pytest.mark.parametrize(("kept", "names"), [(1.0, CLASSES), (0.5, (2, 0, 1))])
def test_errors_are_as_alike_as_is_said(kept, names):
    """600 pairs of audits of one pool, the later in another order of classes; some items count as new.

    The correlation that is found is within four standard errors of what is expected, which a fair one misses once in
    15,000 times, and what is taken for it is no larger on average.
    """
    pool, y = _pool()
    other, place = Pool.build(pool.predictions, classes=names), np.array([names.index(one) for one in CLASSES])
    rng = np.random.default_rng(6)
    stayed = np.arange(SIZE) < kept * SIZE
    then, more = 0.2 + rng.random(SIZE) * 0.4, 0.2 + rng.random(SIZE) * 0.4
    hazard = np.where(stayed, then, 0.0)
    beliefs = rng.dirichlet(np.ones(3), (2, SIZE))
    told, alike = [], []
    for _ in range(600):
        first, second, anew = (rng.random(SIZE) < -np.expm1(-one) for one in (then, more, then))
        before = _estimator(pool, first, y, then, beliefs[0])
        after = _estimator(other, second | np.where(stayed, first, anew), place[y], then + more, beliefs[1])
        sides = [(one, targets_of(tuple(metrics_named(["accuracy"], one.pool.classes)), one.pool))
                 for one in (after, before)]  # fmt: skip
        alike.append(correlations(*sides, hazard, np.arange(SIZE))["", "accuracy"])
        told.append([one.of([(1.0, target)])[1].design for one, [target] in sides])
    found = np.corrcoef(np.array(told).T)[0, 1]
    error = (1 - found**2) / np.sqrt(600)
    assert np.mean(alike) - found < 4 * error
    assert np.mean(alike) > 0.6 * found > 0
    assert 0.15 < found < 0.9


def test_what_it_does_not_know_is_taken_as_independent():
    pool, y = _pool()
    hazard = np.full(SIZE, 0.5)
    belief = np.full((SIZE, 3), 1 / 3)
    one = _estimator(pool, np.arange(SIZE) % 2 == 0, y, hazard, belief)
    targets = targets_of(tuple(metrics_named(["accuracy"], CLASSES)), pool)
    known = correlations((one, targets), (one, targets), hazard, np.arange(SIZE))["", "accuracy"]
    assert known > 0.9
    silent = Estimator(pool, one.sample, 0.95, missing=np.array([1]))
    assert correlations((silent, targets), (one, targets), hazard, np.arange(SIZE))["", "accuracy"] == 0.0
    assert correlations((one, targets), (one, targets), hazard, np.full(SIZE, -1))["", "accuracy"] == 0.0
