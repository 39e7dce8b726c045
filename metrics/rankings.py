"""Metrics of how scores rank the members of a class above all others: AUROC and average precision (AUPRC).

They are functions of a confusion too, one with a column per item, or per score: `counts [..., C, P]` says how many
items of column j have label c. A class's members are `pos`, all others `neg`. Items of one score are tied, and add up
to one group; sorted by score once, everything is a cumulative sum. Written so that believed counts, which are
fractions, and weighted ones, which may be negative, have a value and a slope as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.confusion import ratio
from altmas.metrics.types import FloatArray, IntArray

UNDEFINED = 0.5
"""The value where a class has no members, or nothing else has: as good as a coin."""

_NOBODY = 1e-9  # fewer members than this are none


class Ranked(NamedTuple):
    """Columns in groups of one score, from the highest score down: members of the class in each, and all others."""

    pos: FloatArray  # [..., G]
    neg: FloatArray  # [..., G]

    @property
    def defined(self) -> FloatArray:
        """1 where the class has members and others have too, else 0 `[...]`."""
        return np.asarray((self.pos.sum(-1) > _NOBODY) & (self.neg.sum(-1) > _NOBODY), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Order:
    """Which columns are tied, and in which order their scores fall: `scores [P]` of one class."""

    scores: FloatArray

    @cached_property
    def _sorted(self) -> tuple[IntArray, IntArray, IntArray]:
        order = np.argsort(-self.scores, kind="stable")
        fresh = np.append(True, np.diff(self.scores[order]) != 0)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.cumsum(fresh) - 1
        return order, np.flatnonzero(fresh), place

    @property
    def place(self) -> IntArray:
        """The group of each column `[P]`, 0 for the highest score."""
        return self._sorted[2]

    def summed(self, weights: FloatArray) -> FloatArray:
        """Weights of columns `[..., P]` by group `[..., G]`."""
        order, starts, _ = self._sorted
        return np.asarray(np.add.reduceat(weights[..., order], starts, axis=-1))

    def of_class(self, counts: FloatArray, index: int) -> Ranked:
        """Members of a class and all others, by group."""
        members = counts[..., index, :]
        return Ranked(self.summed(members), self.summed(counts.sum(-2) - members))


Score = Callable[[Ranked], FloatArray]
Slope = Callable[[Ranked], tuple[FloatArray, FloatArray]]


def auroc(x: Ranked) -> FloatArray:
    """The chance that a member scores higher than one of the others, ties for half: `sum pos_g (below_g + neg_g / 2)`.

    >>> float(auroc(Ranked(np.array([1.0, 1.0]), np.array([0.0, 2.0]))))
    0.75
    """
    n1, n0 = x.pos.sum(-1), x.neg.sum(-1)
    below = n0[..., None] - np.cumsum(x.neg, -1) + x.neg / 2
    return _or_undefined(x, ratio((x.pos * below).sum(-1), n1 * n0))


def auroc_slope(x: Ranked) -> tuple[FloatArray, FloatArray]:
    """Derivatives by the members and by the others of each group, `((K0 - A N0), (K1 - A N1)) / (N1 N0)`."""
    n1, n0 = x.pos.sum(-1)[..., None], x.neg.sum(-1)[..., None]
    below = n0 - np.cumsum(x.neg, -1) + x.neg / 2
    above = np.cumsum(x.pos, -1) - x.pos / 2
    value, defined = auroc(x)[..., None], x.defined[..., None]
    return defined * ratio(below - value * n0, n1 * n0), defined * ratio(above - value * n1, n1 * n0)


def average_precision(x: Ranked) -> FloatArray:
    """Precision at every score, weighted by the recall gained there: `sum pos_g TP_g / PP_g / N1`.

    >>> float(average_precision(Ranked(np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])))).__round__(4)
    0.8333
    """
    hits, said = np.cumsum(x.pos, -1), np.cumsum(x.pos + x.neg, -1)
    return _or_undefined(x, ratio((x.pos * ratio(hits, said)).sum(-1), x.pos.sum(-1)))


def average_precision_slope(x: Ranked) -> tuple[FloatArray, FloatArray]:
    """Derivatives by the members and by the others of each group.

    A member of group g is a hit, and a prediction, at g and at all lower scores; any other is a prediction there.
    """
    n1 = x.pos.sum(-1)[..., None]
    hits, said = np.cumsum(x.pos, -1), np.cumsum(x.pos + x.neg, -1)
    share = ratio(hits, said)
    gained, lost = (_from_here_down(ratio(x.pos * one, said)) for one in (np.ones_like(share), share))
    value, defined = average_precision(x)[..., None], x.defined[..., None]
    return defined * ratio(share + gained - lost - value, n1), defined * ratio(-lost, n1)


def _from_here_down(values: FloatArray) -> FloatArray:
    return np.asarray(np.cumsum(values[..., ::-1], -1)[..., ::-1])


def _or_undefined(x: Ranked, value: FloatArray) -> FloatArray:
    return np.where(x.defined > 0, value, UNDEFINED)


KINDS: dict[str, tuple[Score, Slope]] = {
    "auroc": (auroc, auroc_slope),
    "auprc": (average_precision, average_precision_slope),
}


@dataclass(frozen=True, eq=False)
class OneAgainstRest:
    """How the scores of one class rank its members."""

    name: str
    kind: str
    index: int
    order: Order
    bounds: tuple[float, float] = (0.0, 1.0)

    def value(self, confusion: ArrayLike) -> FloatArray:
        return KINDS[self.kind][0](self.order.of_class(np.asarray(confusion, dtype=np.float64), self.index))

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        by_member, by_other = KINDS[self.kind][1](self.order.of_class(counts, self.index))
        place = self.order.place
        out = np.repeat(by_other[..., None, place], counts.shape[-2], axis=-2)
        out[..., self.index, :] = by_member[..., place]
        return np.asarray(out)

    def possible(self, confusion: FloatArray) -> tuple[float, float]:
        """What these labels leave open: everything, as long as the class or the rest has no member."""
        if not self.order.of_class(confusion, self.index).defined:
            return self.bounds
        value = float(self.value(confusion))
        return value, value


@dataclass(frozen=True, eq=False)
class MeanOverClasses:
    """The plain mean of what each class has, over the classes that have members.

    Believed counts are fractions: a class counts with weight min(members, 1), so that it enters without a jump.
    """

    name: str
    each: tuple[OneAgainstRest, ...]
    bounds: tuple[float, float] = (0.0, 1.0)

    def value(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        weights = self._weights(counts)
        values = np.stack([one.value(counts) for one in self.each], -1)
        total = weights.sum(-1)
        return np.where(total > 0, ratio((weights * values).sum(-1), total), UNDEFINED)

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        weights, mean, out = self._weights(counts), self.value(counts), np.zeros(counts.shape)
        total = weights.sum(-1)[..., None, None]
        for k, one in enumerate(self.each):
            out += weights[..., k, None, None] * one.gradient(counts)
            enters = (weights[..., k] > 0) & (weights[..., k] < 1)  # its weight grows with every member
            out[..., one.index, :] += np.where(enters, one.value(counts) - mean, 0.0)[..., None]
        return ratio(out, total)

    def possible(self, confusion: FloatArray) -> tuple[float, float]:
        """What these labels leave open: a class without members may have anything."""
        low, high = np.mean([one.possible(confusion) for one in self.each], axis=0).tolist()
        return low, high

    def _weights(self, counts: FloatArray) -> FloatArray:
        members = np.stack([counts[..., one.index, :].sum(-1) for one in self.each], -1)
        others = counts.sum((-2, -1))[..., None] - members
        return np.where(others > _NOBODY, np.clip(np.where(members > _NOBODY, members, 0.0), 0.0, 1.0), 0.0)
