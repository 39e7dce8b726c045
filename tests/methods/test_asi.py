"""Active statistical inference, on cases worked by hand."""

from functools import partial

import numpy as np
import pytest

from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.methods.asi import Asi, inclusion_by_doubt, systematic
from altmas.metrics import metric
from worlds.methods import FixedBelief


def test_asi_inclusion_by_hand():
    # u = 1, .2, 0, 0 with mean .3; n_b/n = 1/4: pi = .5 * u/(4 * .3) + .5/4.
    assert inclusion_by_doubt(np.array([0.5, 0.9, 1, 1]), 1, 0.5) == pytest.approx([13 / 24, 5 / 24, 1 / 8, 1 / 8])
    assert inclusion_by_doubt(np.ones(4), 2, 0.5) == pytest.approx(np.full(4, 0.5))
    assert inclusion_by_doubt(np.array([0.5, 1, 1]), 2, 0.2).max() == 1  # held at 1; the others share what is left


def test_systematic_samples_have_their_size_and_inclusion_probabilities():
    """5,000 samples, five shares within 4 standard errors; fails by chance once in 3,100."""
    rng, inclusion = np.random.default_rng(0), np.array([0.1, 0.25, 0.4, 0.45, 0.8, 1.0])
    counts = np.zeros(6)
    for _ in range(5000):
        chosen = systematic(inclusion, rng)
        assert len(chosen) == len(set(chosen)) == 3
        counts[chosen] += 1
    away = (counts / 5000 - inclusion) / np.sqrt(np.maximum(inclusion * (1 - inclusion), 1e-9) / 5000)
    assert np.abs(away).max() < 4


def test_asi_estimate_by_hand():
    """Ten items said 0, half believed right; 2 drawn uniformly (1 right), then item 2 (wrong) with pi = .25."""
    pool = Pool.build([0] * 10, classes=[0, 1])
    run = Asi(belief=partial(FixedBelief, np.full((10, 2), 0.5))).begin(Job(pool, (metric("accuracy", [0, 1]),)))
    answers = Answers().extended([0, 1], [0, 1], 0, [0.1, 1 / 9]).extended([2], [1], 1, [0.25])
    run.update(answers, 2)
    # Round 0: 10 * .5 + (10/2) (.5 - .5) = 5 right. Round 1: 1 known + 8 * .5 - .5/.25 = 3. Together (2 * 5 + 3) / 3.
    assert run.confusion()[0, 0] == pytest.approx(13 / 3)
    (one,) = run.estimate(0.95)
    assert one.estimate == pytest.approx(1.3 / 3)
    # sum (1 - pi) (residual / pi)^2: round 0, 2 * .8 * 2.5^2 = 10; round 1, .75 * 2^2 = 3.
    se = np.sqrt((2 / 3) ** 2 * 10 + (1 / 3) ** 2 * 3) / 10
    assert one.high - one.estimate == pytest.approx(1.959964 * se, abs=1e-6)
