"""Slopes of a metric that are sums: one per column, one per label, and one more where the label is the column.

So they are for accuracy, precision, recall and F. What is believed of an item then moves the metric by a product with
one number per label, and by the chance of a single label: no table of all items' slopes is needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from altmas.metrics.belief import Belief
from altmas.metrics.types import FloatArray, IntArray

_ROUNDING = 1e-15
"""Sums that differ by no more, of the largest slope, are the same."""


class SimpleSlopes(NamedTuple):
    """`column [P]` and `label [C]` (None where all are alike), and `same [P]` more where label and column are one."""

    column: FloatArray
    label: FloatArray | None
    same: FloatArray

    def moments(self, belief: Belief, columns: IntArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance `[n]` of what items in these columns move.

        >>> found = simple_slopes(np.eye(2)).moments(Belief.dense(np.array([[0.2, 0.8]])), np.array([1]))
        >>> [value.round(2).tolist() for value in found]
        [[0.8], [0.16]]
        """
        step, chance = self.same[columns], belief.chance(columns)
        moved = step * chance  # without what the column adds whatever the label
        if self.label is None:
            variance = np.square(step)
            variance *= chance * (1 - chance)
            moved += self.column[columns]
            return moved, variance
        first, second = belief.expect(np.stack([self.label, np.square(self.label)], axis=1)).T
        own = np.append(self.label, np.zeros(len(self.same)))[: len(self.same)]  # of the label that the column is
        moved += first
        variance = second + (self.same * (2 * own + self.same))[columns] * chance - np.square(moved)
        moved += self.column[columns]
        return moved, np.maximum(variance, 0.0, out=variance)


def simple_slopes(gradient: FloatArray) -> SimpleSlopes | None:
    """A slope per label and column `[C, P]` as such sums; None where it is no sum.

    >>> recall = np.array([[0.5, -0.1, -0.1], [-0.2, 0.4, -0.2], [0.0, 0.0, 0.3]])
    >>> simple_slopes(recall).label.round(2).tolist()
    [0.0, -0.1, 0.1]
    >>> simple_slopes(np.arange(9.0).reshape(3, 3) ** 3) is None
    True
    """
    classes, width = gradient.shape
    if classes < 2:
        return None
    label = np.zeros(classes)
    if classes > 2 and width > 2:  # with the first label compared where neither is the column
        beside = np.where(np.arange(classes) == 1, 2, 1)
        label = gradient[np.arange(classes), beside] - gradient[0, beside]
        label[0] = 0.0
    least = _ROUNDING * float(np.abs(gradient).max())
    alike = bool((np.abs(label) <= least).all())
    rest = gradient if alike else gradient - label[:, None]
    other = np.where(np.arange(width) == 0, 1, 0)  # some label that is not the column
    column = rest[other, np.arange(width)]
    rest = rest - column
    diagonal = np.arange(min(classes, width))
    same = np.zeros(width)
    same[diagonal] = rest[diagonal, diagonal]
    rest[diagonal, diagonal] = 0.0
    if (np.abs(rest) > 4 * least).any():
        return None
    return SimpleSlopes(column, None if alike else label, same)
