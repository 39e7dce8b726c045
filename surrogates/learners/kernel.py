"""Kernel ridge regression on one-hot labels: a closed form, with exact leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from altmas.metrics.types import Float32Array, FloatArray, IntArray
from altmas.surrogates.learners.protocol import Lesson, Warm
from altmas.surrogates.learners.sharpness import as_probabilities, best_sharpness
from altmas.surrogates.learners.space import Space, squared_distances

NARROWNESS = 1.0
"""Of the radial kernel, in units of one over the median squared distance between items."""

RIDGE, LINEAR_RIDGE = 0.2, 0.5
MOST_CENTRES = 2_000
"""Beyond this many answers, as many of them, drawn evenly, are learnt from: cost grows with their cube."""

_NUMBERS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Kernel:
    """Ridge regression with a radial kernel; with `linear=True`, a straight one.

    >>> from altmas.surrogates.learners.testing import ArrayRows
    >>> x = np.repeat([[0.0], [1.0]], 20, axis=0)
    >>> lesson = Lesson(np.arange(0, 40, 2), np.repeat([0, 1], 10), np.arange(20) % 5, 2, 5, whole=True)
    >>> learnt = Kernel().bind(Space(ArrayRows(x), 40)).learn(lesson)
    >>> learnt.predict(np.array([1, 39]), None).argmax(1).tolist()
    [0, 1]
    """

    linear: bool = False
    ridge: float = RIDGE
    quick: bool = True

    @property
    def name(self) -> str:
        """As in a table of weights."""
        return "linear" if self.linear else "kernel"

    def bind(self, space: Space) -> BoundKernel:
        """Nothing to prepare."""
        return BoundKernel(self, space)


def linear_probe() -> Kernel:
    """A regularised linear probe.

    >>> linear_probe().name
    'linear'
    """
    return Kernel(linear=True, ridge=LINEAR_RIDGE)


@dataclass(frozen=True, eq=False)
class BoundKernel:
    """The kernel learner on one pool."""

    recipe: Kernel
    space: Space

    def learn(self, lesson: Lesson) -> LearntKernel:
        """Measure how near the answers are to each other."""
        some = evenly(len(lesson.items), MOST_CENTRES)
        return LearntKernel(self, lesson, some, self.near(lesson.items[some], lesson.items[some]))

    def near(self, items: IntArray, centres: IntArray) -> Float32Array:
        """The kernel between items and centres `[n, m]`."""
        z = self.space.components
        if self.recipe.linear:
            # Scaled so that a typical item's square is 1, plus a constant: the intercept.
            return np.asarray(z[items] @ z[centres].T / (self.space.typical_distance / 2) + 1.0)
        distances = squared_distances(z[items], z[centres])
        distances *= -NARROWNESS / self.space.typical_distance
        return np.exp(distances, out=distances)


def evenly(count: int, most: int) -> IntArray:
    """All of `count` rows, or `most` of them at even steps.

    >>> evenly(3, 5).tolist(), evenly(10, 5).tolist()
    ([0, 1, 2], [0, 2, 4, 6, 8])
    """
    return np.arange(count) if count <= most else (np.arange(most) * count) // most


@dataclass(frozen=True, eq=False)
class _Solved:
    coefficients: FloatArray  # [m, C]
    base: FloatArray  # [C], the share of each class
    left_out: FloatArray  # [m, C], scores
    sharpness: float


@dataclass(frozen=True, eq=False)
class LearntKernel:
    """Coefficients for each part that was not seen, found when they are asked for."""

    of: BoundKernel
    lesson: Lesson
    some: IntArray  # rows of the lesson that are centres
    near: Float32Array  # [m, m]
    warm: Warm = field(default_factory=dict)
    known: dict[int | None, _Solved] = field(default_factory=dict)

    def left_out(self, without: int | None) -> FloatArray:
        """Exactly: with H = K (K + r I)^-1 and a = (K + r I)^-1 Y, leaving i out moves its score to y_i - a_i / H'_ii.

        Here H' is (K + r I)^-1. Answers that are no centres are predicted from those that are.
        """
        solved, centres = self._solved(without), self._centres(without)
        seen = self.lesson.seen(without)
        out = np.empty((len(seen), self.lesson.classes))
        place = np.searchsorted(seen, self.some[centres])
        out[place] = as_probabilities(solved.left_out, solved.sharpness)
        others = np.setdiff1d(np.arange(len(seen)), place)
        out[others] = self.predict(self.lesson.items[seen[others]], without)
        return out

    def predict(self, items: IntArray, without: int | None) -> FloatArray:
        """Scores in blocks of items, then probabilities."""
        solved, centres = self._solved(without), self._centres(without)
        at = self.lesson.items[self.some[centres]]
        out = np.empty((len(items), self.lesson.classes))
        step = max(_NUMBERS_AT_ONCE // max(len(at), 1), 1)
        coefficients = solved.coefficients.astype(np.float32)
        for start in range(0, len(items), step):
            rows = slice(start, start + step)
            scores = self.of.near(items[rows], at) @ coefficients + solved.base
            out[rows] = as_probabilities(scores, solved.sharpness)
        return out

    def _centres(self, without: int | None) -> IntArray:
        """Which of the centres may be seen."""
        if without is None:
            return np.arange(len(self.some))
        return np.flatnonzero(self.lesson.part[self.some] != without)

    def _solved(self, without: int | None) -> _Solved:
        if without not in self.known:
            self.known[without] = self._solve(without)
        return self.known[without]

    def _solve(self, without: int | None) -> _Solved:
        centres, classes = self._centres(without), self.lesson.classes
        labels = self.lesson.labels[self.some[centres]]
        counts = np.bincount(labels, minlength=classes)
        base = (counts + 1.0 / classes) / (counts.sum() + 1.0)
        if len(centres) == 0:
            return _Solved(np.zeros((0, classes)), base, np.zeros((0, classes)), best_sharpness(base[None], labels))
        inside = self.near[np.ix_(centres, centres)].astype(np.float64)
        inside[np.diag_indices_from(inside)] += self.of.recipe.ridge
        inverse = cho_solve(cho_factor(inside, lower=True), np.eye(len(centres)))
        target = np.eye(classes)[labels]
        coefficients = inverse @ (target - base)
        left_out = target - coefficients / np.diag(inverse)[:, None]
        return _Solved(coefficients, base, left_out, best_sharpness(left_out, labels))
