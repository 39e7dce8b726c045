"""How a pool was drawn from a larger whole: the first phase, before any label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from altmas.metrics.errors import InputError
from altmas.metrics.types import BoolArray, FloatArray, IntArray

FEWEST = 2
"""Of each stratum that is not taken whole so many items at the least: of one, nobody can tell how items differ."""


@dataclass(frozen=True, eq=False)
class FirstPhase:
    """In each stratum of the whole, so many of its rows were drawn, every subset of that size alike.

    `stratum [N]` is the stratum of each item of the pool, `rows [H]` how many rows of the whole each stratum has, and
    `names [H]` what it is called. `seed` is what the draws followed from, where they did from one.

    >>> phase = FirstPhase(np.array([0, 0, 1]), np.array([100, 1]), ("cat, sure", "dog"))
    >>> phase.weights.tolist(), phase.whole
    ([50.0, 50.0, 1.0], 101)
    """

    stratum: IntArray
    rows: IntArray
    names: tuple[str, ...]
    seed: int | None = None

    def __post_init__(self) -> None:
        taken, rows = self.taken, self.rows
        if len(taken) != len(rows) or len(rows) != len(self.names):
            rule = "each have a number of rows and a name"
            raise InputError("strata of the first phase", rule, f"{len(taken)}, {len(rows)} and {len(self.names)}")
        wrong = (taken > rows) | (taken < np.minimum(rows, FEWEST))
        if bool(wrong.any()):
            k = int(np.flatnonzero(wrong)[0])
            rule = f"each have {FEWEST} items in the pool, or all their rows, and no more items than rows"
            got = f"{taken[k]:,} items for {rows[k]:,} rows in {self.names[k]!r}"
            raise InputError("strata of the first phase", rule, got)

    @cached_property
    def taken(self) -> IntArray:
        """How many items of the pool each stratum has `[H]`."""
        return np.bincount(self.stratum, minlength=len(self.rows))

    @cached_property
    def weights(self) -> FloatArray:
        """How many rows of the whole each item stands for `[N]`."""
        return np.asarray((self.rows / np.maximum(self.taken, 1))[self.stratum], dtype=np.float64)

    @property
    def whole(self) -> int:
        """Rows of the whole."""
        return int(self.rows.sum())

    @property
    def whole_strata(self) -> int:
        """How many strata were taken whole."""
        return int((self.taken == self.rows).sum())

    def rows_of(self, member: BoolArray | None = None) -> int:
        """How many rows these items `[N]` stand for: exactly, where they are all those of their strata."""
        return self.whole if member is None else round(float(self.weights[member].sum()))

    def times(self, values: FloatArray, items: IntArray | slice | None = None, power: int = 1) -> FloatArray:
        """Values of these items `[n, ...]`, or of all, times the rows that each stands for, to a power.

        >>> FirstPhase(np.array([0, 0]), np.array([10]), ("all",)).times(np.array([1.0, 2.0]), power=2).tolist()
        [25.0, 50.0]
        """
        if power == 0:
            return values
        weights = self.weights if items is None else self.weights[items]
        weights = weights if power == 1 else weights**power
        return np.asarray(values * weights.reshape(-1, *[1] * (values.ndim - 1)))
