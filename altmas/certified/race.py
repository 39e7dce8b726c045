"""Drawing as a race: every item has a clock, likelier items run faster, and the first home are asked about.

Successive sampling without replacement is a race of exponential clocks: item i comes home at rate `chance_i`, whatever
happened before; `altmas.core.policies.draw_in_turn` draws so. The chances may change from round to round; what has to
be kept is only each item's total rate so far, its hazard H_i, and its probability of having been drawn by now is
`1 - exp(-H_i)`. Weighting an answer by the inverse of that probability counts the pool without bias (Horvitz and
Thompson 1952), as far as an item's chances do not depend on its own label or on its having been drawn; and when every
item is home the weights are 1 and the count is exact.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress

import numpy as np

from altmas.beliefs.worths import water_fill
from altmas.metrics.types import FloatArray, IntArray

MOST = 0.99
"""Ideal inclusion probabilities end here: a race that is certain to bring an item home would have to last for ever."""

_STEPS = 60

MOST_BYTES = 96 << 20
"""What laps may take of memory: two rounds of three million items, and hundreds of usual ones."""


class Laps:
    """Arrays of the race after its last rounds, by what led there: whoever runs it again need not run all of it.

    >>> laps = Laps(most=20)
    >>> for round in range(3):
    ...     laps.keep(round, (np.zeros(1),))
    >>> [laps.find(round) is not None for round in range(3)]
    [False, True, True]
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._held: OrderedDict[Hashable, tuple[FloatArray, ...]] = OrderedDict()
        self._most = most

    def find(self, key: Hashable) -> tuple[FloatArray, ...] | None:
        """What is known of a round, if it is still held."""
        found = self._held.get(key)
        with suppress(KeyError):  # another thread may have let go of it meanwhile
            self._held.move_to_end(key)
        return found

    def keep(self, key: Hashable, arrays: tuple[FloatArray, ...]) -> None:
        """Hold the arrays of a round, and let go of the oldest ones where there are too many."""
        for one in arrays:
            one.setflags(write=False)  # whoever finds them must find what was kept
        self._held[key] = arrays
        while len(self._held) > 1 and sum(one.nbytes for held in [*self._held.values()] for one in held) > self._most:
            self._held.popitem(last=False)


def lap_time(chances: FloatArray, count: int) -> float:
    """How long a race must run for `count` of these open items to be expected home; infinite if all of them are.

    Solves `sum(1 - exp(-chance * t)) = count` by Newton's method; the sum is concave, so it converges from the left.

    >>> round(lap_time(np.full(10, 0.1), 5), 4)  # -log(1 - 5/10) / 0.1
    6.9315
    """
    if count >= len(chances):
        return float("inf")
    time, still = count / chances.sum(), np.empty(len(chances))
    for _ in range(_STEPS):
        np.exp(np.multiply(chances, -time, out=still), out=still)
        missing = count - (len(chances) - still.sum())
        # No `@`: its threads wait for each other longer than such a sum takes.
        step = missing / float(np.einsum("i,i->", chances, still))
        time += step
        if abs(step) <= 1e-12 * time:
            break
    return float(time)


def hazard_after(hazard: FloatArray, chances: FloatArray, open_items: IntArray, count: int) -> FloatArray:
    """Hazards `[N]` after a round: the clocks run until `count` of the open items are expected home.

    Those home already run on too.

    >>> inclusion_at(hazard_after(np.zeros(4), np.full(4, 0.25), np.arange(4), 2)).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    return hazard_at(hazard, chances, lap_time(chances[open_items], count))


def hazard_at(hazard: FloatArray, chances: FloatArray, time: float) -> FloatArray:
    """The same, where it is known how long the round lasts."""
    # An infinite lap brings everyone home, however slow.
    return hazard + chances * time if np.isfinite(time) else np.full(len(hazard), np.inf)


def inclusion_at(hazard: FloatArray) -> FloatArray:
    """Probability of having been drawn by now `[N]`.

    >>> inclusion_at(np.array([0.0, np.inf])).tolist()
    [0.0, 1.0]
    """
    return -np.expm1(-hazard)


def catch_up(ideal: FloatArray, hazard: FloatArray, count: int, *, pace: float = 0.2) -> FloatArray:
    """Chances that bring the inclusion probabilities to the ideal ones by `count` draws in all, from wherever they are.

    `ideal` is proportional to the best inclusion probabilities; they are filled up to `count` (water-filling), turned
    into the hazard each item should have, and what is missing of it is the chance of the next draws. An item ahead of
    its ideal still runs at `pace` of its ideal, so that nobody stops: a stopped item would have no chance, and a
    weight without bound.

    >>> catch_up(np.array([1.0, 1.0, 2.0]), np.array([0.0, 0.5, 0.0]), 2).round(2).tolist()
    [0.15, 0.04, 1.0]
    """
    filled = water_fill(ideal, min(count, len(ideal)))
    np.minimum(filled, MOST, out=filled)  # in place, as pools may be large
    target = np.negative(np.log1p(np.negative(filled, out=filled), out=filled), out=filled)
    chances = target - hazard
    np.maximum(chances, np.multiply(target, pace, out=target), out=chances)
    chances /= chances.max()
    return chances
