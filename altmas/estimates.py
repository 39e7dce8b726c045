"""Estimates: a metric's value, its interval, and what the interval promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtri

from altmas.metrics import Metric
from altmas.metrics.confusion import FloatArray
from altmas.metrics.custom import LabelFunction


@dataclass(frozen=True)
class Estimate:
    """A metric's value with its interval `[low, high]` and, in words, what that interval promises."""

    metric: str
    estimate: float
    low: float
    high: float
    labels: int
    promise: str


def plug_in(metrics: Sequence[Metric], confusions: FloatArray, labels: int, level: float) -> list[Estimate]:
    """Eq. 3: the mean over draws of the metric, with the draws' central spread at `level`.

    >>> from altmas.metrics import metric
    >>> one = plug_in([metric("accuracy", "ab")], np.array([[[3.0, 1], [0, 4]], [[3, 0], [1, 4]]]), 5, 0.9)[0]
    >>> one.estimate, one.promise
    (0.875, 'spread of 2 draws, not coverage')
    """
    out = []
    tails = [(1 - level) / 2, (1 + level) / 2]
    for one in metrics:
        values = one.value(confusions)
        low, high = np.quantile(values, tails)
        promise = f"spread of {len(values)} draws, not coverage"
        out.append(Estimate(one.name, float(values.mean()), float(low), float(high), labels, promise))
    return out


def on_answers(metrics: Sequence[Metric], confusion: FloatArray, pool_size: int, level: float) -> list[Estimate]:
    """The metric of the answers alone, for items chosen uniformly at random, with an approximate interval.

    The standard error is the delta method on counts to which half a right and half a wrong answer per predicted
    class were added, so that it is not zero before the first error is seen; it is turned into the Beta interval of a
    proportion with the same error (Korn and Graubard 1998, with Jeffreys tails), and shrinks as the pool is used up.

    >>> from altmas.metrics import metric
    >>> one = on_answers([metric("accuracy", "ab")], np.array([[10.0, 0], [0, 10]]), 1000, 0.95)[0]
    >>> one.estimate, round(one.low, 2), one.high
    (1.0, 0.89, 1.0)
    """
    labels = int(confusion.sum())
    promise = f"approximate {level:.0%} coverage under random sampling"
    if labels == pool_size:
        promise = "exact: every item is labelled"
    out = []
    for one in metrics:
        value = float(one.value(confusion))
        low, high = _interval(one, value, confusion, pool_size, level)
        out.append(Estimate(one.name, value, low, high, labels, promise))
    return out


def _interval(one: Metric, value: float, confusion: FloatArray, pool_size: int, level: float) -> tuple[float, float]:
    labels = confusion.sum()
    if labels >= pool_size:
        return value, value
    bottom, top = one.bounds
    if not np.isfinite([bottom, top]).all() or isinstance(one, LabelFunction):  # no scale, or no smoothed counts
        error = np.sqrt(_variance(one, confusion, labels) * (1 - labels / pool_size))
        reach = float(ndtri((1 + level) / 2) * error)
        return max(value - reach, bottom), min(value + reach, top)
    smooth = _smoothed(confusion)
    centre = (float(one.value(smooth)) - bottom) / (top - bottom)
    variance = _variance(one, smooth, labels) / (top - bottom) ** 2 * (1 - labels / pool_size)
    share = (value - bottom) / (top - bottom)
    size = centre * (1 - centre) / variance if variance > 0 else labels
    right, wrong = share * size + 0.5, (1 - share) * size + 0.5
    low = 0.0 if share <= 0 else float(betaincinv(right, wrong, (1 - level) / 2))
    high = 1.0 if share >= 1 else float(betaincinv(right, wrong, (1 + level) / 2))
    return bottom + min(low, share) * (top - bottom), bottom + max(high, share) * (top - bottom)


def _smoothed(confusion: FloatArray) -> FloatArray:
    classes, columns = confusion.shape
    extra = np.full((classes, columns), 0.5 / max(classes - 1, 1))
    np.fill_diagonal(extra, 0.5)
    extra[:, classes:] = 1.0 / classes
    return np.asarray(confusion + extra)


def _variance(one: Metric, confusion: FloatArray, labels: float) -> float:
    """Delta method for a multinomial sample of `labels` items with these cell shares."""
    shares = confusion / confusion.sum()
    slope = one.gradient(confusion) * confusion.sum()
    mean = (shares * slope).sum()
    return float(max((shares * (slope - mean) ** 2).sum(), 0.0) / labels)
