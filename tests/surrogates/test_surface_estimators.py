import numpy as np
import pytest
from scipy.stats import betabinom, binomtest, gamma

from altmas import InputError
from altmas.core.ranking import probability_among_lowest
from altmas.experiments.surface.pools import ALLOCATIONS, WorldSpec, allocate, draw_world
from altmas.surrogates.surface.beta_mixture import BetaMixture
from altmas.surrogates.surface.estimators import SURFACES, GPSurface, SurfaceSettings, make_surface
from altmas.surrogates.surface.likelihood import beta_binomial, log_gamma_density, tensor_mean_and_scale
from altmas.surrogates.surface.pooling import pooled

QUICK = SurfaceSettings(steps=60, learning_rate=0.05, update_steps=10, inducing=10)
ROW = np.arange(10.0)[:, None]


@pytest.fixture(scope="module")
def surfaces():
    """Each estimator over ten arms in a row, compiled once for all tests of this file."""
    made = {name: make_surface(name, ROW, QUICK) for name in SURFACES}
    for name in ("betagp-sl", "betagp-slp"):  # which differ from BetaGP only in what their processes are shown
        made[name]._gp = made["betagp"]._gp
    return made


@pytest.fixture(params=SURFACES)
def surface(request, surfaces):
    return surfaces[request.param]


def seen(rng, labels=10):
    right = rng.binomial(labels, np.linspace(0.2, 0.9, 10)).astype(float)
    return right, labels - right


# Mathematics


def test_likelihoods_are_those_of_scipy():
    f, s = np.array([0.3, 0.7]), np.array([2.0, 9.0])
    mean = 1 / (1 + np.exp(-(6 * f - 3)))
    ours = beta_binomial(
        *tensor_mean_and_scale(f, np.log(np.expm1(s))), np.array([3.0, 1.0]), np.array([1.0, 4.0])
    ).numpy()
    # scipy counts the orders in which the answers may come; ours does not.
    theirs = betabinom.logpmf([3, 1], [4, 5], mean * s, (1 - mean) * s) - np.log([4, 5])
    np.testing.assert_allclose(ours, theirs)
    np.testing.assert_allclose(log_gamma_density(np.array([2.5]), s).numpy(), gamma.logpdf(2.5, s))


def test_pooling_replaces_only_poor_observed_arms():
    right, wrong = np.array([1.0, 0, 0, 9, 0]), np.array([0.0, 1, 1, 1, 0])
    good, bad = pooled(right, wrong, np.arange(5.0)[:, None])
    np.testing.assert_allclose(good, [1 / 3, 1 / 3, 3, 9, 0])  # arm 2 is between 1 and 3; arm 4 was not observed
    np.testing.assert_allclose(bad, [2 / 3, 2 / 3, 1, 1, 0])


def test_mixture_quantiles_hold_what_they_say(rng):
    """100,000 draws: a quantile's share has sd below 0.0016; 5 sd and the grid's own error are allowed."""
    none = np.zeros(4)
    f, f_sd = np.array([0.1, 0.5, 0.7, 0.8]), np.array([0.3, 0.05, 0.1, 0.05])
    g, g_sd = np.array([0.0, 3, 20, 30]), np.array([0.5, 0.1, 1.0, 0.1])
    p = BetaMixture(f, f_sd, g, g_sd, none, none).posterior(0.9)
    mean = 1 / (1 + np.exp(-(6 * (f + f_sd * rng.standard_normal((100_000, 4))) - 3)))
    strength = np.logaddexp(0, g + g_sd * rng.standard_normal((100_000, 4)))
    rho = rng.beta(mean * strength, (1 - mean) * strength)
    assert p.low[0] < 1e-5  # a scale below 1 heaps up at 0: the interval begins there
    np.testing.assert_allclose((rho < p.low)[:, 1:].mean(0), 0.05, atol=0.015)
    np.testing.assert_allclose((rho > p.high).mean(0), 0.05, atol=0.015)
    np.testing.assert_allclose(p.mean, rho.mean(0), atol=0.01)
    np.testing.assert_allclose(p.variance, rho.var(0), atol=0.01)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_quantiles_of_wide_curves_and_narrow_betas_are_no_comb(rng, level):
    """f of sd 0.3, a scale of 200: the ends hold the level within 0.03; the share of 100,000 draws has sd 0.0016."""
    f, g, none = np.array([0.3, 0.6]), np.full(2, 200.0), np.zeros(2)
    p = BetaMixture(f, np.full(2, 0.3), g, none, none, none).posterior(level)
    mean = 1 / (1 + np.exp(-(6 * (f + 0.3 * rng.standard_normal((100_000, 2))) - 3)))
    rho = rng.beta(mean * 200, (1 - mean) * 200)
    np.testing.assert_allclose(((p.low <= rho) & (rho <= p.high)).mean(0), level, atol=0.03)


