"""Acquisitions: what an item's label is worth, from the draws. Pure functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from altmas.beliefs.draws import Draws
from altmas.metrics import CounterfactualMeans
from altmas.metrics.types import FloatArray, IntArray, Probabilities


def entropy(p: NDArray[Any]) -> NDArray[Any]:
    """-sum p log p over the last axis, in nats, with 0 log 0 = 0.

    >>> float(entropy(np.array([1.0, 0.0])))
    0.0
    """
    return np.asarray(entr(p).sum(-1))


def bald(p: Probabilities) -> FloatArray:
    """Mutual information between label and weights `[n]` (Eq. 10): H(mean over draws) - mean over draws of H.

    >>> bool(bald(np.array([[[1.0, 0.0]], [[0.0, 1.0]]], np.float32))[0] > 0.69)
    True
    """
    exact = p.astype(np.float64)
    return _information(exact.transpose(1, 0, 2))


def _information(q: FloatArray) -> FloatArray:
    """H(mean) - mean(H) of `[n, M, outcomes]`, in float64 so that draws that agree carry exactly nothing."""
    gain = np.maximum(entropy(q.mean(1)) - entropy(q).mean(1), 0.0)
    gain[gain < 1e-12] = 0.0
    return np.asarray(gain)


def outcomes(values: FloatArray, tolerance: ArrayLike) -> IntArray:
    """Number the labels of each row `[..., C]` so that labels of equal value share a number, 0 for the smallest.

    Values are equal when neighbours in sorted order differ by at most the tolerance, one for all or `[K]`.

    >>> outcomes(np.array([[0.5, 0.7, 0.5]]), 1e-9)
    array([[0, 1, 0]])
    """
    order = np.argsort(values, axis=-1)
    ranked = np.take_along_axis(values, order, axis=-1)
    numbers = np.zeros(values.shape, dtype=np.int64)
    numbers[..., 1:] = np.cumsum(np.diff(ranked, axis=-1) > np.asarray(tolerance)[..., None], axis=-1)
    out = np.empty_like(numbers)
    np.put_along_axis(out, order, numbers, axis=-1)
    return out


def tolerance_for(items: int, scale: float = 1.0) -> float:
    """Values closer than this are equal: far below scale / N^2, above what float64 arithmetic adds.

    >>> tolerance_for(1_000)
    1e-09
    """
    return max(1e-3 / items**2, 64 * float(np.finfo(np.float64).eps)) * scale


def outcome_information(p: Probabilities, outcome: IntArray) -> FloatArray:
    """Mutual information between an item's outcome and the weights (Eqs. 5-7, 14), summed over metrics `[n]`.

    `p [M, n, C]`, `outcome [n, K, C]`: labels with the same number form one outcome, whose probability is their sum.

    >>> p = np.array([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]], np.float32)
    >>> outcome_information(p, np.array([[[0, 0, 1]]]))   # both drawn labels give the same value: nothing to learn
    array([0.])
    """
    worth = np.zeros(p.shape[1])
    by_item = np.ascontiguousarray(p.transpose(1, 0, 2))  # [n, M, C]
    how_many = outcome.max(-1) + 1
    for k in range(outcome.shape[1]):
        for count in np.unique(how_many[:, k]):
            if count == 1:  # the label cannot move this metric
                continue
            rows = np.flatnonzero(how_many[:, k] == count)
            member = outcome[rows, k, :, None] == np.arange(count)
            q = np.matmul(by_item[rows], member.astype(np.float32))  # [rows, M, outcomes]
            worth[rows] += _information(q.astype(np.float64))
    return worth


def alt_mas(
    draws: Draws, drawn: NDArray[np.int16], predicted: IntArray, means: CounterfactualMeans, items: int
) -> FloatArray:
    """Metric-aware mutual information plus its tie-break, `[n, 2]`: (Eq. 9 worth, BALD) for each of the draws' items.

    `drawn [M, n]` are the labels the confusions were counted with; `items` is the size of the pool.
    """
    worth = np.empty((len(draws.items), 2))
    tolerance = [tolerance_for(items, scale) for scale in means.scales]
    for part, p in draws.blocks():
        values = means.at(predicted[part], drawn[:, part].astype(np.int64))
        worth[part, 0] = outcome_information(p, outcomes(values, tolerance))
        worth[part, 1] = bald(p)
    return worth
