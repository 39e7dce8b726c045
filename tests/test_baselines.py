"""The field's estimators: each formula on a case worked by hand, and unbiased whatever is believed."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import entr

from altmas.beliefs.worths import water_fill, xwed
from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.policies import draw_in_turn
from altmas.core.pool import Pool
from altmas.methods.ase import Ase, drawn_confusions
from altmas.methods.asi import Asi, inclusion_by_doubt, systematic
from altmas.methods.lure import Lure, lure_weights
from altmas.methods.oasis import Oasis, class_of_interest, cum_sqrt_f, f_measure, optimal_for_f
from altmas.methods.ppi import Ppi, power, ppi_error, probabilities_of_scores
from altmas.methods.random import RandomSampling
from altmas.methods.stratified import Stratified, apportion, stratified_variance, stratify
from altmas.methods.weighted import Learner, due, normal, one_step, taught
from altmas.metrics import InputError, expected_cost, from_labels, metric, metrics_named, tally
from altmas.metrics.custom import whole_counts


class FixedBelief:
    """A belief that is given `[N, C]` and learns nothing; its draws are its odds times e^(+-1)."""

    def __init__(self, probabilities, pool):
        self.p, self.said = np.asarray(probabilities), pool.predictions
        self.fitted_on = []

    def fit(self, items, labels):
        self.fitted_on.append(items.tolist())

    def probabilities(self, items=None):
        return self.p if items is None else self.p[items]

    def agreement(self, items=None):
        items = np.arange(len(self.p)) if items is None else items
        padded = np.column_stack([self.p, np.zeros(len(self.p))])
        return padded[items, self.said[items]]

    def draw_agreement(self, draws, rng, items=None):
        a = self.agreement(items)
        odds = a / np.maximum(1 - a, 1e-12) * np.exp(rng.uniform(-1, 1, (draws, 1)))
        return odds / (1 + odds)


WRONG = np.random.default_rng(5).dirichlet(np.ones(3), 60)
BELIEF = partial(FixedBelief, WRONG)
METHODS = [Stratified(strata=4), Lure(BELIEF), Ase(BELIEF, draws=8), Ppi(belief=BELIEF), Asi(belief=BELIEF), Oasis(6)]
NAMES = [one.name for one in METHODS]


def small_pool(items=60, seed=3, scores=True):
    """Three classes, 70% right, with a confidence that says a little."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, items, p=[0.5, 0.3, 0.2])
    a = np.where(rng.random(items) < 0.7, y, rng.integers(0, 3, items))
    sure = np.clip(0.6 + 0.2 * (a == y) + 0.2 * rng.random(items), 0, 1) if scores else None
    return Pool.build(a, scores=sure, classes=[0, 1, 2]), y


def at_work(method, pool, y, *, metrics=("accuracy",), seed=0, sizes=(10, 10), look=lambda run: None):
    """A run after rounds of these sizes, as the loop would have it."""
    run = method.begin(Job(pool, tuple(metrics_named(metrics, pool.classes)), seed))
    answers = Answers()
    run.update(answers, 0)
    for number, size in enumerate(sizes):
        choice = run.choose(size)
        answers = answers.extended(choice.items, y[choice.items], number, choice.propensities)
        run.update(answers, number + 1)
        look(run)
    return run, answers


# What they share


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


@given(st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=40), st.data())
def test_water_filling_sums_to_the_count_in_proportion_to_worth(worths, data):
    worth = np.array(worths)
    count = data.draw(st.integers(0, len(worth)))
    filled = water_fill(worth, count)
    assert filled.sum() == pytest.approx(count, abs=1e-9)
    assert ((filled >= 0) & (filled <= 1)).all()
    if (worth > 0).sum() > count:
        inside = filled < 1
        eta = filled[inside].sum() / worth[inside].sum() if worth[inside].any() else 0
        assert filled[inside] == pytest.approx(eta * worth[inside], abs=1e-9)
        assert (eta * worth[~inside] >= 1 - 1e-9).all()


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


# LURE


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
        one = draw_in_turn(np.arange(3), worth, 2, rng)
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


# Stratified


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


# ASE


def test_xwed_is_the_published_sum_over_wrong_labels(rng):
    a, r = rng.random((20, 7)), rng.dirichlet(np.ones(4), 7)
    pi = (1 - a)[:, :, None] * r  # the four labels other than the predicted one
    published = entr(pi.mean(0)).sum(-1) - entr(pi).sum(-1).mean(0)
    assert xwed(a) == pytest.approx(published, abs=1e-12)


