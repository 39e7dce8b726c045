"""rho ~ Beta(mean sigma(6 f - 3), scale softplus(g)) with f and g uncertain: the mixture over a Gaussian grid.

The two curves are those of the authors' program: f of order 1 spans accuracies from 5% to 95%.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import betainc, betaincinv, expit, ndtri

from altmas.metrics.types import FloatArray
from altmas.surrogates.surface.arm_posterior import ArmPosterior, checked_level

SLOPE, OFFSET = 6.0, -3.0
NEAR = 1e-5
"""Means stay this far from 0 and 1, scales above a hundred times it, as in the authors' program."""

NODES_F, NODES_G = 21, 3

Curve = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
"""From f and g to the two pseudo-counts of an arm's Beta."""

_QUANTILES_AT_ONCE = 512


def mean_accuracy(f: FloatArray) -> FloatArray:
    """The mean accuracy at f.

    >>> mean_accuracy(np.array([0.5, 1.0])).round(2)
    array([0.5 , 0.95])
    """
    return np.asarray(np.clip(expit(SLOPE * f + OFFSET), NEAR, 1 - NEAR))


def scale(g: FloatArray) -> FloatArray:
    """The strength of the Beta at g, in observations."""
    return np.maximum(np.logaddexp(0.0, g), 100 * NEAR)