# Every estimator


def test_posteriors_are_sound_and_draws_agree(surface, rng):
    surface.fit(*seen(rng), rng=np.random.default_rng(1))
    p = surface.posterior(0.95)
    assert np.all((p.low >= 0) & (p.low < p.mean) & (p.mean < p.high) & (p.high <= 1))
    draws = surface.draw(4000, rng)
    assert draws.shape == (4000, 10)
    # The mean of 4,000 draws has sd below 0.008; 6 sd.
    np.testing.assert_allclose(draws.mean(0), p.mean, atol=0.05)
    np.testing.assert_allclose(draws.std(0), np.sqrt(p.variance), rtol=0.25, atol=0.02)
    assert probability_among_lowest(draws, 1)[:3].sum() > 0.5
    narrow = surface.posterior(0.5)
    assert np.all((narrow.high - narrow.low) < (p.high - p.low))


def test_same_generator_same_surface(surface, rng):
    counts = seen(rng)
    first = surface.fit(*counts, rng=np.random.default_rng(3)).update(*counts).moments()
    again = surface.fit(*counts, rng=np.random.default_rng(3)).update(*counts).moments()
    np.testing.assert_array_equal(first, again)


def test_more_labels_less_doubt(surface, rng):
    right, wrong = seen(rng)
    few = surface.fit(right, wrong, rng=np.random.default_rng(0)).moments()[1]
    many = surface.fit(10 * right, 10 * wrong, rng=np.random.default_rng(0)).moments()[1]
    assert many.mean() < few.mean()


def test_one_label_is_enough_for_a_cautious_surface(surface):
    right = np.zeros(10)
    right[4] = 1
    p = surface.fit(right, np.zeros(10), rng=np.random.default_rng(0)).posterior()
    assert np.all(np.isfinite(p.mean))
    assert np.all((p.mean > 0.3) & (p.mean < 1))
    far = p.high[9] - p.low[9]
    assert far > 0.3, "one label says little of an arm far away"


def test_arms_without_labels_have_wider_intervals(surface, surfaces, rng):
    right, wrong = np.zeros(10), np.zeros(10)
    right[:2], wrong[:2] = 16, 4
    p = surface.fit(right, wrong, rng=np.random.default_rng(0)).posterior()
    width = p.high - p.low
    if surface is not surfaces["cpredictor"]:  # whose doubt is that of a line
        assert width[5:].min() > width[:2].max()
    assert np.all((p.low >= 0) & (p.high <= 1))


def test_bad_counts_are_refused(surface, rng):
    with pytest.raises(InputError, match="counts must hold at least one answer"):
        surface.fit(np.zeros(10), np.zeros(10), rng=rng)
    with pytest.raises(InputError, match="right must be one count per arm, 10; got shape"):
        surface.fit(np.ones(3), np.ones(3), rng=rng)
    with pytest.raises(InputError, match="wrong must be finite counts of at least 0; got -1.0 in row 2"):
        surface.fit(np.ones(10), np.array([0, 0, -1.0] + [0] * 7), rng=rng)
    surface.fit(*seen(rng), rng=rng)
    with pytest.raises(InputError, match="level must be between 0 and 1"):
        surface.posterior(1.0)


def test_one_arm_is_a_surface():
    for name in ("beta-i", "cpredictor", "berngp"):
        p = make_surface(name, [[0.0]], QUICK).fit([8.0], [2.0], rng=np.random.default_rng(0)).posterior()
        assert 0.6 < p.mean[0] < 0.95
        assert p.low[0] < 0.8 < p.high[0]


def test_names_features_and_settings_are_checked():
    with pytest.raises(InputError, match="surface must be one of beta-i"):
        make_surface("gp", ROW)
    with pytest.raises(InputError, match="features must be finite; got row 0"):
        make_surface("beta-i", [[np.nan]])
    with pytest.raises(InputError, match="steps must be an int >= 1; got 0"):
        SurfaceSettings(steps=0)
    with pytest.raises(InputError, match="supported must be one value per arm"):
        make_surface("betagp", ROW, QUICK, supported=[True])


