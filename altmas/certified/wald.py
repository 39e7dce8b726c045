"""The certified method's ordinary interval: a t interval on a transformed scale, honest before errors are seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, stdtrit

from altmas.certified.design import Designed

PRIOR_FREEDOM = 6.0
"""Degrees of freedom of a variance that no answer has shown yet."""

SAME = 1e-6
MOST_BEND = 3.0
"""Standard errors that linearising may have left out; far from the linear, Q(T) says nothing any more."""


@dataclass(frozen=True)
class Interval:
    """A point estimate with its interval and standard error."""

    estimate: float
    low: float
    high: float
    error: float


def standard_error(found: Designed) -> float:
    """Of D: the larger of what the answers show and what the belief expects.

    Until a surprise has come the answers show no error where there is some; and a belief too sure of itself expects
    none where the answers show it.
    """
    return float(np.sqrt(max(found.observed, found.expected)))


def shrunk(found: Designed, error: float) -> float:
    """D drawn towards the plug-in P: D + l (P - D) with l = se^2 / (se^2 + (P - D)^2), inside the metric's bounds.

    The two agree within the error when the belief is good, and then P is the better guess; where they disagree, D is
    kept. Never more than half a standard error from D, but for the bounds.
    """
    gap = found.plug_in - found.design
    share = error**2 / (error**2 + gap**2) if gap else 0.0
    return float(np.clip(found.design + share * gap, *found.bounds))


def wald(found: Designed, level: float) -> Interval:
    """The interval at this level.

    The variance, widened to its t quantile and by what linearising left out, becomes the Beta interval of a proportion
    with the same variance (Korn and Graubard 1998, with Jeffreys tails). That proportion cannot rest on more labels
    than took part, and as many again for each surprise: a belief never proved wrong may be right, or not tried yet. An
    end that the answers alone do not exclude is not excluded: while every answered item of a class was right, its
    precision may be 1.
    """
    error = standard_error(found)
    centre = shrunk(found, error)
    normal, quantile = (float(stdtrit(df, (1 + level) / 2)) for df in (np.inf, found.freedom + PRIOR_FREEDOM))
    variance = (error * quantile / normal) ** 2 + min(found.bend**2, (MOST_BEND * error) ** 2)
    bottom, top = found.bounds
    width = top - bottom
    if not np.isfinite(width):
        reach = normal * np.sqrt(variance)
        return Interval(centre, centre - reach, centre + reach, error)
    if width == 0 or variance == 0:  # no label could move it: a vendor that abstained is wrong, whatever is true
        return Interval(centre, centre, centre, error)
    share, guess = (centre - bottom) / width, float(np.clip((found.plug_in - bottom) / width, 0, 1))
    most = found.labels * (1 + found.events)
    spread = max(guess * (1 - guess), share * (1 - share)) * width**2
    labels = min(spread / variance, most)
    open_low, open_high = found.alone[0] <= bottom + SAME * width, found.alone[1] >= top - SAME * width
    # An end that stays open cannot miss, so the other may have its share of the error too.
    tail = (1 - level) / (1 if open_low != open_high else 2)
    shape = share * labels + 0.5, (1 - share) * labels + 0.5
    low = 0.0 if open_low else min(float(betaincinv(*shape, tail)), share)
    high = 1.0 if open_high else max(float(betaincinv(*shape, 1 - tail)), share)
    return Interval(centre, bottom + low * width, bottom + high * width, error)
