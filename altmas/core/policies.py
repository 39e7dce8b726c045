"""Policies: from worth per item to a choice, with the probability of that choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altmas.metrics.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Choice:
    """Items to ask about, in order, and the probability with which each was chosen among those still open."""

    items: IntArray
    propensities: FloatArray


def uniform(candidates: IntArray, count: int, rng: np.random.Generator) -> Choice:
    """Draw without replacement, all candidates alike; the propensity is that of each single draw.

    >>> uniform(np.arange(4), 2, np.random.default_rng(0)).propensities.round(3).tolist()
    [0.25, 0.333]
    """
    chosen = rng.choice(candidates, size=count, replace=False, shuffle=True)
    return Choice(chosen, 1.0 / (len(candidates) - np.arange(count)))


def best(candidates: IntArray, worth: FloatArray, count: int, rng: np.random.Generator) -> Choice:
    """Take the most worthy. `worth [n]`, or `[n, T]` whose later columns break ties of the earlier; then chance.

    Chance and not the pool's order, because pools come sorted and ties are common: without features or scores, all
    items predicted alike are worth the same. A choice by worth has propensity 1.

    >>> worth = np.array([[0.1, 0.0], [0.3, 0.1], [0.3, 0.2]])
    >>> best(np.array([5, 6, 7]), worth, 2, np.random.default_rng(0)).items.tolist()
    [7, 6]
    """
    columns = worth.reshape(len(candidates), -1)
    # Rounding lets worths tie that differ by the noise of float64 arithmetic; information is in nats, of order 1.
    keys = [rng.permutation(len(candidates)), *(-np.round(c, 9) for c in columns.T[::-1])]
    return Choice(candidates[np.lexsort(keys)[:count]], np.ones(count))
