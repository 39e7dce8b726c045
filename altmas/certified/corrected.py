"""Answers as second readings correct them: two-phase sampling.

Annotators answer a_i; an answered item goes to an expert with the chance r_i, who reads y_i. With L_i what the answer
makes of the label (`altmas.beliefs.likely`), made without the readings of i's own fold,

    T = sum_i pi_i (x) e(A_i) + sum_{i answered} (1 / p_i) (U_i - pi_i) (x) e(A_i),
    U_i = L_i + (1 / r_i) (e(y_i) - L_i) where i was read, L_i elsewhere,

has the experts' confusion as its mean, however bad annotators are, for U_i has the mean e(y_i). A good L_i makes the
corrections c_i = g_i(y_i) - E_L g_i small. With s_i = g_i(U_i) - E_pi g_i the variance is, without bias,

    V = sum_{i answered} (1 - p_i) (s_i / p_i)^2 + sum_{i read} (1 - r_i) (c_i / r_i)^2 / p_i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altmas.metrics.types import BoolArray, FloatArray, IntArray

HARDLY = 1e-4
"""What experts are less likely to say than this is ruled out; L_i is rough, so it is little."""


@dataclass(frozen=True, eq=False)
class Corrected:
    """A row per answer: `likely [n, C]`, whether it was `read [n]`, and the `chance [n]` of that."""

    likely: FloatArray
    read: BoolArray
    chance: FloatArray

    def known(self, told: FloatArray) -> FloatArray:
        """The label as far as it is known `[n, C]`: as read, or what the answer makes of it. `told` are the labels."""
        return np.where(self.read[:, None], told, self.likely)

    def counted(self, told: FloatArray) -> FloatArray:
        """U_i `[n, C]`: right on average over which answers are read.

        >>> one = Corrected(np.array([[0.9, 0.1]] * 2), np.array([True, False]), np.array([0.5, 0.5]))
        >>> one.counted(np.array([[0.0, 1.0]] * 2)).round(2).tolist()
        [[-0.9, 1.9], [0.9, 0.1]]
        """
        return self.likely + self.weight[:, None] * (told - self.likely)

    @property
    def weight(self) -> FloatArray:
        """1 / r_i of those read, 0 of the others `[n]`."""
        return np.where(self.read, 1 / np.where(self.read, self.chance, 1.0), 0.0)

    def shown(self, inclusion: FloatArray) -> FloatArray:
        """What each squared correction counts for in the variance `[n]`: (1 - r_i) / (r_i^2 p_i) where it was read."""
        return (1 - self.chance) * np.square(self.weight) / inclusion

    def expected(self, inclusion: FloatArray) -> FloatArray:
        """What each answer's own doubt counts for, as expected `[n]`: (1 / r_i - 1) / p_i^2."""
        return (1 / self.chance - 1) / np.square(inclusion)

    def at_best(self, labels: IntArray, wished: IntArray, gains: FloatArray) -> IntArray:
        """The labels `[n]` if answers that nobody read were as wished, as far as all of that together is not ruled out.

        Those come first that gain most for how improbable they are.

        >>> two = Corrected(np.array([[0.7, 0.3], [1 - 1e-5, 1e-5]]), np.array([False, False]), np.array([0.5, 0.5]))
        >>> two.at_best(np.array([0, 0]), np.array([1, 1]), np.ones(2)).tolist()
        [1, 0]
        """
        with np.errstate(divide="ignore"):
            cost = -np.log(self.likely[np.arange(len(labels)), wished])
        rows = np.flatnonzero(~self.read & (gains > 0) & np.isfinite(cost))
        rows = rows[np.argsort(cost[rows] / gains[rows], kind="stable")]
        rows = rows[np.cumsum(cost[rows]) <= -np.log(HARDLY)]
        found = labels.copy()
        found[rows] = wished[rows]
        return found

    def as_binary(self, right: FloatArray) -> Corrected:
        """The same of two classes, given each one's probability of the first `[n]`."""
        return Corrected(np.stack([right, 1 - right], axis=1), self.read, self.chance)

    def with_certain(self, told: FloatArray) -> Corrected:
        """With more rows after these, of labels that need no reading `[m, C]`."""
        count = len(told)
        return Corrected(
            np.concatenate([self.likely, told]), np.append(self.read, np.ones(count, dtype=bool)),
            np.append(self.chance, np.ones(count)),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Answers that were drawn for a reading and not read, by their `rows`, and all answers as if they had been."""

    rows: IntArray
    corrected: Corrected

    def as_read(self) -> Corrected:
        """The answers if those left out had been read."""
        read = self.corrected.read.copy()
        read[self.rows] = True
        return Corrected(self.corrected.likely, read, self.corrected.chance)
