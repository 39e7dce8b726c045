"""What a learner on features can do, and what it has learnt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.types import Float32Array, FloatArray, IntArray
from altmas.surrogates.learners.space import Space

Warm = Mapping[str, NDArray[Any]]
"""What a learner starts from next time, by name: arrays that a file can keep."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """Answers to learn from: items, labels below `classes`, and which of some `parts` each belongs to `[n]`.

    What is learnt can be asked for as if one part had never been seen; with `whole`, also from all of them. `seed`
    decides whatever a learner leaves to chance, and `warm` is what it left behind when it last learnt.
    """

    items: IntArray
    labels: IntArray
    part: IntArray
    classes: int
    parts: int
    seed: int = 0
    whole: bool = False
    warm: Warm = field(default_factory=dict)

    @property
    def left_out_parts(self) -> list[int | None]:
        """What may be left out: each part in turn or, of a whole, nothing."""
        return [None] if self.whole else list(range(self.parts))

    def seen(self, without: int | None) -> IntArray:
        """Rows of the answers outside a part.

        >>> Lesson(np.array([7, 8, 9]), np.array([0, 1, 1]), np.array([0, 1, 0]), 2, 2).seen(without=0).tolist()
        [1]
        """
        return np.arange(len(self.items)) if without is None else np.flatnonzero(self.part != without)

    def seen_among(self, rows: IntArray, without: int | None) -> IntArray:
        """Which of some rows lie outside a part: their places in `rows`.

        >>> lesson = Lesson(np.array([7, 8, 9]), np.array([0, 1, 1]), np.array([0, 1, 0]), 2, 2)
        >>> lesson.seen_among(np.array([1, 2]), without=0).tolist()
        [0]
        """
        return np.arange(len(rows)) if without is None else np.flatnonzero(self.part[rows] != without)


def with_others(learnt: Learnt, lesson: Lesson, rows: IntArray, own: FloatArray, without: int | None) -> FloatArray:
    """What is said of each answer outside a part `[n, C]`: `own` of those `rows` that were learnt from.

    The others were not, so that what is predicted of them did not see their labels.
    """
    seen = lesson.seen(without)
    out = np.empty((len(seen), lesson.classes))
    place = np.searchsorted(seen, rows)
    out[place] = own
    others = np.setdiff1d(np.arange(len(seen)), place)
    out[others] = learnt.predict(lesson.items[seen[others]], without)
    return out


def one_hot(labels: IntArray, classes: int) -> Float32Array:
    """Labels as rows of zeros and a one `[n, C]`.

    >>> one_hot(np.array([1]), 3).tolist()
    [[0.0, 1.0, 0.0]]
    """
    out = np.zeros((len(labels), classes), np.float32)
    out[np.arange(len(labels)), labels] = 1.0
    return out


def shuffled(items: IntArray) -> NDArray[np.uint64]:
    """A number for each item that has nothing to do with its place in the pool, and is the same in every lesson.

    >>> (shuffled(np.arange(3)) >> np.uint64(60)).tolist()
    [0, 9, 3]
    """
    return np.asarray(items, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def a_few(items: IntArray, most: int) -> IntArray:
    """Rows of at most so many of the items: as answers come in, those that were among them mostly stay.

    >>> a_few(np.arange(3), 5).tolist(), a_few(np.arange(10), 2).tolist()
    ([0, 1, 2], [0, 5])
    """
    if len(items) <= most:
        return np.arange(len(items))
    return np.sort(np.argsort(shuffled(items), kind="stable")[:most])


class Learnt(Protocol):
    """Label probabilities from answers. `without` names the part that was not seen; None is asked for of a whole."""

    def left_out(self, without: int | None) -> FloatArray:
        """Of each answer outside the part `[n, C]`, from others outside it: its own label was not seen either."""
        ...

    def predict(self, items: IntArray, without: int | None) -> FloatArray:
        """Of any items `[m, C]`, from all answers outside the part."""
        ...

    @property
    def warm(self) -> Warm:
        """What to start from next time."""
        ...


class Learner(Protocol):
    """One way to learn labels from features. `quick` ones cost milliseconds and are always asked."""

    @property
    def name(self) -> str: ...

    @property
    def quick(self) -> bool: ...

    def bind(self, space: Space) -> BoundLearner:
        """Get ready for the items of one pool; refuses features that it cannot take."""
        ...


class BoundLearner(Protocol):
    """A learner on one pool's items."""

    def learn(self, lesson: Lesson) -> Learnt:
        """Learn from answers; a function of the lesson alone."""
        ...
