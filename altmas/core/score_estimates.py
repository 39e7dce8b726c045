"""Metrics of scores on answers alone, for items that were chosen uniformly at random."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from altmas.core.estimates import EXACT, Estimate, beta_interval
from altmas.core.targets import Target
from altmas.metrics.rankings import MeanOverClasses, OneAgainstRest
from altmas.metrics.types import FloatArray, IntArray


def scored_on_answers(target: Target, items: IntArray, labels: IntArray, classes: int, level: float) -> Estimate:
    """The metric of the answers alone, with an interval from the influence of each: for AUROC that is DeLong's error.

    Where the answers leave open what it is, as long as a class was not seen, the interval does too.

    >>> from altmas.core.pool import Pool
    >>> from altmas.core.targets import targets_of
    >>> from altmas.metrics import metric
    >>> pool = Pool.build([0, 1] * 50, scores=[0.9, 0.8] * 50)
    >>> [target] = targets_of((metric("auroc", [0, 1]),), pool)
    >>> found = scored_on_answers(target, np.arange(40), np.arange(40) // 3 % 2, 2, 0.95)
    >>> round(found.estimate, 2), round(found.low, 2), round(found.high, 2)
    (0.68, 0.56, 0.78)
    """
    inside = target.columns[items] >= 0
    items, labels = items[inside], labels[inside]
    metric, count, size = target.metric, len(items), target.taking_part
    bottom, top = metric.bounds
    if count == 0:
        return Estimate(target.name, (bottom + top) / 2, bottom, top, 0, _promise(level), model=target.model)
    counts = target.tally(np.eye(classes)[labels], items)
    value, tells = float(metric.value(counts)), getattr(metric, "possible", None)
    if count == size:
        return Estimate(target.name, value, value, value, count, EXACT, model=target.model)
    least, most = (value, value) if tells is None else tells(counts)
    moves = target.slopes(metric.gradient(counts), items)[np.arange(count), labels] * count
    left = 1 - count / size
    variance = float(moves.var(ddof=1)) / count * left if count > 1 else 0.0
    low, high = _ends(value, variance, (bottom, top), _telling(target, counts) / left, level)
    low, high = (bottom if least <= bottom else low), (top if most >= top else high)
    return Estimate(target.name, value, low, high, count, _promise(level), model=target.model)


def _ends(value: float, variance: float, bounds: tuple[float, float], most: float, level: float) -> tuple[float, float]:
    """The Beta interval of a proportion with this error; one that was never seen to vary has `most` labels."""
    bottom, top = bounds
    width = top - bottom
    share = float(np.clip((value - bottom) / width, 0.0, 1.0)) if width > 0 else 0.0
    if width == 0:
        return value, value
    if variance <= 0 or not 0 < share < 1:
        labels = most
    else:
        labels = share * (1 - share) * width**2 / variance
        if labels < 1:  # no proportion varies so much: as far as the error goes
            reach = float(ndtri((1 + level) / 2)) * float(np.sqrt(variance))
            return max(value - reach, bottom), min(value + reach, top)
    low, high = beta_interval(share, labels, level)
    return bottom + min(low, share) * width, bottom + max(high, share) * width


def _telling(target: Target, counts: FloatArray) -> float:
    """How many labels speak of the metric: of a ranking those of the rarer side."""
    if isinstance(target.metric, OneAgainstRest | MeanOverClasses):
        seen = counts.sum(1)
        return max(float(seen[seen > 0].min()), 1.0)
    return float(counts.sum())


def _promise(level: float) -> str:
    return f"approximate {level:.0%} coverage under random sampling"
