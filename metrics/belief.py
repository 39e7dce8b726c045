"""What is believed of every item's label, in as many numbers as that takes.

From a prediction and a confidence an item's belief is one number, how probable the prediction is, and a row that it
shares with all items predicted alike; a second opinion adds a number; only where every label has a score of its own is
there a number per item and label. So a belief is a sum of parts,

    pi_i  =  sum of  share_i rows[key_i]  +  mass_i e(label_i)  +  share_i scores_i,

and what metrics ask of it, expectations of slopes and the confusion, is linear in the parts: no table `[N, C]` is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.belief_parts import Own, Part, Shared, Single, blocks
from altmas.metrics.types import FloatArray, IntArray

__all__ = ["Belief", "Own", "Part", "Shared", "Single", "blocks", "mixture", "scattered"]


@dataclass(frozen=True, eq=False)
class Belief:
    """Label probabilities of N items, as a sum of parts.

    >>> sure = Single(np.array([0, 1]), np.array([0.9, 0.6]))
    >>> belief = Belief(2, 3, (sure, Shared(np.array([0, 1]), np.array([[0, 0.5, 0.5], [1.0, 0, 0]]), 1 - sure.mass)))
    >>> belief.rows().round(2).tolist()
    [[0.9, 0.05, 0.05], [0.4, 0.6, 0.0]]
    >>> belief.tally(np.array([0, 1]), 2).round(2).tolist()  # the confusion believed, [C, P]
    [[0.9, 0.4], [0.05, 0.6], [0.05, 0.0]]
    """

    size: int
    classes: int
    parts: tuple[Part, ...]

    @classmethod
    def dense(cls, probabilities: NDArray[np.floating]) -> Belief:
        """A number per item and label `[N, C]`.

        >>> Belief.dense(np.array([[0.2, 0.8]])).chance(np.array([1])).tolist()
        [0.8]
        """
        size, classes = probabilities.shape
        return cls(size, classes, (Own(probabilities, np.ones(size)),))

    @classmethod
    def even(cls, size: int, classes: int) -> Belief:
        """Every label alike.

        >>> Belief.even(1, 4).rows().tolist()
        [[0.25, 0.25, 0.25, 0.25]]
        """
        rows = np.full((1, classes), 1.0 / classes)
        return cls(size, classes, (Shared(np.zeros(size, dtype=np.int8), rows, np.ones(size)),))

    def at(self, items: IntArray) -> Belief:
        """About some items, in this order."""
        return Belief(len(items), self.classes, tuple(part.at(items) for part in self.parts))

    def scaled(self, by: FloatArray) -> Belief:
        """Each item's probabilities multiplied by a number of its own `[N]`."""
        return Belief(self.size, self.classes, tuple(part.scaled(by) for part in self.parts))

    def plus(self, *parts: Part) -> Belief:
        """With further parts."""
        return Belief(self.size, self.classes, (*self.parts, *parts))

    def without(self, classes: IntArray) -> Belief:
        """Where no item has one of these labels; items that had no other have the rest of them alike.

        >>> Belief.dense(np.array([[0.2, 0.8, 0.0], [0.0, 1.0, 0.0]])).without(np.array([1])).rows().tolist()
        [[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]]
        """
        left = replace(self, parts=tuple(part.without(classes) for part in self.parts))
        total = left.expect(np.ones((self.classes, 1)))[:, 0]
        some = total > 0
        others = np.full((1, self.classes), 1.0 / max(self.classes - len(classes), 1))
        others[:, classes] = 0.0
        rest = Shared(np.zeros(self.size, dtype=np.int8), others, (~some).astype(np.float64))
        return left.scaled(np.where(some, 1.0 / np.where(some, total, 1.0), 0.0)).plus(rest)

    def rows(self, block: slice = slice(None)) -> FloatArray:
        """The probabilities themselves `[n, C]`: for a few items, or a block."""
        out = np.zeros((len(range(*block.indices(self.size))), self.classes))
        for part in self.parts:
            part.add_rows(out, block)
        return np.maximum(out, 0.0, out=out)

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """All items, block by block, with their probabilities."""
        return ((block, self.rows(block)) for block in blocks(self.size, self.classes))

    def chance(self, labels: IntArray) -> FloatArray:
        """How probable one label of each item is `[N]`; C stands for no class, which no label is."""
        return self._sum(lambda part: part.chance(labels))

    def column(self, label: int) -> FloatArray:
        """How probable one label is, of every item `[N]`."""
        return self.chance(np.full(self.size, label))

    def expect(self, slopes: FloatArray) -> FloatArray:
        """Expectations of what each label counts for, `[C, L]`, of every item `[N, L]`."""
        return self._sum(lambda part: part.expect(slopes))

    def moved(self, table: FloatArray, columns: IntArray) -> FloatArray:
        """Expectation of what a table `[C, P]` has for each item's label in its column `[N]`."""
        return self._sum(lambda part: part.moved(table, columns))

    def moments(self, table: FloatArray, columns: IntArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the same, each `[N]`.

        >>> [one.round(2).tolist() for one in Belief.dense(np.array([[0.2, 0.8]])).moments(np.eye(2), np.array([1]))]
        [[0.8], [0.16]]
        """
        # From one label's number on, so that the variance of a sure item is no difference of large squares.
        width = table.shape[1]
        base = table[np.minimum(np.arange(width), len(table) - 1), np.arange(width)]
        above = table - base
        mean = self.moved(above, columns)
        variance = self.moved(np.square(above), columns) - np.square(mean)
        return mean + base[columns], np.maximum(variance, 0.0, out=variance)

    def tally(self, columns: IntArray, width: int) -> FloatArray:
        """The confusion `[C, P]` believed, with each item in its column."""
        found = np.zeros((self.classes, width))
        for part in self.parts:
            found += part.tally(columns, width, self.classes)
        return np.maximum(found, 0.0, out=found)

    def _sum(self, of: Callable[[Part], FloatArray]) -> FloatArray:
        first, *others = self.parts
        found = of(first)
        for part in others:
            found += of(part)
        return found


def mixture(beliefs: Sequence[Belief], shares: Sequence[FloatArray]) -> Belief:
    """Several beliefs about the same items, each item with its own shares `[N]` of them.

    >>> sure, even = Belief.dense(np.array([[1.0, 0.0]])), Belief.even(1, 2)
    >>> mixture([sure, even], [np.array([0.5]), np.array([0.5])]).rows().tolist()
    [[0.75, 0.25]]
    """
    first = beliefs[0]
    parts = tuple(
        part for one, share in zip(beliefs, shares, strict=True) if share.any() for part in one.scaled(share).parts
    )
    return Belief(first.size, first.classes, parts)


def scattered(beliefs: Sequence[Belief], places: Sequence[IntArray]) -> Belief:
    """One belief about all items from those about parts of the pool, each made in the same way; some may be of nothing.

    >>> halves = [Belief.dense(np.array([[1.0, 0.0]])), Belief.dense(np.array([[0.0, 1.0]]))]
    >>> scattered(halves, [np.array([1]), np.array([0])]).rows().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    size = sum(map(len, places))
    held = [(one.parts, place) for one, place in zip(beliefs, places, strict=True) if len(place)]
    each, where = zip(*held, strict=True)
    parts = [some[0].joined(some, where, size) for some in zip(*each, strict=True)]
    return Belief(size, beliefs[0].classes, tuple(parts))
