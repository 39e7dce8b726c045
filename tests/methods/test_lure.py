"""LURE, on cases worked by hand."""

from functools import partial

import numpy as np
import pytest

from altmas.core.policies import draw_in_turn
from altmas.methods.lure import Lure, lure_weights
from worlds.methods import BELIEF, FixedBelief, small_pool
from worlds.runs import at_work


def test_lure_weights_by_hand():
    # N = 5, M = 3. m = 1: 1 + 2/4 (1/(5 * .2) - 1) = 1; m = 2: 1 + 2/3 (1/(4 * .5) - 1) = 2/3;
    # m = 3: 1 + 2/2 (1/(3 * .1) - 1) = 10/3.
    assert lure_weights(np.array([0.2, 0.5, 0.1]), 5) == pytest.approx([1, 2 / 3, 10 / 3])
    assert lure_weights(1 / np.arange(9, 4, -1), 9) == pytest.approx(np.ones(5))


def test_lure_accuracy_is_one_minus_the_weighted_loss():
    pool, y = small_pool()
    run, answers = at_work(Lure(BELIEF), pool, y, sizes=(10, 8))
    v = lure_weights(answers.propensities, 60)
    loss = v * (y[answers.items] != pool.predictions[answers.items])
    (one,) = run.estimate(0.95)
    assert one.estimate == pytest.approx(1 - loss.mean())
    assert one.estimate - one.low == pytest.approx(1.959964 * loss.std(ddof=1) / np.sqrt(18), abs=1e-6)


def test_items_drawn_in_turn_come_in_proportion_to_their_worth():
    """5,000 pairs from worths 1, 2, 5: every share within 4 standard errors; fails by chance once in 2,600."""
    rng, worth = np.random.default_rng(0), np.array([1.0, 2.0, 5.0])
    counts = np.zeros((3, 3))
    for _ in range(5000):
        one = draw_in_turn(np.arange(3), worth, 2, rng.standard_exponential(3))
        i, j = one.items
        counts[i, j] += 1
        assert one.propensities == pytest.approx([worth[i] / 8, worth[j] / (8 - worth[i])])
    expected = worth[:, None] / 8 * worth / (8 - worth[:, None]) * (1 - np.eye(3))
    away = (counts / 5000 - expected) / np.sqrt(np.maximum(expected * (1 - expected), 1e-9) / 5000)
    assert np.abs(away).max() < 4


def test_lure_copes_with_a_belief_that_nothing_is_wrong():
    pool, y = small_pool()
    sure = partial(FixedBelief, np.eye(3)[pool.predictions])
    _, answers = at_work(Lure(sure), pool, y, sizes=(10, 5))
    assert answers.propensities[10:] == pytest.approx(1 / np.arange(50, 45, -1))
