"""The metric if one item had another label (Eq. 4 of the ALT-MAS paper), exactly and without a recount per item.

Moving one item from its drawn label d to c, with prediction a fixed, changes the confusion in two cells of column a.
So the value depends on the item only through (a, d, c): tabulate `[M, P, C, C]` and gather.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from altmas.metrics.confusion import FloatArray, IntArray, Totals, totals
from altmas.metrics.metric import Metric, TotalsMetric
from numpy.typing import ArrayLike

TABLE_CLASSES = 24
"""Up to this many classes the whole table is kept; beyond it, only the (a, d) pairs that occur are computed."""

_BLOCK = 1 << 22  # numbers held at once while moving


def counterfactuals(
    metrics: Sequence[Metric], confusion: ArrayLike, predicted: ArrayLike, drawn: ArrayLike
) -> FloatArray:
    """Values `[..., n, K, C]` of K metrics if item i, predicted `predicted[i]`, drawn as `drawn[..., i]`, had label c.

    The leading axes of `confusion [..., C, P]` and `drawn [..., n]` are the same.

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
            _moved(metrics, one, said[rows], labels[rows], out[j, rows])
    return out.reshape(*leading, items, len(metrics), classes)


class CounterfactualMeans:
    """Mean over draws of the counterfactual values, for any items of a pool.

    Tabulated once per round when the classes are few, so that each item costs a gather.
    """

    def __init__(self, metrics: Sequence[Metric], confusion: FloatArray) -> None:
        self._metrics = tuple(metrics)
        self._confusion = confusion
        classes, columns = confusion.shape[-2:]
        self._table: FloatArray | None = None
        if classes <= TABLE_CLASSES:
            self._table = np.zeros((len(confusion), columns * classes, len(metrics) * classes))  # [M, P*C, K*C]
            for counts, rows in zip(confusion, self._table, strict=True):
                said, label = np.nonzero(counts.T)  # an item can only be moved out of a cell that holds one
                values = counterfactuals(self._metrics, counts, said, label)
                rows[said * classes + label] = values.reshape(len(said), -1)

    def at(self, predicted: IntArray, drawn: IntArray) -> FloatArray:
        """Values `[n, K, C]` for items predicted `predicted [n]` and drawn as `drawn [M, n]`."""
        draws, classes = len(self._confusion), self._confusion.shape[-2]
        total = np.zeros((len(predicted), len(self._metrics) * classes))
        pair = predicted * classes + drawn
        for j in range(draws):
            total += self._of_draw(j, predicted, drawn[j], pair[j])
        return total.reshape(len(predicted), len(self._metrics), classes) / draws

    def _of_draw(self, j: int, predicted: IntArray, drawn: IntArray, pair: IntArray) -> FloatArray:
        if self._table is not None:
            rows: FloatArray = self._table[j].take(pair, axis=0)
            return rows
        _, first, back = np.unique(pair, return_index=True, return_inverse=True)
        values = counterfactuals(self._metrics, self._confusion[j], predicted[first], drawn[first])
        return values.reshape(len(first), -1)[back]


def _moved(metrics: Sequence[Metric], counts: FloatArray, said: IntArray, label: IntArray, out: FloatArray) -> None:
    """Fill `out [n, K, C]` for one draw. Totals are integers, so moving them equals recounting them, bit for bit."""
    if any(isinstance(m, TotalsMetric) for m in metrics):
        moved = _moved_totals(totals(counts), said, label)
    for k, one in enumerate(metrics):
        out[:, k] = one.of(moved) if isinstance(one, TotalsMetric) else one.value(_moved_cells(counts, said, label))


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
    size = max(1, _BLOCK // numbers_each)
    for start in range(0, items, size):
        yield slice(start, min(items, start + size))
