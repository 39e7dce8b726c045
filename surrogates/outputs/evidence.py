"""What the outputs of models say about each item: columns for a regression of agreement, with a prior for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from altmas.metrics.types import FloatArray, IntArray

KNOTS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Quantiles of the confidence at which its effect may bend."""

_SURE = 1e-7
"""A confidence closer than this to 0 or 1 says no more than this: beyond it is rounding, not evidence."""

SLOPE = (1.0, 0.5)
"""Prior mean and deviation of the slope on the log odds of a confidence: near 1, as for a calibrated probability."""


@dataclass(frozen=True, eq=False)
class Opinion:
    """What one model said: a class index per item (`C` = no class) and, if known, its scores `[N]` or `[N, C]`."""

    said: IntArray
    scores: FloatArray | None = None

    @property
    def confidence(self) -> FloatArray | None:
        """Its confidence in what it said `[N]`."""
        if self.scores is None or self.scores.ndim == 1:
            return self.scores
        padded = np.concatenate([self.scores, self.scores.max(1, keepdims=True)], axis=1)  # no class: its highest
        return np.asarray(padded[np.arange(len(self.said)), self.said])


@dataclass(frozen=True, eq=False)
class Evidence:
    """About one model under test: whether it is right on each item, and what the label is where it is wrong."""

    said: IntArray  # [N], C = no class
    classes: int
    columns: FloatArray  # [N, D], each with mean 0 over the pool
    prior_mean: FloatArray  # [D], of the columns' coefficients
    prior_sd: FloatArray  # [D]
    intercept: float  # prior mean of the log odds of agreement at the average item
    confidence: FloatArray  # [N], on the scale of a standard normal; zeros where there is none
    scores: FloatArray | None  # [N, C] probabilities, if known
    second: tuple[IntArray, ...]  # what each opinion said [N]

    @property
    def size(self) -> int:
        """Number of items, N."""
        return len(self.said)


def gather(own: Opinion, classes: int, opinions: Sequence[Opinion] = ()) -> Evidence:
    """The evidence in one model's outputs and in other models' opinions on the same items.

    Confidences enter twice: as log odds, believed to matter as a calibrated probability would (slope near 1), and by
    rank, with a bend at each knot, so that a confidence that is no probability can be learnt too. An opinion enters as
    agreement with the model under test, with its own confidence on either side, and in the count of those agreeing.

    >>> evidence = gather(Opinion(np.array([0, 1, 1]), np.array([0.9, 0.6, 0.7])), 2)
    >>> evidence.columns.shape
    (3, 6)
    """
    build = _Columns()
    ranks, intercept = np.zeros(len(own.said)), 1.0
    if (confidence := own.confidence) is not None:
        ranks = normal_scores(confidence)
        odds = _log_odds(confidence)
        intercept = SLOPE[0] * float(odds.mean())
        build.add(odds, *SLOPE)
        build.add(ranks, 0.0, 0.7)
        for knot in ndtri(KNOTS):
            build.add(np.maximum(ranks - knot, 0.0), 0.0, 0.5)
    if own.scores is not None and own.scores.ndim == 2 and classes > 2:
        top = np.partition(own.scores, -2, axis=1)
        entropy = -(own.scores * np.log(np.maximum(own.scores, 1e-12))).sum(1)
        build.add(normal_scores(top[:, -1] - top[:, -2]), 0.0, 0.7)
        build.add(normal_scores(-entropy), 0.0, 0.7)
    agreeing = np.zeros(len(own.said))
    for one in opinions:
        same = (one.said == own.said).astype(np.float64)
        agreeing += same
        build.add(same, 0.0, 1.0)
        if one.confidence is not None:
            sure = normal_scores(one.confidence)
            build.add(sure * same, 0.0, 0.5)
            build.add(sure * (1 - same), 0.0, 0.5)
    for count in range(len(opinions)):
        build.add((agreeing > count).astype(np.float64), 0.0, 1.0)
    columns, mean, sd = build.done(len(own.said))
    scores = own.scores if own.scores is not None and own.scores.ndim == 2 else None
    return Evidence(own.said, classes, columns, mean, sd, intercept, ranks, scores, tuple(one.said for one in opinions))


def normal_scores(values: FloatArray) -> FloatArray:
    """Each value's rank, as the quantile of a standard normal; equal values share theirs.

    >>> normal_scores(np.array([3.0, 1.0, 2.0])).round(2).tolist()
    [0.97, -0.97, 0.0]
    """
    return np.asarray(ndtri((rankdata(values) - 0.5) / len(values)))


def _log_odds(confidence: FloatArray) -> FloatArray:
    if confidence.max() > 1:  # no probability: its size means nothing, its order does
        return normal_scores(confidence)
    inside = np.clip(confidence, _SURE, 1 - _SURE)
    return np.asarray(np.log(inside) - np.log1p(-inside))


class _Columns:
    """Collects columns with their priors; a constant column says nothing and is left out."""

    def __init__(self) -> None:
        self.columns: list[FloatArray] = []
        self.priors: list[tuple[float, float]] = []

    def add(self, column: FloatArray, mean: float, sd: float) -> None:
        centred = column - column.mean()
        if np.abs(centred).max() > 1e-12:
            self.columns.append(centred)
            self.priors.append((mean, sd))

    def done(self, size: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        if not self.columns:
            return np.zeros((size, 0)), np.zeros(0), np.zeros(0)
        priors = np.array(self.priors)
        return np.stack(self.columns, axis=1), priors[:, 0], priors[:, 1]


def by_class(own: Opinion, classes: int) -> Evidence:
    """Evidence that tells items apart by predicted class alone: groups that share a prior, as random effects do.

    >>> by_class(Opinion(np.array([0, 1, 1]), np.array([0.9, 0.6, 0.7])), 2).columns.round(2).ravel().tolist()
    [1.05, -0.52, -0.52]
    """
    build, intercept = _Columns(), 1.0
    if (confidence := own.confidence) is not None:
        odds = _log_odds(confidence)
        intercept = SLOPE[0] * float(odds.mean())
        sizes = np.maximum(np.bincount(own.said, minlength=classes + 1), 1)
        build.add((np.bincount(own.said, odds, classes + 1) / sizes)[own.said], *SLOPE)
    size = len(own.said)
    columns, mean, sd = build.done(size)
    return Evidence(own.said, classes, columns, mean, sd, intercept, np.zeros(size), None, ())
