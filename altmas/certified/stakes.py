"""The bets of one round: how much is put on what, from what was known before its draws.

A bet on a rise pays `(K + (x - b) / chance) / (K - B + owed)` times the money, where x is what the drawn item turns
out to be, b what was expected of it, B the sum of b over the open items and owed what they must sum to if the
candidate is right. Drawn with these chances its mean is 1, whatever b and the allowance K are. The smaller K is, the
larger is the stake. It is never negative if no item can fall short of its b by more than K times its chance.

- **How large K is.** To be as narrow as can be after n draws, it is best near `sqrt(n V / (2 log(2 / alpha)))`, V
  being the variance of `(x - b) / chance` that the belief expects. One purse looks ahead to 60 labels, one to 400; past
  its horizon a purse looks no further ahead than it has come.
- **What is expected of an item.** Its mean under the belief, as long as it could lose little. An item of small chance
  could lose more than K: then less is expected of it, and less is gained elsewhere. Where the logarithm of the money
  grows fastest, the mean of 1 / gain is the same for every item; for an item that is either low or high that is the
  root of a quadratic (`reserves`). So the worst draw does not bound the stakes on all the others.
- **In whom the purses trust.** Two in the belief. One, should the belief be bad, in the means per predicted class so
  far.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from altmas.certified.functionals import Ratio
from altmas.certified.ledger import Ledger
from altmas.metrics.types import FloatArray, IntArray


class Purse(NamedTuple):
    """Money that looks ahead to a number of labels, trusting in the belief or not; `share` is its part of all."""

    horizon: int
    trusting: bool
    share: float


PURSES = (Purse(100, True, 0.2), Purse(400, True, 0.65), Purse(200, False, 0.15))
"""Each is split between a bet on a rise and one on a fall."""

SURE = 0.01
"""No belief is taken to be surer than this: a bet that thinks a label impossible could lose all its money on it."""

WARY = 20
"""Draws from which on a belief's own variance counts for most; before, that of the wary purse does."""

_LOG = 2 * np.log(2 / 0.05)  # what stakes are tuned to; intervals hold at every level
_KNOTS = 5
_SIDES = np.array([1.0, -1.0])[:, None, None]


class Expected(NamedTuple):
    """What is expected of every item, `[N]` each, within what it can be."""

    top: FloatArray
    bottom: FloatArray


def means_so_far(ratio: Ratio, seen: FloatArray, open_items: int) -> Expected:
    """What the drawn items of each column say; one draw's worth of the middle stands before the first.

    `seen` are the weight, top and bottom of the drawn items, `[3, J]`.
    """
    weight = float(max(open_items, 1))
    middle = np.stack([(table.min(0) + table.max(0)) / 2 for table in (ratio.top, ratio.bottom)])
    means = ((seen[1:] + weight * middle) / (seen[0] + weight))[:, ratio.columns]
    weights = (ratio.top_weight, ratio.bottom_weight)
    return Expected(*(mean if w is None else mean * w for mean, w in zip(means, weights, strict=True)))


def tuned(ahead: FloatArray, spread: FloatArray | float) -> FloatArray:
    """The allowance that is best after so many draws of a variance."""
    return np.asarray(np.sqrt(ahead * spread / _LOG))


