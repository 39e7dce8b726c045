"""Rows from an array, as they are: for examples and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from altmas.metrics.types import Float32Array, IntArray


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """An array of features that needs no scaling.

    >>> ArrayRows(np.eye(2)).rows(np.array([1])).tolist()
    [[0.0, 1.0]]
    """

    array: Any

    def rows(self, items: IntArray) -> Float32Array:
        """Rows of the array."""
        return np.asarray(self.array[items], dtype=np.float32)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one item."""
        return tuple(self.array.shape[1:])
