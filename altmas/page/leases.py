"""Leases: an item that was handed to one annotator is not handed to the next, for a while."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable

SECONDS = 600.0
"""After this long without an answer, others may have the item."""


class Leases:
    """Who holds which positions just now. Kept in memory only: a lost lease costs nothing but a second answer.

    >>> leases = Leases()
    >>> leases.hold("mk", [4, 7])
    >>> sorted(leases.full("ab", lambda position: 1)), sorted(leases.full("mk", lambda position: 1))
    ([4, 7], [])
    """

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._held: dict[str, dict[int, float]] = {}

    def hold(self, annotator: str, positions: Iterable[int]) -> None:
        """Hand these to an annotator, in place of what they held."""
        until = self._clock() + self._seconds
        self._held[annotator] = dict.fromkeys(positions, until)

    def full(self, annotator: str, places: Callable[[int], int]) -> set[int]:
        """Positions where others hold all the places there are, so that this annotator should get something else."""
        now = self._clock()
        others = Counter(
            position
            for holder, held in self._held.items()
            if holder != annotator
            for position, until in held.items()
            if until > now
        )
        return {position for position, holders in others.items() if holders >= places(position)}
