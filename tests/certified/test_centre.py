"""Where a metric is linearised: between the belief's confusion and the design's, as the answers speak."""

import numpy as np
import pytest

from altmas.certified.centre import best_confusion
from altmas.certified.design import designed, linearise
from altmas.certified.sample import Sample
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.targets import targets_of
from altmas.metrics import metric
from altmas.metrics.belief import Belief


def some_confusions(rng, classes=4):
    """A plug-in confusion, what is known of it, a gap whose columns sum to nothing, and its variance."""
    known = rng.poisson(2, (classes, classes)).astype(float)
    plug_in = known + rng.gamma(1, 10, (classes, classes))
    gap = rng.normal(0, 8, (classes, classes))
    return plug_in, gap - gap.mean(0), rng.gamma(1, 20, (classes, classes)), known


def test_columns_keep_their_sums_and_what_is_known_is_kept(rng):
    for _ in range(200):
        plug_in, gap, variance, known = some_confusions(rng)
        found = best_confusion(plug_in, gap, variance, known)
        assert found.sum(0) == pytest.approx(plug_in.sum(0))
        assert (found >= known - 1e-9).all()


def test_without_a_gap_it_is_the_plug_in(rng):
    plug_in, gap, variance, known = some_confusions(rng)
    assert best_confusion(plug_in, 0 * gap, variance, known) == pytest.approx(plug_in)
    assert best_confusion(plug_in, 0 * gap, 0 * variance, known) == pytest.approx(plug_in)  # no 0 / 0
    assert best_confusion(plug_in, gap, 1e12 + variance, known) == pytest.approx(plug_in)  # chance explains any gap


def test_a_gap_that_chance_cannot_explain_is_gone_all_the_way():
    plug_in, gap = np.array([[50.0, 5.0], [50.0, 5.0]]), np.array([[-30.0, 2.0], [30.0, -2.0]])
    found = best_confusion(plug_in, gap, np.zeros((2, 2)), np.zeros((2, 2)))
    assert found == pytest.approx(plug_in + gap)


def test_a_column_that_is_all_known_stays_as_it_is():
    known = np.array([[3.0, 0.0], [1.0, 2.0]])
    plug_in = known + np.array([[0.0, 4.0], [0.0, 6.0]])
    gap = np.array([[5.0, -2.0], [-5.0, 2.0]])
    found = best_confusion(plug_in, gap, np.ones((2, 2)), known)
    assert found[:, 0] == pytest.approx(known[:, 0])
    assert found.sum(0) == pytest.approx(plug_in.sum(0))


def drawn_sample(belief, y, drawn, rng, **more):
    items = np.flatnonzero(rng.random(len(y)) < drawn)
    answers = Answers().extended(items, y[items], 0, np.full(len(items), 0.1))
    return Sample(Belief.dense(belief), answers, np.broadcast_to(drawn, len(y)).astype(float), **more)


def overrated(size=2000):
    """A class of 1% that is believed to be 10% of what is predicted otherwise: its recall is believed too low."""
    rng = np.random.default_rng(1)
    y = (rng.random(size) < 0.01).astype(int)
    said = np.where(y == 1, rng.random(size) < 0.8, 0).astype(int)
    belief = np.where(said[:, None] == 1, [0.2, 0.8], [0.9, 0.1]).astype(float)
    return y, Pool.build(said, classes=(0, 1)), belief


def test_slopes_are_those_of_the_confusion_that_the_answers_know(seed):
    """What a missed item takes off a rare class's recall is nearer to the truth than at the plug-in.

    The belief has the class ten times as often as it is, which 300 answers show: all 60 samples did, for ten seeds.
    """
    y, pool, belief = overrated()
    (target,) = targets_of((metric("recall:1", pool.classes),), pool)
    rng, off = np.random.default_rng(seed), []
    truth = np.log(-target.metric.gradient(target.tally(np.eye(2)[y]))[1, 0])
    for _ in range(60):
        sample = drawn_sample(belief, y, 0.15, rng)
        (part,) = linearise([(1.0, target)], sample).parts
        plug_in = target.tally(belief) + target.tally(sample.surprise, sample.answers.items)
        at = np.log([-part.gradient[1, 0], -target.metric.gradient(plug_in)[1, 0]])
        off.append(np.abs(at - truth))
    best, far = np.transpose(off)
    assert (best < far).sum() >= 50
    assert np.median(best) < 0.5 * np.median(far)


def test_the_plug_in_of_an_estimate_is_the_metric_of_the_plug_in_confusion(rng):
    y, pool, belief = overrated()
    (target,) = targets_of((metric("recall:1", pool.classes),), pool)
    sample = drawn_sample(belief, y, 0.15, rng)
    at = linearise([(1.0, target)], sample)
    counts = target.tally(belief) + target.tally(sample.surprise, sample.answers.items)
    assert at.plug_in == pytest.approx(float(target.metric.value(counts)))
    assert at.value != pytest.approx(at.plug_in)  # the line through the best confusion has another value there
    assert designed(at, sample).plug_in == pytest.approx(at.plug_in)


def test_the_inclusion_when_the_belief_was_made_is_what_counts(rng):
    """Answers that come later move the inclusion of all items, and must not move where a metric is linearised."""
    y, pool, belief = overrated()
    (target,) = targets_of((metric("recall:1", pool.classes),), pool)
    then = drawn_sample(belief, y, 0.15, rng)
    later = Sample(Belief.dense(belief), then.answers, np.full(pool.size, 0.4), drawn_then=then.inclusion)
    forgot = Sample(Belief.dense(belief), then.answers, np.full(pool.size, 0.4))
    one, same, other = (linearise([(1.0, target)], sample).parts[0].gradient for sample in (then, later, forgot))
    assert one.tolist() == same.tolist() != other.tolist()
