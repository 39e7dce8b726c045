"""The error of an estimate: what answers show, and what a belief expects."""

from dataclasses import replace

import numpy as np
import pytest

from altmas.certified.design import Designed, backing, linearise, variance_expected, variances_shown
from altmas.certified.interval import standard_error, wald
from altmas.certified.sample import Sample
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.targets import targets_of
from altmas.metrics import metrics_named
from altmas.metrics.belief import Belief

FOUND = Designed(
    plug_in=0.9, design=0.9, observed=1e-4, expected=4e-4, degrees_of_freedom=9.0, surprises=9.0, labels=100.0,
    nonlinearity=0.0, answers_only=(0.9, 0.9), bounds=(0.0, 1.0), one_answer=0.09,
)  # fmt: skip


def test_a_belief_that_expects_too_much_is_weighed_against_the_answers():
    errors = [standard_error(replace(FOUND, backing=one)) for one in (0.0, 8.0, 1e9)]
    assert errors == pytest.approx([0.02, np.sqrt(2.5e-4), 0.01])
    assert standard_error(replace(FOUND, observed=9e-4, backing=8.0)) == pytest.approx(0.03)


def test_a_belief_that_was_never_surprised_leaves_a_wide_interval():
    """However small its variance: of so many labels, and the more surprises, the less it counts."""
    widths = []
    for surprises in (0.0, 1.0, 9.0):
        found = wald(replace(FOUND, observed=0.0, expected=1e-9, surprises=surprises), 0.95)
        widths.append(found.high - found.low)
    assert widths[0] > 0.9 * 2 * 1.96 * np.sqrt(0.09 / 100)
    assert widths[0] > 1.8 * widths[1] > 1.8 * 4 * widths[2]
    found = wald(replace(FOUND, observed=0.0, expected=1e-9, surprises=9.0, steps=True), 0.95)
    assert found.high - found.low > 2.5 * widths[2]


def test_a_share_that_is_nearly_all_is_not_drawn_away_from_its_short_side():
    found = replace(FOUND, plug_in=0.97, design=0.999, observed=1e-6, expected=1e-4)
    ends = []
    for nearly_all, plug_in in ((False, 0.97), (False, 0.999), (True, 0.97)):
        one = wald(replace(found, nearly_all=nearly_all, plug_in=plug_in), 0.95)
        ends.append((one.low, one.high))
    drawn, around, told = ends
    assert told == pytest.approx((min(drawn[0], (drawn[0] + around[0]) / 2), (drawn[1] + around[1]) / 2))
    assert around[1] > drawn[1]


@pytest.mark.parametrize("name", ["brier", "auroc", "recall_at:0.5"])
def test_the_surprises_a_belief_expects_are_those_that_come_where_it_is_right(name):
    """2,000 draws, labels from the belief: sum of fourth powers within five standard errors of what is expected."""
    rng = np.random.default_rng(2)
    size = 150
    scores = rng.dirichlet(np.ones(2), size)
    pool = Pool.build(scores.argmax(1), scores=scores, classes=[0, 1])
    [target] = targets_of(tuple(metrics_named([name], pool.classes)), pool)
    belief, chances = rng.dirichlet(np.full(2, 0.5), size), rng.uniform(0.1, 0.9, size)
    empty = Sample(Belief.dense(belief), Answers(), chances)
    at = linearise([(1.0, target)], empty)
    expected = variance_expected(at, empty)
    seen = []
    for _ in range(2000):
        labels = (rng.random(size) < belief[:, 1]).astype(np.int64)
        items = np.flatnonzero(rng.random(size) < chances)
        answers = Answers().extended(items, labels[items], 0, chances[items])
        each = variances_shown(at, Sample(Belief.dense(belief), answers, chances))
        seen.append([each.sum(), np.square(each).sum()])
    means, errors = np.mean(seen, axis=0), np.std(seen, axis=0) / np.sqrt(2000)
    assert (np.abs(means - [expected, expected**2 / backing(at, empty)]) < 5 * errors).all()


def test_counts_say_nothing_of_it():
    pool = Pool.build([0, 1] * 20)
    [target] = targets_of(tuple(metrics_named(["accuracy"], pool.classes)), pool)
    sample = Sample(Belief.even(40, 2), Answers(), np.full(40, 0.5))
    assert backing(linearise([(1.0, target)], sample), sample) == 0.0
