"""Confusion counts `[..., true, predicted]`, and the totals that most metrics need.

There are C true classes and P >= C predicted columns: where the model under test may answer
something that is no class (it abstained, it failed), those answers share one last column.
They count as wrong and belong to no class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from altmas.metrics.types import FloatArray, IntArray

_FEW = 1000


def tally(true: ArrayLike, predicted: ArrayLike, classes: int, columns: int | None = None) -> FloatArray:
    """Count `true` labels `[..., N]` against predictions `[N]` into confusions `[..., C, P]`.

    >>> tally([0, 1, 1], [0, 1, 0], classes=2)
    array([[1., 0.],
           [1., 1.]])
    """
    labels = np.asarray(true, dtype=np.int64)
    said = np.asarray(predicted, dtype=np.int64)
    width = classes if columns is None else columns
    leading = labels.shape[:-1]
    runs = int(np.prod(leading, dtype=np.int64))
    cells = labels.reshape(runs, -1) * width + said
    cells += (np.arange(runs) * (classes * width))[:, None]
    counts = np.bincount(cells.ravel(), minlength=runs * classes * width)
    return counts.reshape(*leading, classes, width).astype(np.float64)


def sum_by_column(
    weights: NDArray[np.floating], columns: IntArray, width: int, shares: FloatArray | None = None
) -> FloatArray:
    """Sum label weights `[n, C]` of items in these columns, none below 0, into a confusion `[C, P]`.

    Each item counts as often as its share `[n]` says, once unless it is given.

    >>> sum_by_column(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 0]), 2).round(1).tolist()
    [[1.1, 0.0], [0.9, 0.0]]
    """
    size, classes = weights.shape
    if size > _FEW:  # each item's row is added to its column's
        from scipy.sparse import csr_array  # late: small pools need none of it

        counted = np.ones(size) if shares is None else shares
        member = csr_array((counted, columns, np.arange(size + 1)), shape=(size, width))
        return np.ascontiguousarray((member.T @ weights).T)
    cells = columns[:, None] + width * np.arange(classes)
    counts = weights if shares is None else shares[:, None] * weights
    sums = np.bincount(cells.ravel(), counts.ravel(), classes * width)
    return np.asarray(sums, dtype=np.float64).reshape(classes, width)


class Totals(NamedTuple):
    """What a metric sees of a confusion: right answers, true labels and predictions, per class."""

    hit: FloatArray  # [..., C]
    true: FloatArray  # [..., C]
    said: FloatArray  # [..., P]


def totals(confusion: ArrayLike) -> Totals:
    """Sum a confusion `[..., C, P]` into its totals.

    >>> totals([[1, 0], [1, 1]]).true
    array([1., 2.])
    """
    counts = np.asarray(confusion, dtype=np.float64)
    hit = np.diagonal(counts[..., : counts.shape[-2]], axis1=-2, axis2=-1)
    return Totals(hit, counts.sum(-1), counts.sum(-2))


def spread_gradient(parts: Totals) -> FloatArray:
    """Turn derivatives by totals into derivatives by cells `[..., C, P]`.

    Cell (t, p) takes part in `true[t]`, in `said[p]` and, when t = p, in `hit[t]`.
    """
    classes = parts.true.shape[-1]
    cells = parts.true[..., :, None] + parts.said[..., None, :]
    diagonal = np.arange(classes)
    cells[..., diagonal, diagonal] += parts.hit
    return cells


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide, with 0 where the denominator is 0, as scikit-learn does with `zero_division=0`.

    >>> ratio([1.0, 0.0], [2.0, 0.0])
    array([0.5, 0. ])
    """
    top, bottom = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    return np.asarray(np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0))
