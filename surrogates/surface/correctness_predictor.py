"""CPredictor: one regression of right or wrong on the attributes, shared by all arms."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtri

from altmas.metrics.types import FloatArray
from altmas.surrogates.outputs.logistic import fit_logistic
from altmas.surrogates.surface.arm_posterior import ArmPosterior, checked_counts, checked_level, overall_accuracy
from altmas.surrogates.surface.beta_mixture import moments_of_curve


class CPredictor:
    """logit rho_a = b0 + x_a b, by logistic regression with a normal prior on b (sd 1), on the counts.

    What is uncertain is b alone (a Laplace posterior): the interval says where the regression lies, not how far an arm
    departs from it, and is too narrow where arms do.

    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0]])
    >>> surface = CPredictor(x).fit([9, 2], [1, 8], rng=np.random.default_rng(0))
    >>> surface.moments()[0].round(1)
    array([0.7, 0.4])
    """

    def __init__(self, features: FloatArray, prior_sd: float = 1.0) -> None:
        centred = features - features.mean(0)
        self._x = np.column_stack([np.ones(len(features)), centred])
        self._prior_sd = np.array([3.0] + [prior_sd] * features.shape[1])

    def fit(self, right: ArrayLike, wrong: ArrayLike, *, rng: np.random.Generator) -> Self:
        """Nothing is random."""
        return self.update(right, wrong)

    def update(self, right: ArrayLike, wrong: ArrayLike) -> Self:
        """Newton's method takes milliseconds: the same as a new fit."""
        good, bad = checked_counts(right, wrong, len(self._x))
        total = good + bad
        seen = total > 0
        centre = np.zeros(self._x.shape[1])
        centre[0] = logit(overall_accuracy(good, bad))
        self._fit = fit_logistic(self._x[seen], good[seen] / total[seen], centre, self._prior_sd, total[seen])
        return self

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of rho `[A]` over the uncertain b."""
        return moments_of_curve(expit, *self._logits())

    def posterior(self, level: float = 0.95) -> ArmPosterior:
        """Moments and the interval of the regression."""
        centre, sd = self._logits()
        low, high = (expit(centre + sd * float(ndtri(tail))) for tail in checked_level(level))
        return ArmPosterior(*self.moments(), low, high, level)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Surfaces `[M, A]` of drawn coefficients."""
        return np.asarray(expit(self._fit.draw(draws, rng).T @ self._x.T))

    def _logits(self) -> tuple[FloatArray, FloatArray]:
        spread = np.linalg.solve(self._fit.precision, self._x.T)
        return self._x @ self._fit.coefficients, np.sqrt((self._x.T * spread).sum(0))
