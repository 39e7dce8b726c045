"""Posteriors of group accuracies: Beta distributions, alone or mixed over the uncertain parameters of their prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv

from altmas.metrics.types import FloatArray

_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class BetaPosterior:
    """theta_g ~ sum_h weight_h Beta(right_hg, wrong_hg), over any leading axes.

    `right` and `wrong` are `[H, ..., G]`, `weights` `[H, ...]`. A plain Beta posterior has H = 1.

    >>> flat = BetaPosterior.of([3.0], [1.0])
    >>> flat.mean, flat.interval(0.9).round(2)
    (array([0.75]), array([[0.37],
           [0.98]]))
    """

    right: FloatArray
    wrong: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, right: ArrayLike, wrong: ArrayLike) -> BetaPosterior:
        """Independent Beta posteriors."""
        a = np.asarray(right, dtype=np.float64)
        return cls(a[None], np.asarray(wrong, dtype=np.float64)[None], np.ones((1, *a.shape[:-1])))

    @property
    def mean(self) -> FloatArray:
        """Mean posterior estimate `[..., G]`."""
        return self._mixed(self.right / (self.right + self.wrong))

    @property
    def variance(self) -> FloatArray:
        """Posterior variance `[..., G]`, prior uncertainty included."""
        total = self.right + self.wrong
        centre = self.right / total
        spread = centre * (1 - centre) / (total + 1)
        return np.maximum(self._mixed(spread + centre**2) - self.mean**2, 1e-300)

    def interval(self, level: float) -> FloatArray:
        """Central credible interval `[2, ..., G]`."""
        tails = [(1 - level) / 2, (1 + level) / 2]
        return np.stack([self.quantile(tail) for tail in tails])

    def quantile(self, tail: float) -> FloatArray:
        """The value below which theta lies with this probability: closed form for a Beta, halving for a mixture."""
        if len(self.right) == 1:
            return np.asarray(betaincinv(self.right[0], self.wrong[0], tail))
        low, high = np.zeros(self.right.shape[1:]), np.ones(self.right.shape[1:])
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below = self.below(middle) < tail
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return (low + high) / 2

    def below(self, value: ArrayLike) -> FloatArray:
        """P(theta_g < value) `[..., G]`."""
        return self._mixed(np.asarray(betainc(self.right, self.wrong, np.clip(value, 0.0, 1.0))))

    def matched(self) -> BetaPosterior:
        """One Beta per group with the mixture's mean and variance: quicker, and close."""
        mean, variance = self.mean, self.variance
        size = mean * (1 - mean) / variance - 1
        return BetaPosterior.of(mean * size, (1 - mean) * size)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Coherent draws `[M, ..., G]`: all groups of a draw share one set of prior parameters."""
        parts, leading = len(self.right), self.weights.shape[1:]
        if parts == 1:
            return rng.beta(self.right[0], self.wrong[0], (draws, *self.right.shape[1:]))
        edges = np.cumsum(self.weights, axis=0)
        edges[-1] = 1.0
        which = (rng.random((draws, 1, *leading)) > edges).sum(1)  # [M, ...]
        picked = which[None, ..., None]
        right = np.take_along_axis(self.right[:, None], picked, axis=0)[0]
        wrong = np.take_along_axis(self.wrong[:, None], picked, axis=0)[0]
        return np.asarray(rng.beta(right, wrong))

    def distribution(self) -> Any:
        """The same as a batched TensorFlow Probability distribution."""
        from altmas.surrogates.backend import tensorflow_probability

        tfd = tensorflow_probability().distributions
        if len(self.right) == 1:
            return tfd.Beta(self.right[0], self.wrong[0])
        moved = [np.moveaxis(part, 0, -1) for part in (self.right, self.wrong)]
        weights = np.broadcast_to(np.moveaxis(self.weights, 0, -1)[..., None, :], moved[0].shape)
        return tfd.MixtureSameFamily(tfd.Categorical(probs=weights), tfd.Beta(*moved))

    def _mixed(self, parts: FloatArray) -> FloatArray:
        return np.asarray((self.weights[..., None] * parts).sum(0))
