"""Influences: how far each item's label moves a target, and what the belief expects of that, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from altmas.certified.one_label import OneLabel, of_one_label
from altmas.certified.simple_slopes import simple_slopes
from altmas.core.targets import Target
from altmas.metrics.belief import Belief, blocks
from altmas.metrics.types import BoolArray, FloatArray, IntArray


class Part(NamedTuple):
    """A target, its sign in a difference, its metric's slope at the best confusion, and what was believed there."""

    sign: float
    target: Target
    gradient: FloatArray  # [C, P]
    believed: FloatArray  # [C, P], the belief alone, before any answer

    @property
    def ranges(self) -> FloatArray:
        """How far each item's label can move it `[N]`."""
        by_column = np.append(np.ptp(self.gradient, axis=0), 0.0)  # column -1 moves nothing
        return _of_rows([self], by_column[self.target.columns])

    def moves(self, items: IntArray, labels: IntArray) -> FloatArray:
        """How far items with these labels move the value `[n]`."""
        said = self.target.columns[items]
        return _of_rows([self], self.sign * np.where(said >= 0, self.gradient[labels, said], 0.0), items)


class Moments(NamedTuple):
    """Mean and variance `[N]` of each item's influence; of metrics of scores the fourth central moment too."""

    mean: FloatArray
    variance: FloatArray
    fourth: FloatArray | None


def _of_rows(
    parts: Sequence[Part], values: FloatArray, items: IntArray | slice | None = None, power: int = 1
) -> FloatArray:
    """What one row of the whole moves, as what all rows that an item stands for do `[n, ...]`."""
    phase = parts[0].target.first_phase
    return values if phase is None else phase.times(values, items, power)


def slopes_of(parts: Sequence[Part], items: IntArray | slice) -> FloatArray:
    """How each label of each of these items moves the value `[n, C]`."""
    return _of_rows(parts, _slopes(parts, items), items)


def _slopes(parts: Sequence[Part], items: IntArray | slice) -> FloatArray:
    return np.asarray(sum(part.sign * part.target.slopes(part.gradient, items) for part in parts))


def ranges_of(parts: Sequence[Part]) -> FloatArray:
    """How far each item's label can move the value, at most `[N]`."""
    if len(parts) == 1:
        return parts[0].ranges
    if (single := _of_one_label(parts)) is not None:
        return _of_rows(parts, single.ranges())
    ranges = np.empty(len(parts[0].target.columns))
    for rows in blocks(len(ranges), len(parts[0].gradient)):
        ranges[rows] = np.ptp(slopes_of(parts, rows), axis=1)
    return ranges


def inside(parts: Sequence[Part]) -> BoolArray:
    """Which items take part in any of these `[N]`."""
    return np.asarray(np.logical_or.reduce([part.target.columns >= 0 for part in parts]))


def expected_influences(parts: Sequence[Part], belief: Belief) -> Moments:
    """The moments of each item's influence under the belief.

    Items that take no part have none, and cost nothing: of a large pool groups are looked at one after the other.
    """
    members = parts[0].target.members if len(parts) == 1 else None
    if members is None and not (some := inside(parts)).all():
        members = np.flatnonzero(some)
    if members is None:
        mean, variance, fourth = _moments(parts, belief, slice(None))
    else:
        some_mean, some_variance, some_fourth = _moments(parts, belief.at(members), members)
        mean, variance = _put(some_mean, members, belief.size), _put(some_variance, members, belief.size)
        fourth = None if some_fourth is None else _put(some_fourth, members, belief.size)
    return Moments(
        _of_rows(parts, mean), _of_rows(parts, variance, power=2),
        None if fourth is None else _of_rows(parts, fourth, power=4),
    )  # fmt: skip


def _put(values: FloatArray, items: IntArray, size: int) -> FloatArray:
    """The values of some items among all, and 0 for the others `[N]`."""
    whole = np.zeros(size)
    whole[items] = values
    return whole


def _moments(parts: Sequence[Part], belief: Belief, items: IntArray | slice) -> Moments:
    """The same of items that take part; by as few numbers as the slopes allow."""
    scored = any(part.target.bands is not None for part in parts)
    if not scored and len(parts) == 1:
        gradient, columns = parts[0].sign * parts[0].gradient, parts[0].target.columns[items]
        simple = simple_slopes(gradient)
        found = belief.moments(gradient, columns) if simple is None else simple.moments(belief, columns)
        return Moments(*found, None)
    if (single := _of_one_label(parts, items)) is not None:
        return Moments(*single.moments(belief), None)
    mean, variance = np.empty((2, belief.size))
    fourth = np.empty(belief.size) if scored else None
    every = np.arange(len(parts[0].target.columns))[items]
    for block, p in belief.blocks():
        slopes = _slopes(parts, every[block])
        mean[block] = np.einsum("ic,ic->i", p, slopes)
        squares = np.square(slopes - mean[block, None])
        variance[block] = np.einsum("ic,ic->i", p, squares)
        if fourth is not None:
            fourth[block] = np.einsum("ic,ic,ic->i", p, squares, squares)
    return Moments(mean, variance, fourth)


def _of_one_label(parts: Sequence[Part], rows: IntArray | slice = slice(None)) -> OneLabel | None:
    """The influences of some items as those of one label, where they are: of a target, or of a difference."""
    if any(part.target.bands is not None for part in parts):
        return None
    found = [of_one_label(part.sign * part.gradient, part.target.columns[rows]) for part in parts]
    known = [one for one in found if one is not None]
    if len(known) < len(found) or len(known) > 2:
        return None
    return known[0] if len(known) == 1 else known[0]._replace(other=known[1])