def test_ase_is_the_answers_and_the_drawn_agreement_of_the_rest():
    pool, y = small_pool()
    run, answers = at_work(Ase(BELIEF, draws=8), pool, y, sizes=(10, 5))
    ((items, agreement),) = run._agreement()
    right = (y[answers.items] == pool.predictions[answers.items]).sum()
    (one,) = run.estimate(0.9)
    assert one.estimate == pytest.approx((right + agreement.sum(1).mean()) / 60)
    assert one.promise == "spread of 8 draws, not coverage"
    counts = drawn_confusions(agreement, WRONG[items], pool.predictions[items], 3)
    assert counts.sum((1, 2)) == pytest.approx(np.full(8, 45))
    assert counts.sum(1) == pytest.approx(np.tile(np.bincount(pool.predictions[items], minlength=3), (8, 1)))
    # It asks where the draws disagree most.
    open_before = np.setdiff1d(np.arange(60), answers.items[:10])
    run.update(Answers().extended(answers.items[:10], answers.labels[:10], 0, answers.propensities[:10]), 1)
    ((_, before),) = run._agreement()
    assert set(answers.items[10:]) == set(open_before[np.argsort(-xwed(before))[:5]])


# PPI


def ppi_by_hand(y, yhat, others):
    lam = np.cov(y, yhat, ddof=0)[0, 1] / ((1 + len(y) / len(others)) * np.concatenate([yhat, others]).var(ddof=1))
    lam = np.clip(lam, 0, 1)
    se = np.sqrt(lam**2 * others.var() / len(others) + (y - lam * yhat).var() / len(y))
    return lam * others.mean() + (y - lam * yhat).mean(), se


def scored(items=400, labels=80):
    rng = np.random.default_rng(2)
    s = rng.dirichlet([3.0, 1.0, 1.0], items)
    y = np.array([rng.choice(3, p=p) for p in s])
    pool = Pool.build(s.argmax(1), scores=s, classes=[0, 1, 2])
    run, answers = at_work(Ppi(predictor="scores"), pool, y, sizes=(labels,))
    right = (y == pool.predictions).astype(float)
    rest = answers.unlabelled(pool)
    return run, right[answers.items], s.max(1)[answers.items], s.max(1)[rest]


def test_ppi_accuracy_is_ppi_of_a_mean():
    run, y, yhat, others = scored()
    value, se = ppi_by_hand(y, yhat, others)
    (one,) = run.estimate(0.9)
    assert one.estimate == pytest.approx(value, abs=1e-12)
    assert one.estimate - one.low == pytest.approx(1.6448536 * se, abs=1e-7)
    lam = power(y[None], yhat[None], others[None])
    assert ppi_error(y[None], yhat[None], others[None], lam) == pytest.approx([se])
    # The same as the pool's difference estimator with Cov/Var: the finite pool is taken care of.
    everyone = np.concatenate([yhat, others])
    slope = np.cov(y, yhat, ddof=0)[0, 1] / everyone.var(ddof=1)
    assert value == pytest.approx(y.mean() + slope * (everyone.mean() - yhat.mean()), abs=1e-12)


def test_ppi_agrees_with_its_authors_package():
    ppi = pytest.importorskip("ppi_py")
    run, y, yhat, others = scored()
    (one,) = run.estimate(0.9)
    assert one.estimate == pytest.approx(float(np.squeeze(ppi.ppi_mean_pointestimate(y, yhat, others))), abs=1e-12)
    low, high = ppi.ppi_mean_ci(y, yhat, others, alpha=0.1)
    assert (one.low, one.high) == (pytest.approx(float(low[0])), pytest.approx(float(high[0])))


def test_ppi_predicts_no_item_from_its_own_fold():
    pool, y = small_pool()
    made = []

    def make(pool):
        made.append(FixedBelief(WRONG, pool))
        return made[-1]

    run, answers = at_work(Ppi(belief=make), pool, y, sizes=(40,))
    run.estimate(0.9)
    assert len(made) == 1
    assert made[0].fitted_on == [[i for i in answers.items if run.fold[i] != fold] for fold in range(5)]


def test_ppi_scores_must_be_probabilities():
    lone = probabilities_of_scores(Pool.build([0, "x"], scores=[0.7, 0.7], classes=[0, 1]))
    assert lone == pytest.approx(np.array([[0.7, 0.3], [0.5, 0.5]]))
    for scores, said in ((None, "no scores"), ([3.0, 95.0], "numbers up to 95")):
        with pytest.raises(InputError, match=f"scores must be probabilities for predictor='scores'; got {said}"):
            Ppi(predictor="scores").begin(Job(Pool.build([0, 1], scores=scores), (metric("accuracy", [0, 1]),)))


# ASI


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


# OASIS


