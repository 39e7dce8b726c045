"""The anytime interval of a macro recall: all classes bet on together, rather than each by itself.

A macro recall is the mean of r_1 .. r_C. If these are the recalls, `sum w_y (1[y = A] - r_y)` over the pool is 0,
whatever the weights w are: each class's part is. With `w_c = 1 / (C n_c)`, n_c being the believed count, the sum moves
as the mean recall does, so that bets on it (as in `stakes`) tell the mean, with the classes' errors averaged out.

The wealth belongs to a whole vector r. A mean is rejected if every vector that has it is. Those to consider lie in a
box: each recall's own interval, at `1 - BOX alpha / C`; the bets together have what is left of alpha. The least wealth
over the vectors of one mean is bounded from below, never guessed:

- A drawn item of class c pays an amount linear in r_c, so that the logarithm is concave there: above its chord over
  the box.
- What a bet costs is linear in r, so that minus its logarithm is convex: above its tangent.

So the bound is linear in every r_c, and its minimum for every mean comes from filling the classes in the order of
their slopes. A class too rare to be weighted (few draws would decide all) is left out of the bets: its recall is then
wherever in its interval it does most harm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from altmas.certified.betting import BettingSequence
from altmas.certified.functionals import Ratio
from altmas.certified.stakes import SURE, WARY, reserves, tuned
from altmas.core.checks import fraction
from altmas.metrics.belief import Belief
from altmas.metrics.types import FloatArray, IntArray

BOX = 0.2
"""The part of alpha that goes to the classes' own intervals."""
HORIZONS = np.array([100.0, 400.0])
"""Labels that the purses look ahead to, and the parts of the money they have."""
SHARES = np.array([0.25, 0.75])
RARE = 0.03
"""A class believed to have a smaller share of the pool is left out of the bets; of many classes, `SMALL / C`."""
SMALL = 0.2

_KEPT = 0.02  # of the allowance, if the worst is drawn
_GRID = np.linspace(0.0, 1.0, 1001)
_LOOKS = 64
_SIDES = np.repeat([1.0, -1.0], len(HORIZONS))
_MONEY = np.tile(SHARES / 2, 2)


@dataclass(frozen=True, eq=False)
class MeanRecall:
    """The mean of the recalls of all classes, for predicted class indices `said [N]`."""

    said: IntArray
    recalls: tuple[Ratio, ...]

    def sequence(self) -> MacroSequence:
        """The sequence before the first draw.

        >>> from altmas.certified.functionals import functionals_of
        >>> said = np.array([0, 1, 1])
        >>> MeanRecall(said, functionals_of("macro_recall", said, "ab")).sequence().interval(0.95)
        (0.0, 1.0)
        """
        parts = tuple(BettingSequence(one, one.size) for one in self.recalls)
        return MacroSequence(self, parts, np.ones(len(self.said), dtype=bool), np.zeros((2, len(parts))))


@dataclass(frozen=True, eq=False)
class _Placed:
    """One round's bets: draw by draw what is paid, `pays + slope r_y`; summed over the draws what a bet costs.

    Minus the logarithm of the cost is at least `cost + r @ cost_slopes`.
    """

    labels: IntArray  # [draws]
    pays: FloatArray  # [draws, bets]
    slope: FloatArray  # [draws, bets]
    cost: FloatArray  # [bets]
    cost_slopes: FloatArray  # [bets, C]


