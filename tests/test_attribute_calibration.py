import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtri
from scipy.stats import binomtest

from altmas import InputError
from altmas.surfaces.arms import Arms
from altmas.surrogates.surface.affiliation import Affiliation, most_probable
from altmas.surrogates.surface.attribute_calibration import CalibrationSettings, calibrate
from altmas.surrogates.surface.beta_independent import BetaIndependent
from altmas.surrogates.surface.imputed_surface import ImputedSurface

QUICK = CalibrationSettings(steps=600, hidden=8, learning_rate=0.02)


@pytest.fixture(scope="module")
def noisy():
    """Two attributes, the second nearly a copy of the first, whose predictors are 85% right and say so 4 times over."""
    rng = np.random.default_rng(0)
    first = rng.integers(2, size=4000)
    second = np.where(rng.random(4000) < 0.95, first, 1 - first)
    truth = np.column_stack([first, second])
    spread = 1 / ndtri(0.85)
    signal = (2 * truth - 1) + spread * rng.standard_normal(truth.shape)
    logit = 4 * 2 * signal / spread**2
    scores = [np.column_stack([np.zeros(4000), logit[:, k]]) for k in range(2)]
    arms = Arms.build({"a": first, "b": second})
    return arms, truth, scores


@pytest.fixture(scope="module")
def labelled():
    return np.random.default_rng(1).choice(4000, 400, replace=False)


def log_loss(fit, scores, arms):
    found = fit.affiliation(scores, arms.codes, least=0.0)
    p = (found.probability * (found.arms == arms.index[:, None])).sum(1)
    return -np.log(np.maximum(p, 1e-12)).mean()


def test_temperatures_are_found_and_the_joint_potential_helps(noisy, labelled):
    arms, truth, scores = noisy
    alone = calibrate(
        scores, labelled, truth[labelled], arms.codes, rng=np.random.default_rng(0), joint=False, settings=QUICK
    )
    both = calibrate(scores, labelled, truth[labelled], arms.codes, rng=np.random.default_rng(0), settings=QUICK)
    assert np.all((np.exp(alone.temperatures) < 0.6) & (np.exp(alone.temperatures) > 0.1))  # 1/4 is the truth
    assert log_loss(both, scores, arms) < log_loss(alone, scores, arms)
    found = both.affiliation(scores, arms.codes)
    np.testing.assert_allclose(found.probability.sum(1), 1)
    agree = arms.codes[:, 0] == arms.codes[:, 1]
    assert found.support(4)[agree].sum() > alone.affiliation(scores, arms.codes).support(4)[agree].sum()


def test_same_generator_same_calibration(noisy, labelled):
    arms, truth, scores = noisy
    short = CalibrationSettings(steps=100, hidden=4)
    one, two = (
        calibrate(scores, labelled, truth[labelled], arms.codes, rng=np.random.default_rng(5), settings=short)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.temperatures, two.temperatures)
    np.testing.assert_array_equal(one.weights[0], two.weights[0])


def test_known_attributes_are_never_doubted(noisy, labelled):
    arms, truth, scores = noisy
    given = [truth[:, 0], scores[1]]
    fit = calibrate(
        given, labelled, truth[labelled], arms.codes, rng=np.random.default_rng(0),
        settings=CalibrationSettings(steps=100, hidden=4),
    )  # fmt: skip
    found = fit.affiliation(given, arms.codes)
    believed = arms.codes[found.arms, 0] == truth[:, :1]
    assert np.all(found.probability[~believed] == 0)
    nothing = calibrate([truth[:, 0], truth[:, 1]], labelled, truth[labelled], arms.codes, rng=np.random.default_rng(0))
    sure = nothing.affiliation([truth[:, 0], truth[:, 1]], arms.codes)
    np.testing.assert_array_equal(sure.arms[:, 0], arms.index)
    np.testing.assert_array_equal(sure.probability[:, 0], 1)


def test_only_the_most_probable_combinations_stay(rng):
    arms, p = most_probable(rng.standard_normal((5, 40)), keep=10, least=0.05)
    assert arms.shape == (5, 10)
    assert np.all((p == 0) | (p > 0.05))
    np.testing.assert_allclose(p.sum(1), 1)


def test_bad_scores_are_refused(noisy, labelled):
    arms, truth, scores = noisy
    with pytest.raises(InputError, match="scores must be one array per attribute, 2; got 1"):
        calibrate(scores[:1], labelled, truth[labelled], arms.codes, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match=r"truth must be \[400, 2\]"):
        calibrate(scores, labelled, truth[labelled][:, :1], arms.codes, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="labelled items must be at least 2"):
        calibrate(scores, labelled[:1], truth[labelled[:1]], arms.codes, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="known attribute 0 must be codes 0 to 1"):
        calibrate([truth[:, 0] + 5, scores[1]], labelled, truth[labelled], arms.codes, rng=np.random.default_rng(0))


def test_simulated_smoke():
    from altmas.experiments.surface import simulated as surface_simulated

    done = CliRunner().invoke(surface_simulated.main, ["--smoke"])
    assert done.exit_code == 0, done.output
    assert "inside their 95% interval" in done.stdout


def test_drawn_arms_keep_the_promise_that_soft_counts_break(seed):
    """Four arms, P(a|x) as it says, 150 answers, 80 worlds from the prior.

    95% intervals with arms drawn hold rho in at least 90% of 320 (fails by chance 1 in 10,000); those of soft counts,
    to which an arm passes for known, in less than 85%.
    """
    rng, held = np.random.default_rng(seed), {"soft": 0, "drawn": 0}
    for _ in range(80):
        rho = rng.beta(1.4, 0.6, 4)
        p = rng.dirichlet(np.full(4, 0.5), 150)
        arm = (p.cumsum(1) < rng.random((150, 1))).sum(1).clip(max=3)
        belongs = Affiliation(np.tile(np.arange(4), (150, 1)), p)
        answers = belongs.answers(np.arange(150), rng.random(150) < rho[arm], 4)
        beta = BetaIndependent(4, strength=2.0)
        found = {"soft": beta.fit(*answers.expected(), rng=rng).posterior()}
        found["drawn"] = ImputedSurface(beta, draws=600).fit(answers, rng=rng).posterior()
        for name, one in found.items():
            held[name] += int(((one.low <= rho) & (rho <= one.high)).sum())
    assert binomtest(held["drawn"], 320, 0.9, alternative="less").pvalue > 1e-4
    assert held["soft"] < 0.85 * 320


def test_draws_of_an_imputed_surface_are_its_own():
    belongs = Affiliation(np.array([[0, 1]] * 9), np.tile([0.6, 0.4], (9, 1)))
    answers = belongs.answers(np.arange(9), [1, 1, 1, 1, 1, 1, 0, 0, 1], 2)
    found = ImputedSurface(BetaIndependent(2), draws=90).fit(answers, rng=np.random.default_rng(0))
    draws = found.draw(90, np.random.default_rng(1))
    assert draws.shape == (90, 2)
    assert len(np.unique(draws[:, 0])) == 90  # each once
    assert found.draw(200, np.random.default_rng(1)).shape == (200, 2)
    mean, variance = found.moments()
    np.testing.assert_allclose(draws.mean(0), mean, atol=4 * np.sqrt(variance.max() / 90))
