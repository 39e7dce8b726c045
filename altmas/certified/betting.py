"""Confidence sequences by betting: intervals that hold at every look, for items drawn with known chances.

For each candidate value theta of a ratio `sum u / sum v` the items' `x = u - theta v` would sum to 0 over the pool, so
the open items to minus what the labelled ones sum to. Draw item I with chance q among the open. Whatever is expected
of the items before the draw, `sum b + (x_I - b_I) / q` has that sum as its mean, if theta is the value. Bet against it,
with nothing to lose but the stake: then the wealth is a martingale that starts at 1, and by Ville's inequality
ever exceeds 1 / alpha with a chance of at most alpha. The interval is the candidates whose wealth never did.

What is bet, and why (`stakes` has how much on what):

- Half the money bets on a rise, half on a fall. The mean must reach 1 / alpha. It does whenever one of them reaches
  2 / alpha, and at times when neither does.
- Where the bottom is known beforehand the wealth is convex in theta, so that no value between two candidates is lost.
- Items that cannot matter, such as those not predicted c for the precision of c, are passed over: given that a
  relevant item is drawn, its chance is its share among the relevant ones.
- Candidates that have been rejected at any level that matters are not bet against any more: a wealth may stand still.
"""

from __future__ import annotations

import copy

import numpy as np

from altmas.certified.functionals import Ratio
from altmas.certified.ledger import Ledger
from altmas.certified.stakes import PURSES, Expected, Stakes, means_so_far
from altmas.core.checks import fraction, whole_number
from altmas.metrics.belief import Belief
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray, IntArray

DECIDED = 1e8
"""Wealth at which a candidate is rejected for good: at every level up to 1 - 1e-8."""


