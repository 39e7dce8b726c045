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
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.confusion import sum_by_column
from altmas.metrics.types import FloatArray, IntArray

_NUMBERS_AT_ONCE = 1 << 19
"""Rows are made in blocks of so many numbers, which stay near the processor."""


_NUMBERS_IN_A_SUM = 1 << 22
_PAIRS_AT_LEAST = 1 << 16


class Part(Protocol):
    """One summand of a belief about N items."""

    def scaled(self, by: FloatArray) -> Part:
        """Each item's share multiplied by a number of its own `[N]`."""
        ...

    def at(self, items: IntArray) -> Part:
        """The part of some items."""
        ...

    def without(self, classes: IntArray) -> Part:
        """Nothing for these labels."""
        ...

    def add_rows(self, out: FloatArray, block: slice) -> None:
        """Add a block of items to `out [n, C]`."""
        ...

    def chance(self, labels: IntArray) -> FloatArray:
        """What each item has of one label `[N]`, none above the last class."""
        ...

    def expect(self, slopes: FloatArray) -> FloatArray:
        """Sums over labels of slopes `[C, L]`, `[N, L]`."""
        ...

    def moved(self, table: FloatArray, columns: IntArray) -> FloatArray:
        """Sums over labels of what a table `[C, P]` has in each item's column `[N]`."""
        ...

    def tally(self, columns: IntArray, width: int, classes: int) -> FloatArray:
        """Sums by each item's column `[C, P]`."""
        ...

    def joined(self, each: Sequence[Any], places: Sequence[IntArray], size: int) -> Part:
        """One part about all items from parts of this kind, this one the first, about the items at these places."""
        ...


@dataclass(frozen=True, eq=False)
class Shared:
    """`share_i rows[key_i]`: items of one key have their labels in the same proportions."""

    key: IntArray  # [N]
    rows: FloatArray  # [K, C]
    share: FloatArray  # [N]

    def scaled(self, by: FloatArray) -> Shared:
        return Shared(self.key, self.rows, self.share * by)

    def at(self, items: IntArray) -> Shared:
        return Shared(self.key[items], self.rows, self.share[items])

    def without(self, classes: IntArray) -> Shared:
        rows = self.rows.copy()
        rows[:, classes] = 0.0
        return replace(self, rows=rows)

    def add_rows(self, out: FloatArray, block: slice) -> None:
        out += self.share[block, None] * self.rows[self.key[block]]

    def chance(self, labels: IntArray) -> FloatArray:
        classes = self.rows.shape[1]
        found = self.rows[self.key, np.minimum(labels, classes - 1)]
        found *= self.share
        return np.where(labels < classes, found, 0.0)

    def expect(self, slopes: FloatArray) -> FloatArray:
        found = _sums(self.rows, slopes)[self.key]
        found *= self.share[:, None]
        return found

    def moved(self, table: FloatArray, columns: IntArray) -> FloatArray:
        if len(self.rows) * table.shape[1] <= len(self.key):
            found = (self.rows @ table)[self.key, columns]
        else:  # nearly as many columns as items
            found, by_column = np.empty(len(self.key)), table.T
            for block in blocks(len(found), len(table)):
                np.einsum("ic,ic->i", self.rows[self.key[block]], by_column[columns[block]], out=found[block])
        found *= self.share
        return found

    def tally(self, columns: IntArray, width: int, classes: int) -> FloatArray:
        from scipy.sparse import csr_array  # late: it takes longer to import than small pools to count

        # A key mostly goes with one column, so that few of the pairs occur.
        pairs = self.key.astype(np.int64) * width + columns
        size = len(self.rows) * width
        if size <= _PAIRS_AT_LEAST + 8 * len(pairs):
            sums = np.bincount(pairs, self.share, size)
            which = np.flatnonzero(sums)
            sums = sums[which]
        else:
            which, place = np.unique(pairs, return_inverse=True)
            sums = np.bincount(place, self.share, len(which))
        keys, where = np.divmod(which, width)
        return np.asarray((csr_array((sums, (where, keys)), shape=(width, len(self.rows))) @ self.rows).T)

    def joined(self, each: Sequence[Shared], places: Sequence[IntArray], size: int) -> Shared:
        first = np.cumsum([0, *(len(one.rows) for one in each)])
        keys = [one.key + np.int32(start) for one, start in zip(each, first, strict=False)]
        rows = np.concatenate([one.rows for one in each])
        return Shared(_put(keys, places, size), rows, _put([one.share for one in each], places, size))


