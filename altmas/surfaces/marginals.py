"""Arms added up: accuracy per value of an attribute, or per combination of a few, each arm counting by its items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from altmas.metrics.types import FloatArray, IntArray
from altmas.surfaces.arms import Arms, Attribute


@dataclass(frozen=True, eq=False)
class Cells:
    """Combinations `codes [V, K]` of K attributes that have items, and the cell `index [H]` of each of the arms `held`.

    Arms by cells would be a table without bound: sums over the arms of a cell are made along the index instead.
    """

    codes: IntArray
    held: IntArray
    index: IntArray
    share: FloatArray
    """Of each arm in its cell's items `[H]`."""
    support: FloatArray
    """Items per cell `[V]`."""

    @classmethod
    def of(cls, arms: Arms, support: FloatArray, places: Sequence[int]) -> Cells:
        """Of some attributes, by place.

        >>> arms = Arms.build({"hat": list("nnyy"), "age": list("oyoy")})
        >>> Cells.of(arms, np.array([3.0, 1, 0, 0]), [1]).mean(np.array([0.5, 0.9, 0, 0]))
        array([0.5, 0.9])
        """
        held = np.flatnonzero(support > 0)
        codes, index = np.unique(arms.codes[held][:, list(places)], axis=0, return_inverse=True)
        index = index.reshape(-1)
        whole = np.bincount(index, support[held], minlength=len(codes)).astype(np.float64)
        return cls(codes, held, index, support[held] / whole[index], whole)

    def total(self, each: FloatArray) -> FloatArray:
        """Numbers per arm `[A]` summed `[V]`."""
        return np.bincount(self.index, each[self.held], minlength=len(self.codes)).astype(np.float64)

    def mean(self, each: FloatArray) -> FloatArray:
        """Numbers per arm `[A]` averaged over the items of each cell `[V]`."""
        return np.bincount(self.index, each[self.held] * self.share, minlength=len(self.codes)).astype(np.float64)

    def draws(self, each: FloatArray) -> FloatArray:
        """The same of every draw: `[M, A]` to `[M, V]`."""
        order = np.argsort(self.index, kind="stable")
        starts = np.searchsorted(self.index[order], np.arange(len(self.codes)))
        return np.asarray(np.add.reduceat(each[:, self.held[order]] * self.share[order], starts, axis=1))


def spread(cells: Cells, mean: FloatArray) -> float:
    """Variance of the arms' means `[A]` between cells, items counted.

    >>> arms = Arms.build({"hat": list("ny")})
    >>> spread(Cells.of(arms, np.array([5.0, 5]), [0]), np.array([0.4, 0.6]))
    0.01
    """
    value = cells.mean(mean)
    centre = np.average(value, weights=cells.support)
    return round(float(np.average(np.square(value - centre), weights=cells.support)), 12)


def value_column(attribute: Attribute, codes: Any) -> pd.Series:
    """Values of an attribute by code, as they are: beside None, pandas would make floats of whole numbers.

    >>> value_column(Attribute("hats", (None, 0, 1)), [0, 2]).tolist()
    [None, 1]
    """
    return pd.Series([attribute.values[code] for code in codes], dtype=object if None in attribute.values else None)
