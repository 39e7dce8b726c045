"""Answers that are missing where they matter: who answers is modelled, and the estimates follow."""

import numpy as np
import pytest

from altmas.certified.method import Certified
from altmas.certified.response import MOST_SKIPPED, Response, response
from altmas.certified.state import State
from altmas.core.answers import Circumstances
from altmas.core.method import AskedRound, Job
from altmas.core.pool import Pool
from altmas.metrics import metrics_named
from altmas.metrics.belief import Belief, Single
from worlds.certified import vendor

RIGHT, WRONG = 0.12, 0.36
"""Shares that are skipped of what the model has right, and of what it has wrong: three times as many."""


def skipped(y, said, seed=0, right=RIGHT, wrong=WRONG):
    return np.random.default_rng(seed).random(len(y)) < np.where(y == said, right, wrong)


def with_silence(pool, y, skips, sizes=(100, 50, 50, 50, 50), seed=0):
    """A run of a log in which some questions stayed without an answer."""
    run = Certified().replay(Job(pool, tuple(metrics_named(["accuracy"], pool.classes)), seed), [])
    for number, size in enumerate(sizes):
        choice = run.choose(size)
        labels = np.where(skips[choice.items], -1, y[choice.items])
        run = run.after([AskedRound(number, choice.items, labels, choice.propensities)])
        if run.state.due:
            run = run.with_kept((run.refit(), len(run.state.answers)))
    return run


def apart(runs, scores="informative"):
    """How far accuracy is from the truth with the model of who answers, and with one rate for all `[runs, 2]`."""
    found = []
    for seed in range(runs):
        y, said, sure = vendor(2000, scores=scores, seed=seed)
        pool, skips = Pool.build(said, scores=sure, classes=range(4)), skipped(y, said, seed)
        modelled = with_silence(pool, y, skips, seed=seed).findings(0.95).estimates[0].estimate
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(State, "response", None)
            alike = with_silence(pool, y, skips, seed=seed).findings(0.95).estimates[0].estimate
        found.append(np.array([modelled, alike]) - np.mean(y == said))
    return np.array(found)


def test_those_who_skip_errors_make_answers_count_for_more_where_the_model_is_wrong():
    """Four runs: the bias is at most two thirds of that with one rate for all; other runs would fail once in 40."""
    modelled, alike = apart(4).mean(0)
    assert alike > 0.02
    assert modelled < 2 / 3 * alike


@pytest.mark.slow
def test_of_the_bias_of_skipped_errors_at_most_a_third_is_left():
    """100 runs, whose bias with one rate for all is 0.037; the Monte-Carlo error of the difference is 0.003."""
    modelled, alike = apart(100).mean(0)
    assert abs(modelled) <= alike / 3


@pytest.mark.slow
@pytest.mark.parametrize("scores", ["informative", "useless", "opposite"])
def test_intervals_hold_though_errors_are_skipped(scores):
    """60 runs at 95%, less three Monte-Carlo errors: fails by chance once in 1,000."""
    inside = []
    for seed in range(60):
        y, said, sure = vendor(1000, scores=scores, seed=seed)
        run = with_silence(Pool.build(said, scores=sure, classes=range(4)), y, skipped(y, said, seed), seed=seed)
        one = run.findings(0.95).estimates[0]
        inside.append(one.low <= np.mean(y == said) <= one.high)
    assert np.mean(inside) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60)


def test_where_nothing_is_missing_nothing_is_modelled():
    y, said, sure = vendor(400)
    pool = Pool.build(said, scores=sure, classes=range(4))
    state = with_silence(pool, y, np.zeros(400, dtype=bool), (50, 30)).state
    assert state.response is None
    assert state.believed_of_all is state.believed.belief(state.setup.job.pool)
    assert state.sample().known == state.refit.known


def test_before_anything_is_believed_one_rate_is_for_all():
    y, said, sure = vendor(400)
    pool = Pool.build(said, scores=sure, classes=range(4))
    run = Certified().replay(Job(pool, tuple(metrics_named(["accuracy"], pool.classes))), [])
    choice = run.choose(20)
    labels = np.where(np.arange(20) % 4 == 0, -1, y[choice.items])
    state = run.after([AskedRound(0, choice.items, labels, choice.propensities)]).state
    asked = -np.expm1(-state.hazard)
    assert state.response is None
    assert (state.inclusion / asked) == pytest.approx((state.inclusion / asked)[0])


# The model itself


def world(size=1000, seed=0, **groups):
    """A pool, a belief about it that is right as often as it says, the labels and the predictions."""
    rng = np.random.default_rng(seed)
    said, sure = rng.integers(0, 4, size), rng.uniform(0.5, 0.98, size)
    y = np.where(rng.random(size) < sure, said, (said + rng.integers(1, 4, size)) % 4)
    believed = np.repeat((1 - sure)[:, None] / 3, 4, axis=1)
    believed[np.arange(size), said] = sure
    return Pool.build(said, scores=sure, classes=range(4), groups=groups or None), believed, y, said


def model_of(pool, believed, asked, labels, late=None):
    late = np.zeros(len(asked), dtype=bool) if late is None else late
    return response(pool, Belief.dense(believed), asked, labels, late, np.arange(pool.size) % 5)


