"""Stratified sampling, on cases worked by hand."""

import numpy as np
import pytest

from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.methods.stratified import Stratified, apportion, stratified_variance, stratify
from altmas.metrics import metric
from worlds.methods import small_pool


def test_neyman_allocation_goes_where_answers_vary_and_there_is_room():
    assert apportion(np.array([4.0, 1.0]), np.array([2, 2]), np.array([9, 9]), 6).tolist() == [0, 0, 0, 0, 0, 0]
    assert apportion(np.array([4.0, 1.0]), np.array([2, 2]), np.array([3, 9]), 6).tolist() == [0, 0, 0, 1, 1, 1]


def test_stratified_estimate_by_hand():
    """Two strata of 6 and 4; 1 of 2 and 2 of 2 right: accuracy .6 * .5 + .4 * 1, se^2 = .6^2 (1 - 2/6) .5 / 2."""
    pool = Pool.build([0] * 10, scores=[0.5] * 6 + [0.9] * 4, classes=[0, 1])
    y = np.array([0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    run = Stratified(strata=2).begin(Job(pool, (metric("accuracy", [0, 1]),)))
    run.update(Answers().extended([0, 1, 8, 9], y[[0, 1, 8, 9]], 0, [0.1] * 4), 1)
    (one,) = run.estimate(0.95)
    assert one.estimate == pytest.approx(0.7)
    assert one.estimate - one.low == pytest.approx(1.959964 * np.sqrt(0.6**2 * (1 - 2 / 6) * 0.5 / 2), abs=1e-6)
    assert stratified_variance(np.array([0.0, 1.0, 5.0]), np.array([0, 0, 1]), np.array([2, 1])) == 0  # all labelled


def test_strata_of_equal_confidences_stay_together():
    pool = Pool.build([0, 1] * 10, scores=[1.0] * 12 + [0.6] * 8)
    assert stratify(pool, 10).tolist() == [1] * 12 + [0] * 8
    assert np.bincount(stratify(small_pool(50)[0], 10)).tolist() == [5] * 10
    assert stratify(Pool.build([0, 1, 1, 1, 2]), 2).tolist() == [1, 0, 0, 0, 1]
