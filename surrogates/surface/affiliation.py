"""To which arms an item may belong, P(a|x), and answers one by one, each with the arms its item may belong to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from altmas.metrics.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ArmAnswers:
    """Labelled items: the arms each may belong to `arms [n, T]`, how probably, and whether it was `right [n]`.

    `weight [n, T]` is for how many answers it counts in each of these arms.

    >>> answers = ArmAnswers(np.array([[0, 1]]), np.array([[0.7, 0.3]]), np.ones((1, 2)), np.array([1.0]), 2)
    >>> answers.expected()
    (array([0.7, 0.3]), array([0., 0.]))
    """

    arms: IntArray
    probability: FloatArray
    weight: FloatArray
    right: FloatArray
    size: int
    """Number of arms, A."""

    def expected(self) -> tuple[FloatArray, FloatArray]:
        """Soft counts of right and wrong per arm `[A]` (Algorithm 1, lines 18 to 21)."""
        return self._counted(self.probability)

    def drawn(self, accuracy: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Counts of right and wrong per arm `[A]`, each answer in one arm: drawn by P(a|x) and by what it says.

        A wrong answer comes rather from an arm of low `accuracy [A]`: P(a|x, wrong) ~ P(a|x) (1 - rho_a).

        >>> answers = ArmAnswers(np.array([[0, 1]]), np.array([[0.7, 0.3]]), np.ones((1, 2)), np.array([0.0]), 2)
        >>> answers.drawn(np.array([1.0, 0.5]), np.random.default_rng(0))
        (array([0., 0.]), array([0., 1.]))
        """
        rho, right = accuracy[self.arms], self.right[:, None]
        chance = self.probability * (right * rho + (1 - right) * (1 - rho))
        # Where no arm could have given this answer (rho 0 or 1), P(a|x) alone decides.
        chance = np.where(chance.sum(1, keepdims=True) > 0, chance, self.probability)
        reached = chance.cumsum(1)
        place = (reached <= rng.random((len(chance), 1)) * reached[:, -1:]).sum(1)
        return self._counted(np.eye(chance.shape[1])[place])

    def labels(self) -> FloatArray:
        """Expected number of labels per arm `[A]`, each counted once."""
        return self.summed(self.probability)

    def _counted(self, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        each, right = share * self.weight, self.right[:, None]
        return self.summed(each * right), self.summed(each * (1 - right))

    def summed(self, each: FloatArray) -> FloatArray:
        """Numbers per answer and arm `[n, T]` summed per arm `[A]`."""
        return np.bincount(self.arms.ravel(), each.ravel(), minlength=self.size).astype(np.float64)


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
