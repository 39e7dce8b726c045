"""Beta-I: each arm on its own, from a prior at the overall accuracy."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, expit, softmax

from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.surface.arm_posterior import ArmPosterior, checked_counts, checked_level, overall_accuracy

STRENGTH = 0.1
"""lambda: pseudo-observations of the prior, as in the authors' program."""

LEVELS = 15
"""The belief about the overall accuracy kappa is held as this many equally likely values."""

_GRID = expit(np.linspace(-9.0, 9.0, 361))
_PAIRS_AT_ONCE = 1024


class BetaIndependent:
    """rho_a ~ Beta(lambda kappa + right_a, lambda (1 - kappa) + wrong_a), mixed over the overall accuracy kappa.

    The paper puts kappa at the share of right answers (`doubted=False`), and then few answers leave the mean of many
    arms far too sure.

    >>> import numpy as np
    >>> surface = BetaIndependent(2, strength=2.0).fit([3, 0], [0, 1], rng=np.random.default_rng(0))
    >>> surface.moments()[0].round(2)
    array([0.84, 0.4 ])
    """

    def __init__(self, arms: int, strength: float = STRENGTH, *, doubted: bool = True) -> None:
        if not strength > 0:
            raise InputError("pseudo_count of beta-i", "be a number above 0", strength)
        self.arms, self.strength, self.doubted = arms, strength, doubted

    def fit(self, right: ArrayLike, wrong: ArrayLike, *, rng: np.random.Generator) -> Self:
        """Add the counts to the prior; nothing is random."""
        return self.update(right, wrong)

    def update(self, right: ArrayLike, wrong: ArrayLike) -> Self:
        """The same as a new fit."""
        good, bad = checked_counts(right, wrong, self.arms)
        share = np.array([overall_accuracy(good, bad)])
        kappa = (overall_levels(good, bad, self.strength) if self.doubted else share)[:, None]
        weights = np.full(len(kappa), 1 / len(kappa))
        self._beta = BetaPosterior(good + self.strength * kappa, bad + self.strength * (1 - kappa), weights)
        return self

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance `[A]`."""
        return self._beta.mean, self._beta.variance

    def posterior(self, level: float = 0.95) -> ArmPosterior:
        """Moments and the mixture's own quantiles."""
        checked_level(level)
        low, high = self._beta.interval(level)
        return ArmPosterior(*self.moments(), low, high, level)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Betas `[M, A]`; the arms of a draw share its kappa."""
        return self._beta.draw(draws, rng)


def overall_levels(right: FloatArray, wrong: FloatArray, strength: float) -> FloatArray:
    """Equally likely values of kappa `[LEVELS]`, by the Beta-binomial likelihood of the arms and Jeffreys' prior.

    >>> overall_levels(np.array([8.0]), np.array([2.0]), strength=1e6)[[0, 7, 14]].round(2)
    array([0.52, 0.79, 0.95])
    """
    seen = right + wrong > 0
    # Arms with equal counts have equal likelihoods, which are computed once: most arms have one or two answers.
    pairs, times = np.unique(np.stack([right[seen], wrong[seen]]), axis=1, return_counts=True)
    a, b = strength * _GRID[:, None], strength * (1 - _GRID[:, None])
    height = np.zeros(len(_GRID))
    for start in range(0, len(times), _PAIRS_AT_ONCE):
        rows = slice(start, start + _PAIRS_AT_ONCE)
        height += (betaln(a + pairs[0, rows], b + pairs[1, rows]) - betaln(a, b)) @ times[rows]
    # Jeffreys' prior is 1 / sqrt(kappa (1 - kappa)); the grid is even in the logit, which adds kappa (1 - kappa).
    height += 0.5 * np.log(_GRID * (1 - _GRID))
    share = softmax(height)
    below = np.cumsum(share) - share / 2  # half of a point's own mass lies below it
    middles = (np.arange(LEVELS) + 0.5) / LEVELS
    return np.asarray(np.interp(middles, below, _GRID))
