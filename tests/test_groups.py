"""Groups, priors and posteriors."""

import numpy as np
import pytest
from scipy.stats import beta as scipy_beta
from scipy.stats import binomtest

from altmas import InputError, Pool
from altmas.core.groups import by_attribute, by_predicted_class, by_score_bin, crossed, groups_by, required_confidence
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.groups.dirichlet_posterior import DirichletPosterior, hierarchical_columns, proportions
from altmas.surrogates.groups.hierarchical import CENTRE, SPREAD, _log_posterior, _slope, fit_prior, regressor


@pytest.fixture
def pool():
    scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.45, 0.55]])
    return Pool.build(["a", "b", "a", "error"], scores=scores, classes=["a", "b"], groups={"region": list("nsns")})


def test_every_item_is_in_exactly_one_group(pool):
    assert by_predicted_class(pool).names == ("a", "b", "(no class)")
    assert by_predicted_class(pool).sizes.tolist() == [2, 1, 1]
    assert by_attribute(pool, "region").sizes.tolist() == [2, 2]
    pairs = crossed(by_attribute(pool, "region"), by_predicted_class(pool))
    assert pairs.sizes.sum() == 4
    assert pairs.names[pairs.index[0]] == ("n", "a")
    assert by_predicted_class(pool).shares.sum() == 1
    np.testing.assert_array_equal(groups_by(pool, "region").index, by_attribute(pool, "region").index)


def test_confidence_is_the_score_of_what_was_said(pool):
    assert required_confidence(pool).tolist() == [0.9, 0.8, 0.6, 0.0]
    assert required_confidence(Pool.build([0, 1], scores=[3.0, 4.0])).tolist() == [3.0, 4.0]


def test_score_bins_of_equal_width_and_of_equal_weight():
    scores = np.array([0.35, 0.51, 0.52, 0.53, 0.95, 1.0])
    some = Pool.build([0, 1, 2] * 2, scores=scores)
    assert by_score_bin(some, 10).index.tolist() == [3, 5, 5, 5, 9, 9]
    assert by_score_bin(some, 3, "weight").sizes.tolist() == [2, 2, 2]
    ties = Pool.build([0, 1] * 3, scores=np.ones(6))
    assert sorted(by_score_bin(ties, 3, "weight").sizes.tolist()) == [0, 0, 6]  # the pool's order does not split them


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda p: by_score_bin(p, 0), "bins must be an int >= 1; got 0."),
        (lambda p: by_score_bin(p, 3, "size"), "equal must be 'width' or 'weight'; got 'size'."),
        (
            lambda p: by_score_bin(Pool.build([0, 1], scores=[3.0, 4.0])),
            "confidences in bins of equal width must be at most 1",
        ),
        (lambda p: by_attribute(p, "age"), "by must be one of class, score, score:weight, region; got 'age'"),
        (
            lambda p: required_confidence(Pool.build([0, 1])),
            "scores must be given for groups or priors made of scores; got none.",
        ),
    ],
)
def test_bad_groups_say_so(pool, call, sentence):
    with pytest.raises(InputError, match=sentence):
        call(pool)


def test_beta_posteriors_equal_scipy_and_tensorflow_probability():
    right, wrong = np.array([3.0, 280.0]), np.array([1.5, 203.0])
    one = BetaPosterior.of(right, wrong)
    np.testing.assert_allclose(one.mean, scipy_beta.mean(right, wrong))
    np.testing.assert_allclose(one.variance, scipy_beta.var(right, wrong))
    np.testing.assert_allclose(one.interval(0.9), scipy_beta.ppf([[0.05], [0.95]], right, wrong))
    np.testing.assert_allclose(one.distribution().mean(), one.mean)


def test_mixtures_equal_their_draws_and_tensorflow_probability(rng):
    mix = BetaPosterior(rng.uniform(1, 9, (3, 4)), rng.uniform(1, 9, (3, 4)), np.array([0.2, 0.5, 0.3]))
    drawn = mix.draw(200_000, rng)
    np.testing.assert_allclose(mix.mean, drawn.mean(0), atol=4e-3)
    np.testing.assert_allclose(mix.variance, drawn.var(0), atol=2e-3)
    np.testing.assert_allclose(mix.interval(0.9), np.quantile(drawn, [0.05, 0.95], axis=0), atol=8e-3)
    np.testing.assert_allclose(mix.below(mix.quantile(0.3)), 0.3, atol=1e-9)
    other = mix.distribution()
    np.testing.assert_allclose(other.mean(), mix.mean, rtol=1e-9)
    np.testing.assert_allclose(other.cdf(np.full(4, 0.4)), mix.below(0.4), rtol=1e-6)
    near = mix.matched()
    np.testing.assert_allclose(near.mean, mix.mean)
    np.testing.assert_allclose(near.variance, mix.variance)


def test_a_draw_of_a_mixture_shares_one_prior_between_groups(rng):
    # Two priors far apart: within a draw all groups follow the same one.
    mix = BetaPosterior(
        np.array([[900.0] * 3, [100.0] * 3]), np.array([[100.0] * 3, [900.0] * 3]), np.array([0.5, 0.5])
    )
    high = mix.draw(500, rng) > 0.5
    assert (high.all(-1) | (~high).all(-1)).all()