# What tells the Gaussian processes apart


def test_only_a_supervised_scale_follows_the_number_of_labels(surfaces):
    """Table 8, in short: arms with 20 labels have at least three times the scale of those with one."""
    labels = np.array([1, 1, 1, 20, 20, 20, 20, 1, 1, 1])
    right = np.round(labels * 0.7)
    ratio = {}
    for name in ("betagp", "betagp-sl", "betagp-slp"):
        scales = surfaces[name].fit(right, labels - right, rng=np.random.default_rng(0)).scales()
        ratio[name] = scales[labels == 20].mean() / scales[labels == 1].mean()
    assert ratio["betagp"] < 1.5
    assert ratio["betagp-sl"] > 3
    assert ratio["betagp-slp"] > 3


def test_updates_and_new_fits_never_trace_again(surfaces, rng):
    surface = surfaces["betagp-slp"]
    surface.fit(*seen(rng), rng=rng)
    right, wrong = np.zeros(10), np.zeros(10)
    for arm in range(4):
        right[arm] += 1.5
        surface.update(right, wrong)
    surface.fit(right, wrong, rng=rng)
    assert surface._gp._train.experimental_get_tracing_count() == 1


def test_unsupported_arms_cost_nothing_and_have_an_estimate(surfaces, rng):
    surface = surfaces["betagp"]
    surface.supported = np.arange(10) < 4
    try:
        right = np.array([3.0, 2, 0, 0, 0, 0, 0, 1, 0, 0])
        p = surface.fit(right, np.zeros(10), rng=rng).posterior()
        assert np.all(np.isfinite(p.low))
    finally:
        surface.supported = np.ones(10, bool)


def test_a_deep_kernel_trains(rng):
    surface = make_surface("betagp-slp", ROW / 10, SurfaceSettings(steps=30, learning_rate=0.05, inducing=6, deep=4))
    p = surface.fit(*seen(rng), rng=rng).posterior()
    assert isinstance(surface, GPSurface)
    assert p.mean[9] > p.mean[0]


def test_intervals_hold_on_simulated_surfaces(seed):
    """16 arms, 12 surfaces: 95% intervals cover at least 90% (one-sided binomial, fails by chance 1 in 10,000)."""
    spec = WorldSpec(attributes=4, items=2000)
    surface, inside, arms = None, 0, 0
    for how in ALLOCATIONS:
        for run in range(4):
            rng = np.random.default_rng([seed, run])
            world = draw_world(spec, rng)
            items = allocate(world, 150, how, rng)
            counts = world.arms.counts(items, world.right[items])
            settings = SurfaceSettings(steps=100, learning_rate=0.02, inducing=16)
            surface = surface or GPSurface(world.arms.features, make_kind(), settings)
            surface.supported = active = world.arms.active()
            p = surface.fit(*counts, rng=rng).posterior(0.95)
            inside += int(((p.low <= world.truth) & (world.truth <= p.high))[active].sum())
            arms += int(active.sum())
    assert binomtest(inside, arms, 0.9, alternative="less").pvalue > 1e-4
    assert inside < arms, "intervals that never miss say nothing"


def make_kind():
    from altmas.surrogates.surface.estimators import GP_KINDS

    return GP_KINDS["betagp-slp"]


def test_pooling_does_not_depend_on_the_order_of_attributes():
    codes = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], dtype=float)
    right = np.where(codes[:, 0] == 0, 4.5, 0.5)
    wrong = 5 - right
    forward = pooled(right, wrong, codes)[0]
    backward = pooled(right, wrong, codes[:, ::-1].copy())[0]
    np.testing.assert_allclose(forward, backward)
    np.testing.assert_allclose(forward[codes[:, 0] == 1] + forward[codes[:, 0] == 0], 5.0)  # neither side is drawn more


def test_arms_without_answers_start_at_the_overall_accuracy():
    right, wrong = np.zeros(256), np.zeros(256)
    right[:9], wrong[9] = 1, 1
    codes = np.array(np.unravel_index(np.arange(256), [2] * 8)).T.astype(float)
    few = SurfaceSettings(steps=1, centred=True)
    mean = make_surface("betagp", codes, few).fit(right, wrong, rng=np.random.default_rng(0)).moments()[0]
    assert abs(mean[20:].mean() - 0.86) < 0.03  # 9.5 / 11; without centring it is 0.67
