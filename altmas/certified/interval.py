"""From an estimate of the design to an interval: its error, the point that is told, and how far it may be off."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from altmas.certified.design import Designed

PRIOR_DEGREES_OF_FREEDOM = 24.0
"""Degrees of freedom of a variance that no answer has shown yet."""

FEW = 6.0
"""With so few degrees of freedom the square of the error is taken for about twice as large, before D is drawn to P."""

END_TOLERANCE = 1e-6
"""An end this close to the metric's bound, as a share of its range, is the bound."""

MOST_NONLINEARITY = 3.0
"""What linearising left out counts up to this many standard errors; further away, Q(T) tells nothing."""


PRIOR_SURPRISES = 8.0
"""A belief's expectation of a variance counts for so many surprises, beside those that it expects to show it."""

NO_VARIANCE = 1e-18
"""Where clusters have shown no variance at all, the number of them alone decides."""

SIDE_TAIL = 0.025
SIDE_NORMAL = float(ndtri(1 - SIDE_TAIL))
"""An interval's errors to each side are read off its 95% ends, whatever its level."""


@dataclass(frozen=True)
class Interval:
    """A point estimate with its interval and the standard error of the design.

    `below` and `above` are the errors that the interval's own ends amount to, as deviations of a normal to each side:
    whatever is said of probabilities is said with these, so that it cannot be surer than the interval.
    """

    estimate: float
    low: float
    high: float
    error: float
    below: float = 0.0
    above: float = 0.0

    def reaching(self, low: float, high: float, level: float) -> Interval:
        """The same, with an interval that reaches at least so far.

        >>> found = Interval(0.9, 0.8, 0.95, 0.04, 0.05, 0.03).reaching(0.7, 0.92, 0.95)
        >>> found.low, found.high, round(found.below, 3), found.above
        (0.7, 0.95, 0.102, 0.03)
        """
        normal = float(ndtri((1 + level) / 2))
        return replace(
            self, low=min(self.low, low), high=max(self.high, high),
            below=max(self.below, (self.estimate - low) / normal),
            above=max(self.above, (high - self.estimate) / normal),
        )  # fmt: skip


def standard_error(found: Designed) -> float:
    """Of D: the larger of what the answers show and what the belief expects.

    Until a surprise has come the answers show no error where there is some; and a belief too sure of itself expects
    none where the answers show it. A belief that expects many surprises (`backing`), where few have come or small ones,
    is too unsure of itself: what the answers show is then weighed against it.
    """
    few = PRIOR_SURPRISES
    expected = (few * found.expected + found.backing * found.observed) / (few + found.backing)
    return float(np.sqrt(max(found.observed, expected)))


def shrunk(found: Designed, error: float) -> float:
    """D drawn towards the plug-in P: D + l (P - D) with l = s^2 / (s^2 + (P - D)^2), inside the metric's bounds.

    The two agree within the error when the belief is good, and then P is the better guess; where they disagree, D is
    kept. Never more than half of s from D, but for the bounds. s is the standard error, widened where few answers
    show it: a gap that one answer of great weight made is no proof against the belief. Where experts have corrected
    answers D is told as it is: the plug-in rests on annotators, and how wrong they are is known from few readings.
    """
    if found.corrected:
        return float(np.clip(found.design, *found.bounds))
    gap = found.plug_in - found.design
    square = error**2 * (1 + FEW / (1 + found.degrees_of_freedom))
    share = square / (square + gap**2) if gap else 0.0
    return float(np.clip(found.design + share * gap, *found.bounds))


def whole_error(found: Designed) -> float:
    """The error of D about what is asked: of the design, and where that is clusters like these, of the pool's too."""
    more = 0.0 if found.between is None else found.between.variance
    return float(np.sqrt(standard_error(found) ** 2 + more))


def share_between(found: Designed) -> float:
    """The share of the variance that clusters add, which no label of this pool lessens."""
    if found.between is None:
        return 0.0
    whole = whole_error(found) ** 2
    return min(found.between.variance / whole, 1.0) if whole > 0 else 0.0


def _degrees(found: Designed) -> float:
    """Degrees of freedom of the whole variance: Welch and Satterthwaite's, where it has two parts."""
    degrees = found.degrees_of_freedom + PRIOR_DEGREES_OF_FREEDOM
    if found.between is None or not found.between.variance > 0:
        return degrees
    drawn, more = standard_error(found) ** 2, found.between.variance
    return (drawn + more) ** 2 / (drawn**2 / degrees + more**2 / max(found.between.degrees_of_freedom, 1.0))


