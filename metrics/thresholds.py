"""Metrics of what a threshold on a class's score does: precision and recall there, and recall at a false-positive rate.

As in `rankings`, the confusion has a column per item, or per score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.confusion import ratio
from altmas.metrics.rankings import Order
from altmas.metrics.types import BoolArray, FloatArray

NEIGHBOURS = 50
"""How steep a ROC curve is at a point is read off the nearest one in so many of the items."""


@dataclass(frozen=True, eq=False)
class AtThreshold:
    """Of one class, with everything at or above a threshold taken as its member: a share of what lies above.

    `among` says of whom: precision is of `all` that lies above, recall of the class's `members`, the false-positive
    rate of `others`.
    """

    name: str
    index: int
    above: BoolArray  # [P]
    among: Literal["all", "members", "others"]
    bounds: tuple[float, float] = (0.0, 1.0)

    def value(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        top, bottom = self._sums(counts)
        return ratio(top, bottom)

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        _, bottom = self._sums(counts)
        value, below = self.value(counts)[..., None, None], bottom[..., None, None]
        top_by, bottom_by = self.cells(counts.shape[-2])
        return ratio(top_by - value * bottom_by, below)

    def possible(self, confusion: FloatArray) -> tuple[float, float]:
        """What these labels leave open: everything, as long as nobody that counts was seen."""
        value = float(self.value(confusion))
        return (value, value) if self._sums(confusion)[1] > 0 else self.bounds

    def _sums(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        top_by, bottom_by = self.cells(counts.shape[-2])
        return np.asarray((counts * top_by).sum((-2, -1))), np.asarray((counts * bottom_by).sum((-2, -1)))

    def cells(self, classes: int) -> tuple[BoolArray, BoolArray]:
        """Which cells `[C, P]` are counted above and below the line."""
        member = (np.arange(classes) == self.index)[:, None]
        if self.among == "all":
            return member & self.above, np.broadcast_to(self.above, (classes, len(self.above)))
        counted = member if self.among == "members" else ~member
        return counted & self.above, np.broadcast_to(counted, (classes, len(self.above)))


@dataclass(frozen=True, eq=False)
class RecallAtRate:
    """The recall of one class at the threshold where `rate` of all others are taken for members.

    Between two scores it is what drawing lots between their thresholds gives, as a ROC curve's straight lines have it.
    """

    name: str
    index: int
    order: Order
    rate: float
    bounds: tuple[float, float] = (0.0, 1.0)

    def value(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        if counts.ndim > 2:
            flat = counts.reshape(-1, *counts.shape[-2:])
            return np.array([float(self.value(one)) for one in flat]).reshape(counts.shape[:-2])
        return np.asarray(self._parts(counts)[0])

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        if counts.ndim > 2:
            flat = counts.reshape(-1, *counts.shape[-2:])
            return np.stack([self.gradient(one) for one in flat]).reshape(counts.shape)
        value, pos, neg, crossing, part = self._parts(counts)
        n1, place = pos.sum(), self.order.place
        if not 0 <= crossing < len(pos):  # undefined, or every threshold stays below the rate: all are taken
            return np.zeros(counts.shape)
        groups = np.arange(len(pos))
        taken = np.where(groups < crossing, 1.0, np.where(groups == crossing, part, 0.0))
        steep = ratio(pos[crossing], neg[crossing])
        by_member, by_other = ratio(taken - value, n1), ratio(steep * (self.rate - taken), n1)
        out = np.repeat(by_other[None, place], len(counts), axis=0)
        out[self.index] = by_member[place]
        return np.asarray(out)

    def centred(self, counts: FloatArray) -> FloatArray:
        """The counts with neighbours of the threshold alike: a curve's steepness there is not that of one item."""
        _, pos, neg, crossing, _ = self._parts(counts)
        if not 0 <= crossing < len(pos):
            return counts
        every = np.cumsum(pos + neg)
        middle, reach = every[crossing], max(every[-1] / NEIGHBOURS, 10.0) / 2
        near = (every > middle - reach) & (every <= middle + reach)
        inside = near[self.order.place]
        out = counts.copy()
        total = counts[:, inside].sum(0)
        out[:, inside] = counts[:, inside].sum(1, keepdims=True) * ratio(total, total.sum())
        return out

    def possible(self, confusion: FloatArray) -> tuple[float, float]:
        """What these labels leave open: everything, as long as the class or the rest has no member."""
        if not self.order.of_class(confusion, self.index).defined:
            return self.bounds
        value = float(self.value(confusion))
        return value, value

    def _parts(self, counts: FloatArray) -> tuple[float, FloatArray, FloatArray, int, float]:
        """The value; members and others by group; the group in which the rate is reached, and the part taken of it."""
        x = self.order.of_class(counts, self.index)
        if not x.defined:
            return 0.0, x.pos, x.neg, -1, 0.0
        false, wanted = np.cumsum(x.neg), self.rate * float(x.neg.sum())
        beyond = false > wanted + 1e-9 * max(wanted, 1.0)
        crossing = int(beyond.argmax()) if beyond.any() else len(false)
        if crossing == len(false):
            return 1.0, x.pos, x.neg, crossing, 0.0
        part = float(np.clip(ratio(wanted - (false[crossing] - x.neg[crossing]), x.neg[crossing]), 0.0, 1.0))
        hits = x.pos[:crossing].sum() + part * x.pos[crossing]
        return float(hits / x.pos.sum()), x.pos, x.neg, crossing, part
