"""Classes that were never the answer: they may not occur in the pool at all, and some metrics jump where they do not.

By scikit-learn's rule the recall of a class without members is 0; with a single member it is anything from 0 to 1. No
sum over items shows that jump, so an interval has to span both worlds as long as both are credible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from altmas.certified.design import TRACE, Designed, Linearised, counts_of, designed, linearise
from altmas.certified.interval import Interval, wald
from altmas.certified.sample import Sample
from altmas.core.targets import Target
from altmas.metrics.types import FloatArray, IntArray

Signed = Sequence[tuple[float, Target]]
World = tuple[Linearised, Designed, Interval]

JUMP, SECOND = 0.1, 0.25
"""A metric jumps if the first member of a class moves it by more than this share of what one class of C counts for, and
the second by less than this share of that."""


def absence(seen: IntArray, expected: FloatArray) -> FloatArray:
    """The probability of each class not to occur `[C]`, from how often it was the answer and was expected to be.

    A class was expected as often as the outputs said before any answer; that it stays away all the same speaks for its
    absence, by exp(expected). Beforehand a class is absent with probability 1/2 over the number of classes seen, and
    one: where every other class of a hundred occurs, so will the last.

    >>> absence(np.array([50, 40, 0]), np.array([40.0, 40.0, 2.0])).round(2).tolist()
    [0.0, 0.0, 0.6]
    """
    before = 0.5 / (1 + np.count_nonzero(seen))
    odds = before / (1 - before) * np.exp(np.minimum(expected, 50.0))
    return np.where(seen > 0, 0.0, odds / (1 + odds))


def credible(gone: FloatArray, tail: float) -> IntArray:
    """The classes that may all be absent together: the likeliest, as many as are, but for a chance of `tail`.

    >>> credible(np.array([0.0, 0.9, 0.01, 0.5]), 0.025).tolist(), credible(np.full(10, 0.001), 0.025).tolist()
    ([1, 3], [])
    """
    number = np.array([1.0])  # probabilities of 0, 1, ... absent classes
    for one in gone[gone > 0]:
        number = np.convolve(number, [1 - one, one])
    most = int((np.cumsum(number) < 1 - tail).sum())
    return np.sort(np.argsort(-gone, kind="stable")[:most])


@dataclass(frozen=True, eq=False)
class Absence:
    """What may be absent for one target: the classes that likely are, and all those that credibly may be together."""

    likely: IntArray
    may_be: IntArray


def absent_for(signed: Signed, sample: Sample, level: float) -> Absence | None:
    """Which classes the worlds of a target differ in; None where there is nothing to doubt, or no jump to fear."""
    if sample.before is None:
        return None
    part = np.zeros(len(sample.answers), dtype=bool)
    for _, target in signed:
        part |= target.columns[sample.answers.items] >= 0
    seen = np.bincount(sample.answers.labels[part], minlength=sample.belief.classes)
    if not part.any() or seen.all():
        return None
    gone = absence(seen, sample.before[part].sum(0))
    may_be = np.union1d(credible(gone, (1 - level) / 2), np.flatnonzero(gone > 0.5))
    tallies = [(target, sample.believed(target)) for _, target in signed]
    may_be = may_be[[any(_jumps(target, counts, int(c)) for target, counts in tallies) for c in may_be]]
    return Absence(may_be[gone[may_be] > 0.5], may_be) if len(may_be) else None


def spanning(signed: Signed, sample: Sample, found: Absence, level: float, usual: World) -> World:
    """The estimate in the likelier world, with an interval that spans both.

    Where the doubtful classes are gone, a first member that is predicted right, or wrong, takes the metric at once to
    where it may be with them. The `usual` estimate, which believes in them, is left aside where they likely are absent:
    what is believed of a class that nobody ever saw says little.
    """
    world = _without(sample, found.may_be)
    at = linearise(signed, world)
    made = designed(at, world)
    gone = wald(made, level)
    down, up = _first_members(signed, world, found.may_be)
    low, high = np.clip((gone.low + down, gone.high + up), *made.bounds).tolist()
    if any(target.bands is not None for _, target in signed):  # of scores a metric says itself what is open
        low, high = min(low, made.answers_only[0]), max(high, made.answers_only[1])
    if len(found.likely):
        return at, made, gone.reaching(low, high, level)
    return *usual[:2], usual[2].reaching(low, high, level)


def _first_members(signed: Signed, sample: Sample, classes: IntArray) -> tuple[float, float]:
    """How far a first member of each of these classes may move the metric: down, and up."""
    down = up = 0.0
    for sign, target in signed:
        counts = sample.believed(target)
        for c in classes:
            moves = [0.0]
            for column in _telling_columns(target, counts, int(c)):
                more = counts.copy()
                more[c, column] += 1.0
                moves.append(sign * (_value(target, more) - _value(target, counts)))
            down, up = down + min(moves), up + max(moves)
    return down, up


def _telling_columns(target: Target, counts: FloatArray, c: int) -> set[int]:
    """Where a first member of a class moves a metric most: predicted right, or as most are; at an end of the scores."""
    if target.bands is None:
        return {c, int(counts.sum(0).argmax())}
    slopes = target.metric.gradient(_with_members(counts + TRACE, c, 1.0))[c]
    return {int(slopes.argmin()), int(slopes.argmax())}


def _value(target: Target, counts: FloatArray) -> float:
    return float(target.metric.value(counts_of(target, counts)))


def _without(sample: Sample, gone: IntArray) -> Sample:
    """The same answers, where no item has one of these labels."""
    return replace(sample, belief=sample.belief.without(gone), linearised={})


def _jumps(target: Target, counts: FloatArray, c: int) -> bool:
    """Whether the first member of a class moves the metric at once, and the second hardly any more, as with recall.

    Precision and F move with every member, however few are predicted: sums over items show that.
    """
    if not counts[c].sum() > 0:
        return False
    none, one, two = (_value(target, _with_members(counts, c, members)) for members in (0.0, 1.0, 2.0))
    low, high = target.metric.bounds
    least = JUMP * min(high - low, 1.0) / len(counts)
    return abs(one - none) > max(least, abs(two - one) / SECOND)


def _with_members(counts: FloatArray, c: int, members: float) -> FloatArray:
    """The confusion where a class has so many members; columns keep their sums, for predictions are what they are."""
    row = counts[c] * members / counts[c].sum()
    others = counts + TRACE
    others[c] = 0.0
    others *= np.maximum(counts.sum(0) - row, 0.0) / others.sum(0)
    others[c] = row
    return others