def wald(found: Designed, level: float) -> Interval:
    """The interval at this level.

    The variance is widened to its t quantile and by what linearising left out. It then becomes the Beta interval of a
    proportion that has the same variance (Korn and Graubard 1998, with Jeffreys tails), from at most n (1 + s) labels:
    n took part, and s of them were surprises. A belief that was never surprised may be right, or not tried yet. (A loss
    of scores varies less than a proportion of the same range: it has at least the variance of so many labels; or of
    n (1 + s)^2, where any surprise tells of it, and not only one on the right side of a threshold.) An end that the
    answers alone do not rule out stays open: while every answered item of a class was right, its precision may be 1. Of
    clusters like these, n are the clusters that were asked about, and s those that held surprises.

    A share that is nearly all has a short side, which a belief that is less sure draws away from the truth: there the
    ends lie at least half as far out as those around D itself.
    """
    if found.nearly_all:
        alone = replace(found, nearly_all=False)
        drawn, own = wald(alone, level), wald(replace(alone, plug_in=found.design), level)
        return drawn.reaching((drawn.low + own.low) / 2, (drawn.high + own.high) / 2, level)
    centre, error, degrees = shrunk(found, standard_error(found)), whole_error(found), _degrees(found)
    normal, quantile = (float(stdtrit(one, (1 + level) / 2)) for one in (np.inf, degrees))
    curved = min(found.nonlinearity**2, (MOST_NONLINEARITY * error) ** 2)
    variance = (error * quantile / normal) ** 2 + curved
    usual = (error * float(stdtrit(degrees, 1 - SIDE_TAIL)) / SIDE_NORMAL) ** 2 + curved  # whatever the level
    bottom, top = found.bounds
    width = top - bottom
    if not np.isfinite(width):
        reach, side = normal * float(np.sqrt(variance)), float(np.sqrt(usual))
        return Interval(centre, centre - reach, centre + reach, error, side, side)
    if width == 0 or (
        variance == 0 and found.between is None
    ):  # no label could move it: a vendor that abstained is wrong, whatever is true
        return Interval(centre, centre, centre, error)
    share, guess = (centre - bottom) / width, float(np.clip((found.plug_in - bottom) / width, 0, 1))
    times = 1 if found.one_answer is None or found.steps else 2
    most = found.labels * (1 + found.surprises) ** times
    if found.between is not None:
        most = min(most, found.between.asked * (1 + found.between.surprises) ** times)
        variance, usual = max(variance, NO_VARIANCE), max(usual, NO_VARIANCE)
    # At a bound a proportion has no variance at all; it is taken as far from there as half an answer would put it.
    half = 0.5 / (1 + found.labels)
    spread = max(one * (1 - one) for one in np.clip((guess, share), half, 1 - half).tolist()) * width**2
    labels = _labels(spread, variance, most, found.one_answer)
    open_low, open_high = (
        found.answers_only[0] <= bottom + END_TOLERANCE * width,
        found.answers_only[1] >= top - END_TOLERANCE * width,
    )
    # An end that stays open cannot miss, so the other may have its share of the error too.
    tail = (1 - level) / (1 if open_low != open_high else 2)
    shape = share * labels + 0.5, (1 - share) * labels + 0.5
    low = 0.0 if open_low else min(float(betaincinv(*shape, tail)), share)
    high = 1.0 if open_high else max(float(betaincinv(*shape, 1 - tail)), share)
    counted = _labels(spread, usual, most, found.one_answer)
    sides = share * counted + 0.5, (1 - share) * counted + 0.5
    far = betaincinv(*sides, SIDE_TAIL), betaincinv(*sides, 1 - SIDE_TAIL)
    below = (share - (0.0 if open_low else min(float(far[0]), share))) * width / SIDE_NORMAL
    above = ((1.0 if open_high else max(float(far[1]), share)) - share) * width / SIDE_NORMAL
    return Interval(centre, bottom + low * width, bottom + high * width, error, below, above)


def _labels(spread: float, variance: float, most: float, one_answer: float | None) -> float:
    """Labels of a proportion with this variance, where there are at most so many; or an answer varies less."""
    if one_answer is None:
        return min(spread / variance, most)
    return spread / max(variance, one_answer / most) if most > 0 else 0.0
