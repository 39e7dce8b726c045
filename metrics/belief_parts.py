"""The parts that a belief about labels is a sum of: what items share, what one label has, scores of every label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