class BettingSequence:
    """The anytime-valid interval of one ratio, from draws without replacement with known relative chances.

    Call `begin_round` with what was believed before a round's draws, `bet` for each draw in its order, and `interval`
    whenever you like. Within a round the relative chances stay; a drawn item's chance is its share among the open ones.
    Every item drawn must be bet on: to leave some out, for what their answer was, is to choose the evidence.

    >>> from altmas.certified.functionals import accuracy
    >>> said, rng = np.zeros(1000, dtype=np.int64), np.random.default_rng(0)
    >>> watched = BettingSequence(accuracy(said, 2), 1000)
    >>> watched.begin_round(np.ones(1000))
    >>> for item in rng.permutation(1000)[:200]:
    ...     watched.bet(item, label=int(item < 100))
    >>> low, high = watched.interval(0.95)
    >>> low < 0.9 < high, high - low < 0.15
    (True, True)
    """

    def __init__(self, ratio: Ratio, pool_size: int, grid: int = 1001) -> None:
        if ratio.size != pool_size:
            raise InputError("pool_size", f"be the {ratio.size:,} items of {ratio.name!r}", f"{pool_size:,}")
        self.ratio = ratio
        self._ledger = Ledger(ratio, whole_number("grid", grid, 2))
        self._wealth = Wealth(np.tile([one.share / 2 for one in PURSES], 2), grid)
        self._seen = np.zeros((3, ratio.top.shape[1]))  # weight, top and bottom of the drawn items, per column
        self._bets = 0
        self._stakes: Stakes | None = None

    def begin_round(
        self, chances: FloatArray, expected_top: FloatArray | None = None, expected_bottom: FloatArray | None = None
    ) -> None:
        """Fix what was believed before a round's draws: relative chances `[N]`, and what u and v were expected to be.

        Chances and expectations of labelled items are ignored; expectations are cut to what an item can be. Without
        them, the mean per column so far is expected. They decide the width of the interval, never whether it holds.
        """
        ledger, size = self._ledger, self.ratio.size
        given = _column("chances", chances, size)
        least = 1e-12 * given[ledger.matters].max(initial=0.0)  # less could not be told from a rounding
        barred = np.flatnonzero(ledger.matters & ~(given > least))
        if len(barred):
            raise InputError("chances", "be above 0 for every open item that can matter", rows_at_fault(barred))
        wary = means_so_far(self.ratio, self._seen, int(ledger.matters.sum()))
        top = wary.top if expected_top is None else _column("expected_top", expected_top, size)
        bottom = wary.bottom if expected_bottom is None else _column("expected_bottom", expected_bottom, size)
        trusting, wary = (Expected(*ledger.possible(*one)) for one in (Expected(top, bottom), wary))
        self._stakes = Stakes(ledger, given, trusting, wary, self._wealth.undecided(), self._bets)

    def bet(self, item: int, label: int) -> None:
        """Take one answer into account: the next item drawn, with its label."""
        if self._stakes is None:
            raise InputError("a round", "begin before its bets", "no begin_round")
        item = int(item)
        u, v = self._ledger.check(item, label)
        if self._ledger.matters[item]:
            self._wealth.bet(self._stakes.factors(item, u, v), self._stakes.live)
            self._bets += 1
            column = self.ratio.columns[item]
            bare = np.array([1.0, self.ratio.top[label, column], self.ratio.bottom[label, column]])
            self._seen[:, column] += bare / self._stakes.chance(item)
        self._remove(item, u, v)

    def after(self, chances: FloatArray, believed: Belief | None, items: IntArray, labels: IntArray) -> BettingSequence:
        """The sequence after one more round, with what was believed before it; this one stays as it is."""
        # The ratio never changes, and the stakes of the round before are over.
        on = copy.deepcopy(self, {id(self.ratio): self.ratio, id(self._stakes): None})
        on.begin_round(chances, *((None, None) if believed is None else self.ratio.expected(believed)))
        for item, label in zip(items.tolist(), labels.tolist(), strict=True):
            on.bet(item, label)
        return on

    def reveal(self, item: int, label: int) -> None:
        """Take a label into account without a bet: one known from elsewhere, or of an item picked and not drawn."""
        self._remove(int(item), *self._ledger.check(item, label))

    def interval(self, level: float) -> tuple[float, float]:
        """The values not rejected at any look so far; holds the value at all looks with probability `level`."""
        return self._ledger.interval(self._wealth.best, fraction("level", level), self._wealth.now.sum(0))

    def _remove(self, item: int, u: float, v: float) -> None:
        mattered = self._ledger.matters[item]
        self._ledger.take(item, u, v)
        if mattered and self._stakes is not None:
            self._stakes.remove(item)


class Wealth:
    """Wealth per purse and candidate, and the most that each candidate's has been, all purses together."""

    def __init__(self, shares: FloatArray, grid: int) -> None:
        self.now = shares[:, None] * np.ones(grid)  # [purses, candidates]
        self.best = np.ones(grid)
        self._bets = 0

    def bet(self, factors: FloatArray, live: slice) -> None:
        """Multiply the wealth of some candidates by factors `[purses, live]`, none of them negative."""
        now = self.now[:, live]
        now *= np.minimum(factors, 1e6, out=factors)  # to win less is to claim less
        np.maximum(self.best[live], now.sum(0), out=self.best[live])
        self._bets += 1
        if self._bets % 32 == 0:  # keeps within the range of floats; giving money away is always allowed
            np.minimum(now, 1e100, out=now)
            now[now < 1e-100] = 0.0

    def undecided(self) -> slice:
        """From the first to the last candidate that is not rejected for good, and one more to each side."""
        left = np.flatnonzero(self.best < DECIDED)
        if len(left) == 0:
            left = np.array([self.best.argmin()])
        return slice(max(int(left[0]) - 1, 0), min(int(left[-1]) + 2, len(self.best)))


def _column(subject: str, values: FloatArray, size: int) -> FloatArray:
    column = np.asarray(values, dtype=np.float64)
    if column.shape != (size,) or not np.isfinite(column).all():
        raise InputError(subject, f"be one finite number for each of {size:,} items", f"shape {column.shape}")
    return column