@dataclass(frozen=True, eq=False)
class Single:
    """`mass_i e(label_i)`: something for one label of each item; for none where that is C."""

    label: IntArray  # [N]
    mass: FloatArray  # [N]

    def scaled(self, by: FloatArray) -> Single:
        return Single(self.label, self.mass * by)

    def at(self, items: IntArray) -> Single:
        return Single(self.label[items], self.mass[items])

    def without(self, classes: IntArray) -> Single:
        return replace(self, mass=np.where(np.isin(self.label, classes), 0.0, self.mass))

    def add_rows(self, out: FloatArray, block: slice) -> None:
        label = self.label[block]
        rows = np.flatnonzero(label < out.shape[1])
        out[rows, label[rows]] += self.mass[block][rows]

    def chance(self, labels: IntArray) -> FloatArray:
        return np.where(labels == self.label, self.mass, 0.0)

    def expect(self, slopes: FloatArray) -> FloatArray:
        found = np.concatenate([slopes, np.zeros((1, slopes.shape[1]))])[self.label]
        found *= self.mass[:, None]
        return found

    def moved(self, table: FloatArray, columns: IntArray) -> FloatArray:
        found = np.concatenate([table, np.zeros((1, table.shape[1]))])[self.label, columns]
        found *= self.mass
        return found

    def tally(self, columns: IntArray, width: int, classes: int) -> FloatArray:
        cells = self.label.astype(np.int64) * width + columns
        found = np.bincount(cells, self.mass, (classes + 1) * width)
        return np.asarray(found, dtype=np.float64).reshape(classes + 1, width)[:classes]

    def joined(self, each: Sequence[Single], places: Sequence[IntArray], size: int) -> Single:
        label, mass = [one.label for one in each], [one.mass for one in each]
        return Single(_put(label, places, size), _put(mass, places, size))


@dataclass(frozen=True, eq=False)
class Own:
    """`share_i scores[place_i]`: a number per item and label; `place` is the item's own where None stands."""

    scores: NDArray[np.floating]  # [M, C]
    share: FloatArray  # [N]
    place: IntArray | None = None  # [N]
    heard: FloatArray | None = None  # [C], 0 for labels that are left out

    def scaled(self, by: FloatArray) -> Own:
        return Own(self.scores, self.share * by, self.place, self.heard)

    def at(self, items: IntArray) -> Own:
        place = items if self.place is None else self.place[items]
        return Own(self.scores, self.share[items], place, self.heard)

    def without(self, classes: IntArray) -> Own:
        heard = np.ones(self.scores.shape[1]) if self.heard is None else self.heard.copy()
        heard[classes] = 0.0
        return replace(self, heard=heard)

    def add_rows(self, out: FloatArray, block: slice) -> None:
        found = self.share[block, None] * self._scores(block)
        out += found if self.heard is None else found * self.heard

    def chance(self, labels: IntArray) -> FloatArray:
        size, classes = len(self.share), self.scores.shape[1]
        known = np.minimum(labels, classes - 1)
        found = self.share * self.scores[np.arange(size) if self.place is None else self.place, known]
        return np.where(labels < classes, found if self.heard is None else found * self.heard[known], 0.0)

    def expect(self, slopes: FloatArray) -> FloatArray:
        wanted = slopes if self.heard is None else slopes * self.heard[:, None]
        out = np.empty((len(self.share), slopes.shape[1]))
        for block in blocks(len(out), len(wanted)):
            out[block] = _sums(self._scores(block), wanted)
        out *= self.share[:, None]
        return out

    def moved(self, table: FloatArray, columns: IntArray) -> FloatArray:
        by_column = table.T if self.heard is None else table.T * self.heard
        out = np.empty(len(self.share))
        for block in blocks(len(out), len(table)):
            np.einsum("ic,ic->i", self._scores(block), by_column[columns[block]], out=out[block])
        out *= self.share
        return out

    def tally(self, columns: IntArray, width: int, classes: int) -> FloatArray:
        found = np.zeros((classes, width))
        for block in blocks(len(self.share), classes, _NUMBERS_IN_A_SUM):
            found += sum_by_column(self._scores(block), columns[block], width, self.share[block])
        return found if self.heard is None else found * self.heard[:, None]

    def joined(self, each: Sequence[Own], places: Sequence[IntArray], size: int) -> Own:
        share = _put([one.share for one in each], places, size)
        if all(one.scores is self.scores for one in each):
            ends = [np.arange(len(one.scores)) if one.place is None else one.place for one in each]
            place = _put(ends, places, size)
            alike = len(self.scores) == size and bool((place == np.arange(size)).all())
            return Own(self.scores, share, None if alike else place)
        held = [one.scores if one.place is None else one.scores[one.place] for one in each]
        return Own(_put(held, places, size), share)

    def _scores(self, block: slice) -> NDArray[np.floating]:
        return self.scores[block] if self.place is None else self.scores[self.place[block]]


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


def blocks(size: int, classes: int, numbers: int = _NUMBERS_AT_ONCE) -> Iterator[slice]:
    """Items in blocks of so few that their rows of probabilities stay near the processor."""
    step = max(numbers // max(classes, 1), 1)
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


def _sums(rows: NDArray[np.floating], slopes: FloatArray) -> FloatArray:
    """Sums over labels `[n, L]`. Not by `@`, whose threads wait for each other longer than such sums take."""
    return np.stack([np.einsum("ic,c->i", rows, one) for one in np.ascontiguousarray(slopes.T)], axis=1)


def _put(each: Sequence[NDArray[Any]], places: Sequence[IntArray], size: int) -> NDArray[Any]:
    out = np.empty((size, *each[0].shape[1:]), dtype=np.result_type(*each))
    for one, place in zip(each, places, strict=True):
        out[place] = one
    return out