def test_dirichlet_mean_is_counts_plus_prior_over_total_and_counts_the_true_class():
    prior, counts = np.full((2, 3), 1 / 3), np.array([[5.0, 1, 0], [2, 7, 1]])
    got = DirichletPosterior.of(counts + prior)
    np.testing.assert_array_equal(got.mean, (counts + prior) / (counts + prior).sum(-1, keepdims=True))
    np.testing.assert_allclose(got.distribution().mean(), got.mean)
    np.testing.assert_allclose(got.of_class(np.array([0, 1])).mean, [16 / 18, 22 / 33], atol=0.2)


def test_prior_proportions_from_scores():
    scores = np.array([[0.7, 0.2, 0.1], [0.5, 0.5, 0.0], [0.1, 0.1, 0.8]])
    got = proportions(scores, np.array([0, 0, 2]), np.array([0, 1, 2]), 3)
    np.testing.assert_allclose(got, [[0.6, 0.35, 0.05], [1 / 3] * 3, [0.1, 0.1, 0.8]])
    sure = proportions(np.array([0.8, 0.6, 0.5]), np.array([0, 0, 1]), np.array([1, 3]), 3)
    np.testing.assert_allclose(sure, [[0.15, 0.7, 0.15], [1 / 3] * 3])  # the second group is no class


def test_the_slope_of_the_marginal_likelihood_is_right(rng):
    x, r, w = rng.normal(size=7), rng.integers(0, 9, (3, 7)).astype(float), rng.integers(0, 9, (3, 7)).astype(float)
    phi = CENTRE + 0.5 * rng.normal(size=(3, 3))
    for k in range(3):
        step = 1e-5 * np.eye(3)[k]
        numeric = (_log_posterior(phi + step, r, w, x) - _log_posterior(phi - step, r, w, x)) / 2e-5
        np.testing.assert_allclose(_slope(phi, r, w, x)[:, k], numeric, rtol=1e-6, atol=1e-6)


def test_hierarchical_columns_aggregate_to_the_fitted_beta(rng):
    right, wrong = rng.integers(0, 20, (1, 4)).astype(float), rng.integers(0, 20, (1, 4)).astype(float)
    prior = fit_prior(right, wrong, regressor([0.9, 0.8, 0.7, 0.6], 4))
    columns = hierarchical_columns(prior, rng.dirichlet(np.ones(4), 4), np.arange(4))
    a, b = prior.pseudo_counts()
    np.testing.assert_allclose(columns[:, np.arange(4), np.arange(4)], a[:, 0])
    np.testing.assert_allclose(columns.sum(-1), a[:, 0] + b[:, 0])


def test_extreme_regressors_stay_finite():
    x = np.array([-4.54, -3.59, -2.54, -1.27, 0.21, 1.9, 2.46, 2.46, 2.46, 2.46]) * 3
    right, wrong = np.array([[2.0, 0, 0, 1, 0, 0, 1, 0, 0, 0]]), np.array([[1.0, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
    prior = fit_prior(right, wrong, x)
    again = fit_prior(right, wrong, x, prior.mode)
    for one in (prior, again):
        assert np.isfinite(one.weights).all()
        assert np.isfinite(one.posterior(right, wrong).mean).all()


def test_no_answers_leave_the_weak_prior():
    prior = fit_prior(np.zeros((2, 5)), np.zeros((2, 5)), np.zeros(5))
    np.testing.assert_allclose(prior.mode, np.tile(CENTRE, (2, 1)), atol=0.3)


def simulated_coverage(kind, groups, labels, seed):
    """Groups whose accuracies are drawn from the prior; how many 95% intervals hold them."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0.5, 0.98, (50, groups))
    n = rng.poisson(labels, (50, groups))
    hits = 0
    for row, count in zip(scores, n, strict=True):
        if kind == "hierarchical":
            phi = CENTRE + SPREAD * rng.normal(size=3) * [0.5, 0.3, 0.7]
            x = regressor(row, groups)
            mean, strength = 1 / (1 + np.exp(-(phi[0] + phi[1] * x))), np.exp(phi[2])
            theta = rng.beta(mean * strength, (1 - mean) * strength)
            right = rng.binomial(count, theta).astype(float)
            prior = fit_prior(right[None], (count - right)[None], x)
            low, high = prior.posterior(right[None], (count - right)[None]).interval(0.95)[:, 0]
        else:
            mean = np.full(groups, 0.5) if kind == "uniform" else row
            theta = rng.beta(2 * mean, 2 * (1 - mean))
            right = rng.binomial(count, theta)
            low, high = BetaPosterior.of(2 * mean + right, 2 * (1 - mean) + count - right).interval(0.95)
        hits += ((low <= theta) & (theta <= high)).sum()
    return int(hits), 50 * groups


@pytest.mark.parametrize("kind", ["uniform", "informed", "hierarchical"])
def test_credible_intervals_are_calibrated(kind, seed):
    """5,000 groups drawn from the prior: coverage is not credibly outside 94-96%, error rate 1e-4 on each side."""
    hits, total = simulated_coverage(kind, 100, 6, seed)
    assert binomtest(hits, total, 0.94, alternative="less").pvalue > 1e-4, hits / total
    assert binomtest(hits, total, 0.96, alternative="greater").pvalue > 1e-4, hits / total
