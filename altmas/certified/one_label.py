"""Influences that one label of each item moves, and all its other labels alike: no table of all labels is needed.

So it is for accuracy and precision, where only the label that was predicted counts; for the recall of a class, where
only that class does; and for the difference of two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from altmas.metrics.belief import Belief
from altmas.metrics.types import FloatArray, IntArray


class OneLabel(NamedTuple):
    """`base [N]`, and `step [N]` more where the label is `label [N]`; C where no label is. `other` is added to it."""

    label: IntArray
    base: FloatArray
    step: FloatArray
    other: OneLabel | None = None

    def moments(self, belief: Belief) -> tuple[FloatArray, FloatArray]:
        """Mean and variance `[N]` under a belief.

        >>> one = OneLabel(np.array([1]), np.array([0.0]), np.array([1.0]))
        >>> [value.round(2).tolist() for value in one.moments(Belief.dense(np.array([[0.2, 0.8]])))]
        [[0.8], [0.16]]
        """
        p = belief.chance(self.label)
        mean, variance = self.base + self.step * p, np.square(self.step) * p * (1 - p)
        if self.other is None:
            return mean, variance
        more, spread = self.other.moments(belief)
        apart = variance + spread - 2 * self.step * self.other.step * p * belief.chance(self.other.label)
        alike = np.square(self.step + self.other.step) * p * (1 - p)  # 0, and no rounding, where steps cancel out
        return mean + more, np.where(self.label == self.other.label, alike, np.maximum(apart, 0.0))

    def ranges(self) -> FloatArray:
        """How far a label can move it `[N]`."""
        if self.other is None:
            return np.abs(self.step)
        steps = np.stack([np.zeros(len(self.step)), self.step, self.other.step])
        alike = np.abs(self.step + self.other.step)
        return np.where(self.label == self.other.label, alike, steps.max(0) - steps.min(0))


def of_one_label(gradient: FloatArray, columns: IntArray) -> OneLabel | None:
    """A slope per label and column `[C, P]`, of items in these columns, in that form; None where it has another.

    >>> found = of_one_label(np.eye(2, 3) / 4, np.array([0, 1, 2, -1]))
    >>> found.label.tolist(), found.step.tolist()
    ([0, 1, 2, 2], [0.25, 0.25, 0.0, 0.0])
    >>> of_one_label(np.array([[0.0, 0.0], [-0.1, 0.2], [0.0, 0.0]]), np.array([0, 1])).label.tolist()
    [1, 1]
    >>> of_one_label(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 1])) is None
    True
    """
    classes, width = gradient.shape
    if classes < 2:
        return None
    if len(moving := np.flatnonzero(gradient.any(axis=1))) == 1:  # the recall of a class
        [one], nothing = moving, np.zeros(len(columns))
        return OneLabel(np.full(len(columns), one), nothing, np.append(gradient[one], 0.0)[columns])
    places, diagonal = np.arange(width), np.arange(min(classes, width))
    base = gradient[np.where(places == 0, 1, 0), places]  # of some label that was not predicted
    rest = gradient - base
    step = np.append(np.zeros(width), 0.0)  # column -1 moves nothing
    step[diagonal] = rest[diagonal, diagonal]
    rest[diagonal, diagonal] = 0.0
    if rest.any():
        return None
    label = np.append(np.minimum(places, classes), classes)
    return OneLabel(label[columns], np.append(base, 0.0)[columns], step[columns])
