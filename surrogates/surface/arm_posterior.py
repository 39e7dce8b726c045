"""What an estimator of an accuracy surface says: a belief about the accuracy rho of each arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray


@dataclass(frozen=True, eq=False)
class ArmPosterior:
    """Mean, variance and a central interval of rho for every arm, each `[A]`."""

    mean: FloatArray
    variance: FloatArray
    low: FloatArray
    high: FloatArray
    level: float = 0.95


class SurfaceBelief(Protocol):
    """What is believed of an accuracy surface over fixed arms."""

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of rho `[A]`; quick, for exploration."""
        ...

    def posterior(self, level: float = 0.95) -> ArmPosterior:
        """Moments and an interval."""
        ...

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Coherent draws of the whole surface `[M, A]`, as needed for P(worst)."""
        ...


class SurfaceEstimator(SurfaceBelief, Protocol):
    """An accuracy surface over fixed arms, fitted to (soft) counts of right and wrong answers `[A]`."""

    def fit(self, right: ArrayLike, wrong: ArrayLike, *, rng: np.random.Generator) -> Self:
        """Start anew on these counts."""
        ...

    def update(self, right: ArrayLike, wrong: ArrayLike) -> Self:
        """Go on from the last fit with the counts as they are now, not only what was added."""
        ...


def checked_counts(right: ArrayLike, wrong: ArrayLike, arms: int) -> tuple[FloatArray, FloatArray]:
    """Counts as float arrays `[A]`, or an error.

    >>> checked_counts([1, 0], [0, 0.5], 2)
    (array([1., 0.]), array([0. , 0.5]))
    """
    both = []
    for subject, given in (("right", right), ("wrong", wrong)):
        counts = np.asarray(given, dtype=np.float64)
        if counts.shape != (arms,):
            raise InputError(subject, f"be one count per arm, {arms:,}", f"shape {counts.shape}")
        bad = np.flatnonzero(~(np.isfinite(counts) & (counts >= 0)))
        if bad.size:
            raise InputError(subject, "be finite counts of at least 0", f"{counts[bad[0]]} in {rows_at_fault(bad)}")
        both.append(counts)
    if not (both[0] + both[1]).any():
        hint = "Label a few items at random first."
        raise InputError("counts", "hold at least one answer: a surface needs a level to start from", "none", hint)
    return both[0], both[1]


def overall_accuracy(right: FloatArray, wrong: FloatArray) -> float:
    """kappa of Algorithm 1, kept off 0 and 1 by half an answer each way, so that one label decides nothing.

    >>> overall_accuracy(np.array([1.0, 0.0]), np.array([0.0, 0.0]))
    0.75
    """
    return float((right.sum() + 0.5) / (right.sum() + wrong.sum() + 1.0))


def checked_level(level: float) -> tuple[float, float]:
    """The two tails of a central interval."""
    if not 0 < level < 1:
        raise InputError("level", "be between 0 and 1, both excluded", level)
    return (1 - level) / 2, (1 + level) / 2
