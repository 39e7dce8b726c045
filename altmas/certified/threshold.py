"""Whether a ratio is at least, or at most, one number: two one-sided tests that may be looked at after every label.

An interval has to reject all values that are not the truth, from both sides. Whether a requirement is met asks about
one value only, the bound, so that no grid of candidates is needed and no money is split between two sides:

- If the ratio is at most the bound, its items' `x = u - bound * v` sum to at most 0, and the bets on a rise
  (`stakes`) do not gain on average: the chance that their wealth ever reaches 1 / alpha is at most alpha (Ville).
- If it is at least the bound, the same holds of the bets on a fall.

One of the two is always so. Each side therefore has all of alpha, and the whole of its own money, from 1 on.

A drawn item without an answer is taken for what is worst for each side: for the bets on a rise the least that it can
be, for those on a fall the most. What is bet depends on the answers that came, and on nothing else, so that no wealth
would be less if the missing answer came.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from altmas.certified.functionals import Ratio
from altmas.certified.ledger import Ledger
from altmas.certified.stakes import Expected, Purse, Stakes, means_so_far
from altmas.metrics.belief import Belief
from altmas.metrics.types import FloatArray, IntArray

PURSES = (Purse(300, True, 0.3), Purse(1000, True, 0.5), Purse(600, False, 0.2))
"""Each side has these. Short horizons settle what is clear, long ones what is close."""

ABOVE, BELOW = 0, 1
"""The sides: evidence that the ratio is above the bound, and that it is below."""

ROUNDING = 1e-12
"""A value nearer to its bound than this is on it."""

_MOST, _LEAST = 1e100, 1e-100
_EVERYTHING = slice(0, 1)


@dataclass(frozen=True, eq=False)
class Threshold:
    """A ratio, and the number that it is compared with."""

    ratio: Ratio
    bound: float

    def sequence(self) -> ThresholdTest:
        """The tests before the first draw.

        >>> from altmas.certified.functionals import accuracy
        >>> said, rng = np.zeros(1000, dtype=np.int64), np.random.default_rng(0)
        >>> test = Threshold(accuracy(said, 2), 0.8).sequence()
        >>> drawn = rng.permutation(1000)[:200]
        >>> test = test.after(np.ones(1000), None, drawn, (drawn < 50).astype(np.int64))  # 95% are right
        >>> bool(test.most[ABOVE] > 20 > test.most[BELOW])
        True
        """
        return ThresholdTest(self)


class ThresholdTest:
    """Evidence so far that a ratio is above, and that it is below a bound. `most` is the most that each was `[2]`.

    Used as a `BettingSequence` is. Evidence is wealth: 20 is enough at a level of 95%.
    """

    def __init__(self, watched: Threshold) -> None:
        self.watched = watched
        self.most = np.ones(2)
        self._ledger = Ledger(watched.ratio, np.array([watched.bound]))
        self._money = np.tile([one.share for one in PURSES], (2, 1))
        self._seen = np.zeros((3, watched.ratio.top.shape[1]))  # weight, top and bottom per column
        self._missing = np.zeros(2)  # what drawn items without an answer sum to, for each side
        self._bets = 0

    def after(self, chances: FloatArray, believed: Belief | None, items: IntArray, labels: IntArray) -> ThresholdTest:
        """The tests after one more round, with what was believed before it; this one stays as it is.

        A label below 0 is an answer that is missing.
        """
        on = copy.deepcopy(self, {id(self.watched): self.watched, id(self.watched.ratio): self.watched.ratio})
        on._round(chances, believed, items, labels)
        return on

    def _round(self, chances: FloatArray, believed: Belief | None, items: IntArray, labels: IntArray) -> None:
        ledger, ratio = self._ledger, self.watched.ratio
        wary = means_so_far(ratio, self._seen, int(ledger.matters.sum()))
        trusting = wary if believed is None else Expected(*ratio.expected(believed))
        told, seen = (Expected(*ledger.possible(*one)) for one in (trusting, wary))
        stakes = Stakes(ledger, np.asarray(chances, np.float64), told, seen, _EVERYTHING, self._bets, PURSES)
        for item, label in zip(items.tolist(), labels.tolist(), strict=True):
            if ledger.matters[item]:
                self._bet(stakes, item, label)
            else:
                ledger.take(item, 0.0, 0.0)

    def _bet(self, stakes: Stakes, item: int, label: int) -> None:
        ledger, ratio, bound = self._ledger, self.watched.ratio, self.watched.bound
        owed = (ledger.owed(ledger.theta) - self._missing)[:, None, None]
        if label >= 0:
            u, v = ledger.check(item, label)
            x = np.full(2, u - bound * v)
            column = ratio.columns[item]
            bare = np.array([1.0, ratio.top[label, column], ratio.bottom[label, column]])
            self._seen[:, column] += bare / stakes.chance(item)
        else:
            u = v = 0.0
            x = np.concatenate(ledger.range_of(item, ledger.theta))
            self._missing += x
        factors = stakes.factors_of(item, x[:, None, None], owed).reshape(2, -1)
        self._money = np.minimum(self._money * np.minimum(factors, 1e6), _MOST)  # to win less is to claim less
        self._money[self._money < _LEAST] = 0.0
        np.maximum(self.most, self._money.sum(1), out=self.most)
        self._bets += 1
        ledger.take(item, u, v)
        stakes.remove(item)

    @property
    def now(self) -> FloatArray:
        """The evidence as it stands `[2]`; what it was at its most is as good."""
        return np.asarray(self._money.sum(1))

    def possible(self) -> frozenset[int]:
        """On which sides of the bound the labels allow the ratio to be: below (-1), on it (0), above (1).

        One that nothing counts for is 0, whatever its open items would sum to.
        """
        ledger, bound = self._ledger, self.watched.bound
        if not ledger.matters.any() and not self._missing.any():
            gap = ledger.value() - bound
            return frozenset((0 if abs(gap) <= ROUNDING * max(abs(bound), 1.0) else int(np.sign(gap)),))
        low, high, tiny = ledger.least + self._missing[ABOVE], ledger.greatest + self._missing[BELOW], ledger.tiny
        found = {-1: low < -tiny, 0: low <= tiny and high >= -tiny, 1: high > tiny}
        if ledger.empty:
            found[int(-np.sign(bound))] = True
        return frozenset(sign for sign, may in found.items() if may)
