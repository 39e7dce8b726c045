"""The MC-dropout network as a learner: every training that a lesson needs is a copy of one batched training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from altmas.metrics.types import BoolArray, FloatArray, IntArray
from altmas.surrogates.learners.hidden import Hidden, LearntByHiding, hidden_parts, visible
from altmas.surrogates.learners.protocol import Lesson, shuffled
from altmas.surrogates.learners.sharpness import LEAST
from altmas.surrogates.learners.space import Space

if TYPE_CHECKING:
    from altmas.surrogates.networks.replicates import Replicates

_ITEMS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class FoldNetwork:
    """An MLP with dropout on the principal components, one copy for each set of parts that must stay hidden.

    It starts from where it ended when it last learnt, and each copy stops when its own held-out loss stops falling. It
    takes no pseudo-labels: a network that echoes the model under test tells nothing about its mistakes.
    """

    hidden: tuple[int, ...] = (128, 128)
    dropout: float = 0.3
    learning_rate: float = 2e-3
    most_steps: int = 400
    name: str = "network"
    quick: bool = False

    def bind(self, space: Space) -> BoundNetwork:
        """Compiled when it is first needed."""
        return BoundNetwork(self, space)


@dataclass(eq=False)
class BoundNetwork:
    """The network on one pool's items; what is compiled is kept."""

    recipe: FoldNetwork
    space: Space
    _compiled: dict[tuple[int, int], Replicates] = field(default_factory=dict)

    def learn(self, lesson: Lesson) -> LearntByHiding:
        """Train all copies at once."""
        from altmas.surrogates.networks.replicates import Replicates

        if len(lesson.items) == 0:
            return LearntByHiding(lesson, lambda items, _: np.full((len(items), lesson.classes), 1 / lesson.classes))
        recipe, hidden, z = self.recipe, hidden_parts(lesson), self.space.components
        key = (lesson.classes, len(hidden))
        if key not in self._compiled:
            self._compiled[key] = Replicates(z.shape[1], lesson.classes, recipe.hidden, len(hidden))
        copies = self._compiled[key]
        rng = np.random.default_rng(lesson.seed)
        before = [lesson.warm[str(i)] for i in range(len(copies.shapes)) if str(i) in lesson.warm]
        goes_on = [w.shape for w in before] == [(copies.copies, *shape) for shape in copies.shapes]
        weights = copies.fit(
            z[lesson.items], lesson.labels, [visible(lesson, one) for one in hidden],
            before if goes_on else copies.fresh(rng), held=held_out(lesson.items), dropout=recipe.dropout,
            learning_rate=recipe.learning_rate, most_steps=recipe.most_steps, rng=rng,
        )  # fmt: skip
        place = {one: number for number, one in enumerate(hidden)}

        def say(items: IntArray, hidden: Hidden) -> FloatArray:
            out = np.empty((len(items), lesson.classes))
            for start in range(0, len(items), _ITEMS_AT_ONCE):
                rows = slice(start, start + _ITEMS_AT_ONCE)
                said = copies.probabilities(z[items[rows]], weights, place[hidden], recipe.dropout, lesson.seed)
                out[rows] = (1 - LEAST) * said + LEAST / lesson.classes
            return out

        return LearntByHiding(lesson, say, {str(i): w for i, w in enumerate(weights)})


def held_out(items: IntArray) -> BoolArray:
    """One item in eight, the same in every lesson: a copy that goes on is judged by what it never trained on.

    >>> held_out(np.arange(1000)).mean().round(2)
    np.float64(0.12)
    """
    return np.asarray(shuffled(items) >> np.uint64(61) == 0)
