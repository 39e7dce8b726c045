"""Learners that cannot leave one answer out: trained once for every part, and pair of parts, that must stay hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.learners.protocol import Lesson, Warm

Hidden = frozenset[int]


def hidden_parts(lesson: Lesson) -> list[Hidden]:
    """Which parts are hidden in each of the trainings that a lesson needs.

    To say something of an answer of part j for the belief of part k, both are hidden: so every pair is trained once,
    and serves both ways. To say something of all items of part k, only k is hidden.

    >>> lesson = Lesson(np.arange(3), np.zeros(3, int), np.arange(3), 2, 3)
    >>> [sorted(one) for one in hidden_parts(lesson)]
    [[0], [1], [2], [0, 1], [0, 2], [1, 2]]
    """
    numbers = range(lesson.parts)
    single = [frozenset([k]) for k in numbers]
    if lesson.whole:  # then nobody asks for a belief without a part
        return [frozenset(), *single]
    return [*single, *(frozenset([j, k]) for j in numbers for k in range(j + 1, lesson.parts))]


def visible(lesson: Lesson, hidden: Hidden) -> IntArray:
    """Rows of the answers that may be seen.

    >>> visible(Lesson(np.arange(3), np.zeros(3, int), np.arange(3), 2, 3), frozenset([0, 2])).tolist()
    [1]
    """
    return np.flatnonzero(~np.isin(lesson.part, list(hidden)))


@dataclass(frozen=True, eq=False)
class LearntByHiding:
    """What was learnt, by what was hidden: `say(items, hidden)` gives label probabilities `[m, C]`."""

    lesson: Lesson
    say: Callable[[IntArray, Hidden], FloatArray]
    warm: Warm = field(default_factory=dict)

    def left_out(self, without: int | None) -> FloatArray:
        """From those who saw neither the answer's part nor the one left out."""
        seen, hidden = self.lesson.seen(without), _only(without)
        out = np.empty((len(seen), self.lesson.classes))
        for part in np.unique(self.lesson.part[seen]):
            rows = np.flatnonzero(self.lesson.part[seen] == part)
            out[rows] = self.say(self.lesson.items[seen[rows]], hidden | {int(part)})
        return out

    def predict(self, items: IntArray, without: int | None) -> FloatArray:
        """From the one from which nothing else was hidden."""
        return self.say(items, _only(without))


def _only(without: int | None) -> Hidden:
    return frozenset() if without is None else frozenset([without])
