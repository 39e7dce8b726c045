"""The six estimators of an accuracy surface, by name: BernGP, BetaGP, BetaGP-SL and BetaGP-SLP are one class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray
from altmas.surrogates.surface.arm_posterior import ArmPosterior, SurfaceEstimator, checked_counts, overall_accuracy
from altmas.surrogates.surface.beta_independent import BetaIndependent
from altmas.surrogates.surface.beta_mixture import (
    BetaMixture,
    Curve,
    alpha_and_beta,
    gaussian_nodes,
    mean_accuracy,
    mean_and_scale,
    moments_of_curve,
    normal_interval,
)
from altmas.surrogates.surface.correctness_predictor import CPredictor
from altmas.surrogates.surface.gp import Form, Layer, Observations, SurfaceGP, SurfaceSettings
from altmas.surrogates.surface.pooling import pooled

__all__ = ["GP_KINDS", "SURFACES", "GPKind", "GPSurface", "SurfaceSettings", "checked_features", "make_surface"]

LEAST_TARGET, MOST_TARGET = 0.01, 10.0
"""An arm's number of observations is clipped to this before it supervises the scale."""

FEWEST_ANSWERS = 10.0
"""Pseudo-observations never become fewer than those that go with this many answers."""


@dataclass(frozen=True)
class GPKind:
    """What tells the GPs apart: what the processes stand for, supervision of the scale, and pooling."""

    form: Form = "mean-scale"
    supervised: bool = False
    pooled: bool = False

    @property
    def beta(self) -> bool:
        """Whether arms scatter around the curve, as a Beta."""
        return self.form != "bernoulli"

    @property
    def curve(self) -> Curve:
        """From f and g to the pseudo-counts of an arm's Beta."""
        return alpha_and_beta if self.form == "alpha-beta" else mean_and_scale


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
        self, features: FloatArray, kind: GPKind, settings: SurfaceSettings | None = None, supported: Any = None,
        layer: Layer | None = None,
    ) -> None:  # fmt: skip
        self.kind, self.settings = kind, settings or SurfaceSettings()
        self.features = checked_features(features)
        arms = len(self.features)
        self.supported = np.ones(arms, bool) if supported is None else np.asarray(supported, dtype=bool)
        if self.supported.shape != (arms,):
            raise InputError("supported", f"be one value per arm, {arms:,}", f"shape {self.supported.shape}")
        self._gp = SurfaceGP(self.features, kind.form, self.settings, layer)

    def fit(self, right: ArrayLike, wrong: ArrayLike, *, rng: np.random.Generator) -> Self:
        """New processes, `settings.steps` steps."""
        good, bad = checked_counts(right, wrong, len(self.features))
        total = good + bad
        strength = float(np.clip(total[total > 0], 1.0, MOST_TARGET).mean())
        self._gp.start(overall_accuracy(good, bad), strength, self._fitted(total), rng)
        if self.kind.pooled and self.settings.deep:
            # Neighbours by a layer that has learnt nothing yet: half-way they are looked for again.
            self._train(good, bad, self.settings.steps // 2)
            return self._train(good, bad, self.settings.steps - self.settings.steps // 2)
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
        return moments_of_curve(mean_accuracy, mean[0], sd[0])

    def posterior(self, level: float = 0.95) -> ArmPosterior:
        """Moments and the interval of rho."""
        if self.kind.beta:
            return self._mixture().posterior(level)
        mean, sd = self._gp.marginals()
        return ArmPosterior(*self.moments(), *normal_interval(mean[0], sd[0], level), level)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Surfaces `[M, A]`: f and g drawn jointly over the arms, then each arm's Beta."""
        latent = self._gp.draw(draws, rng)
        if not self.kind.beta:
            return mean_accuracy(latent[0])
        right, wrong = self.kind.curve(latent[0], latent[1])
        return np.asarray(rng.beta(right + self._own[0], wrong + self._own[1]))

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
        right, wrong = self.kind.curve(*(m + s * points[:, None] for m, s in zip(mean, sd, strict=True)))
        return np.asarray(weights @ (right + wrong))

    def _mixture(self) -> BetaMixture:
        mean, sd = self._gp.marginals()
        return BetaMixture(mean[0], sd[0], mean[1], sd[1], *self._own, self.kind.curve)

    def _fitted(self, total: FloatArray) -> Any:
        return np.flatnonzero(self.supported | (total > 0))

    def _train(self, good: FloatArray, bad: FloatArray, steps: int) -> Self:
        total, kappa = good + bad, overall_accuracy(good, bad)
        right, wrong = pooled(good, bad, self._gp.embedded()) if self.kind.pooled else (good, bad)
        arms = self._fitted(total)
        # With thousands of arms the pseudo-observations would outnumber a few answers, so they are limited to a number
        # per answer. Some must remain: the first answers are often all right, and the surface would be too sure.
        extra = self.settings.pseudo_count * min(1.0, max(total.sum(), FEWEST_ANSWERS) / len(arms))
        observed = (total[arms] > 0).astype(np.float64)
        seen = Observations(
            right[arms] + extra * kappa,
            wrong[arms] + extra * (1 - kappa),
            np.clip(total[arms], LEAST_TARGET, MOST_TARGET),
            # The paper takes the mean over observed arms here, over fitted arms in the likelihood; ours are sums.
            self.kind.supervised * observed * len(arms) / max(observed.sum(), 1.0),
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
    "berngp": GPKind("bernoulli"),
    "betagp": GPKind(),
    "betagp-sl": GPKind(supervised=True),
    "betagp-slp": GPKind(supervised=True, pooled=True),
    "betagp-ab": GPKind("alpha-beta"),
}
"""Settings by name. `betagp-ab` is only for comparison (Table 7) and is not offered among the estimators."""

SURFACES = ("beta-i", "cpredictor", *(name for name in GP_KINDS if name != "betagp-ab"))
"""Names of the estimators, simplest first."""


def make_surface(
    name: str,
    features: ArrayLike,
    settings: SurfaceSettings | None = None,
    supported: Any = None,
    layer: Layer | None = None,
) -> SurfaceEstimator:
    """An estimator by name, over arms with these features `[A, D]`; `layer` is where a deep kernel starts.

    >>> type(make_surface("beta-i", [[0.0], [1.0]])).__name__
    'BetaIndependent'
    """
    x = checked_features(features)
    if name == "beta-i":
        use = settings or SurfaceSettings()
        return BetaIndependent(len(x), use.pseudo_count, doubted=use.level_sd > 0)
    if name == "cpredictor":
        return CPredictor(x)
    if name not in GP_KINDS:
        raise InputError("surface", f"be one of {', '.join(SURFACES)}", repr(name))
    return GPSurface(x, GP_KINDS[name], settings, supported, layer)
