"""Confusion counts `[..., true, predicted]`, and the totals that most metrics need.

There are C true classes and P >= C predicted columns: where the model under test may answer
something that is no class (it abstained, it failed), those answers share one last column.
They count as wrong and belong to no class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.types import FloatArray


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
