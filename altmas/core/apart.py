"""How far two audits are apart: numbers only. `altmas.words.over_time` puts them in sentences.

Two audits that drew by themselves err independently, so the squares of their errors add up, to each side by itself
(MOVER: Zou and Donner 2008): with estimates a and b, and intervals [l, u] of each, b - a lies in

    [b - a - sqrt((b - l_b)^2 + (u_a - a)^2),  b - a + sqrt((u_b - b)^2 + (a - l_a)^2)].

Where their errors have the correlation c, each root has -2c times the product of its two terms beside their squares.
A skewed interval stays skewed, and none is narrower than a normal one of the same errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from altmas.core.ranking import probability_below

AT_BOUND = 1e-9
"""An end this close to the metric's bound is there."""


@dataclass(frozen=True)
class Apart:
    """A difference, later minus earlier, with its interval and the probability that it is above 0."""

    estimate: float
    low: float
    high: float
    p_higher: float


def apart(
    earlier: Mapping[str, Any], later: Mapping[str, Any], level: float, bounds: tuple[float, float],
    correlation: float = 0.0,
) -> Apart:  # fmt: skip
    """The difference of two estimates with `estimate`, `low` and `high`, whose errors are as alike as is said.

    An end that lies at the metric's bound cannot miss, and gave its share of the error to the other end; here both
    sides count, so that the other end is moved out to where it is with its own share alone.

    >>> march, april = {"estimate": 0.9, "low": 0.86, "high": 0.93}, {"estimate": 0.8, "low": 0.77, "high": 0.84}
    >>> found = apart(march, april, 0.95, (0.0, 1.0))
    >>> round(found.estimate, 2), round(found.low, 3), round(found.high, 3), found.p_higher < 0.01
    (-0.1, -0.142, -0.043, True)
    """
    (a, below_a, above_a), (b, below_b, above_b) = (_sides(one, level, bounds) for one in (earlier, later))
    estimate, below, above = b - a, _joined(below_b, above_a, correlation), _joined(above_b, below_a, correlation)
    normal = float(ndtri((1 + level) / 2))
    least, most = bounds[0] - bounds[1], bounds[1] - bounds[0]
    if below == above == 0:
        return Apart(estimate, estimate, estimate, 0.5 if estimate == 0 else float(estimate > 0))
    higher = 1 - probability_below(0.0, estimate, below / normal, above / normal)
    return Apart(estimate, max(estimate - below, least), min(estimate + above, most), float(higher))


def _joined(first: float, second: float, correlation: float) -> float:
    """How far the difference of two errors reaches: without correlation, the root of their squares."""
    return float(np.sqrt(max(first**2 + second**2 - 2 * correlation * first * second, 0.0)))


def _sides(one: Mapping[str, Any], level: float, bounds: tuple[float, float]) -> tuple[float, float, float]:
    """An estimate, and how far its interval reaches below and above it."""
    value, low, high = (float(one[name]) for name in ("estimate", "low", "high"))
    open_low, open_high = low <= bounds[0] + AT_BOUND, high >= bounds[1] - AT_BOUND
    more = float(ndtri((1 + level) / 2) / ndtri(level)) if open_low != open_high and level > 0.5 else 1.0
    below, above = (value - low) * (1 if open_low else more), (high - value) * (1 if open_high else more)
    return value, below, above
