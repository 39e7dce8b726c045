"""To which arms an item may belong, and how probably: P(a|x), its few largest values per item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.surface.arm_answers import ArmAnswers


@dataclass(frozen=True, eq=False)
class Affiliation:
    """The most probable arms of each item `arms [N, T]` and P(a|x) `probability [N, T]`, rows summing to 1.

    >>> known = Affiliation.exact(np.array([1, 0, 1]))
    >>> known.counts(np.array([0, 2]), np.array([1.0, 0.0]), 2)
    (array([0., 1.]), array([0., 1.]))
    """

    arms: IntArray
    probability: FloatArray

    @classmethod
    def exact(cls, index: ArrayLike) -> Affiliation:
        """Each item in one arm, for sure: attributes that are known exactly."""
        arms = np.asarray(index, dtype=np.int64)[:, None]
        return cls(arms, np.ones(arms.shape))

    def counts(self, items: IntArray, right: ArrayLike, arms: int) -> tuple[FloatArray, FloatArray]:
        """Soft counts of right and wrong per arm `[A]` from labelled items (Algorithm 1, lines 18 to 21)."""
        return self.answers(items, right, arms).expected()

    def answers(self, items: IntArray, right: ArrayLike, arms: int, weight: FloatArray | None = None) -> ArmAnswers:
        """Labelled items with the arms they may belong to; each counts once, or for its `weight [n, T]`."""
        p = self.probability[items]
        answer = np.asarray(right, dtype=np.float64)
        return ArmAnswers(self.arms[items], p, np.ones(p.shape) if weight is None else weight, answer, arms)

    def with_known(self, items: IntArray, arms: IntArray) -> Affiliation:
        """The same, but the arms of these items are known (Algorithm 1, lines 6 to 9).

        >>> guess = Affiliation(np.array([[0, 1], [1, 0]]), np.array([[0.7, 0.3], [0.6, 0.4]]))
        >>> guess.with_known(np.array([1]), np.array([0])).support(2).round(1).tolist()
        [1.7, 0.3]
        """
        where, p = self.arms.copy(), self.probability.copy()
        where[items, 0], p[items] = arms, 0.0
        p[items, 0] = 1.0
        return Affiliation(where, p)

    def support(self, arms: int) -> FloatArray:
        """Expected number of items in each arm `[A]`."""
        return np.bincount(self.arms.ravel(), self.probability.ravel(), minlength=arms).astype(np.float64)


def most_probable_arms(scores: FloatArray, keep: int, least: float) -> tuple[IntArray, FloatArray]:
    """The `keep` best of each row of log scores `[n, A]` with probability above `least`, summing to 1 again.

    The best always stays; what is dropped has probability 0.

    >>> arms, p = most_probable_arms(np.log([[0.7, 0.295, 0.005]]), keep=2, least=0.01)
    >>> arms.tolist(), p.round(3).tolist()
    ([[0, 1]], [[0.704, 0.296]])
    """
    keep = min(keep, scores.shape[1])
    top = np.argpartition(-scores, keep - 1, axis=1)[:, :keep]
    order = np.argsort(-np.take_along_axis(scores, top, 1), axis=1, kind="stable")
    top = np.take_along_axis(top, order, 1)
    p = np.take_along_axis(softmax(scores, axis=1), top, 1)
    p[:, 1:] *= p[:, 1:] > least
    return top.astype(np.int64), p / p.sum(1, keepdims=True)
