"""What chance each item had of being asked about: the race, run over the rounds of an audit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from altmas.audits.state import Drawn
from altmas.certified.method import Certified, next_chances
from altmas.certified.race import Race
from altmas.metrics.types import FloatArray

Ideals = Callable[[int], FloatArray]
"""The ideal chances found by a fit, by its number."""


class Design:
    """Hazards after the rounds so far. Rounds drawn before any fit are uniform."""

    def __init__(self, size: int, recipe: Certified, ideals: Ideals) -> None:
        self.recipe, self.ideals = recipe, ideals
        self.race = Race(size)
        self.drawn = np.zeros(size, dtype=bool)

    def chances(self, fit: int | None) -> FloatArray:
        """Chances of the next round `[N]`, with the ideals of a fit."""
        if fit is None:
            return np.full(len(self.drawn), 1.0 / len(self.drawn))
        return next_chances(self.ideals(fit), self.race.hazard, int(self.drawn.sum()), self.recipe)

    def run(self, fit: int | None, positions: Sequence[int]) -> FloatArray:
        """Let a round happen; the chances it was drawn with."""
        chances = self.chances(fit)
        self.race.run(chances, np.flatnonzero(~self.drawn), len(positions))
        self.drawn[list(positions)] = True
        return chances


def first_draws(rounds: Sequence[Drawn], count: int) -> list[Drawn]:
    """The rounds that make up the first draws, the last of them cut short."""
    out, left = [], count
    for one in rounds:
        if left <= 0:
            break
        kept = min(left, len(one.positions))
        out.append(Drawn(one.round, one.positions[:kept], one.propensities[:kept], one.fit, one.milestones))
        left -= kept
    return out
