"""Rewards, rules and the lockstep engine."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, chisquare, dirichlet

from altmas import InputError
from altmas.bandits.lockstep import FixedPrior, LearntPrior, pull, simulate
from altmas.bandits.rewards import (
    ROPE_DIGITS,
    EstimateArms,
    FindCostliest,
    FindExtreme,
    FindLeastCalibrated,
    TellApart,
    over_outcomes,
    rope,
)
from altmas.bandits.rules import (
    RULES,
    BayesianUCB,
    EpsilonGreedy,
    RandomItems,
    Thompson,
    TopTwoThompson,
    best_arms,
    make_rule,
    mean_bins,
    sample_bins,
    sample_outcomes,
)  # fmt: skip


def test_estimation_reward_is_the_expected_drop_in_variance(rng):
    shares = np.array([0.2, 0.8])
    alpha, theta = rng.uniform(0.5, 9, (1, 2, 2)), rng.dirichlet(np.ones(2), (1, 2))
    got = EstimateArms(shares).worth(theta, alpha)
    for g in range(2):
        (a, b), (p, q) = alpha[0, g], theta[0, g]
        drop = beta.var(a, b) - p * beta.var(a + 1, b) - q * beta.var(a, b + 1)
        assert got[0, g] == pytest.approx(2 * shares[g] * drop)  # both outcomes vary alike


def test_confusion_reward_is_the_expected_drop_in_total_variance(rng):
    alpha, theta = rng.uniform(0.5, 9, (1, 1, 4)), rng.dirichlet(np.ones(4), (1, 1))
    after = sum(theta[0, 0, z] * dirichlet(alpha[0, 0] + np.eye(4)[z]).var().sum() for z in range(4))
    expected = dirichlet(alpha[0, 0]).var().sum() - after
    assert EstimateArms(np.ones(1)).worth(theta, alpha)[0, 0] == pytest.approx(expected)


def test_bounds_hold_whatever_is_drawn(rng):
    alpha = rng.uniform(0.1, 9, (50, 20, 2))
    task = EstimateArms(rng.dirichlet(np.ones(20)))
    low, high = task.bounds(alpha)
    for _ in range(20):
        worth = task.worth(sample_outcomes(alpha, rng), alpha)
        assert (low - 1e-15 <= worth).all()
        assert (worth <= high + 1e-15).all()


def test_identification_rewards():
    theta = np.array([[[0.9, 0.1], [0.4, 0.6]]])
    assert FindExtreme(-1).worth(theta, theta).argmax() == 1
    assert FindExtreme(1).worth(theta, theta).argmax() == 0
    costs = FindCostliest(np.array([[0.0, 1.0], [0.0, 10.0]])).worth(theta, theta)
    np.testing.assert_allclose(costs, [[0.1, 6.0]])
    shares, scores = np.array([[0.5, 0.5]]), np.array([[0.6, 0.9]])
    bins = np.array([[[0.5, 0.9, 0.5, 0.1]]])  # accuracies of the two bins, then one minus them
    np.testing.assert_allclose(FindLeastCalibrated(shares, scores).value(bins), [[0.05]])


def test_rope_of_the_paper_and_of_monte_carlo(rng):
    mu = rope(np.array([280.0, 203.0]), np.array([351.0, 162.0]), 0.05)
    assert mu[0] == pytest.approx(0.96, abs=0.005)
    for first, second in (((3.0, 2.0), (40.0, 9.0)), ((0.5, 0.5), (1.0, 1.0)), ((300.0, 2.0), (300.0, 3.0))):
        gap = rng.beta(*first, 400_000) - rng.beta(*second, 400_000)
        expected = [(gap < -0.05).mean(), (abs(gap) <= 0.05).mean(), (gap > 0.05).mean()]
        np.testing.assert_allclose(rope(np.array(first), np.array(second), 0.05), expected, atol=4e-3)


def test_comparison_rewards_the_arm_that_tells_more():
    # The second arm is known well; another label of the first says more.
    alpha = np.array([[[3.0, 2.0], [300.0, 150.0]]])
    theta = alpha / alpha.sum(-1, keepdims=True)
    assert TellApart().worth(theta, alpha).argmax() == 0


def test_exhausted_arms_are_never_chosen(rng):
    alpha, left = np.ones((200, 5, 2)), rng.integers(0, 2, (200, 5))
    left[:, 2] = 1
    for name in RULES:
        arms = make_rule(name).choose(alpha, FindExtreme(), left, 3, sample_outcomes, rng)
        for row, open_row in zip(arms, left, strict=True):
            taken = row[row >= 0]
            assert len(set(taken)) == len(taken) or name == "random"
            assert (open_row[taken] > 0).all()
            assert len(taken) == min(3, (open_row > 0).sum()) or name == "random"


def test_random_items_follow_what_is_left():
    """Arms in proportion to 1 : 2 : 7 over 20,000 replicates, chi-square, error rate 1e-4."""
    left = np.tile([1, 2, 7], (20_000, 1))
    arms = RandomItems().choose(
        np.ones((20_000, 3, 2)), FindExtreme(), left, 1, sample_outcomes, np.random.default_rng(0)
    )
    assert chisquare(np.bincount(arms[:, 0]), [2000, 4000, 14000]).pvalue > 1e-4


def test_thompson_picks_an_arm_as_often_as_it_is_best():
    """P(Beta(2,1) < Beta(1,2)) = 1/6; 30,000 replicates, error rate 1e-4."""
    alpha = np.tile([[2.0, 1.0], [1.0, 2.0]], (30_000, 1, 1))
    arms = Thompson().choose(
        alpha, FindExtreme(), np.ones((30_000, 2), int), 1, sample_outcomes, np.random.default_rng(1)
    )
    assert chisquare(np.bincount(arms[:, 0]), [5000, 25_000]).pvalue > 1e-4


def test_thompson_with_bounds_is_thompson(rng):
    """Leaving out arms that cannot win changes nothing: same choices in distribution, error rate 1e-4."""
    task = EstimateArms(np.array([0.3, 0.3, 0.3, 0.1]))

    class Plain:
        worth, value = task.worth, task.value

    alpha = np.tile(np.array([[3.0, 1.0], [2.0, 2.0], [4.0, 0.5], [1.0, 1.0]]), (40_000, 1, 1))
    left = np.ones((40_000, 4), int)
    counts = [
        np.bincount(Thompson().choose(alpha, t, left, 1, sample_outcomes, np.random.default_rng(s))[:, 0], minlength=4)
        for s, t in ((0, task), (1, Plain()))
    ]
    some = counts[0] + counts[1] > 20
    table = np.array(counts)[:, some]
    from scipy.stats import chi2_contingency

    assert table.shape[1] == 1 or chi2_contingency(table).pvalue > 1e-4


def test_top_two_explores_more_than_thompson(rng):
    alpha = np.tile([[50.0, 50.0], [60.0, 40.0]], (5000, 1, 1))
    left = np.ones((5000, 2), int)
    plain = Thompson().choose(alpha, FindExtreme(), left, 1, sample_outcomes, rng)[:, 0].mean()
    two = TopTwoThompson().choose(alpha, FindExtreme(), left, 1, sample_outcomes, rng)[:, 0].mean()
    assert two > plain + 0.2


def test_greedy_and_ucb_follow_their_definitions(rng):
    alpha = np.tile([[90.0, 10.0], [2.0, 2.0], [40.0, 60.0]], (4000, 1, 1))
    left = np.ones((4000, 3), int)
    greedy = EpsilonGreedy(0.1).choose(alpha, FindExtreme(), left, 1, sample_outcomes, rng)[:, 0]
    assert 0.91 < (greedy == 2).mean() < 0.955  # 0.9 + 0.1 / 3
    ucb = BayesianUCB().choose(alpha[:50], FindExtreme(), left[:50], 1, sample_outcomes, rng)[:, 0]
    assert (ucb == 1).all()  # the least known arm has the widest bound


def test_rules_by_name():
    with pytest.raises(InputError, match="rule must be one of random, thompson, .*; got 'magic'"):
        make_rule("magic")
    with pytest.raises(InputError, match="epsilon must be a number between 0 and 1"):
        make_rule("epsilon-greedy", epsilon=2)


def test_small_axes_are_summed_like_large_ones(rng):
    for outcomes in (2, 3, 9):
        x = rng.normal(size=(4, 5, outcomes))
        np.testing.assert_allclose(over_outcomes(x), x.sum(-1))
        np.testing.assert_array_equal(over_outcomes(x, np.maximum), x.max(-1))


def test_bins_have_betas_of_their_own(rng):
    alpha = np.array([[[9.0, 1.0, 1.0, 9.0]]])  # two bins: right 9 and 1, wrong 1 and 9
    np.testing.assert_allclose(mean_bins(alpha)[0, 0], [0.9, 0.1, 0.1, 0.9])
    drawn = np.stack([sample_bins(alpha, rng)[0, 0] for _ in range(4000)])
    np.testing.assert_allclose(drawn.mean(0), [0.9, 0.1, 0.1, 0.9], atol=0.01)


def test_pulling_empties_the_urns_exactly(rng):
    urns = np.tile(np.array([[2, 1], [0, 3]]), (7, 1, 1))
    seen = np.zeros_like(urns)
    for arm in (0, 0, 0, 1, 1, 1):
        outcome = pull(urns, np.full(7, arm), rng)
        seen[np.arange(7), arm, outcome] += 1
    assert not urns.any()
    assert (seen == [[2, 1], [0, 3]]).all()


@pytest.mark.parametrize("rule", ["random", "thompson", "top-two", "epsilon-greedy"])
@pytest.mark.parametrize("per_step", [1, 3])
def test_with_everything_labelled_every_rule_knows_the_truth(rule, per_step):
    truth = np.array([[8, 2], [3, 3], [0, 4]])
    mean = simulate(
        truth, FindExtreme(), make_rule(rule), lambda: FixedPrior(np.full((3, 2), 1e-9)),
        [lambda seen, mean: mean[:, 1, 0], lambda seen, mean: seen.sum((1, 2))],
        replicates=6, checkpoints=[5, 20], arms_per_step=per_step,
    )  # fmt: skip
    np.testing.assert_allclose(mean[0, 1], 0.5, atol=1e-6)
    np.testing.assert_array_equal(mean[1], [[5] * 6, [20] * 6])


def test_numbers_do_not_depend_on_threads_and_repeat():
    truth = np.array([[30, 10], [20, 20]])
    call = {"replicates": 600, "checkpoints": [20]}
    runs = [
        simulate(
            truth,
            FindExtreme(),
            Thompson(),
            lambda: LearntPrior(np.zeros(2)),
            [lambda s, m: m[:, 0, 0]],
            threads=t,
            **call,
        )
        for t in (1, 2)
    ]
    np.testing.assert_array_equal(*runs)


def test_checkpoints_must_ascend_within_the_pool():
    with pytest.raises(InputError, match="checkpoints must ascend to at most 4 labels"):
        simulate(
            np.array([[2, 2]]),
            FindExtreme(),
            Thompson(),
            lambda: FixedPrior(np.ones((1, 2))),
            [],
            replicates=1,
            checkpoints=[9],
        )


def test_best_arms_says_when_fewer_are_open():
    rng = np.random.default_rng(0)
    assert best_arms(np.array([[3.0, 2.0, 1.0]]), np.array([[0, 1, 0]]), 2, rng).tolist() == [[1, -1]]


def test_ties_between_arms_go_to_chance():
    """Two arms alike, 10,000 replicates: each best in half of them, error rate 1e-4."""
    worth, left = np.tile([1.0, 1.0, 0.5], (10_000, 1)), np.ones((10_000, 3), int)
    arms = best_arms(worth, left, 1, np.random.default_rng(0))[:, 0]
    assert chisquare(np.bincount(arms, minlength=2), [5000, 5000]).pvalue > 1e-4


def test_rope_does_not_depend_on_the_order():
    for first, second in (((1.0, 1.0), (5000.0, 1000.0)), ((2.0, 3.0), (30.0, 4.0))):
        one, other = (rope(np.array(a), np.array(b), 0.05) for a, b in ((first, second), (second, first)))
        np.testing.assert_allclose(one, other[::-1], atol=1e-12)


def exact_rope(first, second, margin):
    """Adaptive quadrature of P(theta_1 < theta_2 - margin) and P(theta_1 > theta_2 + margin)."""

    def beyond(one, other):
        ends = [beta(*one).ppf(q) for q in (1e-12, 0.01, 0.5, 0.99)]
        return quad(
            lambda u: beta(*other).sf(min(beta(*one).ppf(u) + margin, 1)), 0, 1, limit=500, epsabs=1e-9,
            points=[beta(*one).cdf(at) for at in (margin, 1 - margin, *ends) if 0 < beta(*one).cdf(at) < 1],
        )[0]  # fmt: skip

    return beyond(first, second), beyond(second, first)


@pytest.mark.parametrize("pair", [
    ((1.98, 0.02), (1.6, 0.4)), ((1.5, 0.5), (0.3, 1.7)), ((1.998, 0.002), (0.002, 1.998)),
    ((0.998, 1.002), (21.0, 1.0)), ((81.0, 20.5), (0.2, 1.8)), ((400.0, 90.0), (99.0, 30.0)),
])  # fmt: skip
def test_rope_is_exact_to_its_digits_also_for_weak_priors(pair):
    low, high = exact_rope(*pair, 0.05)
    got = rope(np.array(pair[0]), np.array(pair[1]), 0.05)
    np.testing.assert_allclose(got, [low, 1 - low - high, high], atol=0.5 * 10.0**-ROPE_DIGITS)


def test_comparison_is_worth_what_another_label_leads_to_expect():
    alpha, theta = np.array([[[1.9, 0.1], [3.0, 2.0]]]), np.array([[[0.9, 0.1], [0.3, 0.7]]])
    after = {z: rope(np.array([1.9 + 1 - z, 0.1 + z]), alpha[0, 1], 0.05).max() for z in (0, 1)}
    assert TellApart().worth(theta, alpha)[0, 0] == pytest.approx(0.9 * after[0] + 0.1 * after[1], abs=2e-5)


def test_top_two_never_keeps_the_best_arm_and_follows_the_law_of_the_others():
    """Resampled always, the first arm best in 999 of 1,000 draws: the rival is who wins where the first does not.

    Which of two rivals that is, by 4 million draws; 4,000 replicates, error rate 1e-6.
    """
    arms = np.array([[2.0, 98.0], [60.0, 240.0], [16.0, 84.0]])
    drawn = np.random.default_rng(1).beta(arms[:, 0], arms[:, 1], (4_000_000, 3)).argmin(-1)
    share = (drawn == 2).sum() / (drawn > 0).sum()
    assert (drawn > 0).mean() < 1 / 1000
    alpha, left = np.tile(arms, (4000, 1, 1)), np.ones((4000, 3), int)
    rule = TopTwoThompson(resample=0.9999)
    chosen = rule.choose(alpha, FindExtreme(), left, 1, sample_outcomes, np.random.default_rng(2))[:, 0]
    assert (chosen > 0).mean() > 0.998
    assert abs((chosen == 2).mean() - share) < 0.05


def test_top_two_finds_a_rival_of_an_arm_that_is_sure():
    alpha = np.tile([[1.0, 5000.0], [3000.0, 1000.0], [4000.0, 50.0]], (50, 1, 1))
    arms = TopTwoThompson(resample=0.9999).choose(
        alpha, FindExtreme(), np.ones((50, 3), int), 2, sample_outcomes, np.random.default_rng(0)
    )
    assert (arms[:, 0] == 1).all()
    even = np.ones((1, 3, 2))  # most often the very next draw has another best arm
    for seed in range(20):
        TopTwoThompson(0.9999, tries=1).choose(
            even, FindExtreme(), np.ones((1, 3), int), 1, sample_outcomes, np.random.default_rng(seed)
        )
    only = TopTwoThompson(resample=0.9999).choose(
        alpha, FindExtreme(), np.tile([1, 0, 0], (50, 1)), 2, sample_outcomes, np.random.default_rng(0)
    )
    assert (only == [0, -1]).all()


@pytest.mark.parametrize("task", [FindExtreme(-1), FindExtreme(1), EstimateArms(np.array([0.5, 0.3, 0.2]))])
def test_ucb_takes_exact_quantiles_where_there_are_any(task, rng):
    """Against the quantile of 200,000 draws, whose standard error is below 0.002."""
    alpha = np.array([[[9.0, 1.0], [2.0, 2.0], [3.0, 7.0]]])
    worth = BayesianUCB()._exact(alpha, task)[0]
    drawn = task.worth(sample_outcomes(np.repeat(alpha, 200_000, 0), rng), np.repeat(alpha, 200_000, 0))
    np.testing.assert_allclose(worth, np.quantile(drawn, 0.975, axis=0), atol=0.01 * np.ptp(drawn))


def test_ucb_draws_for_what_has_no_exact_quantile(rng):
    """Of costs; the arm of uncertain cost has the higher bound."""
    alpha = np.tile(np.array([[50.0, 5.0, 5.0], [1.0, 0.5, 0.5]]), (20, 1, 1))
    task = FindCostliest(np.tile([0.0, 1.0, 5.0], (2, 1)))
    arms = BayesianUCB(draws=500).choose(alpha, task, np.ones((20, 2), int), 1, sample_outcomes, rng)
    assert (arms == 1).all()
