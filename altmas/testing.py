"""Doubles for tests, ours and yours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from altmas.answers import Answers
from altmas.draws import Probabilities
from altmas.metrics.confusion import IntArray
from altmas.oracles import TableOracle
from altmas.pool import Pool
from altmas.progress import Reporter

__all__ = ["CountingOracle", "FixedSurrogate", "TableOracle"]


@dataclass(eq=False)
class FixedSurrogate:
    """A surrogate whose draws are given, `[M, N, C]`; it learns nothing. Pass it as a method's `surrogate`.

    >>> fixed = FixedSurrogate(np.full((4, 3, 2), 0.5))
    >>> fixed.draw(np.array([0, 2]), draws=4, rng=np.random.default_rng(0)).shape
    (4, 2, 2)
    """

    probabilities: ArrayLike
    pseudo: ArrayLike = ()
    fitted_on: list[tuple[IntArray, IntArray]] = field(default_factory=list)

    def bind(self, pool: Pool) -> Self:
        """Itself."""
        return self

    def fit(self, items: IntArray, labels: IntArray, *, rng: np.random.Generator) -> None:
        """Remember what it was given."""
        self.fitted_on.append((items, labels))

    def draw(self, items: IntArray, *, draws: int, rng: np.random.Generator) -> Probabilities:
        """The given probabilities of these items."""
        p: Probabilities = np.asarray(self.probabilities, np.float32)[:draws, items]
        return p

    def agreeing(self, answers: Answers, *, draws: int, rng: np.random.Generator) -> IntArray:
        """The given pseudo-labelled items that are still open."""
        return np.setdiff1d(np.asarray(self.pseudo, dtype=np.int64), answers.items)

    def tune(self, answers: Answers, *, rng: np.random.Generator, reporter: Reporter) -> dict[str, float]:
        """Nothing to tune."""
        return {}


@dataclass(eq=False)
class CountingOracle:
    """A table that counts how often each item was asked about.

    >>> oracle = CountingOracle(["cat", "dog"])
    >>> oracle(1), oracle.asked
    ('dog', [1])
    """

    labels: Any
    asked: list[Any] = field(default_factory=list)

    def __call__(self, item: Any) -> Any:
        self.asked.append(item)
        return self.labels[item]
