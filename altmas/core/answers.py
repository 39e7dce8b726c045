"""What has been answered so far: which items, with which labels, in which order."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

import numpy as np

from altmas.core.pool import Pool
from altmas.metrics.confusion import tally
from altmas.metrics.types import FloatArray, IntArray


def _none() -> IntArray:
    return np.zeros(0, dtype=np.int64)


def _no_numbers() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Votes:
    """What each of several annotators said, a row each: pool position, number of the annotator, and class index.

    >>> Votes(np.array([4, 4]), np.array([0, 1]), np.array([2, 2])).people.max()
    np.int64(1)
    """

    items: IntArray
    people: IntArray
    labels: IntArray


@dataclass(frozen=True, eq=False)
class Circumstances:
    """How answers came about, as a log tells it: each annotator's `votes`, and two kinds of pool positions.

    Questions that were skipped at first and answered `late`, and those that annotators left undecided and an expert
    `settled`.
    """

    votes: Votes | None = None
    late: IntArray = field(default_factory=_none)
    settled: IntArray = field(default_factory=_none)


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers in the order given: pool positions, class indices, the round and the propensity of each choice.

    >>> some = Answers().extended([4, 7], [0, 1], round=0, propensities=[0.1, 0.1])
    >>> len(some), some.items.tolist()
    (2, [4, 7])
    """

    items: IntArray = field(default_factory=_none)
    labels: IntArray = field(default_factory=_none)
    rounds: IntArray = field(default_factory=_none)
    propensities: FloatArray = field(default_factory=_no_numbers)

    def __len__(self) -> int:
        return len(self.items)

    def extended(
        self,
        items: IntArray | list[int],
        labels: IntArray | list[int],
        round: int,
        propensities: FloatArray | list[float],
    ) -> Answers:
        """These answers and some more."""
        return Answers(
            np.concatenate([self.items, np.asarray(items, dtype=np.int64)]),
            np.concatenate([self.labels, np.asarray(labels, dtype=np.int64)]),
            np.concatenate([self.rounds, np.full(len(items), round)]),
            np.concatenate([self.propensities, np.asarray(propensities, dtype=np.float64)]),
        )

    def relabelled(self, labels: IntArray) -> Answers:
        """The same items with other labels."""
        return Answers(self.items, labels, self.rounds, self.propensities)

    def at(self, rows: IntArray | slice) -> Answers:
        """Some of these answers, by their place in the order given."""
        return Answers(self.items[rows], self.labels[rows], self.rounds[rows], self.propensities[rows])

    def first(self, count: int) -> Answers:
        """The first `count` answers.

        >>> Answers().extended([4, 7], [0, 1], round=0, propensities=[0.1, 0.1]).first(1).items.tolist()
        [4]
        """
        return self.at(slice(count))

    def by_round(self, start: int) -> Iterator[tuple[int, Answers]]:
        """The rounds that begin at answer `start` or later: the number of each, and all answers up to its end.

        >>> some = Answers().extended([4], [0], 0, [0.1]).extended([7, 5], [1, 1], 1, [0.1, 0.1])
        >>> [(number, len(until)) for number, until in some.by_round(1)]
        [(1, 3)]
        """
        for number in np.unique(self.rounds[start:]):
            yield int(number), self.first(int(np.searchsorted(self.rounds, number, side="right")))

    def same_as(self, other: Answers) -> bool:
        """The same items with the same labels, in the same order."""
        return np.array_equal(self.items, other.items) and np.array_equal(self.labels, other.labels)

    def goes_on_from(self, before: Answers) -> bool:
        """Whether these are the answers `before` and then further rounds: then what followed from those still holds.

        >>> one = Answers().extended([4], [0], round=0, propensities=[0.1])
        >>> one.extended([5], [0], 1, [0.1]).goes_on_from(one), one.extended([5], [0], 0, [0.1]).goes_on_from(one)
        (True, False)
        """
        known = len(before)
        same_round = 0 < known < len(self) and self.rounds[known] == self.rounds[known - 1]
        return not same_round and before.same_as(self.first(known))

    def unlabelled(self, pool: Pool) -> IntArray:
        """Positions not answered yet, in the pool's order."""
        open_items = np.ones(pool.size, dtype=bool)
        open_items[self.items] = False
        return np.flatnonzero(open_items)

    def per_class(self, pool: Pool) -> IntArray:
        """How many answers had each class `[C]`.

        >>> Answers().extended([0, 2], [1, 1], 0, [0.5, 0.5]).per_class(Pool.build(list("aba"))).tolist()
        [0, 2]
        """
        return np.bincount(self.labels, minlength=len(pool.classes))

    def unseen(self, pool: Pool) -> list[Hashable]:
        """The classes that no answer had.

        >>> Answers().extended([0, 2], [1, 1], 0, [0.5, 0.5]).unseen(Pool.build(list("aba")))
        ['a']
        """
        return [pool.classes[k] for k in np.flatnonzero(self.per_class(pool) == 0)]

    def confusion(self, pool: Pool) -> FloatArray:
        """Counts of the answered items alone `[C, P]`."""
        return tally(self.labels, pool.predictions[self.items], len(pool.classes), pool.columns)
