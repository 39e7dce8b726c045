"""Every estimator of the field: exact at the end, the same from the same seed, unbiased whatever is believed."""

import numpy as np
import pytest

from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.methods.ase import Ase
from altmas.methods.asi import Asi
from altmas.methods.lure import Lure
from altmas.methods.oasis import Oasis
from altmas.methods.ppi import Ppi
from altmas.methods.random import RandomSampling
from altmas.methods.stratified import Stratified
from altmas.metrics import InputError, expected_cost, from_labels, metric, metrics_named, tally
from worlds.methods import BELIEF, small_pool
from worlds.runs import at_work

METHODS = [Stratified(strata=4), Lure(BELIEF), Ase(BELIEF, draws=8), Ppi(belief=BELIEF), Asi(belief=BELIEF), Oasis(6)]
NAMES = [one.name for one in METHODS]


# Every method


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("scores", [True, False])
def test_everything_labelled_is_exact_with_no_width(method, scores):
    pool, y = small_pool(scores=scores)
    names = ["alt_mas_21", "mcc", "macro_f1"]
    run, answers = at_work(method, pool, y, metrics=names, sizes=(20, 15, 15, 10))
    assert sorted(answers.items) == list(range(60))
    truth = [float(one.value(tally(y, pool.predictions, 3))) for one in metrics_named(names, [0, 1, 2])]
    for one, true in zip(run.estimate(0.95), truth, strict=True):
        assert one.low == one.estimate == one.high == pytest.approx(true, abs=1e-12)
        assert one.promise == "exact: every item is labelled"


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_state_follows_from_seed_and_answers_whatever_was_called_before(method):
    """A run that looked at every turn, and one that only ever saw the end, go on alike."""
    pool, y = small_pool()
    seen = []
    run, answers = at_work(method, pool, y, sizes=(10, 5, 3, 8), look=lambda r: seen.append(r.estimate(0.9)))
    resumed = method.begin(run.job)
    resumed.update(answers, 4)
    twice, after = resumed.choose(7), resumed.estimate(0.9)
    assert after == seen[-1] == run.estimate(0.9)
    for again in (resumed.choose(7), run.choose(7)):
        assert again.items.tolist() == twice.items.tolist()
        assert again.propensities.tolist() == twice.propensities.tolist()
    assert ((twice.propensities > 0) & (twice.propensities <= 1)).all()
    partly = Answers(answers.items[:23], answers.labels[:23], answers.rounds[:23], answers.propensities[:23])
    for part in (partly, answers):  # five of a round's eight answers, then all
        resumed.update(part, 4)
    assert resumed.estimate(0.9) == after
    resumed.update(Answers(), 0)
    assert resumed.choose(10).items.tolist() == answers.items[:10].tolist()


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_the_first_items_are_those_of_random_sampling(method):
    pool, y = small_pool()
    first = at_work(RandomSampling(), pool, y, seed=4, sizes=(12,))[1]
    assert at_work(method, pool, y, seed=4, sizes=(12,))[1].items.tolist() == first.items.tolist()


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_answers_that_are_no_class_and_metrics_of_every_kind(method):
    pool, y = small_pool()
    said = pool.predictions.astype(object)
    said[::6] = "error"
    pool = Pool.build(said, scores=pool.scores, classes=[0, 1, 2])
    mine = from_labels("mine", lambda y, a: float(np.mean(y == a)), (0, 1, 2), (0, 1))
    cost = expected_cost(np.arange(12).reshape(3, 4))
    run = method.begin(Job(pool, (metric("accuracy", range(3)), mine, cost, metric("recall:1", range(3))), 1))
    answers = Answers()
    run.update(answers, 0)
    for number, size in enumerate((25, 10)):
        choice = run.choose(size)
        answers = answers.extended(choice.items, y[choice.items], number, choice.propensities)
        run.update(answers, number + 1)
    accuracy, same, costs, recall = run.estimate(0.95)
    assert same.estimate == pytest.approx(accuracy.estimate, abs=0.02)  # whole counts are near the estimated ones
    for one, (low, high) in ((accuracy, (0, 1)), (same, (0, 1)), (costs, (0, 11)), (recall, (0, 1))):
        assert low <= one.low <= one.estimate <= one.high <= high
    assert accuracy.low < accuracy.high


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_one_answer_promises_nothing(method):
    pool, y = small_pool()
    (one,) = at_work(method, pool, y, sizes=(1,))[0].estimate(0.95)
    assert 0 <= one.low <= one.estimate <= one.high <= 1
    if method.name in ("stratified", "lure", "ppi", "oasis"):
        assert (one.low, one.high) == (0, 1)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (Stratified(strata=0), "strata must be an int >= 1; got 0"),
        (Ase(draws=1), "draws must be an int >= 2; got 1"),
        (Ppi(predictor="tea"), "predictor must be one of belief, scores; got 'tea'"),
        (Ppi(folds=1), "folds must be an int >= 2; got 1"),
        (Asi(tau=0), "tau must be above 0 and at most 1; got 0"),
        (Oasis(epsilon=0), "epsilon must be a number between 0 and 1"),
        (Oasis(alpha=2), "alpha must be between 0 and 1; got 2"),
    ],
)
def test_options_are_checked_before_a_label_is_spent(method, said):
    with pytest.raises(InputError, match=said):
        method.begin(Job(small_pool()[0], (metric("accuracy", range(3)),)))


def away_from_truth(method, seed):
    """Nine cells' bias over 2,000 runs of 30 of 60 labels, in standard errors of its mean."""
    pool, y = small_pool()
    found = np.array(
        [at_work(method, pool, y, seed=2000 * seed + s, sizes=(15, 10, 5))[0].confusion() for s in range(2000)]
    )
    return (found.mean(0) - tally(y, pool.predictions, 3)) / np.maximum(found.std(0) / np.sqrt(len(found)), 1e-9)


@pytest.mark.parametrize("method", [Lure(BELIEF), Asi(belief=BELIEF), Oasis(6)], ids=lambda m: m.name)
def test_unbiased_whatever_is_believed(method, seed):
    """Nine cells within 4 standard errors each: fails by chance once in 1,700."""
    away = away_from_truth(method, seed)
    assert np.abs(away).max() < 4, away.round(1)


def test_stratified_is_unbiased_for_any_fixed_allocation(seed, monkeypatch):
    """As above. With Neyman's allocation the answers decide where to stop, which moves a mean by a little."""
    monkeypatch.setattr(
        "altmas.methods.stratified.neyman_weights", lambda sizes, have, right: np.array([1.0, 4.0, 1.0, 2.0])
    )
    away = away_from_truth(Stratified(strata=4), seed)
    assert np.abs(away).max() < 4, away.round(1)


# With the belief they come with


@pytest.mark.parametrize("method", [Stratified(), Lure(), Ase(), Ppi(), Asi(), Oasis()], ids=NAMES)
def test_with_the_belief_learnt_from_outputs_estimates_are_near(method, digits):
    pool = Pool.build(digits.predictions, scores=digits.scores, classes=range(10))
    y = digits.labels
    run, _ = at_work(method, pool, y, metrics=["alt_mas_3", "f1:3"], sizes=(50, 50, 50))
    truth = tally(y, digits.predictions, 10)
    for one, m in zip(run.estimate(0.95), metrics_named(["alt_mas_3", "f1:3"], range(10)), strict=True):
        assert one.estimate == pytest.approx(float(m.value(truth)), abs=0.25)