def reserves(
    low: FloatArray, high: FloatArray, share: FloatArray, chance: FloatArray, allowance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What to expect of items that are `high` with probability `share` and otherwise `low`: on a rise, on a fall.

    With a large allowance that is the mean; with a small one, no more than `allowance * chance` from the worst.

    >>> low, high, share, chance = np.zeros(1), np.ones(1), np.array([0.9]), np.array([0.1])
    >>> for allowance in np.array([1e6, 1.0]):
    ...     print([round(float(one[0]), 3) for one in reserves(low, high, share, chance, allowance)])
    [0.9, 0.9]
    [0.089, 0.991]
    """
    reach = (high - low) / chance
    short = allowance - reach
    square, both = short * short, 4 * allowance * reach
    rise = (short + np.sqrt(square + both * (1 - share))) / 2  # what is kept if the worst is drawn
    fall = (short + np.sqrt(square + both * share)) / 2
    return low + chance * (allowance - rise), high - chance * (allowance - fall)


class Stakes:
    """The bets of a round, for the candidates `live`. Within it chances and expectations stay; drawn items leave.

    Everything is computed at a few knots among the candidates, with straight lines between. An item's least is
    concave in theta and its most convex, so that a line which keeps within the allowance at two knots does so between
    them. Where the bottom is known all is straight already, and two knots are exact.
    """

    def __init__(
        self, ledger: Ledger, chances: FloatArray, trusting: Expected, wary: Expected, live: slice, bets: int,
        purses: Sequence[Purse] = PURSES,
    ) -> None:  # fmt: skip
        self.live = live
        self._purses = purses
        self._bets = bets
        self._ledger, self._beliefs = ledger, (wary, trusting)
        self._chances = np.where(ledger.matters, chances, 0.0)
        all_open = float(np.maximum(chances[ledger.open], 0.0).sum())
        share = float(self._chances.sum()) / all_open if all_open > 0 else 1.0  # of the draws, that matter
        self._chances /= max(float(self._chances.sum()), np.finfo(float).tiny)
        theta = ledger.theta[live]
        self._knots = np.linspace(theta[0], theta[-1], 2 if ledger.straight else _KNOTS) if len(theta) > 1 else theta
        self._lines = _lines(theta, self._knots)
        self._ahead = np.array([max(one.horizon * share, bets + 1.0) for one in purses])
        self._allowance = np.zeros((len(purses), len(self._knots)))
        self._found = (-1, self._allowance)
        self._count(set_allowance=True)

    def _count(self, set_allowance: bool = False) -> None:
        """Sum over the open items anew, so that no rounding outgrows what is left."""
        rows = np.flatnonzero(self._ledger.matters)
        self._left = self._counted = float(self._chances.sum())
        self._sums = np.zeros((2, *self._allowance.shape))
        for k in range(len(self._knots)):
            low, high, shares = self._outlook(rows, self._knots[k])
            chance = self._chances[rows]
            if set_allowance:
                spread = [((high - low) ** 2 * p * (1 - p) / chance).sum() for p in shares]
                spread[True] += (spread[False] - spread[True]) * WARY / (WARY + self._bets)
                self._allowance[:, k] = tuned(self._ahead, np.array([spread[one.trusting] for one in self._purses]))
            for j, one in enumerate(self._purses):
                both = reserves(low, high, shares[one.trusting], chance, self._allowance[j, k])
                self._sums[:, j, k] = [part.sum() for part in both]

    def _outlook(self, rows: IntArray | int, theta: FloatArray) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
        """The least and most that items can be, and how near the most each belief expects them (0 to 1).

        Of many items at one candidate, or of one item at many.
        """
        low, high = self._ledger.range_of(rows, theta)
        wide = np.maximum(high - low, np.finfo(float).tiny)
        shares = [(top[rows] - theta * bottom[rows] - low) / wide for top, bottom in self._beliefs]
        return low, high, [np.minimum(np.maximum(one, 0.0), 1.0) * (1 - 2 * SURE) + SURE for one in shares]

    def _reserves_of(self, item: int) -> FloatArray:
        """What is expected of one item `[2, purses, knots]`; kept, as an item is bet on and then removed."""
        if self._found[0] == item:
            return self._found[1]
        low, high, shares = self._outlook(item, self._knots)
        picked = np.array([shares[one.trusting] for one in self._purses])
        self._found = item, np.array(reserves(low, high, picked, self._chances[item], self._allowance))
        return self._found[1]

    def chance(self, item: int) -> float:
        """The chance with which the item is the next to be drawn of those that matter."""
        return float(self._chances[item]) / self._left

    def factors(self, item: int, u: float, v: float) -> FloatArray:
        """What each bet multiplies its money by `[2 * purses, live candidates]`, if this item is drawn."""
        return self.factors_of(item, u - self._knots * v, self._ledger.owed(self._knots))

    def factors_of(self, item: int, x: FloatArray, owed: FloatArray) -> FloatArray:
        """The same of what the item is and what is owed at the knots `[knots]`, or to each side `[2, 1, knots]`."""
        chance, allowance, expected = float(self._chances[item]), self._allowance, self._reserves_of(item)
        pays = allowance + _SIDES * (x - expected) / chance
        costs = self._left * allowance + _SIDES * (owed - self._sums)
        # Both are straight between knots. A bet pays less than nothing only where the labels rule a candidate out.
        pays, costs = (part.reshape(-1, len(self._knots)) @ self._lines for part in (self._left * pays, costs))
        pays /= self._ledger.at_least(costs)
        return np.maximum(pays, 0.0, out=pays)

    def remove(self, item: int) -> None:
        """Take an item out that was drawn, or whose label came from elsewhere."""
        self._sums -= self._reserves_of(item)
        self._left -= float(self._chances[item])
        self._chances[item] = 0.0
        if self._left < 0.5 * self._counted:
            self._count()


def _lines(theta: FloatArray, knots: FloatArray) -> FloatArray:
    """Weights `[knots, candidates]` that draw straight lines from knot to knot."""
    return np.stack([np.interp(theta, knots, one) for one in np.eye(len(knots))])
