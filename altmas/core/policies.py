"""Policies: from worth per item to a choice, with the probability of that choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from altmas.core.streams import stream
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.core.answers import Answers
    from altmas.core.method import Job


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


def clocks(seed: int, size: int) -> FloatArray:
    """When each item's clock rings, `[N]`: exponential, one for each item and for good.

    All that is left to chance is here, so that it does not matter how the draws are cut into rounds: whoever asked for
    one question more or less, to have the next round drawn afresh, would still meet the same clocks.

    >>> bool((clocks(3, 10)[:5] == clocks(3, 10)[:5]).all())
    True
    """
    return stream(seed, "clocks").standard_exponential(size)


def choose_uniformly(job: Job, answers: Answers, count: int) -> Choice:
    """Open items all alike, in the order their clocks ring: methods that begin so start from the same items."""
    open_items = answers.unlabelled(job.pool)
    return draw_in_turn(open_items, np.ones(len(open_items)), count, clocks(job.seed, job.pool.size)[open_items])


def draw_in_turn(candidates: IntArray, chances: FloatArray, count: int, left: FloatArray) -> Choice:
    """Draw `count` of the candidates one after the other, each draw in proportion to the chances of those left.

    Such draws are a race of exponential clocks, of which `left` is what each has still to run at rate 1: the first to
    ring are drawn. The propensity is that of each single draw among the items still open.

    >>> choice = draw_in_turn(np.array([3, 5, 8]), np.array([1.0, 1.0, 2.0]), 3, np.array([0.3, 0.2, 0.5]))
    >>> choice.items.tolist(), float(choice.propensities[-1])
    ([5, 8, 3], 1.0)
    """
    rings_at = left / chances
    order = np.argpartition(rings_at, count - 1)[:count] if count < len(candidates) else np.arange(len(candidates))
    order = order[np.argsort(rings_at[order], kind="stable")]
    drawn = chances[order]
    never = np.ones(len(candidates), dtype=bool)
    never[order] = False
    among = np.cumsum(drawn[::-1])[::-1] + chances[never].sum()  # summed from the end: no difference of large numbers
    return Choice(candidates[order], drawn / among)


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
