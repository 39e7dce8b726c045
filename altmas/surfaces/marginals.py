"""Arms added up: accuracy per value of an attribute, or per combination of a few, each arm counting by its items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from altmas.metrics.types import FloatArray, IntArray
from altmas.surfaces.combinations import Attribute, Combinations


@dataclass(frozen=True, eq=False)
class Cells:
    """Combinations `codes [V, K]` of K attributes that have items, and the cell `index [H]` of each of the arms `held`.

    Arms by cells would be a table without bound: sums over the arms of a cell are made along the index instead.
    """

    codes: IntArray
    held: IntArray
    index: IntArray
    share: FloatArray
    """The share that each arm has in the items of its cell `[H]`."""
    support: FloatArray
    """Items per cell `[V]`."""

    @classmethod
    def of(cls, arms: Combinations, support: FloatArray, places: Sequence[int]) -> Cells:
        """The cells of some attributes, given by their places.

        >>> arms = Combinations.build({"hat": list("nnyy"), "age": list("oyoy")})
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

    >>> arms = Combinations.build({"hat": list("ny")})
    >>> spread(Cells.of(arms, np.array([5.0, 5]), [0]), np.array([0.4, 0.6]))
    0.01
    """
    value = cells.mean(mean)
    centre = np.average(value, weights=cells.support)
    return round(float(np.average(np.square(value - centre), weights=cells.support)), 12)


def worst_first(table: pd.DataFrame, chance: str, digits: int | None = None) -> pd.DataFrame:
    """The row of the highest `p_worst` first, the others by a column of chances; of equal ones the lower `estimate`.

    With `digits`, chances that look equal when so rounded are equal: the noise of draws orders nothing.

    >>> rows = pd.DataFrame({"estimate": [0.9, 0.7, 0.6], "p_worst": [0.1, 0.5, 0.4], "p": [0.3, 0.8, 0.9]})
    >>> worst_first(rows, "p")["estimate"].tolist()
    [0.7, 0.6, 0.9]
    """
    low, worst, other = (table[name].to_numpy(np.float64) for name in ("estimate", "p_worst", chance))
    follows = np.ones(len(table), dtype=bool)
    follows[np.lexsort([low, -worst])[:1]] = False
    return table.iloc[np.lexsort([low, -other if digits is None else -other.round(digits), follows])]


def value_column(attribute: Attribute, codes: Any) -> pd.Series:
    """Values of an attribute by code, as they are: beside None, pandas would make floats of whole numbers.

    >>> value_column(Attribute("hats", (None, 0, 1)), [0, 2]).tolist()
    [None, 1]
    """
    return pd.Series([attribute.values[code] for code in codes], dtype=object if None in attribute.values else None)
