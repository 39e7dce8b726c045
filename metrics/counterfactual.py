"""The metric if one item had another label (Eq. 4 of the ALT-MAS paper), exactly and without a recount per item.

Moving one item from its drawn label d to c, with prediction a fixed, changes the confusion in two cells of column a.
So the value depends on the item only through (a, d, c): tabulate `[M, P, C, C]` and gather. With many classes the
table would be too large; then the class sums of each formula are moved instead, a few additions for each value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.confusion import Totals, totals
from altmas.metrics.formulas import Formula, Metric, TotalsMetric
from altmas.metrics.types import FloatArray, IntArray

TABLE_CLASSES = 24
"""Up to this many classes the whole table is kept."""

_NUMBERS_AT_ONCE = 1 << 22  # numbers held at once while moving


def counterfactuals(
    metrics: Sequence[Metric], confusion: ArrayLike, predicted: ArrayLike, drawn: ArrayLike
) -> FloatArray:
    """Values `[..., n, K, C]` of K metrics if item i, predicted `predicted[i]`, drawn as `drawn[..., i]`, had label c.

    The leading axes of `confusion [..., C, P]` and `drawn [..., n]` are the same. Equal to a recount, bit for bit.

    >>> from altmas.metrics import metric
    >>> accuracy = metric("accuracy", [0, 1])
    >>> counterfactuals([accuracy], [[1, 1], [0, 2]], predicted=[1], drawn=[0])[0, 0]
    array([0.75, 1.  ])
    """
    counts = np.asarray(confusion, dtype=np.float64)
    said, label = np.asarray(predicted, dtype=np.int64), np.asarray(drawn, dtype=np.int64)
    leading, items, classes = label.shape[:-1], label.shape[-1], counts.shape[-2]
    flat_counts, flat_labels = counts.reshape(-1, *counts.shape[-2:]), label.reshape(-1, items)
    out = np.empty((len(flat_counts), items, len(metrics), classes))
    for j, (one, labels) in enumerate(zip(flat_counts, flat_labels, strict=True)):
        for rows in _blocks(items, classes * classes):
            _recounted(metrics, one, said[rows], labels[rows], out[j, rows])
    return out.reshape(*leading, items, len(metrics), classes)


def moved_sums(formula: Formula, x: Totals, predicted: IntArray, drawn: IntArray) -> FloatArray:
    """Values `[n, C]` of one formula, by moving its class sums: the terms of d and c change, no others.

    Equal to a recount up to rounding.

    >>> from altmas.metrics.formulas import accuracy
    >>> moved_sums(accuracy(), totals([[1, 1], [0, 2]]), np.array([1]), np.array([0]))
    array([[0.75, 1.  ]])
    """
    classes = x.true.shape[-1]
    # States of a class: as it is; one true member fewer, which was (1) or was not (0) a hit; one more, likewise.
    change = np.array([0.0, -1.0, -1.0, 1.0, 1.0])[:, None]
    hits = np.array([0.0, 0.0, -1.0, 0.0, 1.0])[:, None]
    states = formula.terms(Totals(x.hit + hits, x.true + change, x.said))  # [5, S, C]
    if formula.only is not None:
        states = states * (np.arange(classes) == formula.only)
    steps = states[1:] - states[0]
    rows, every = np.arange(len(drawn)), np.arange(classes)
    leaving = steps[(drawn == predicted).astype(np.int64), :, drawn]  # [n, S]
    coming = np.broadcast_to(steps[2].T, (len(drawn), classes, steps.shape[1])).copy()  # [n, C, S]
    own = predicted < classes  # an answer that is no class hits nothing
    coming[rows[own], predicted[own]] = steps[3].T[predicted[own]]
    sums = states[0].sum(-1) + np.where((every == drawn[:, None])[..., None], 0.0, leaving[:, None] + coming)
    return formula.combine(sums, x)


class CounterfactualMeans:
    """Mean over draws of the counterfactual values, for any items of a pool."""

    def __init__(self, metrics: Sequence[Metric], confusion: FloatArray) -> None:
        self._metrics = tuple(metrics)
        self._confusion = confusion
        self._classes = confusion.shape[-2]
        self._table = _table(self._metrics, confusion) if self._classes <= TABLE_CLASSES else None

    @property
    def scales(self) -> list[float]:
        """The size of each metric's values: its range where that is known, else its largest value now."""
        ranges = [one.bounds[1] - one.bounds[0] for one in self._metrics]
        largest = [float(np.abs(one.value(self._confusion)).max()) for one in self._metrics]
        return [r if np.isfinite(r) and r > 0 else max(v, 1e-300) for r, v in zip(ranges, largest, strict=True)]

    def at(self, predicted: IntArray, drawn: IntArray) -> FloatArray:
        """Values `[n, K, C]` for items predicted `predicted [n]` and drawn as `drawn [M, n]`."""
        total = np.zeros((len(predicted), len(self._metrics), self._classes))
        for j, labels in enumerate(drawn):
            if self._table is not None:
                total += self._table[j].take(predicted * self._classes + labels, axis=0)
            else:
                total += self._of_many_classes(self._confusion[j], predicted, labels)
        return total / len(self._confusion)

    def _of_many_classes(self, counts: FloatArray, predicted: IntArray, drawn: IntArray) -> FloatArray:
        out = np.empty((len(predicted), len(self._metrics), self._classes))
        x = totals(counts)
        for k, one in enumerate(self._metrics):
            if isinstance(one, TotalsMetric):
                out[:, k] = moved_sums(one.formula, x, predicted, drawn)
            else:  # each (a, d) pair that occurs, once
                pair = predicted * self._classes + drawn
                _, first, back = np.unique(pair, return_index=True, return_inverse=True)
                out[:, k] = counterfactuals([one], counts, predicted[first], drawn[first])[back, 0]
        return out