def mean_and_scale(f: FloatArray, g: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pseudo-counts right and wrong of Beta(mean sigma(6 f - 3), scale softplus(g)).

    >>> [float(part.round(2)) for part in mean_and_scale(np.array(0.5), np.array(10.0))]
    [5.0, 5.0]
    """
    mean, strength = mean_accuracy(f), scale(g)
    return mean * strength, (1 - mean) * strength


def alpha_and_beta(f: FloatArray, g: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pseudo-counts that are curves of their own: the form that Appendix B finds worse."""
    return scale(f), scale(g)


@cache
def gaussian_nodes(count: int) -> tuple[FloatArray, FloatArray]:
    """Points and weights of Gauss and Hermite for a standard normal.

    >>> points, weights = gaussian_nodes(3)
    >>> float((weights * points**4).sum().round(6))
    3.0
    """
    points, weights = np.polynomial.hermite_e.hermegauss(count)
    return points, weights / weights.sum()


def moments_of_curve(
    curve: Callable[[FloatArray], FloatArray], centre: FloatArray, sd: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance `[A]` of a curve over a normal of these centres and deviations."""
    points, weights = gaussian_nodes(11)
    rho = curve(centre + sd * points[:, None])
    mean = weights @ rho
    return np.asarray(mean), np.asarray(weights @ np.square(rho - mean))


@cache
def even_nodes(count: int) -> tuple[FloatArray, FloatArray]:
    """Points and weights on an even grid for a standard normal.

    Nodes of Gauss and Hermite are better for means, but lie far apart: where f is wide and the Betas narrow, quantiles
    of their mixture would be those of a comb.

    >>> points, weights = even_nodes(21)
    >>> float((weights * points**2).sum().round(2))
    1.0
    """
    points = np.linspace(-4.0, 4.0, count)
    weights = np.exp(-np.square(points) / 2)
    return points, weights / weights.sum()


@dataclass(frozen=True, eq=False)
class BetaMixture:
    """The belief about rho for independent normal f and g per arm, means and sds `[A]`.

    rho itself is what is uncertain here, not only its mean function: the variance is that of the Beta, averaged over f
    and g, plus that of its mean, and intervals are quantiles of the mixture. Given f and g an arm's own answers
    (`right`, `wrong`) make its Beta(mean x scale + right, (1 - mean) x scale + wrong), as for any Beta prior.
    """

    f: FloatArray
    f_sd: FloatArray
    g: FloatArray
    g_sd: FloatArray
    right: FloatArray
    wrong: FloatArray
    curve: Curve = mean_and_scale

    def shapes(self, rows: slice = slice(None)) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Pseudo-counts right and wrong `[H, A]` and weights `[H]` of the grid's Betas."""
        (x, u), (y, v) = even_nodes(NODES_F), gaussian_nodes(NODES_G)
        f = (self.f[rows] + self.f_sd[rows] * x[:, None])[:, None]
        g = (self.g[rows] + self.g_sd[rows] * y[:, None])[None]
        both = (np.broadcast_to(part, (len(u), len(v), f.shape[-1])) for part in self.curve(f, g))
        right, wrong = (part.reshape(-1, f.shape[-1]) for part in both)
        return right + self.right[rows], wrong + self.wrong[rows], np.outer(u, v).ravel()

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of rho `[A]`.

        >>> none = np.array([0.0])
        >>> one = BetaMixture(np.array([0.5]), none, np.array([3.0]), none, none, none)
        >>> mean, variance = one.moments()
        >>> float(mean[0].round(6)), float(variance[0].round(3))
        (0.5, 0.062)
        """
        right, wrong, weights = self.shapes()
        total = right + wrong
        centre = right / total
        mean = weights @ centre
        variance = weights @ (centre * (1 - centre) / (total + 1)) + weights @ np.square(centre - mean)
        return np.asarray(mean), np.asarray(variance)

    def posterior(self, level: float) -> ArmPosterior:
        """Moments and the central interval of the mixture."""
        mean, variance = self.moments()
        low, high = (self.quantile(tail, mean, variance) for tail in checked_level(level))
        return ArmPosterior(mean, variance, low, high, level)

    def quantile(self, tail: float, mean: FloatArray, variance: FloatArray) -> FloatArray:
        """Where the mixture's distribution function reaches `tail` `[A]`, by a bracketing search for all arms at once.

        The mixture and one Beta of the same moments are close, so its quantile is the first guess.
        """
        out = np.empty_like(mean)
        for start in range(0, len(mean), _QUANTILES_AT_ONCE):
            rows = slice(start, min(start + _QUANTILES_AT_ONCE, len(mean)))
            size = np.maximum(mean[rows] * (1 - mean[rows]) / np.maximum(variance[rows], 1e-12) - 1, 1e-3)
            guess = betaincinv(mean[rows] * size, (1 - mean[rows]) * size, tail)
            out[rows] = _reach(tail, *self.shapes(rows), np.clip(guess, 1e-9, 1 - 1e-9))
        return out


def _reach(tail: float, right: FloatArray, wrong: FloatArray, weights: FloatArray, guess: FloatArray) -> FloatArray:
    """False position with Illinois' remedy: the bracket holds the root, an end kept twice is halved in weight."""
    low, high = np.zeros_like(guess), np.ones_like(guess)
    at_low, at_high = np.full_like(guess, -tail), np.full_like(guess, 1 - tail)
    kept, x = np.zeros_like(guess), guess
    for _ in range(40):
        value = weights @ betainc(right, wrong, x) - tail
        below = value < 0
        at_high = np.where(below, np.where(kept > 0, at_high / 2, at_high), value)
        at_low = np.where(below, value, np.where(kept < 0, at_low / 2, at_low))
        low, high, kept = np.where(below, x, low), np.where(below, high, x), np.where(below, 1.0, -1.0)
        close = np.abs(value) < 1e-3 * min(tail, 1 - tail)
        if np.all(close | (high - low < 1e-5)):
            break
        x = high - at_high * (high - low) / (at_high - at_low)
    # Next to 0 or 1 the distribution may leap within the last bracket: then its outer end is the careful answer.
    return np.where(close, x, low if tail < 0.5 else high)


def normal_interval(f: FloatArray, f_sd: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """The interval of sigma(6 f - 3) itself: a monotone curve keeps quantiles.

    >>> [float(end[0].round(2)) for end in normal_interval(np.array([0.5]), np.array([0.1]), 0.95)]
    [0.24, 0.76]
    """
    low, high = (mean_accuracy(f + f_sd * float(ndtri(tail))) for tail in checked_level(level))
    return low, high
