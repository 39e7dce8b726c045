"""Groups as arms of a bandit: what a pull is worth, for each task of active Bayesian assessment (its Table 1).

An arm's belief is a Dirichlet over outcomes, `alpha [R, G, O]`: for accuracies O = 2, right then wrong; for confusion
columns an outcome is a true class. A task turns drawn parameters `theta` of that shape into the worth of a pull
`[R, G]`, higher is better, and into the quantity people ask about.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betaincinv

from altmas.metrics.types import FloatArray


class ArmTask(Protocol):
    """What is to be learnt about the arms."""

    def worth(self, theta: FloatArray, alpha: FloatArray) -> FloatArray:
        """Expected reward of pulling each arm if `theta` were true `[R, G]`."""
        ...

    def value(self, theta: FloatArray) -> FloatArray:
        """The quantity of each arm under `theta` `[..., G]`."""
        ...


def over_outcomes(x: NDArray[Any], combine: np.ufunc = np.add) -> NDArray[Any]:
    """Reduce the last axis; for a handful of outcomes whole slices at a time, which numpy does many times faster.

    >>> over_outcomes(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [3.0, 7.0]
    """
    if x.shape[-1] > 6:
        return np.asarray(combine.reduce(x, axis=-1))
    out: NDArray[Any] = x[..., 0]
    for o in range(1, x.shape[-1]):
        out = combine(out, x[..., o])
    return out


def total_variance(alpha: FloatArray) -> FloatArray:
    """Sum over outcomes of the posterior variances of a Dirichlet `[...]`."""
    total = over_outcomes(alpha)
    return np.asarray((1 - over_outcomes(alpha**2) / total**2) / (total + 1))


@dataclass(frozen=True, eq=False)
class EstimateArms:
    """Learn every arm's probabilities: reward p_g (Var now - Var after). Accuracy with O = 2, confusion with O = C."""

    shares: FloatArray  # [G]
    monotone: ClassVar[bool] = True

    def worth(self, theta: FloatArray, alpha: FloatArray) -> FloatArray:
        """Linear in theta, because one more count of an outcome changes the sum of alpha^2 by 2 alpha + 1."""
        after = over_outcomes(alpha) + 1
        squares = over_outcomes(alpha * (alpha + 2 * theta)) + 1
        variance_after = (1 - squares / after**2) / (after + 1)
        return np.asarray(self.shares * (total_variance(alpha) - variance_after))

    def bounds(self, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The worth is linear in theta, so it lies between its values at certain outcomes `[R, G]`."""
        after, squares, now = over_outcomes(alpha) + 1, over_outcomes(alpha**2) + 1, total_variance(alpha)
        ends = [
            self.shares * (now - (1 - (squares + 2 * over_outcomes(alpha, extreme)) / after**2) / (after + 1))
            for extreme in (np.minimum, np.maximum)
        ]
        return ends[0], ends[1]

    def value(self, theta: FloatArray) -> FloatArray:
        """The probability of the first outcome: the accuracy."""
        return np.asarray(theta[..., 0])


@dataclass(frozen=True, eq=False)
class FindExtreme:
    """Find the least accurate arms (`sign=-1`) or the most accurate (`sign=1`)."""

    sign: int = -1
    monotone: ClassVar[bool] = True

    def worth(self, theta: FloatArray, alpha: FloatArray) -> FloatArray:
        """The sampled accuracy itself."""
        return np.asarray(self.sign * theta[..., 0])

    def value(self, theta: FloatArray) -> FloatArray:
        """The accuracy."""
        return np.asarray(theta[..., 0])


@dataclass(frozen=True, eq=False)
class FindCostliest:
    """Find the arms of highest expected cost; `cost [G, O]` of each outcome."""

    cost: FloatArray

    def worth(self, theta: FloatArray, alpha: FloatArray) -> FloatArray:
        """The sampled expected cost."""
        return self.value(theta)

    def value(self, theta: FloatArray) -> FloatArray:
        """Expected cost of an item of each arm."""
        return np.asarray(over_outcomes(theta * self.cost))


@dataclass(frozen=True, eq=False)
class FindLeastCalibrated:
    """Find the arms of highest calibration error. Outcomes are (bin, right) then (bin, wrong): O = 2B.

    `shares [G, B]` of each bin within its arm, `scores [G, B]` mean scores. A bin's accuracy has its own Beta; which
    bin a pull falls into is known from the pool and is not learnt.
    """

    shares: FloatArray
    scores: FloatArray

    def worth(self, theta: FloatArray, alpha: FloatArray) -> FloatArray:
        """The sampled calibration error."""
        return self.value(theta)

    def value(self, theta: FloatArray) -> FloatArray:
        """Sum over bins of share x |accuracy - score|; `theta [..., G, 2B]`: accuracies, then 1 minus them."""
        bins = self.shares.shape[-1]
        return np.asarray((self.shares * np.abs(theta[..., :bins] - self.scores)).sum(-1))


@dataclass(frozen=True, eq=False)
class TellApart:
    """Tell two arms apart: reward the expected confidence lambda of the most probable region (ROPE) after the pull."""

    margin: float = 0.05
    nodes: int = 32
    monotone: ClassVar[bool] = True

    def worth(self, theta: FloatArray, alpha: FloatArray) -> FloatArray:
        """E[lambda | one more outcome of arm g], the outcome drawn under theta `[R, 2]`."""
        columns = []
        # Replicates often share a belief, and the integral is costly: once for each belief there is.
        beliefs, which = np.unique(alpha[:, :2].reshape(len(alpha), -1), axis=0, return_inverse=True)
        beliefs, which = beliefs.reshape(-1, 2, 2), which.reshape(-1)
        for arm in (0, 1):
            chance = theta[:, arm, 0]
            expected = np.zeros(len(alpha))
            for outcome, weight in ((0, chance), (1, 1 - chance)):
                after = beliefs.copy()
                after[:, arm, outcome] += 1
                expected += weight * rope(after[:, 0], after[:, 1], self.margin, self.nodes).max(-1)[which]
            columns.append(expected)
        return np.asarray(np.round(np.stack(columns, -1), ROPE_DIGITS), dtype=np.float64)

    def value(self, theta: FloatArray) -> FloatArray:
        """The accuracy."""
        return np.asarray(theta[..., 0])


ROPE_DIGITS = 5
"""Decimals to which the masses of `rope` are right; what is closer is a tie."""


@cache
def _nodes(count: int) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre on [0, 1] after the substitution u = 10 t^3 - 15 t^4 + 6 t^5.

    Quantiles of a Beta have roots and kinks at the ends of their range; there the substitution is flat.
    """
    points, weights = np.polynomial.legendre.leggauss(count)
    t = (points + 1) / 2
    return t**3 * (10 - 15 * t + 6 * t**2), weights * 15 * (t * (1 - t)) ** 2


def rope(first: FloatArray, second: FloatArray, margin: float, nodes: int = 32) -> FloatArray:
    """Posterior mass `[..., 3]` of theta_1 - theta_2 below -margin, within, above: mu of the ROPE comparison.

    `first` and `second` are Beta parameters `[..., 2]`. Integrated over the quantiles of the narrower, each side as far
    as it reaches, to `ROPE_DIGITS` decimals for priors of 0.002 pseudo-counts and more.

    >>> rope(np.array([280.0, 203.0]), np.array([351.0, 162.0]), 0.05).round(2)
    array([0.96, 0.04, 0.  ])
    """
    at, weights = _nodes(nodes)
    turned = second.sum(-1) > first.sum(-1)
    narrow, wide = (np.where(turned[..., None], *pair) for pair in ((second, first), (first, second)))
    (p, q), (a, b) = ((one[..., 0, None], one[..., 1, None]) for one in (narrow, wide))
    start, end = betainc(p, q, margin), betainc(p, q, 1 - margin)  # beyond, the wide one cannot be so far away
    lower, upper = betaincinv(p, q, end * at), betaincinv(p, q, start + (1 - start) * at)
    above = end[..., 0] * (betaincc(a, b, np.minimum(lower + margin, 1)) * weights).sum(-1)
    below = (1 - start[..., 0]) * (betainc(a, b, np.maximum(upper - margin, 0)) * weights).sum(-1)
    low, high = np.where(turned, below, above), np.where(turned, above, below)
    return np.stack([low, np.maximum(1 - low - high, 0.0), high], -1)
