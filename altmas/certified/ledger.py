"""What the labelled items of a ratio sum to and what the open ones still may, for every candidate value."""

from __future__ import annotations

import numpy as np

from altmas.certified.functionals import Ratio
from altmas.metrics.confusion import ratio as divided
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

_KINDS_AT_ONCE = 256
_MANY_BOTTOMS = 8


class Ledger:
    """What the labelled items sum to, and what the open ones still may, for every candidate value."""

    def __init__(self, ratio: Ratio, grid: int | FloatArray) -> None:
        self.ratio = ratio
        self.theta = np.linspace(*ratio.bounds, grid) if isinstance(grid, int) else grid
        self._kind, self._tops, self._bottoms = _kinds(ratio)
        certain = (np.ptp(self._tops, axis=1) == 0) & (np.ptp(self._bottoms, axis=1) == 0)
        self.open = np.ones(ratio.size, dtype=bool)
        self.matters = ~certain[self._kind]  # open items whose label can change the value
        counts = np.bincount(self._kind, minlength=len(certain)).astype(np.float64)
        self._top = float((counts * self._tops[:, 0])[certain].sum())
        self._bottom = float((counts * self._bottoms[:, 0])[certain].sum())
        self._lowest, self._highest = np.zeros((2, len(self.theta)))
        kinds = np.flatnonzero(~certain)
        for start in range(0, len(kinds), _KINDS_AT_ONCE):
            some = kinds[start : start + _KINDS_AT_ONCE]
            low, high = self._reach(some)
            self._lowest += counts[some] @ low
            self._highest += counts[some] @ high
        self.straight = not np.ptp(self._bottoms, axis=1).any()  # the bottom is known: all is linear in theta
        self.tiny = 1e-9 * max(float((self._highest - self._lowest).max()), np.finfo(float).tiny)

    def check(self, item: int, label: int) -> tuple[float, float]:
        """(u, v) of an open item's label, or an error."""
        if not 0 <= item < self.ratio.size or not self.open[item]:
            raise InputError("item", f"be an open one of {self.ratio.size:,}", item)
        if not 0 <= label < len(self.ratio.top):
            raise InputError("label", f"lie in 0 to {len(self.ratio.top) - 1}", label)
        return self.ratio.terms(item, label)

    def take(self, item: int, u: float, v: float) -> None:
        """Move an item from the open ones to the labelled ones."""
        self.open[item] = False
        if self.matters[item]:
            self.matters[item] = False
            low, high = self._reach(self._kind[item])
            self._lowest -= low
            self._highest -= high
            self._top += u
            self._bottom += v

    def owed(self, theta: FloatArray) -> FloatArray:
        """What the open items must sum to, if theta is the value."""
        return theta * self._bottom - self._top

    @property
    def least(self) -> float:
        """The least that all items can sum to at the first candidate; `greatest` is the most."""
        return float(self._lowest[0] - self.owed(self.theta)[0])

    @property
    def greatest(self) -> float:
        """The most that all items can sum to at the first candidate."""
        return float(self._highest[0] - self.owed(self.theta)[0])

    @property
    def empty(self) -> bool:
        """Whether no item is known to count for the bottom: the ratio may be one of nothing."""
        return self._bottom <= 0

    def value(self) -> float:
        """The ratio of the labelled items; of all, where no open item matters."""
        return float(np.clip(divided(self._top, self._bottom), *self.ratio.bounds))

    def at_least(self, loss: FloatArray) -> FloatArray:
        """The worst loss, kept from 0 so that rounding is not bet on."""
        return np.maximum(loss, self.tiny)

    def one_sided(self, item: int, u: float, v: float, chance: float) -> FloatArray:
        """Gains `[2, candidates]` of the bets up and down whose loss is bounded whatever the chances were."""
        owed, x = self.owed(self.theta), u - self.theta * v
        low, high = self._reach(self._kind[item])
        above, below = owed - self._lowest, self._highest - owed
        up, down = (x - low) / chance - above, (high - x) / chance - below
        return np.stack([up / self.at_least(above), down / self.at_least(below)])

    def possible(self, top: FloatArray, bottom: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Beliefs cut to what each item can be."""
        return _cut(top, self._tops, self._kind), _cut(bottom, self._bottoms, self._kind)

    def range_of(self, rows: IntArray | int, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The least and most `u - theta v`: of items `[n]` at one candidate, or of one item at several."""
        if isinstance(rows, int):
            kind = self._kind[rows]
            x = self._tops[kind] - theta[:, None] * self._bottoms[kind]
            return x.min(1), x.max(1)
        x, kinds = self._tops - theta * self._bottoms, self._kind[rows]
        return x.min(1)[kinds], x.max(1)[kinds]

    def interval(self, best: FloatArray, level: float, now: FloatArray | None = None) -> tuple[float, float]:
        """From the first to the last candidate not rejected, one step wider, and within what the labels allow.

        Rejected is who has had that wealth at `best`. If all have, which has a chance of at most alpha unless the value
        lies between two candidates, also those count as not rejected that have it no more `now`.
        """
        if not self.matters.any():
            return self.value(), self.value()
        low, high = self._logical()
        step = self.theta[1] - self.theta[0]
        near = (self.theta >= low - step) & (self.theta <= high + step)
        kept = np.flatnonzero(near & (best < 1 / (1 - level)))
        if len(kept) == 0:
            again = near & ((best if now is None else now) < 1 / (1 - level))
            again[np.where(near, best, np.inf).argmin()] = True
            kept = np.flatnonzero(again)
        first, last = max(kept[0] - 1, 0), min(kept[-1] + 1, len(self.theta) - 1)
        low, high = max(low, float(self.theta[first])), min(high, float(self.theta[last]))
        return min(low, high), max(low, high)

    def _logical(self) -> tuple[float, float]:
        """The least and most the value can be, given the labels.

        With the bottom never negative the open items' least and most fall as theta grows; the value lies where what
        is owed is between. Within a step the chord is on the safe side, and exact for lines.
        """
        owed = self.owed(self.theta)
        over, under = self._lowest - owed, self._highest - owed  # the value has over <= 0 <= under
        return self._crossing(over, self.tiny), self._crossing(under, -self.tiny)

    def _crossing(self, falling: FloatArray, at: float) -> float:
        k = int((falling > at).sum())
        if k == 0 or k == len(falling):
            return float(self.theta[0] if k == 0 else self.theta[-1])
        share = (falling[k - 1] - at) / (falling[k - 1] - falling[k])
        return float(self.theta[k - 1] + share * (self.theta[k] - self.theta[k - 1]))

    def _reach(self, kind: IntArray | np.int64) -> tuple[FloatArray, FloatArray]:
        """The least and most `u - theta v` that an item of a kind can be, for every candidate."""
        x = self._tops[kind][..., None] - self._bottoms[kind][..., None] * self.theta
        return x.min(-2), x.max(-2)


def _cut(values: FloatArray, options: FloatArray, kind: IntArray) -> FloatArray:
    return np.clip(values, options.min(1)[kind], options.max(1)[kind])


def _kinds(ratio: Ratio) -> tuple[IntArray, FloatArray, FloatArray]:
    """The kind of each item, of one column and weight, and what (u, v) an item of a kind can be `[kinds, options]`."""
    tops, bottoms = _options(ratio)
    keys = [ratio.columns.astype(np.float64)]
    keys += [w for w in (ratio.top_weight, ratio.bottom_weight) if w is not None]
    if len(keys) == 1:
        return ratio.columns, tops, bottoms
    _, first, kind = np.unique(np.stack(keys, 1), axis=0, return_index=True, return_inverse=True)
    columns = ratio.columns[first]
    tops, bottoms = tops[columns], bottoms[columns]
    tops = tops if ratio.top_weight is None else tops * ratio.top_weight[first, None]
    bottoms = bottoms if ratio.bottom_weight is None else bottoms * ratio.bottom_weight[first, None]
    return kind.reshape(-1), tops, bottoms


def _options(ratio: Ratio) -> tuple[FloatArray, FloatArray]:
    """What labels can make of a column `[J, options]`: of labels with one bottom only the least and most top matter."""
    known = np.unique(ratio.bottom)
    if len(known) > _MANY_BOTTOMS:
        return ratio.top.T.copy(), ratio.bottom.T.copy()
    tops, bottoms = [], []
    for value in known:
        here = ratio.bottom == value
        some = here.any(0)
        for pick, empty in ((np.min, np.inf), (np.max, -np.inf)):
            tops.append(np.where(some, pick(np.where(here, ratio.top, empty), axis=0), ratio.top[0]))
            bottoms.append(np.where(some, value, ratio.bottom[0]))
    return np.stack(tops, 1), np.stack(bottoms, 1)
