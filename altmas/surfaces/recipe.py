"""How an accuracy surface is made: which estimator, trained how, and over what arms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.core.checks import whole_number
from altmas.core.streams import stream
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.surfaces.combinations import ACTIVE, Combinations
from altmas.surfaces.membership import Membership

if TYPE_CHECKING:
    from altmas.surrogates.surface.affiliation import ArmAnswers
    from altmas.surrogates.surface.arm_posterior import SurfaceBelief, SurfaceEstimator
    from altmas.surrogates.surface.gp import Layer, SurfaceSettings

DEFAULT = "betagp"
"""On real pools and simulated ones at least as good as the others; see docs/surface-results.md."""

_NUMBERS_DRAWN, _FEWEST_DRAWS, _MOST_DRAWS = 8_000_000, 200, 4000
"""Numbers that the draws of a whole surface may hold together, and the fewest and most draws that are made."""


@dataclass(frozen=True)
class SurfaceRecipe:
    """How a surface is made: the estimator's name, its `SurfaceSettings`, and what counts as an arm.

    Settings may be a mapping, as a file or a command has them; what it does not name is as usual.

    Arms with fewer than `least` items of the pool are estimated, but take no part in P(worst). A column of numbers with
    more than `bins` values is cut at its quantiles. `features [A, D]`, a row per arm in the order of
    `Combinations.codes`, are what the kernel sees in place of the attributes: an embedding of your own.

    >>> SurfaceRecipe("beta-i").estimator
    'beta-i'
    """

    estimator: str = DEFAULT
    settings: SurfaceSettings | Mapping[str, Any] | None = None
    least: int = ACTIVE
    bins: int = 5
    features: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        from altmas.surrogates.surface.estimators import SURFACES

        if self.estimator not in SURFACES:
            raise InputError("estimator of a surface", f"be one of {', '.join(SURFACES)}", repr(self.estimator))
        whole_number("least", self.least, 1)
        whole_number("bins", self.bins, 2)
        object.__setattr__(self, "settings", _settings(self.settings, self.estimator))

    @classmethod
    def of(cls, given: str | SurfaceRecipe | None) -> SurfaceRecipe:
        """The recipe given, or the usual one of the estimator named."""
        return given if isinstance(given, SurfaceRecipe) else cls() if given is None else cls(given)

    def make(self, where: Membership) -> SurfaceEstimator:
        """The estimator over these arms, not fitted yet."""
        from altmas.surrogates.surface.estimators import GP_KINDS, make_surface

        settings = _settings(self.settings, self.estimator) or usual_settings(self.estimator)
        features, layer = self._features(where.arms), None
        if settings.deep and self.features is None and self.estimator in GP_KINDS:
            features, layer = deep_start(where.arms, where.layer)
        return make_surface(self.estimator, features, settings, self.active(where), layer)

    def fitted(self, where: Membership, answers: ArmAnswers, rng: np.random.Generator) -> SurfaceBelief:
        """The estimator, fitted to answers; where attributes are guessed, the arms of the answers are drawn too."""
        surface = self.make(where)
        if where.sure:
            return surface.fit(*answers.expected(), rng=rng)
        from altmas.surrogates.surface.imputed_surface import ImputedSurface

        return ImputedSurface(surface, draws_for(where.arms.size)).fit(answers, rng=rng)

    def _features(self, arms: Combinations) -> FloatArray:
        if self.features is not None:
            features = np.asarray(self.features, dtype=np.float64)
            if len(features) != arms.size:
                raise InputError("features of a surface", f"be a row per arm, {arms.size:,}", f"{len(features):,} rows")
            return features
        # Beta-I looks at no attribute: the table of them all, which may be large, is not made for it.
        return np.zeros((arms.size, 1)) if self.estimator == "beta-i" else arms.features

    def active(self, where: Membership) -> Any:
        """Arms with enough items to be judged `[A]`; where none has enough, the largest."""
        return where.support >= min(float(self.least), float(where.support.max()))


def draws_for(arms: int) -> int:
    """How many draws of a whole surface: as many as fit, at least 200, at most 4,000.

    >>> draws_for(6), draws_for(4096)
    (4000, 1953)
    """
    return int(np.clip(_NUMBERS_DRAWN // arms, _FEWEST_DRAWS, _MOST_DRAWS))


def usual_settings(estimator: str = DEFAULT) -> SurfaceSettings:
    """Where altmas departs from the paper; docs/surface-results.md has the figures.

    Ten times the paper's learning rate, with which 1,000 steps hardly move a kernel; a centred start; doubt about the
    overall level; a kernel length for each attribute. Beta-I, which has nothing but its prior to lean on, has two
    observations there in place of 0.1.

    >>> usual_settings("beta-i").pseudo_count
    2.0
    """
    from altmas.surrogates.surface.gp import SurfaceSettings

    strength = 2.0 if estimator == "beta-i" else 0.1
    return SurfaceSettings(learning_rate=0.01, centred=True, level_sd=0.5, length_sd=0.5, pseudo_count=strength)


def _settings(given: Any, estimator: str) -> SurfaceSettings | None:
    from altmas.surrogates.surface.gp import SurfaceSettings

    if given is None or isinstance(given, SurfaceSettings):
        return given
    if not isinstance(given, Mapping):
        raise InputError("settings of a surface", "be SurfaceSettings, or some of them by name", repr(given)[:60])
    try:
        return replace(usual_settings(estimator), **given)
    except TypeError as error:
        said = str(error).split("() ")[-1].removeprefix("got ")
        raise InputError("settings of a surface", "be known", said) from None


def deep_start(arms: Combinations, layer: Layer | None = None, seed: int = 0) -> tuple[FloatArray, Layer]:
    """One-hot features of the arms `[A, T]`, and a layer over them.

    The paper starts its deep kernel from the network that calibrates predicted attributes (Appendix C): `layer`. Where
    attributes are known there is nothing to calibrate, and the network's other half, the joint potential, is trained on
    the items' attributes as they are.

    >>> arms = Combinations.build({"hat": ["no", "yes"] * 20, "hair": ["fair", "dark"] * 20})
    >>> features, (weights, biases) = deep_start(arms)
    >>> features.shape, weights.shape, biases.shape
    ((4, 4), (4, 32), (32,))
    """
    from altmas.surrogates.surface.attribute_calibration import joint_potential, one_hot

    sizes = [len(one.values) for one in arms.attributes]
    if layer is None:
        rng = stream(seed, "surface", "deep start")
        layer = joint_potential(arms.codes[arms.index], sizes, rng=rng).weights[:2]
    return one_hot(arms.codes, sizes), layer