def _table(metrics: Sequence[Metric], confusion: FloatArray) -> FloatArray:
    """Values `[M, P * C, K, C]` for every prediction and drawn label."""
    draws, classes, columns = confusion.shape
    table = np.zeros((draws, columns * classes, len(metrics), classes))
    for counts, rows in zip(confusion, table, strict=True):
        said, label = np.nonzero(counts.T)  # an item can only be moved out of a cell that holds one
        rows[said * classes + label] = counterfactuals(metrics, counts, said, label)
    return table


def _recounted(metrics: Sequence[Metric], counts: FloatArray, said: IntArray, label: IntArray, out: FloatArray) -> None:
    """Fill `out [n, K, C]` for one draw. Totals are integers, so moving them equals recounting them, bit for bit."""
    moved = _moved_totals(totals(counts), said, label)
    for k, one in enumerate(metrics):
        if isinstance(one, TotalsMetric):
            out[:, k] = one.formula.of(moved)
        else:
            out[:, k] = one.value(_moved_cells(counts, said, label))


def _moved_totals(x: Totals, said: IntArray, label: IntArray) -> Totals:
    classes = x.true.shape[-1]
    i, c = np.ogrid[: len(said), :classes]
    a, d = said[:, None], label[:, None]
    true = np.broadcast_to(x.true, (len(said), classes, classes)).copy()
    true[i, c, d] -= 1.0
    true[i, c, c] += 1.0
    hit = np.broadcast_to(x.hit, (len(said), classes, classes)).copy()
    known = a < classes  # an answer that is no class hits nothing
    hit[i, c, np.where(known, a, 0)] += known * (1.0 * (c == a) - (d == a))
    return Totals(hit, true, x.said)


def _moved_cells(counts: FloatArray, said: IntArray, label: IntArray) -> FloatArray:
    classes = counts.shape[-2]
    i, c = np.ogrid[: len(said), :classes]
    cells = np.broadcast_to(counts, (len(said), classes, *counts.shape)).copy()
    cells[i, c, label[:, None], said[:, None]] -= 1.0
    cells[i, c, c, said[:, None]] += 1.0
    return cells


def _blocks(items: int, numbers_each: int) -> Iterator[slice]:
    size = max(1, _NUMBERS_AT_ONCE // numbers_each)
    for start in range(0, items, size):
        yield slice(start, min(items, start + size))
