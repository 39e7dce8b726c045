"""The six estimators of an accuracy surface, by name: BernGP, BetaGP, BetaGP-SL and BetaGP-SLP are one class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.errors import InputError, rows_at_fault
from altmas.surrogates.arm_posterior import (
    ArmPosterior,
    FloatArray,
    SurfaceEstimator,
    checked_counts,
    overall_accuracy,
)
from altmas.surrogates.beta_independent import BetaIndependent
from altmas.surrogates.beta_mixture import BetaMixture, accuracy, gaussian_nodes, normal_interval, scale
from altmas.surrogates.correctness_predictor import CPredictor
from altmas.surrogates.surface_gp import Observations, SurfaceGP, SurfaceSettings
from altmas.surrogates.surface_pooling import pooled

__all__ = ["GP_KINDS", "SURFACES", "GPKind", "GPSurface", "SurfaceSettings", "checked_features", "make_surface"]

LEAST_TARGET, MOST_TARGET = 0.01, 10.0
"""An arm's number of observations is clipped to this before it supervises the scale."""


@dataclass(frozen=True)
class GPKind:
    """What tells the four apart: a second process for the scale, its supervision, and pooling."""

    beta: bool = True
    supervised: bool = False
    pooled: bool = False


class GPSurface:
    """rho over arms with features `[A, D]` by variational Gaussian processes (DESIGN section 8, Appendix C).

    `supported [A]` marks the arms that exist in the pool: they, and all observed ones, take part in the fit with their
    pseudo-observation; an arm that is neither costs nothing and still has an estimate.

    The interval is one of rho: quantiles of the Beta of its arm, mixed over what is unknown of f and g (a grid over
    their variational posterior). With `settings.own_answers` that Beta also holds the arm's own answers, as it does in
    the model (rho given f, g and the counts); without, it is Beta(mean, scale) alone, as in the paper, whose
    estimate is then the mean of the surface and whose intervals are much too wide (near 100% at 95%). BernGP has no
    Beta: its interval is that of sigma(6 f - 3).
    """

    def __init__(
        self, features: FloatArray, kind: GPKind, settings: SurfaceSettings | None = None, supported: Any = None
    ) -> None:
        self.kind, self.settings = kind, settings or SurfaceSettings()
        self.features = checked_features(features)
        arms = len(self.features)
        self.supported = np.ones(arms, bool) if supported is None else np.asarray(supported, dtype=bool)
        if self.supported.shape != (arms,):
            raise InputError("supported", f"be one value per arm, {arms:,}", f"shape {self.supported.shape}")
        self._gp = SurfaceGP(self.features, 2 if kind.beta else 1, self.settings)

    def fit(self, right: ArrayLike, wrong: ArrayLike, *, rng: np.random.Generator) -> Self:
        """New processes, `settings.steps` steps."""
        good, bad = checked_counts(right, wrong, len(self.features))
        total = good + bad
        strength = float(np.clip(total[total > 0], 1.0, MOST_TARGET).mean())
        self._gp.start(overall_accuracy(good, bad), strength, self._fitted(total), rng)
        return self._train(good, bad, self.settings.steps)

    def update(self, right: ArrayLike, wrong: ArrayLike) -> Self:
        """Go on from the last fit for `settings.update_steps` steps, the optimiser's memory kept."""
        good, bad = checked_counts(right, wrong, len(self.features))
        return self._train(good, bad, self.settings.update_steps)

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of rho `[A]`."""
        if self.kind.beta:
            return self._mixture().moments()
        mean, sd = self._gp.marginals()
        points, weights = gaussian_nodes(11)
        rho = accuracy(mean[0] + sd[0] * points[:, None])
        centre = weights @ rho
        return np.asarray(centre), np.asarray(weights @ np.square(rho - centre))

    def posterior(self, level: float = 0.95) -> ArmPosterior:
        """Moments and the interval of rho."""
        if self.kind.beta:
            return self._mixture().posterior(level)
        mean, sd = self._gp.marginals()
        return ArmPosterior(*self.moments(), *normal_interval(mean[0], sd[0], level), level)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Surfaces `[M, A]`: f and g drawn jointly over the arms, then each arm's Beta."""
        latent = self._gp.draw(draws, rng)
        mean = accuracy(latent[0])
        if not self.kind.beta:
            return mean
        strength = scale(latent[1])
        right, wrong = self._own
        return np.asarray(rng.beta(mean * strength + right, (1 - mean) * strength + wrong))

    @property
    def lengths(self) -> FloatArray:
        """Kernel length of f, and of g if there is one."""
        return self._gp.length

    def scales(self) -> FloatArray:
        """Expected scale of each arm's Beta `[A]`; NaN for BernGP."""
        if not self.kind.beta:
            return np.full(len(self.features), np.nan)
        mean, sd = self._gp.marginals()
        points, weights = gaussian_nodes(11)
        return np.asarray(weights @ scale(mean[1] + sd[1] * points[:, None]))

    def _mixture(self) -> BetaMixture:
        mean, sd = self._gp.marginals()
        return BetaMixture(mean[0], sd[0], mean[1], sd[1], *self._own)

    def _fitted(self, total: FloatArray) -> Any:
        return np.flatnonzero(self.supported | (total > 0))

    def _train(self, good: FloatArray, bad: FloatArray, steps: int) -> Self:
        total, kappa, extra = good + bad, overall_accuracy(good, bad), self.settings.pseudo_count
        right, wrong = pooled(good, bad, self._gp.embedded()) if self.kind.pooled else (good, bad)
        arms = self._fitted(total)
        seen = Observations(
            right[arms] + extra * kappa,
            wrong[arms] + extra * (1 - kappa),
            np.clip(total[arms], LEAST_TARGET, MOST_TARGET),
            ((total[arms] > 0) & self.kind.supervised).astype(np.float64),
        )
        self._gp.train(arms, seen, steps)
        self._own = (good, bad) if self.settings.own_answers else (np.zeros_like(good), np.zeros_like(bad))
        return self


def checked_features(features: ArrayLike) -> FloatArray:
    """Arm features `[A, D]`, finite."""
    x = np.asarray(features, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape:
        raise InputError("features", "be [A, D], a row per arm", f"shape {x.shape}")
    if not np.isfinite(x).all():
        raise InputError("features", "be finite", rows_at_fault(np.flatnonzero(~np.isfinite(x).all(1))))
    return x


GP_KINDS = {
    "berngp": GPKind(beta=False),
    "betagp": GPKind(),
    "betagp-sl": GPKind(supervised=True),
    "betagp-slp": GPKind(supervised=True, pooled=True),
}
SURFACES = ("beta-i", "cpredictor", *GP_KINDS)
"""Names of the estimators, simplest first."""


def make_surface(
    name: str, features: ArrayLike, settings: SurfaceSettings | None = None, supported: Any = None
) -> SurfaceEstimator:
    """An estimator by name, over arms with these features `[A, D]`.

    >>> type(make_surface("beta-i", [[0.0], [1.0]])).__name__
    'BetaIndependent'
    """
    x = checked_features(features)
    if name == "beta-i":
        return BetaIndependent(len(x))
    if name == "cpredictor":
        return CPredictor(x)
    if name not in GP_KINDS:
        raise InputError("surface", f"be one of {', '.join(SURFACES)}", repr(name))
    return GPSurface(x, GP_KINDS[name], settings, supported)
