"""A surface where attributes are guessed: the arms of the labelled items are drawn in turn with the surface itself."""

from __future__ import annotations

from typing import Self

import numpy as np

from altmas.metrics.types import FloatArray
from altmas.surrogates.surface.affiliation import ArmAnswers
from altmas.surrogates.surface.arm_posterior import ArmPosterior, SurfaceEstimator, checked_level

TURNS, WARM_UP = 30, 10


class ImputedSurface:
    """The belief about rho by data augmentation (Tanner and Wong 1987) around an estimator.

    Spread by P(a|x), as in the paper, an answer counts a little for every arm its item may belong to: neighbours blur
    the surface, and its arm passes for known. Here, in turn, each answer's arm is drawn from P(a|x) and what the
    answer says (`ArmAnswers.drawn`), and a surface from the estimator, updated to those answers. The belief is
    the mixture over `TURNS` of them; it is as good as P(a|x) is.

    >>> from altmas.surrogates.surface.beta_independent import BetaIndependent
    >>> alike = ArmAnswers(np.array([[0, 1]] * 8), np.full((8, 2), 0.5), np.ones((8, 2)), np.ones(8), 2)
    >>> found = ImputedSurface(BetaIndependent(2), draws=300).fit(alike, rng=np.random.default_rng(0))
    >>> found.draw(4, np.random.default_rng(1)).shape
    (4, 2)
    """

    def __init__(self, surface: SurfaceEstimator, draws: int) -> None:
        self._surface, self._each = surface, -(-draws // TURNS)

    def fit(self, answers: ArmAnswers, *, rng: np.random.Generator) -> Self:
        """Start from soft counts, then draw arms and surface in turn; the first `WARM_UP` turns are not kept."""
        self._surface.fit(*answers.expected(), rng=rng)
        moments, draws = [], []
        for turn in range(WARM_UP + TURNS):
            accuracy = np.clip(self._surface.draw(1, rng)[0], 0.0, 1.0)
            self._surface.update(*answers.drawn(accuracy, rng))
            if turn >= WARM_UP:
                moments.append(self._surface.moments())
                draws.append(self._surface.draw(self._each, rng))
        means, variances = np.array(moments).transpose(1, 0, 2)
        self._moments = means.mean(0), variances.mean(0) + means.var(0)
        self._draws: FloatArray = np.concatenate(draws)
        return self

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of rho `[A]`."""
        return self._moments

    def posterior(self, level: float = 0.95) -> ArmPosterior:
        """Moments, and quantiles of the draws."""
        low, high = np.quantile(self._draws, checked_level(level), axis=0)
        return ArmPosterior(*self._moments, low, high, level)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Some of the draws, each once as far as they go `[M, A]`."""
        rows = np.concatenate([rng.permutation(len(self._draws)) for _ in range(-(-draws // len(self._draws)))])
        return np.asarray(self._draws[rows[:draws]])
