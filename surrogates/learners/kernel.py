"""Kernel ridge regression on one-hot labels: a closed form, with exact leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from altmas.metrics.types import Float32Array, FloatArray, IntArray
from altmas.surrogates.learners.protocol import Lesson, Warm, a_few, one_hot, with_others
from altmas.surrogates.learners.sharpness import as_probabilities, best_sharpness
from altmas.surrogates.learners.space import Space, squared_distances

NARROWNESS = 1.0
"""Of the radial kernel, in units of one over the median squared distance between items."""

RIDGE, LINEAR_RIDGE = 0.2, 0.5
MOST_CENTRES = 2_000
"""Beyond this many answers, as many of them are learnt from: cost grows with their cube."""

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
        some = a_few(lesson.items, MOST_CENTRES)
        return LearntKernel(self, lesson, some, self.near(lesson.items[some], lesson.items[some]))

    def near(self, items: IntArray, centres: IntArray) -> Float32Array:
        """The kernel between items and centres `[n, m]`."""
        z = self.space.components
        if self.recipe.linear:
            # Scaled so that the mean item's square is 1, plus a constant: the intercept.
            return np.asarray(z[items] @ z[centres].T / self.space.mean_square + 1.0)
        distances = squared_distances(z[items], z[centres])
        distances *= -NARROWNESS / self.space.typical_distance
        return np.exp(distances, out=distances)


@dataclass(frozen=True, eq=False)
class _Solved:
    coefficients: FloatArray  # [m, C]
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
        """Exactly: with B = (K + r I)^-1 and a = B (Y - 1/C), the score of i without its own label is y_i - a_i / B_ii.

        Answers that are no centres are predicted from those that are.
        """
        solved, centres = self._solved(without), self._centres(without)
        own = as_probabilities(solved.left_out, solved.sharpness)
        return with_others(self, self.lesson, self.some[centres], own, without)

    def predict(self, items: IntArray, without: int | None) -> FloatArray:
        """Scores in blocks of items, then probabilities."""
        solved, centres = self._solved(without), self._centres(without)
        at = self.lesson.items[self.some[centres]]
        out = np.empty((len(items), self.lesson.classes))
        step = max(_NUMBERS_AT_ONCE // max(len(at), 1), 1)
        coefficients = solved.coefficients.astype(np.float32)
        for start in range(0, len(items), step):
            rows = slice(start, start + step)
            scores = self.of.near(items[rows], at) @ coefficients + 1 / self.lesson.classes
            out[rows] = as_probabilities(scores.astype(np.float64), solved.sharpness)
        return out

    def _centres(self, without: int | None) -> IntArray:
        """Which of the centres may be seen."""
        return self.lesson.seen_among(self.some, without)

    def _solved(self, without: int | None) -> _Solved:
        if without not in self.known:
            self.known[without] = self._solve(without)
        return self.known[without]

    def _solve(self, without: int | None) -> _Solved:
        centres, classes = self._centres(without), self.lesson.classes
        labels = self.lesson.labels[self.some[centres]]
        if len(centres) == 0:
            none = np.zeros((0, classes))
            return _Solved(none, none, best_sharpness(none, labels))
        target = one_hot(labels, classes).astype(np.float64)
        inverse = _inverse(self.near[np.ix_(centres, centres)].astype(np.float64), self.of.recipe.ridge)
        coefficients = inverse @ (target - 1 / classes)
        left_out = target - coefficients / np.diag(inverse)[:, None]
        return _Solved(coefficients, left_out, best_sharpness(left_out, labels))


def _inverse(near: FloatArray, ridge: float) -> FloatArray:
    """(K + r I)^-1; where rounding leaves K so far from being one that r is too little, with more of it.

    >>> _inverse(np.full((2, 2), 1e20), 0.2).shape
    (2, 2)
    """
    while True:
        try:
            factor = cho_factor(near + ridge * np.eye(len(near)), lower=True)
        except np.linalg.LinAlgError:
            ridge = max(10 * ridge, 1e-6 * float(np.abs(near).max()))
        else:
            return np.asarray(cho_solve(factor, np.eye(len(near))))
