"""Anytime intervals from a log that knows no chances but those of the items drawn."""

from __future__ import annotations

import numpy as np

from altmas.certified.functionals import Ratio
from altmas.certified.ledger import Ledger
from altmas.core.checks import fraction, whole_number
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray, IntArray

FRACTIONS = np.array([0.99, 0.9, 0.7, 0.45, 0.25, 0.13, 0.06, 0.03, 0.01])
"""Stakes, as parts of the largest that cannot ruin: the wealth is their mean."""
SHARES = FRACTIONS**0.75 / (FRACTIONS**0.75).sum()
"""How the money is spread over them at the start."""


def anytime_from_log(
    ratio: Ratio, items: IntArray, labels: IntArray, propensities: FloatArray, level: float, grid: int = 1001
) -> tuple[float, float]:
    """The interval from the log alone: items in the order drawn, their labels, and the propensity of each draw.

    What chances the other items had is not needed, nor a floor of them. Each side bets on what an item has above the
    least (or below the most) it could have, divided by its propensity. That is never negative, so a bet loses its
    stake at worst, and an item that had no chance at all only makes the bet a worse one. Items with propensity 1 were
    picked and not drawn: their labels count, without a bet. Where chances were uneven, or few items matter, this is
    wider than a `BettingSequence`, which knows the chances.

    >>> from altmas.certified.functionals import accuracy
    >>> drawn = np.random.default_rng(0).permutation(1000)[:200]
    >>> propensities = 1 / (1000 - np.arange(200))
    >>> one = accuracy(np.zeros(1000, dtype=np.int64), 2)
    >>> low, high = anytime_from_log(one, drawn, drawn // 900, propensities, 0.95)
    >>> low < 0.9 < high, high - low < 0.15
    (True, True)
    """
    if not len(items) == len(labels) == len(propensities):
        got = f"{len(items):,} items, {len(labels):,} labels and {len(propensities):,} propensities"
        raise InputError("the log", "have one label and one propensity per draw", got)
    chances = np.asarray(propensities, dtype=np.float64)
    wrong = np.flatnonzero(~((chances > 0) & (chances <= 1)))
    if len(wrong):
        raise InputError("propensities", "be above 0 and at most 1", rows_at_fault(wrong))
    ledger = Ledger(ratio, whole_number("grid", grid, 2))
    wealth = _Wealth(np.array([0.5, 0.5]), grid)
    for item, label, chance in zip(items, labels, chances, strict=True):
        u, v = ledger.check(item, label)
        if chance < 1:  # that the next item is certain is known before it is drawn, and so may decide about the bet
            wealth.bet(ledger.one_sided(item, u, v, chance))
        ledger.take(item, u, v)
    return ledger.interval(wealth.best, fraction("level", level))


class _Wealth:
    """Wealth per purse, fraction and candidate, and the most that each candidate's mean wealth has been."""

    def __init__(self, purses: FloatArray, grid: int) -> None:
        self._now = purses[:, None, None] * SHARES[:, None] * np.ones(grid)  # [purses, fractions, candidates]
        self._factor = np.empty_like(self._now)
        self._bets = 0
        self.best = np.ones(grid)

    def bet(self, gains: FloatArray) -> None:
        """Multiply by `1 + fraction * gain`; gains `[purses, candidates]` are per unit of the largest stake."""
        # More than the stake is lost only where the labels rule a candidate out; to win less is to claim less.
        gains = np.clip(gains, -1.0, 1e6)
        np.multiply(FRACTIONS[:, None], gains[:, None, :], out=self._factor)
        self._factor += 1.0
        self._now *= self._factor
        np.maximum(self.best, self._now.sum((0, 1)), out=self.best)
        self._bets += 1
        if self._bets % 32 == 0:  # keeps within the range of floats; giving money away is always allowed
            np.minimum(self._now, 1e100, out=self._now)
            self._now[self._now < 1e-100] = 0.0