def test_oasis_formulas_by_hand():
    # l = 0: w (1 - a) F sqrt(p); l = 1: w sqrt(a^2 F^2 (1 - p) + (1 - F)^2 p).
    got = optimal_for_f(np.array([0.9, 0.1]), np.array([0.0, 1.0]), np.array([0.04, 0.5]), 0.8, 0.5)
    assert got == pytest.approx([0.9 * 0.5 * 0.8 * 0.2, 0.1 * np.sqrt(0.16 * 0.5 + 0.04 * 0.5)])
    pool = Pool.build([0, 1, 0, 1], scores=[0.9, 0.8, 0.7, 0.6])
    assert class_of_interest(pool, (metric("accuracy", [0, 1]),)) == 1
    assert class_of_interest(pool, (metric("recall:0", [0, 1]), metric("f1:1", [0, 1]))) == 0
    assert class_of_interest(small_pool()[0], (metric("accuracy", range(3)),)) is None


def test_cum_sqrt_f_makes_equal_steps_of_the_root_of_the_counts():
    score = np.repeat(
        [0.05, 0.35, 0.65, 0.95], [1600, 100, 25, 25]
    )  # roots 40, 10, 5, 5: middles at 20, 45, 52.5, 57.5
    assert cum_sqrt_f(score, 4)[[0, 1600, 1700, 1725]].tolist() == [0, 1, 1, 1]
    assert cum_sqrt_f(score, 8)[[0, 1600, 1700, 1725]].tolist() == [0, 1, 2, 2]
    assert (cum_sqrt_f(np.ones(5), 3) == 0).all()


@pytest.mark.parametrize("name", ["f1:2", "precision:2", "recall:2"])
def test_oasis_f_is_the_metric_of_its_weighted_confusion(name):
    pool, y = small_pool()
    run, _ = at_work(Oasis(6), pool, y, metrics=[name], sizes=(10, 10, 10))
    alpha = {"f": 0.5, "p": 1.0, "r": 0.0}[name[0]]
    hit = f_measure(run.weights, y[run.drawn] == 2, pool.predictions[run.drawn] == 2, alpha)
    assert run.estimate(0.9)[0].estimate == pytest.approx(hit, abs=1e-12)
    assert len(run.drawn) > 30  # some items came up again, for nothing


def test_oasis_draws_where_f_depends_on_it():
    """2,000 items, 20 of the class; F of that class within .1 from 200 labels, where uniform draws see 2 of them."""
    rng = np.random.default_rng(0)
    p = np.concatenate([np.full(1960, 0.01), np.linspace(0.2, 0.9, 40)])
    y = (rng.random(2000) < np.where(p > 0.1, p * 0.8, 0)).astype(int)
    pool = Pool.build((p > 0.5).astype(int), scores=np.column_stack([1 - p, p]))
    truth = float(metric("f1:1", [0, 1]).value(tally(y, pool.predictions, 2)))
    got = [at_work(Oasis(), pool, y, metrics=["f1:1"], seed=s, sizes=(50, 50, 50, 50))[0] for s in range(10)]
    assert np.mean([one.estimate(0.9)[0].estimate for one in got]) == pytest.approx(truth, abs=0.1)


def test_oasis_ends_where_its_draws_find_nothing_new():
    pool, y = small_pool()
    _, answers = at_work(Oasis(2, epsilon=1e-12), pool, y, metrics=["f1:2"], sizes=(20, 30, 9, 1))
    assert len(set(answers.items)) == 60


def test_oasis_takes_answers_it_did_not_draw_as_they_were_logged():
    pool, y = small_pool()
    run = Oasis(6).begin(Job(pool, (metric("accuracy", range(3)),)))
    answers = (
        Answers().extended([0, 1], y[[0, 1]], 0, [1 / 60, 1 / 59]).extended([2, 3], y[[2, 3]], 1, [1 / 30, 1 / 20])
    )
    run.update(answers, 2)
    assert run.drawn.tolist() == [0, 1, 2, 3]
    assert run.weights == pytest.approx([1, 1, 1 / 2, 1 / 3])


# With the belief they come with


@pytest.mark.parametrize("method", [Stratified(), Lure(), Ase(), Ppi(), Asi(), Oasis()], ids=NAMES)
def test_with_the_belief_learnt_from_outputs_estimates_are_near(method, digits):
    pool = Pool.build(digits.predictions, scores=digits.scores, classes=range(10))
    y = digits.labels
    run, _ = at_work(method, pool, y, metrics=["alt_mas_3", "f1:3"], sizes=(50, 50, 50))
    truth = tally(y, digits.predictions, 10)
    for one, m in zip(run.estimate(0.95), metrics_named(["alt_mas_3", "f1:3"], range(10)), strict=True):
        assert one.estimate == pytest.approx(float(m.value(truth)), abs=0.25)
