"""What all arms of a surface share: doubt about the overall level; and the forms that are there to be compared with."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from altmas import InputError
from altmas.surfaces.combinations import Combinations
from altmas.surfaces.recipe import deep_start, usual_settings
from altmas.surrogates.surface.beta_independent import BetaIndependent
from altmas.surrogates.surface.estimators import GP_KINDS, GPSurface, SurfaceSettings, make_surface

CODES = np.array(np.unravel_index(np.arange(256), [2] * 8)).T.astype(float)


def overall(surface, rng):
    """The 95% interval of the mean over all arms."""
    return np.quantile(surface.draw(1000, rng).mean(1), [0.025, 0.975])


def test_the_overall_accuracy_of_independent_arms_is_in_doubt(seed):
    """60 labels on 1,024 arms, 60 surfaces: 95% intervals cover at least 90% (fails by chance 1 in 10,000)."""
    rng, held = np.random.default_rng(seed), 0
    for _ in range(60):
        rho = rng.beta(16, 4, 1024)
        arms = rng.integers(1024, size=60)
        right = np.bincount(arms, rng.random(60) < rho[arms], minlength=1024)
        wrong = np.bincount(arms, minlength=1024) - right
        low, high = overall(BetaIndependent(1024, strength=2.0).fit(right, wrong, rng=rng), rng)
        held += low <= rho.mean() <= high
    assert binomtest(held, 60, 0.9, alternative="less").pvalue > 1e-4


def test_the_papers_independent_arms_stand_at_the_share_of_right_answers():
    """Algorithm 1, lines 3 to 8, with half an answer each way in kappa: an arm without answers stands there."""
    right, wrong = np.array([3.0, 0, 0]), np.array([0.0, 1, 0])
    kappa = 3.5 / 5
    mean, variance = make_surface("beta-i", np.zeros((3, 1)), SurfaceSettings()).fit(right, wrong, rng=None).moments()
    np.testing.assert_allclose(mean, (right + 0.1 * kappa) / (right + wrong + 0.1))
    np.testing.assert_allclose(variance[2], kappa * (1 - kappa) / 1.1)
    doubted = make_surface("beta-i", np.zeros((3, 1)), SurfaceSettings(level_sd=0.5)).fit(right, wrong, rng=None)
    assert doubted.moments()[1][2] > variance[2]
    with pytest.raises(InputError, match="pseudo_count of beta-i must be a number above 0; got 0"):
        make_surface("beta-i", [[0.0]], SurfaceSettings(pseudo_count=0))


def test_a_process_that_doubts_its_level_does_not_average_it_away():
    """20 labels on 256 arms, 16 right: a binomial interval is 0.34 wide, one with 0.1 made-up labels per arm 0.20."""
    right, wrong = np.zeros(256), np.zeros(256)
    right[::16], wrong[8::64] = 1, 1
    use = SurfaceSettings(steps=150, learning_rate=0.03, inducing=16, centred=True, level_sd=0.5)
    surface = make_surface("betagp", CODES, use).fit(right, wrong, rng=np.random.default_rng(0))
    low, high = overall(surface, np.random.default_rng(1))
    assert low < 0.8 < high
    assert 0.28 < high - low < 0.4


@pytest.mark.parametrize("name", ["betagp", "betagp-slp"])
def test_answers_that_are_all_right_leave_arms_without_any_in_doubt(name):
    """300 of 300 right in half of 512 arms: at least 99.2% overall (Jeffreys); of an unseen arm less is known."""
    x = np.array(np.unravel_index(np.arange(512), [2] * 9)).T.astype(float)
    rng = np.random.default_rng(0)
    right = np.bincount(rng.choice(rng.permutation(512)[:256], 300), minlength=512).astype(float)
    use = replace(usual_settings(name), steps=300, learning_rate=0.03, inducing=20)
    surface = make_surface(name, x, use).fit(right, np.zeros(512), rng=rng)
    found, unseen = surface.posterior(), right == 0
    assert 0.5 < found.low[unseen].mean() < 0.97
    low, high = overall(surface, rng)
    assert 0.96 < low < 0.993
    assert high > 0.995


def test_draws_are_joint():
    """Two arms at the same place are the same arm to f: their draws move together, with few inducing points too."""
    x = np.repeat(np.arange(6.0), 2)[:, None]
    use = SurfaceSettings(steps=40, learning_rate=0.05, inducing=2)
    surface = make_surface("berngp", x, use).fit(
        np.tile([2.0, 0], 6), np.tile([0.0, 1], 6), rng=np.random.default_rng(0)
    )
    draws = surface.draw(2000, np.random.default_rng(1))
    within = [np.corrcoef(draws[:, 2 * k], draws[:, 2 * k + 1])[0, 1] for k in range(6)]
    assert min(within) > 0.98


def test_every_attribute_has_a_length_of_its_own():
    """Only the first of six matters: its kernel is the shortest, and it takes the error down."""
    codes = np.array(np.unravel_index(np.arange(64), [2] * 6)).T.astype(float)
    truth, errors = np.where(codes[:, 0] > 0, 0.95, 0.5), {}
    rng = np.random.default_rng(0)
    right = rng.binomial(4, truth).astype(float)
    for sd in (0.0, 0.5):
        use = SurfaceSettings(steps=300, learning_rate=0.03, inducing=20, length_sd=sd)
        surface = make_surface("betagp", codes, use).fit(right, 4 - right, rng=np.random.default_rng(1))
        errors[sd] = np.square(surface.moments()[0] - truth).mean()
    stretch = surface._gp._variables["stretch"].numpy()[0]
    assert stretch.argmin() == 0
    assert errors[0.5] < errors[0.0]


def test_draws_and_moments_agree_where_the_level_is_in_doubt():
    right, wrong = np.tile([3.0, 1.0], 5), np.tile([1.0, 2.0], 5)
    use = SurfaceSettings(steps=60, learning_rate=0.05, inducing=10, level_sd=0.5)
    surface = make_surface("betagp", np.arange(10.0)[:, None], use).fit(right, wrong, rng=np.random.default_rng(0))
    mean, variance = surface.moments()
    draws = surface.draw(4000, np.random.default_rng(1))
    np.testing.assert_allclose(draws.mean(0), mean, atol=0.03)  # the mean of 4,000 draws has sd below 0.005
    np.testing.assert_allclose(draws.std(0), np.sqrt(variance), rtol=0.15)


def test_doubt_below_nothing_is_refused():
    with pytest.raises(InputError, match=r"level_sd must be a number of at least 0; got -1"):
        SurfaceSettings(level_sd=-1)


def test_two_shapes_in_place_of_mean_and_scale():
    """Appendix B's form learns the surface's level, and its moments are those of Beta(softplus f, softplus g)."""
    use = SurfaceSettings(steps=200, learning_rate=0.05, inducing=10, own_answers=False)
    surface = make_surface("betagp-ab", np.arange(10.0)[:, None], use)
    assert isinstance(surface, GPSurface)
    surface.fit(np.full(10, 18.0), np.full(10, 2.0), rng=np.random.default_rng(0))
    mean, variance = surface.moments()
    np.testing.assert_allclose(mean, 0.9, atol=0.03)
    # Variance of a Beta of that mean and scale, and a little for what is unknown of both.
    assert np.all(variance >= mean * (1 - mean) / (surface.scales() + 1) * 0.9)


def test_supervision_is_a_mean_over_observed_arms(monkeypatch):
    surface = GPSurface(CODES, GP_KINDS["betagp-sl"], SurfaceSettings(inducing=4))
    given = []
    monkeypatch.setattr(surface._gp, "train", lambda arms, seen, steps: given.append((len(arms), seen.supervised)))
    right = np.zeros(256)
    right[:64] = 2
    surface.fit(right, np.zeros(256), rng=np.random.default_rng(0))
    arms, weight = given[0]
    assert arms == 256
    np.testing.assert_allclose(weight[:64], 4.0)  # 256 fitted arms, 64 observed
    assert not weight[64:].any()


def test_a_deep_kernel_starts_from_the_layer_it_is_given():
    people = {"hat": ["no", "yes", "no"] * 30, "hair": ["fair", "dark", "grey"] * 30}
    arms = Combinations.build(people)
    features, layer = deep_start(arms)
    surface = make_surface("betagp-slp", features, SurfaceSettings(steps=2, learning_rate=1e-9, deep=3), layer=layer)
    surface.fit(np.ones(6), np.ones(6), rng=np.random.default_rng(0))
    assert isinstance(surface, GPSurface)
    np.testing.assert_allclose(surface._gp._variables["hidden"].numpy(), layer[0], atol=1e-6)
    assert surface._gp.embedded().shape == (6, 3)