def test_the_model_finds_who_is_skipped():
    pool, believed, y, said = world(2000)
    kept = np.where(np.arange(4) == said[:, None], 0.95, 0.4)
    answered = believed * kept / (believed * kept).sum(1, keepdims=True)  # what would be believed of those
    hidden = skipped(y, said, right=0.05, wrong=0.6)[:800]
    made = model_of(pool, answered, np.arange(800), np.where(hidden, -1, y[:800]))
    right, wrong = made.kept(np.arange(2000), said), made.kept(np.arange(2000), (said + 1) % 4)
    assert (right > wrong).all()
    assert right.mean() == pytest.approx(0.95, abs=0.1)
    assert wrong.mean() == pytest.approx(0.4, abs=0.15)
    assert made.believed(Belief.dense(answered)).rows() == pytest.approx(believed, abs=0.2)


def test_no_answer_stands_for_more_than_five_items():
    pool, believed, y, said = world()
    asked = np.arange(400)
    made = model_of(pool, believed, asked, np.where(skipped(y, said, right=0.85, wrong=0.98)[:400], -1, y[:400]))
    kept = np.concatenate([made.kept(np.arange(1000), np.full(1000, c)) for c in range(4)])
    assert kept.min() == pytest.approx(1 - MOST_SKIPPED)
    assert (1 / kept).max() <= 5 + 1e-9
    assert (made.answered <= 1).all()


def test_the_belief_about_all_items_is_that_of_answered_ones_by_what_each_stands_for():
    made = Response(np.array([0.6]), np.array([0.9]), (Single(np.array([1]), np.array([0.45])),))
    assert made.believed(Belief.dense(np.array([[0.5, 0.5]]))).rows() == pytest.approx(np.array([[1 / 3, 2 / 3]]))


def test_a_group_that_answers_less_is_found():
    side = np.where(np.arange(1000) % 2, "left", "right")
    pool, believed, y, _ = world(side=side)
    silent = np.random.default_rng(1).random(1000) < np.where(side == "left", 0.4, 0.05)
    made = model_of(pool, believed, np.arange(400), np.where(silent[:400], -1, y[:400]))
    assert made.answered[side == "left"].mean() < 0.75
    assert made.answered[side == "right"].mean() > 0.85


def test_answers_that_come_late_tell_the_labels_effect_from_that_of_what_is_believed():
    """What looks easy and is wrong is skipped, what looks hard and is right is not: only late answers can show it."""
    pool, believed, y, said = world(2000)
    asked = np.arange(800)
    hidden = skipped(y, said, right=0.05, wrong=0.6)[:800]
    late = hidden & (np.random.default_rng(3).random(800) < 0.5)
    labels = np.where(hidden & ~late, -1, y[:800])
    told, untold = model_of(pool, believed, asked, labels, late), model_of(pool, believed, asked, labels)
    wrong = (said + 1) % 4
    assert not np.allclose(told.rest, untold.rest)
    # Half of those skipped were answered after all, so that seven of ten errors have an answer.
    assert told.kept(np.arange(2000), wrong).mean() == pytest.approx(0.7, abs=0.1)
    assert told.kept(np.arange(2000), said).mean() == pytest.approx(0.975, abs=0.05)


def test_late_answers_reach_the_model_through_the_state():
    y, said, sure = vendor(1000)
    pool, skips = Pool.build(said, scores=sure, classes=range(4)), skipped(y, said)
    run = with_silence(pool, y, skips, (150, 50))
    late = run.state.answers.items[y[run.state.answers.items] != said[run.state.answers.items]][:10]
    heard = run.with_people((), Circumstances(late=late))
    assert not np.allclose(heard.state.response.rest, run.state.response.rest)


def test_an_answer_counts_for_those_that_were_skipped_with_its_label():
    y, said, sure = vendor(1000)
    state = with_silence(Pool.build(said, scores=sure, classes=range(4)), y, skipped(y, said), (150, 50)).state
    items = state.answers.items
    asked = -np.expm1(-state.hazard)
    assert state.inclusion[items] == pytest.approx(asked[items] * state.response.kept(items, y[items]))
    rest = np.setdiff1d(np.arange(1000), items)
    assert state.inclusion[rest] == pytest.approx(asked[rest] * state.response.answered[rest])


def test_before_the_first_refit_a_metric_asked_for_by_name_is_the_one_that_was_chosen(seed):
    """Both take the missing answers to be like the others: who answers what is not modelled yet."""
    y, said, sure = vendor(600, seed=seed)
    pool = Pool.build(said, scores=sure, classes=range(4))
    run = Certified().replay(Job(pool, tuple(metrics_named(["accuracy"], pool.classes)), seed), [])
    choice = run.choose(60)
    labels = np.where(skipped(y, said, seed)[choice.items], -1, y[choice.items])
    run = run.after([AskedRound(0, choice.items, labels, choice.propensities)])
    assert run.state.refit is None
    found = run.findings(0.95)
    chosen, named = found.estimates[0], found.estimate(["accuracy"]).iloc[0]
    assert (named["estimate"], named["low"]) == pytest.approx((chosen.estimate, chosen.low), abs=1e-12)
