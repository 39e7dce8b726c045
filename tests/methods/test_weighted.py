"""What the weighted estimators share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from altmas.core.answers import Answers
from altmas.methods.weighted import Learner, due, normal, one_step, taught
from altmas.metrics import expected_cost, metric, metrics_named
from altmas.metrics.custom import whole_counts
from worlds.methods import BELIEF, small_pool


def test_a_belief_relearns_when_answers_grew_by_15_percent():
    assert [due(0, 0), due(0, 1), due(100, 114), due(100, 115)] == [False, True, False, True]
    assert taught(np.zeros(0, int)) == 0
    assert taught(np.repeat([0, 1, 2, 3], [20, 2, 2, 2])) == 24  # 20, 22: too few, 24: due, 26: too few


def test_what_is_believed_follows_from_the_answers_and_not_from_earlier_calls():
    pool, y = small_pool()
    some = Answers().extended([1, 2, 3], y[[1, 2, 3]], 0, [1, 1, 1])
    more = some.extended([4], y[[4]], 1, [1])
    learner = Learner(pool, BELIEF)
    assert learner.after(Answers()).fitted_on == []
    assert learner.after(some).fitted_on == learner.after(some).fitted_on == [[1, 2, 3]]
    assert learner.after(more).fitted_on == [[1, 2, 3], [1, 2, 3, 4]]
    assert learner.after(Answers()).fitted_on == []


def test_normal_intervals_stay_within_bounds():
    (got,) = normal([metric("accuracy", "ab")], np.array([0.875]), np.array([0.2]), 16, 0.95)
    assert (got.low, got.high) == (pytest.approx(0.875 - 1.959964 * 0.2), 1.0)
    assert "normal 95% interval" in got.promise


def test_one_step_is_exact_for_means_and_first_order_for_ratios():
    near, away = np.array([[50.0, 10], [5, 35]]), np.array([[1.0, -2], [0, 1]])
    names = ["accuracy", "error_rate", "recall:0", "mcc"]
    metrics = [*metrics_named(names, [0, 1]), expected_cost([[0, 1], [7, 0]])]
    for scale, within in ((1.0, 2e-3), (0.1, 2e-5)):
        values, _ = one_step(metrics, near, near + scale * away)
        truth = [float(one.value(near + scale * away)) for one in metrics]
        assert values == pytest.approx(truth, abs=within)
        assert values[[0, 1, 4]] == pytest.approx(np.array(truth)[[0, 1, 4]], abs=1e-12)


@given(st.lists(st.floats(0, 50), min_size=4, max_size=4))
def test_whole_counts_keep_the_total(cells):
    confusion = np.reshape(cells, (2, 2))
    whole = whole_counts(confusion)
    assert np.array_equal(whole, np.rint(whole))
    assert whole.sum() == np.rint(confusion.sum())
    assert np.abs(whole - confusion).max() <= 1
