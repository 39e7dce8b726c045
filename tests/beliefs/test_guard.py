"""The guard over ALT-MAS's pseudo-labels: its threshold, its bound, and the models it must not be taken in by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from altmas.beliefs.guard import LEAST_PRECISION, Guard, guarded_threshold, lower_bound
from altmas.core.answers import Answers
from altmas.core.pool import Pool

CLASSES = 4


def world(right_when_sure, right_when_not, items=2000, seed=0):
    """A model under test that says which half of its predictions it is sure of, and how often each half is right."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(CLASSES, size=items)
    sure = rng.random(items) < 0.5
    right = rng.random(items) < np.where(sure, right_when_sure, right_when_not)
    said = np.where(right, labels, (labels + rng.integers(1, CLASSES, size=items)) % CLASSES)
    confidence = np.where(sure, 0.95, 0.55) + rng.uniform(-0.04, 0.04, items)
    return said, confidence, labels, sure


def guarded(said, confidence, labels, answered=100, seed=0):
    items = np.random.default_rng(seed).permutation(len(said))[:answered]
    pool = Pool.build(said, scores=confidence, classes=range(CLASSES))
    answers = Answers().extended(items, labels[items], 0, np.full(answered, 0.5))
    return Guard(pool).pseudo_label(answers, np.random.default_rng(0)), items


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), st.booleans()), min_size=1, max_size=40))
def test_threshold_is_the_lowest_whose_bound_is_enough(pairs):
    p, agrees = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
    bounds = {t: float(lower_bound(agrees[p >= t].sum(), (p >= t).sum())) for t in p}
    enough = [t for t, bound in bounds.items() if bound >= 0.7]
    threshold, bound = guarded_threshold(p, agrees, 0.7)
    assert bound == pytest.approx(bounds[threshold])
    assert threshold == min(enough) if enough else bound == pytest.approx(max(bounds.values()))


def test_the_bound_is_that_of_clopper_and_pearson():
    for agreeing, of in ((1, 1), (3, 7), (40, 40), (85, 90)):
        exact = binomtest(agreeing, of, alternative="greater").proportion_ci(0.9, "exact").low
        assert float(lower_bound(np.array(agreeing), np.array(of))) == pytest.approx(exact)


def test_predictions_stand_where_the_model_is_sure_and_right():
    said, confidence, labels, sure = world(0.99, 0.4)
    found, items = guarded(said, confidence, labels)
    assert 600 < len(found.rows) < 1000
    assert sure[found.rows].mean() > 0.95
    assert (said == labels)[found.rows].mean() > found.precision >= LEAST_PRECISION
    assert not set(found.rows) & set(items)


@pytest.mark.parametrize("right", [0.1, 0.5])
def test_no_prediction_of_a_bad_model_stands(right, seed):
    """All items alike: it takes 15 agreeing answers in a row, or as unlikely a run, to be taken in; below 1e-3."""
    said, confidence, labels, _ = world(right, right, seed=seed)
    assert guarded(said, confidence, labels, seed=seed)[0].rows.size == 0


@pytest.mark.parametrize(("answered", "share"), [(10, 0.0), (40, 0.944)])
def test_where_all_agree_the_bound_says_how_many_stand(answered, share):
    """Of those that are at least as probable as the least probable answer: 10 of 10 is not enough, 40 of 40 is."""
    said, confidence, labels, _ = world(1.0, 1.0)
    open_items = len(said) - answered
    assert 0.95 * share * open_items <= len(guarded(said, confidence, labels, answered)[0].rows) <= share * open_items


def test_where_none_agrees_or_a_prediction_is_no_class_nothing_stands():
    said, confidence, labels, _ = world(1.0, 1.0)
    assert guarded((labels + 1) % CLASSES, confidence, labels)[0].rows.size == 0
    told = said.astype(object)
    told[:500] = "error"
    pool = Pool.build(told, scores=confidence, classes=range(CLASSES))
    items = np.arange(400, 600)
    answers = Answers().extended(items, labels[items], 0, np.full(200, 0.5))
    guard = Guard(pool)
    assert (guard.agreement(answers)[:500] == 0).all()
    assert guard.pseudo_label(answers, np.random.default_rng(0)).rows.min() >= 500
