"""Where models stand: who leads, who may be ahead, and what choosing the leader would cost."""

from dataclasses import replace

import numpy as np
import pytest

from altmas.beliefs.cross_fit import cross_fit_on
from altmas.certified.design import linearise, minus
from altmas.certified.sample import Sample
from altmas.certified.standing import CONTENDERS, standing
from altmas.core.answers import Answers
from altmas.core.targets import resolve_metrics, targets_of
from altmas.metrics.belief import Belief
from worlds.methods import several_models

COST = [[0, 1, 5], [1, 0, 1], [2, 1, 0]]


def sampled(pool, y, count=60, seed=0):
    """Drawn uniformly, believed out of fold."""
    items = np.random.default_rng(seed).permutation(pool.size)[:count]
    answers = Answers().extended(items, y[items], 0, np.full(count, 1 / pool.size))
    belief = cross_fit_on(pool, 0, ()).fit(answers, np.ones(count)).belief
    return Sample(belief, answers, np.full(pool.size, count / pool.size))


def linearised(pool, sample, metric="accuracy"):
    targets = targets_of(resolve_metrics(metric, pool, COST), pool)
    return [linearise([(1.0, one)], sample) for one in targets]


def stands(accuracies, *, metric="accuracy", count=60, items=200, **how):
    pool, y = several_models(items, accuracies)
    sample = sampled(pool, y, count)
    return standing(linearised(pool, sample, metric), sample, 0, **how), pool, y, sample


def test_the_gap_of_two_models_lies_between_belief_and_design():
    now, pool, y, sample = stands((0.6, 0.9))
    each = linearised(pool, sample)
    items, labels = sample.answers.items, sample.answers.labels
    share = len(items) / pool.size
    believed = float(each[0].plug_in - each[1].plug_in)
    right = np.stack([one.predictions == y for one in pool.outputs]).astype(float)
    expected = np.stack([sample.belief.chance(one.predictions) for one in pool.outputs])
    surprises = (right - expected)[:, items]
    design = (expected.sum(1) + surprises.sum(1) / share) / pool.size  # by hand: the Horvitz-Thompson correction
    apart = design[0] - design[1] - believed
    assert now.leader == 1
    assert now.ahead[1] == now.below[1] == 0
    part = (now.ahead[0] - believed) / apart
    assert 0 < part < 1
    gap = surprises[0] - surprises[1]
    shown = float(np.square(gap).sum() * (1 - share) / share**2) / pool.size**2
    wanted = minus(each[0], each[1], sample)
    variance = max(shown, float(wanted.variance @ sample.odds_against))
    assert now.below[0] ** 2 == pytest.approx(part * variance)  # tau^2 s^2 / (tau^2 + s^2), with part = tau^2 / (...)
    assert (labels == y[items]).all()


@pytest.mark.parametrize("metric", ["accuracy", "macro_recall", "mcc"])
def test_the_leader_is_ahead_of_everybody(metric):
    now, *_ = stands((0.6, 0.9, 0.7, 0.85), metric=metric)
    assert now.leader == now.ahead.argmax() == now.contenders[0]
    assert now.ahead[now.leader] == 0
    assert (now.ahead <= 0).all()
    assert now.p_best.sum() == pytest.approx(1)
    assert now.p_best.argmax() == now.leader
    assert (now.losses >= 0).all()


@pytest.mark.parametrize("metric", ["accuracy", "macro_recall", "expected_cost"])
def test_everything_labelled_is_exact(metric):
    lower = metric == "expected_cost"
    now, pool, y, _ = stands((0.6, 0.9, 0.7), metric=metric, count=200, lower_is_better=lower)
    [found] = resolve_metrics(metric, pool, COST)
    values = [float(found.value(one.tally(np.eye(3)[y]))) for one in targets_of((found,), pool)]
    better = np.array(values) * (-1 if lower else 1)
    assert now.leader == better.argmax()
    assert now.ahead == pytest.approx(better - better.max(), abs=1e-3 if metric == "macro_recall" else 1e-9)
    assert now.p_best.tolist() == [0.0, 1.0, 0.0]
    assert now.losses.tolist() == [0.0] * len(now.losses)


def test_lower_is_better_turns_the_order_round():
    errors, *_ = stands((0.6, 0.9, 0.7), metric="error_rate", lower_is_better=True)
    right, *_ = stands((0.6, 0.9, 0.7))
    assert errors.leader == right.leader == 1
    assert errors.ahead == pytest.approx(right.ahead)
    assert errors.below == pytest.approx(right.below)
    wrong, *_ = stands((0.6, 0.9, 0.7), metric="error_rate")
    assert wrong.leader == 0


