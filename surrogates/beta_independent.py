"""Beta-I: each arm on its own, from a weak prior at the overall accuracy."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from altmas.surrogates.arm_posterior import ArmPosterior, FloatArray, checked_counts, checked_level, overall_accuracy
from altmas.surrogates.beta_posterior import BetaPosterior

STRENGTH = 0.1
"""lambda: pseudo-observations of the prior, as in the authors' program."""


class BetaIndependent:
    """rho_a ~ Beta(lambda kappa + right_a, lambda (1 - kappa) + wrong_a); the interval is that of this Beta.

    >>> import numpy as np
    >>> surface = BetaIndependent(2, strength=2.0).fit([3, 0], [0, 1], rng=np.random.default_rng(0))
    >>> surface.moments()[0].round(2)
    array([0.88, 0.47])
    """

    def __init__(self, arms: int, strength: float = STRENGTH) -> None:
        self.arms, self.strength = arms, strength

    def fit(self, right: ArrayLike, wrong: ArrayLike, *, rng: np.random.Generator) -> Self:
        """Add the counts to the prior; nothing is random."""
        return self.update(right, wrong)

    def update(self, right: ArrayLike, wrong: ArrayLike) -> Self:
        """The same as a new fit."""
        good, bad = checked_counts(right, wrong, self.arms)
        kappa = overall_accuracy(good, bad)
        self._beta = BetaPosterior.of(good + self.strength * kappa, bad + self.strength * (1 - kappa))
        return self

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance `[A]`."""
        return self._beta.mean, self._beta.variance

    def posterior(self, level: float = 0.95) -> ArmPosterior:
        """Moments and the Beta's own quantiles."""
        checked_level(level)
        low, high = self._beta.interval(level)
        return ArmPosterior(*self.moments(), low, high, level)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Independent Betas `[M, A]`."""
        return self._beta.draw(draws, rng)
