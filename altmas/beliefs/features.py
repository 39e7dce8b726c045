"""What a surrogate sees of each item, as float32 on a common scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from altmas.core.pool import Pool
from altmas.metrics.types import Float32Array, FloatArray, IntArray

FURTHEST = 6.0
"""Features are held within this many standard deviations: a pixel that is hardly ever lit must not drown the others."""

_ROWS_SUMMED_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False)
class FeatureView:
    """Rows of an array, shifted and scaled as they are read, so that a memory-mapped pool stays on disk."""

    array: NDArray[Any]
    shift: NDArray[Any]
    scale: NDArray[Any]

    def rows(self, items: IntArray) -> Float32Array:
        """Scaled features of some items `[n, ...]`, outliers held at `FURTHEST`.

        The difference is taken in the precision of the shift: float64, for a time stamp would vanish in float32.
        """
        part = (self.array[items] - self.shift) * self.scale
        np.clip(part, -FURTHEST, FURTHEST, out=part)
        return np.asarray(part, dtype=np.float32)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one item."""
        return self.array.shape[1:]


def view_of(pool: Pool) -> FeatureView:
    """The pool's features; without any, the vendor's outputs.

    Bytes are pixels and are divided by 255; anything else is standardised by column over the pool.

    >>> view_of(Pool.build([0, 1, 1], features=[[0.0], [2.0], [4.0]])).rows(np.array([1]))
    array([[0.]], dtype=float32)
    """
    if pool.features is None:
        return _outputs_view(pool)
    array = pool.features
    if array.dtype == np.uint8:
        return FeatureView(array, np.zeros((), np.float32), np.array(1 / 255, np.float32))
    return FeatureView(array, *_standardising(array))


def _outputs_view(pool: Pool) -> FeatureView:
    outputs = vendor_outputs(pool)
    shift, scale = _standardising(outputs)
    shift[: pool.columns], scale[: pool.columns] = 0.0, 1.0  # a rare class is no outlier
    return FeatureView(outputs, shift, scale)


def _standardising(array: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Mean and inverse standard deviation of each column, in blocks of rows; 0 for a constant column."""
    count, total, squares = len(array), np.zeros(array.shape[1:]), np.zeros(array.shape[1:])
    first = np.asarray(array[0], dtype=np.float64)  # subtracted to keep the sums of squares accurate
    for start in range(0, count, _ROWS_SUMMED_AT_ONCE):
        part = np.asarray(array[start : start + _ROWS_SUMMED_AT_ONCE], dtype=np.float64) - first
        total += part.sum(0)
        squares += (part * part).sum(0)
    mean = total / count
    deviation = np.sqrt(np.maximum(squares / count - mean * mean, 0.0))
    scale = np.where(deviation > 1e-12, 1.0 / np.maximum(deviation, 1e-12), 0.0)
    return mean + first, scale


def vendor_outputs(pool: Pool) -> Float32Array:
    """Features made of what the model under test said: its prediction one-hot, and the logit of its scores.

    >>> vendor_outputs(Pool.build([0, 1])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    parts = [np.eye(pool.columns, dtype=np.float32)[pool.predictions]]
    if pool.scores is not None:
        scores = pool.scores.reshape(pool.size, -1)
        if pool.probable:  # other confidences are taken as they are
            scores = logit(np.clip(scores, 1e-6, 1 - 1e-6))
        parts.append(scores.astype(np.float32))
    return np.concatenate(parts, axis=1)