def test_identical_models_share_the_lead_and_lose_nothing_to_each_other():
    pool, y = several_models(200, (0.6, 0.9))
    pool = replace(pool, outputs=(*pool.outputs, replace(pool.outputs[1], name="twin")))
    sample = sampled(pool, y)
    now = standing(linearised(pool, sample), sample, 0)
    assert now.leader in (1, 2)
    assert now.ahead[1] == now.ahead[2] == 0
    assert now.below[1] == now.above[2] == 0
    assert now.p_best[1] == pytest.approx(now.p_best[2])
    only = standing(linearised(pool, sample)[1:], sample, 0)
    assert only.p_best.tolist() == [0.5, 0.5]
    assert only.losses.max() == 0


def test_contenders_are_at_most_so_many_and_the_best_are_among_them():
    accuracies = np.linspace(0.5, 0.9, CONTENDERS + 20)
    now, pool, y, _ = stands(accuracies, count=20)
    assert 2 <= len(now.contenders) <= CONTENDERS
    assert len(now.gaps) == len(now.contenders) - 1
    assert len(set(now.contenders.tolist())) == len(now.contenders)
    left_out = np.setdiff1d(np.arange(len(accuracies)), now.contenders)
    assert now.p_best[left_out].tolist() == [0.0] * len(left_out)
    best = int(np.argmax([(one.predictions == y).mean() for one in pool.outputs]))
    assert best in now.contenders


def test_one_is_left_to_be_told_apart_from_where_all_are_far_behind():
    now, *_ = stands((0.2, 0.99, 0.1), count=190)
    assert len(now.contenders) == 2
    assert now.p_best[1] == 1


def test_before_any_answer_the_belief_alone_counts_with_doubt():
    pool, _ = several_models(200, (0.6, 0.9, 0.7))
    belief = cross_fit_on(pool, 0, ()).before_answers(np.arange(200))
    sample = Sample(belief, Answers(), np.ones(200))
    each = linearised(pool, sample)
    now = standing(each, sample, 0)
    believed = np.array([one.plug_in for one in each])
    assert now.ahead == pytest.approx(believed - believed.max())
    assert now.leader == believed.argmax()
    others = now.contenders[1:]
    assert (now.below[others] > 0).all()
    assert np.isfinite(now.draws).all()
    assert 0.3 < now.p_best[now.leader] < 1


def test_inclusions_that_a_log_does_not_know_are_done_without():
    pool, y = several_models(200, (0.6, 0.9, 0.7))
    whole = sampled(pool, y)
    known = np.full(200, np.nan)
    known[whole.answers.items] = whole.inclusion[whole.answers.items]
    sample = replace(whole, inclusion=known)
    now = standing(linearised(pool, sample), sample, 0)
    assert now.leader == 1
    assert np.isfinite(now.ahead).all()
    assert np.isfinite(now.below).all()
    assert np.isfinite(now.draws).all()
    assert now.p_best.sum() == pytest.approx(1)


def test_a_belief_that_is_proved_wrong_has_no_say():
    """The belief is sure that the worse model is right: answers from half of the pool are followed instead."""
    pool, y = several_models(400, (0.5, 0.9))
    worse = pool.outputs[0].predictions
    items = np.random.default_rng(0).permutation(400)[:200]
    answers = Answers().extended(items, y[items], 0, np.full(200, 1 / 400))
    sample = Sample(Belief.dense(0.97 * np.eye(3)[worse] + 0.01), answers, np.full(400, 0.5))
    now = standing(linearised(pool, sample), sample, 0)
    assert now.leader == 1
    assert now.p_best[1] > 0.95
    assert now.ahead[0] == pytest.approx(np.mean(worse == y) - np.mean(pool.outputs[1].predictions == y), abs=0.12)


def test_huge_costs_overflow_nothing():
    pool, y = several_models(60, (0.6, 0.9))
    sample = sampled(pool, y, 60)
    [cost] = resolve_metrics("expected_cost", pool, 1e12 * (1 - np.eye(3)))
    each = [linearise([(1.0, one)], sample) for one in targets_of((cost,), pool)]
    with np.errstate(all="raise", under="ignore"):
        now = standing(each, sample, 0, lower_is_better=True)
    assert now.leader == 1


def test_errors_can_only_be_widened():
    now, *_ = stands((0.6, 0.9, 0.7))
    wide = now.widened(np.array([1.0, 0.0, 0.0]), np.array([2.0, 0.0, 0.0]))
    assert (wide.below >= now.below).all()
    assert (wide.below[0], wide.above[0]) == (1.0, 2.0)
    assert (wide.below[2], wide.above[2]) == (now.below[2], now.above[2])
