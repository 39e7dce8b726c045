"""Targets: what is to be estimated, a metric of one model, on the whole pool or on a part of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altmas.core.pool import Pool
from altmas.metrics import Metric
from altmas.metrics.types import FloatArray, IntArray

_FEW = 1 << 20


@dataclass(frozen=True, eq=False)
class Target:
    """A metric of the confusion between labels and these columns; an item in column -1 takes no part."""

    name: str
    metric: Metric
    columns: IntArray  # [N]
    width: int  # number of columns, P
    model: str = ""

    def tally(self, weights: FloatArray, items: IntArray | None = None) -> FloatArray:
        """Sum label weights `[n, C]` of some items (None: all) into a confusion `[C, P]`."""
        where = self.columns if items is None else self.columns[items]
        inside = where >= 0
        if not inside.all():
            where, weights = where[inside], weights[inside]
        classes = weights.shape[1]
        if weights.size <= _FEW:
            cells = where[:, None] + self.width * np.arange(classes)
            sums = np.bincount(cells.ravel(), weights.ravel(), classes * self.width)
            return np.asarray(sums, dtype=np.float64).reshape(classes, self.width)
        # Of a large pool one class at a time, which needs no table of cells.
        return np.stack([np.bincount(where, column, self.width) for column in weights.T])

    def slopes(self, gradient: FloatArray, items: IntArray) -> FloatArray:
        """How each label of each of these items moves the metric `[n, C]`."""
        padded = np.concatenate([gradient.T, np.zeros((1, len(gradient)))])  # column -1 moves nothing
        return np.asarray(padded[self.columns[items]])


def targets_of(metrics: tuple[Metric, ...], pool: Pool) -> list[Target]:
    """Every metric for every model under test.

    >>> from altmas.metrics import metric
    >>> pool = Pool.build({"a": [0, 1], "b": [1, 1]})
    >>> [(t.name, t.model) for t in targets_of((metric("accuracy", [0, 1]),), pool)]
    [('accuracy', 'a'), ('accuracy', 'b')]
    """
    several = len(pool.outputs) > 1
    return [
        Target(one.name, one, outputs.predictions, pool.columns, outputs.name if several else "")
        for outputs in pool.outputs
        for one in metrics
    ]


def within(target: Target, member: np.ndarray[tuple[int], np.dtype[np.bool_]], name: str) -> Target:
    """The same metric on a part of the pool."""
    return Target(name, target.metric, np.where(member, target.columns, -1), target.width, target.model)
