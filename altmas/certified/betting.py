"""Confidence sequences by betting: intervals that hold at every look, for items drawn with known chances.

For each candidate value theta of a ratio `sum u / sum v` the items' `x = u - theta v` would sum to 0 over the pool, so
the open items to minus what the labelled ones sum to. Draw item I with chance q among the open. Whatever a belief
`x^` made before the draw says, `sum x^ + (x_I - x^_I) / q` has that sum as its mean, if theta is the value. Bet against
it, with nothing to lose but the stake: then the wealth is a martingale that starts at 1, and by Ville's inequality
ever exceeds 1 / alpha with a chance of at most alpha. The interval is the candidates whose wealth never did.

What is bet, and why:

- The stake is a fraction of the largest that cannot ruin, over every open item and label. Not one fraction but a
  mixture of nine, the wealth being their mean: in simulation about as narrow as one fraction that adapts (aGRAPA), and
  where the bottom is known beforehand the wealth is convex in theta, so that no value between two candidates is lost.
- Up and down are two purses whose mean must reach 1 / alpha. It does whenever one of them reaches 2 / alpha, and
  at times when neither does.
- Most of the money goes on the belief. Some goes on the two extremes instead (`x^` the least, or the most, that an
  item can be), where a loss is bounded whatever the chances are. It is the hedge against a bad belief.
- Items that cannot matter, such as those not predicted c for the precision of c, are passed over: given that a
  relevant item is drawn, its chance is its share among the relevant ones.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from altmas.certified.functionals import Ratio
from altmas.core.checks import fraction, whole_number
from altmas.metrics.confusion import ratio as divided
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray, IntArray

FRACTIONS = np.array([0.99, 0.9, 0.7, 0.45, 0.25, 0.13, 0.06, 0.03, 0.01])
"""Stakes, as parts of the largest that cannot ruin."""
SHARES = FRACTIONS**0.75 / (FRACTIONS**0.75).sum()
"""How the money is spread over them at the start."""
HEDGE = 0.2
"""The part of the money that does not trust the belief."""

_ROWS_AT_ONCE = 1 << 16
_KINDS_AT_ONCE = 256
_KNOTS = 33
_MANY_BOTTOMS = 8


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
        self._ledger = _Ledger(ratio, whole_number("grid", grid, 2))
        self._wealth = _Wealth(np.array([1 - HEDGE, 1 - HEDGE, HEDGE, HEDGE]) / 2, grid)
        self._seen = np.zeros((3, ratio.top.shape[1]))  # weight, top and bottom of the drawn items, per column
        self._chances: FloatArray | None = None

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
        # One draw's worth of zeros stands before the first draw of a column.
        top, bottom = divided(self._seen[1:], self._seen[0] + max(ledger.matters.sum(), 1))[:, self.ratio.columns]
        if expected_top is not None:
            top = _column("expected_top", expected_top, size)
        elif self.ratio.top_weight is not None:
            top = top * self.ratio.top_weight
        if expected_bottom is not None:
            bottom = _column("expected_bottom", expected_bottom, size)
        elif self.ratio.bottom_weight is not None:
            bottom = bottom * self.ratio.bottom_weight
        self._top, self._bottom = ledger.possible(top, bottom)
        self._chances = np.where(ledger.matters, given, 0.0)
        self._chances /= max(self._chances.sum(), np.finfo(float).tiny)
        self._fewest, self._most = ledger.extremes(self._chances, self._top, self._bottom)
        self._count_open()

    def bet(self, item: int, label: int) -> None:
        """Take one answer into account: the next item drawn, with its label."""
        if self._chances is None:
            raise InputError("a round", "begin before its bets", "no begin_round")
        ledger = self._ledger
        u, v = ledger.check(item, label)
        if ledger.matters[item]:
            chance = float(self._chances[item]) / self._left
            theta = ledger.theta
            surprise = ((u - self._top[item]) - theta * (v - self._bottom[item])) / chance
            owed = ledger.owed() - (self._belief_top - theta * self._belief_bottom)
            down, up = owed - self._left * self._fewest, self._left * self._most - owed  # the worst each may lose
            gain = surprise - owed
            trusting = np.stack([gain / ledger.at_least(down), -gain / ledger.at_least(up)])
            self._wealth.bet(np.concatenate([trusting, ledger.one_sided(item, u, v, chance)]))
            self._seen[:, self.ratio.columns[item]] += np.array([1.0, *self._bare(item, label)]) / chance
        self._remove(item, u, v)

    def after(
        self, chances: FloatArray, believed: FloatArray | None, items: IntArray, labels: IntArray
    ) -> BettingSequence:
        """The sequence after one more round, with what was believed `[N, C]` before it; this one stays as it is."""
        on = copy.deepcopy(self, {id(self.ratio): self.ratio})
        on.begin_round(chances, *((None, None) if believed is None else self.ratio.expected(believed)))
        for item, label in zip(items.tolist(), labels.tolist(), strict=True):
            on.bet(item, label)
        return on

    def reveal(self, item: int, label: int) -> None:
        """Take a label into account without a bet: one known from elsewhere, or of an item picked and not drawn."""
        self._remove(item, *self._ledger.check(item, label))

    def interval(self, level: float) -> tuple[float, float]:
        """The values not rejected at any look so far; holds the value at all looks with probability `level`."""
        return self._ledger.interval(self._wealth.best, fraction("level", level))

    def _bare(self, item: int, label: int) -> tuple[float, float]:
        column = self.ratio.columns[item]
        return float(self.ratio.top[label, column]), float(self.ratio.bottom[label, column])

    def _remove(self, item: int, u: float, v: float) -> None:
        if self._ledger.matters[item] and self._chances is not None:
            self._left -= float(self._chances[item])
            self._belief_top -= float(self._top[item])
            self._belief_bottom -= float(self._bottom[item])
            self._chances[item] = 0.0
        self._ledger.take(item, u, v)
        if self._chances is not None and self._left < 0.5 * self._recount:
            self._count_open()

    def _count_open(self) -> None:
        """Sum over the open items anew, so that no rounding outgrows what is left."""
        assert self._chances is not None
        matters = self._ledger.matters
        self._left = self._recount = float(self._chances.sum())
        self._belief_top = float(self._top[matters].sum())
        self._belief_bottom = float(self._bottom[matters].sum())


def mean_interval(sequences: Sequence[BettingSequence], level: float) -> tuple[float, float]:
    """The interval of the mean of several ratios: each at `1 - alpha / count`, the ends averaged (Bonferroni).

    >>> from altmas.certified.functionals import functionals_of
    >>> parts = [BettingSequence(one, 3) for one in functionals_of("macro_recall", np.array([0, 1, 1]), "ab")]
    >>> mean_interval(parts, 0.95)
    (0.0, 1.0)
    """
    each = 1 - (1 - fraction("level", level)) / len(sequences)
    ends = np.array([one.interval(each) for one in sequences])
    low, high = ends.mean(0)
    return float(low), float(high)


def promise(count: int, level: float) -> str:
    """What the interval of a metric made of `count` ratios promises, in words.

    >>> promise(4, 0.95)
    'at least 95% coverage at all looks together; 4 classes at 98.75% each'
    """
    words = f"at least {100 * level:.6g}% coverage at all looks together"
    return words if count == 1 else f"{words}; {count} classes at {100 * (1 - (1 - level) / count):.6g}% each"


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
    ledger = _Ledger(ratio, whole_number("grid", grid, 2))
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


class _Ledger:
    """What the labelled items sum to, and what the open ones still may, for every candidate value."""

    def __init__(self, ratio: Ratio, grid: int) -> None:
        self.ratio = ratio
        self.theta = np.linspace(*ratio.bounds, grid)
        self._kind, self._tops, self._bottoms = _kinds(ratio)
        certain = (np.ptp(self._tops, axis=1) == 0) & (np.ptp(self._bottoms, axis=1) == 0)
        self._open = np.ones(ratio.size, dtype=bool)
        self.matters = ~certain[self._kind]  # open items whose label can change the value
        counts = np.bincount(self._kind, minlength=len(certain)).astype(np.float64)
        self._top = float((counts * self._tops[:, 0])[certain].sum())
        self._bottom = float((counts * self._bottoms[:, 0])[certain].sum())
        self._lowest, self._highest = np.zeros(grid), np.zeros(grid)
        kinds = np.flatnonzero(~certain)
        for start in range(0, len(kinds), _KINDS_AT_ONCE):
            some = kinds[start : start + _KINDS_AT_ONCE]
            low, high = self._reach(some)
            self._lowest += counts[some] @ low
            self._highest += counts[some] @ high
        self._tiny = 1e-9 * max(float((self._highest - self._lowest).max()), np.finfo(float).tiny)

    def check(self, item: int, label: int) -> tuple[float, float]:
        """(u, v) of an open item's label, or an error."""
        if not 0 <= item < self.ratio.size or not self._open[item]:
            raise InputError("item", f"be an open one of {self.ratio.size:,}", item)
        if not 0 <= label < len(self.ratio.top):
            raise InputError("label", f"lie in 0 to {len(self.ratio.top) - 1}", label)
        return self.ratio.terms(item, label)

    def take(self, item: int, u: float, v: float) -> None:
        """Move an item from the open ones to the labelled ones."""
        self._open[item] = False
        if self.matters[item]:
            self.matters[item] = False
            low, high = self._reach(self._kind[item])
            self._lowest -= low
            self._highest -= high
            self._top += u
            self._bottom += v

    def owed(self) -> FloatArray:
        """What the open items must sum to, if theta is the value."""
        return self.theta * self._bottom - self._top

    def at_least(self, loss: FloatArray) -> FloatArray:
        """The worst loss, kept from 0 so that rounding is not bet on."""
        return np.maximum(loss, self._tiny)

    def one_sided(self, item: int, u: float, v: float, chance: float) -> FloatArray:
        """Gains `[2, candidates]` of the bets up and down whose loss is bounded whatever the chances were."""
        owed, x = self.owed(), u - self.theta * v
        low, high = self._reach(self._kind[item])
        above, below = owed - self._lowest, self._highest - owed
        up, down = (x - low) / chance - above, (high - x) / chance - below
        return np.stack([up / self.at_least(above), down / self.at_least(below)])

    def possible(self, top: FloatArray, bottom: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Beliefs cut to what each item can be."""
        return _cut(top, self._tops, self._kind), _cut(bottom, self._bottoms, self._kind)

    def extremes(self, chances: FloatArray, top: FloatArray, bottom: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bounds on the least and most `(x - x^) / chance` over open items and labels, for every candidate.

        Each is a line in theta. The least of lines is concave, so that a chord lies below it, and the most convex:
        exact at a few knots and chords between them bound all candidates. As items leave the bounds stay true.
        """
        knots = np.linspace(self.theta[0], self.theta[-1], _KNOTS)
        least, most = np.full(_KNOTS, np.inf), np.full(_KNOTS, -np.inf)
        rows = np.flatnonzero(self.matters)
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[start : start + _ROWS_AT_ONCE]
            kind, chance = self._kind[some], chances[some, None]
            u = (self._tops[kind] - top[some, None]) / chance
            v = (self._bottoms[kind] - bottom[some, None]) / chance
            if not v.any():  # the bottom is known: no line has a slope
                least, most = np.minimum(least, u.min()), np.maximum(most, u.max())
                continue
            for k, knot in enumerate(knots):
                x = u - knot * v
                least[k], most[k] = min(least[k], x.min()), max(most[k], x.max())
        if len(rows) == 0:
            least, most = np.zeros(_KNOTS), np.zeros(_KNOTS)
        return np.interp(self.theta, knots, least), np.interp(self.theta, knots, most)

    def interval(self, best: FloatArray, level: float) -> tuple[float, float]:
        """From the first to the last candidate not rejected, one step wider, and within what the labels allow."""
        if not self.matters.any():
            value = float(np.clip(divided(self._top, self._bottom), *self.ratio.bounds))
            return value, value
        low, high = self._logical()
        step = self.theta[1] - self.theta[0]
        near = (self.theta >= low - step) & (self.theta <= high + step)
        kept = np.flatnonzero(near & (best < 1 / (1 - level)))
        if len(kept) == 0:  # all rejected, which has a chance of at most alpha, or the value lies between candidates
            kept = np.array([np.where(near, best, np.inf).argmin()])
        first, last = max(kept[0] - 1, 0), min(kept[-1] + 1, len(self.theta) - 1)
        low, high = max(low, float(self.theta[first])), min(high, float(self.theta[last]))
        return min(low, high), max(low, high)

    def _logical(self) -> tuple[float, float]:
        """The least and most the value can be, given the labels.

        With the bottom never negative the open items' least and most fall as theta grows; the value lies where what
        is owed is between. Within a step the chord is on the safe side, and exact for lines.
        """
        owed = self.owed()
        over, under = self._lowest - owed, self._highest - owed  # the value has over <= 0 <= under
        return self._crossing(over, self._tiny), self._crossing(under, -self._tiny)

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


def _column(subject: str, values: FloatArray, size: int) -> FloatArray:
    column = np.asarray(values, dtype=np.float64)
    if column.shape != (size,) or not np.isfinite(column).all():
        raise InputError(subject, f"be one finite number for each of {size:,} items", f"shape {column.shape}")
    return column
