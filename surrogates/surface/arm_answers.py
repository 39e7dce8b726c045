"""Answers one by one, each with the arms its item may belong to: counted as expected, or with its arm drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
