"""Second readings as a race among the answers: which answers go to an expert, and with what chance.

Every answer has a clock of its own, as every item has for the questions; it starts when the item is answered, and from
then on its hazard runs. The best chances are Neyman's for the corrections that are expected, Var_L(g_i) / p_i^2, mixed
with a share that believes nothing: annotators may be wrong anywhere, so no answer is ever out of the race.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from altmas.beliefs.worths import blind_chances, chances, neyman
from altmas.certified.race import catch_up, hazard_after, inclusion_at
from altmas.core.method import ReadRound
from altmas.core.policies import Choice, draw_in_turn
from altmas.core.streams import stream
from altmas.metrics.types import FloatArray, IntArray

FLOOR = 0.45
"""Share of a choice that is blind to what is expected of annotators."""

LOOK_AHEAD, LEAST = 1.3, 1e-12


def _none() -> IntArray:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Rereading:
    """What was drawn for a second reading so far: positions with the label read (-1 without one), and hazards `[N]`."""

    hazard: FloatArray
    run: FloatArray  # how far each answer's clock has run
    items: IntArray = field(default_factory=_none)
    labels: IntArray = field(default_factory=_none)
    rounds: int = 0

    @classmethod
    def of(cls, size: int) -> Rereading:
        """None yet, of a pool of this size."""
        return cls(np.zeros(size), np.zeros(size))

    def after(self, round: ReadRound, clocks: FloatArray) -> Rereading:
        """After one more round: its hazards are those logged, and every clock ran until the last of its items rang."""
        hazard = self.hazard.copy()
        with np.errstate(divide="ignore"):  # an answer that was certain to be read has an endless hazard
            hazard[round.among] = -np.log1p(-round.chances)
        # A clock of an answer certain to be read has run out; others, and those of answers to come, know nothing of it.
        certain = np.isinf(hazard)
        grown = np.where(certain, 0.0, hazard) - np.where(certain, 0.0, self.hazard)
        drawn = round.items[~certain[round.items]]
        rang = (clocks - self.run)[drawn] / np.maximum(grown[drawn], LEAST)
        run = np.where(certain, np.inf, self.run + grown * max(float(rang.max(initial=0.0)), 0.0))
        return replace(
            self, hazard=hazard, run=run, items=np.append(self.items, round.items),
            labels=np.append(self.labels, round.labels), rounds=self.rounds + 1,
        )  # fmt: skip


def reading_clocks(seed: int, size: int) -> FloatArray:
    """When each answer's clock rings `[N]`; other clocks than the questions'."""
    return stream(seed, "second readings").standard_exponential(size)


def ideal_chances(spreads: Sequence[FloatArray], ranges: Sequence[FloatArray], inclusion: FloatArray) -> FloatArray:
    """The best chances of answers `[n]`, given the variance and the range of the correction to each, for every target.

    >>> ideal_chances([np.array([0.0, 1.0])], [np.ones(2)], np.ones(2)).round(3).tolist()
    [0.225, 0.775]
    """
    blind = blind_chances([one / inclusion for one in ranges])
    return chances(neyman([one / np.square(inclusion) for one in spreads]), floor=FLOOR, blind=blind)


def drawn_readings(
    before: Rereading, answered: IntArray, ideal: FloatArray, count: int, clocks: FloatArray
) -> tuple[Choice, FloatArray]:
    """The next answers to read, and every answer's chance to have been drawn by then `[n]`."""
    hazard = before.hazard[answered]
    open_rows = np.flatnonzero(~np.isin(answered, before.items))
    count = min(count, len(open_rows))
    total = len(answered) - len(open_rows) + count
    rates = catch_up(ideal, hazard, min(math.ceil(LOOK_AHEAD * total), len(answered)))
    left = np.maximum((clocks - before.run)[answered[open_rows]], LEAST)
    choice = draw_in_turn(answered[open_rows], rates[open_rows], count, left)
    return choice, inclusion_at(hazard_after(hazard, rates, open_rows, count))
