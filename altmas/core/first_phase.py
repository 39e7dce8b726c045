"""How a pool was drawn from a larger whole: the first phase, before any label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class FirstPhase:
    """In each stratum of the whole, so many of its rows were drawn, every subset of that size alike.

    `stratum [N]` is the stratum of each item of the pool, `rows [H]` how many rows of the whole each stratum has, and
    `names [H]` what it is called.

    >>> phase = FirstPhase(np.array([0, 0, 1]), np.array([100, 1]), ("cat, sure", "dog"))
    >>> phase.weights.tolist(), phase.whole
    ([50.0, 50.0, 1.0], 101)
    """

    stratum: IntArray
    rows: IntArray
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if bool((self.taken > self.rows).any()) or bool(((self.taken == 0) & (self.rows > 0)).any()):
            rule = "each have at least one item in the pool, and no more than its rows"
            raise InputError("strata of the first phase", rule, "another number")

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