@dataclass(frozen=True, eq=False)
class MacroSequence:
    """The anytime interval of a macro recall; used as a `BettingSequence` is."""

    watched: MeanRecall
    parts: tuple[BettingSequence, ...]
    open: NDArray[np.bool_]
    counts: FloatArray  # labelled items and hits, [2, C]
    placed: tuple[_Placed, ...] = ()
    drawn: int = 0

    def after(self, chances: FloatArray, believed: Belief | None, items: IntArray, labels: IntArray) -> MacroSequence:
        """The sequence after one more round, with what was believed before it; this one stays as it is."""
        parts = tuple(one.after(chances, believed, items, labels) for one in self.parts)
        placed = () if believed is None else self._place(chances, believed, items, labels)
        still, hits = self.open.copy(), labels[labels == self.watched.said[items]]
        still[items] = False
        new = np.stack([np.bincount(some, minlength=len(parts)) for some in (labels, hits)])
        return replace(
            self, parts=parts, open=still, counts=self.counts + new, placed=self.placed + placed,
            drawn=self.drawn + len(items),
        )  # fmt: skip

    def interval(self, level: float) -> tuple[float, float]:
        """The means not rejected at any look so far; holds the value at all looks with probability `level`."""
        alpha = 1 - fraction("level", level)
        ends = np.array([one.interval(1 - BOX * alpha / len(self.parts)) for one in self.parts])
        low, high = ends.T
        first, last = float(low.mean()), float(high.mean())
        step = float(_GRID[1])
        near = np.abs(_GRID - (first + last) / 2) < (last - first) / 2 + step
        best = self._least_wealth(low, high)
        kept = np.flatnonzero(near & (best < 1 / ((1 - BOX) * alpha)))
        if len(kept) == 0:  # all rejected, which has a chance of at most alpha: then the classes' own intervals
            return first, last
        return max(first, float(_GRID[kept[0]]) - step), min(last, float(_GRID[kept[-1]]) + step)

    def _least_wealth(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """The most that the least wealth of any vector in the box has been, for every mean `[grid]`."""
        best = np.ones(len(_GRID))
        total = np.zeros((len(low), 2, len(_MONEY)))  # [C, ends of the box, bets]
        cost, slopes = np.zeros(len(_MONEY)), np.zeros((len(_MONEY), len(low)))
        every = -(-len(self.placed) // _LOOKS)
        for k, one in enumerate(self.placed):
            for side, end in enumerate((low, high)):
                at_end = one.pays + one.slope * end[one.labels, None]
                np.add.at(total[:, side], one.labels, np.log(np.maximum(at_end, 1e-300)))
            cost, slopes = cost + one.cost, slopes + one.cost_slopes
            if (k + 1) % every == 0 or k + 1 == len(self.placed):
                gain = (total[:, 1] - total[:, 0]).T + slopes * (high - low)  # from one end of the box to the other
                start = total[:, 0].sum(0) + cost + slopes @ low
                logs = [least_by_mean(_GRID, low, high, *bet) for bet in zip(start, gain, strict=True)]
                np.maximum(best, _MONEY @ np.exp(np.minimum(logs, 200.0)), out=best)
        return best

    def _place(self, chances: FloatArray, believed: Belief, items: IntArray, labels: IntArray) -> tuple[_Placed, ...]:
        said, count = self.watched.said, len(self.parts)
        rows = np.flatnonzero(self.open)
        chance = chances[rows] / chances[rows].sum()
        weights, recalls, spread, outlook = self._outlook(rows, chance, believed.at(rows))
        if not weights.any():  # no class is ever predicted
            return ()
        allowance = tuned(np.maximum(HORIZONS, self.drawn + 1.0), spread)[:, None]  # [horizons, 1]
        rise, fall = reserves(*outlook, chance, allowance)
        # Never negative, whatever the label and the recalls are: a miss costs its weight at most, a hit pays its own.
        own = np.append(weights, 0.0)[said[rows]]
        order = np.argsort(-weights)
        least = -np.where(said[rows] == order[0], weights[order[1]], weights[order[0]])
        rise = np.minimum(rise, least + (1 - _KEPT) * chance * allowance)
        fall = np.maximum(fall, own - (1 - _KEPT) * chance * allowance)
        expected = np.concatenate([rise, fall])  # [bets, open items]
        allowance, sums, left = np.tile(allowance[:, 0], 2), expected.sum(1), 1.0
        where = np.searchsorted(rows, items)
        counts = self.counts.copy()
        pays, slope = np.zeros((2, len(items), len(_MONEY)))
        cost, cost_slopes = np.zeros(len(_MONEY)), np.zeros((len(_MONEY), count))
        for k, (item, label, at) in enumerate(zip(items.tolist(), labels.tolist(), where.tolist(), strict=True)):
            hit, q = float(said[item] == label), chance[at]
            pays[k] = left * (allowance + _SIDES * (weights[label] * hit - expected[:, at]) / q)
            slope[k] = -_SIDES * left * weights[label] / q
            # Open items must sum to what the labelled ones do not: for recalls r, to `moves @ r - weights @ hits`.
            moves = weights * counts[0]
            costs = left * allowance - _SIDES * (sums + weights @ counts[1] - moves @ recalls)
            dead = costs <= 0  # the recalls believed are impossible: such a bet claims nothing from here on
            costs = np.where(dead, 1.0, costs)
            cost += np.where(dead, -np.inf, -np.log(costs) + _SIDES * (moves @ recalls) / costs)
            cost_slopes -= np.where(dead, 0.0, _SIDES / costs)[:, None] * moves
            sums, left = sums - expected[:, at], left - q
            counts[:, label] += (1.0, hit)
        return (_Placed(labels, pays, slope, cost, cost_slopes),)

    def _outlook(
        self, rows: IntArray, chance: FloatArray, believed: Belief
    ) -> tuple[FloatArray, FloatArray, float, tuple[FloatArray, FloatArray, FloatArray]]:
        """Weights and believed recalls `[C]`, the variance of a draw, and each open item's low, high and P(high)."""
        said, classes = self.watched.said[rows], len(self.parts)
        ever = np.array([one.bounds[1] > 0 for one in self.watched.recalls])  # a class never predicted has recall 0
        named = np.minimum(said, classes - 1)
        hit = believed.chance(said)
        number = self.counts[0] + believed.tally(np.zeros(len(rows), dtype=np.int64), 1)[:, 0]
        hits = self.counts[1] + np.bincount(named, weights=hit, minlength=classes)
        recalls = np.where(ever, hits / np.maximum(number, 1e-9), 0.0)
        usual = ever & (number >= min(RARE, SMALL / classes) * number.sum())
        weights = np.where(usual, 1 / (classes * np.maximum(number, 1.0)), 0.0)
        own, own_recall = np.append(weights, 0.0)[said], np.append(recalls, 0.0)[said]
        slopes = weights * recalls
        first, second = believed.expect(np.stack([slopes, np.square(slopes)], axis=1)).T
        high, missed = own * (1 - own_recall), first - own * hit * own_recall
        low = np.minimum(-missed / np.maximum(1 - hit, 1e-9), high - 1e-12 * own)
        mean = own * hit - (missed + own * hit * own_recall)
        square = second + hit * own**2 * (1 - 2 * own_recall)
        variance = square - mean**2 + SURE * ((weights * recalls) ** 2).mean()
        # With few draws so far, also what would be if the belief told no two items of a class from each other.
        right = float(np.clip(hits.sum() / number.sum(), 0.05, 0.95))
        alike = right * (1 - right) * (high + weights @ (recalls * number) / number.sum()) ** 2
        trust = self.drawn / (self.drawn + WARY)
        spread = float(((trust * variance + (1 - trust) * alike) / chance).sum())
        return weights, recalls, spread, (low, high, hit * (1 - 2 * SURE) + SURE)


def least_by_mean(means: FloatArray, low: FloatArray, high: FloatArray, start: float, gain: FloatArray) -> FloatArray:
    """The least of a function linear in a vector, for every mean the vector can have within a box.

    `start` is its value at `low`, `gain` what it gains as each component goes from `low` to `high`.

    >>> least_by_mean(np.array([0.0, 0.5, 1.0]), np.zeros(2), np.ones(2), 1.0, np.array([3.0, -2.0])).tolist()
    [1.0, -1.0, 2.0]
    """
    if not np.isfinite(start):
        return np.full(len(means), -np.inf)
    wide = high - low
    order = np.argsort(np.divide(gain, wide, out=np.zeros(len(wide)), where=wide > 0))
    at = low.mean() + np.concatenate([[0.0], np.cumsum(wide[order])]) / len(wide)
    return np.interp(means, at, start + np.concatenate([[0.0], np.cumsum(gain[order])]))
