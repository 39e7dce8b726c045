"""Several learners as one: weighted by the likelihood of answers that they did not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.learners.protocol import BoundLearner, Learnt, Lesson, Warm
from altmas.surrogates.outputs.wrong_labels import mixture_weights

CREDIT = 4.0
"""Answers that the learners are credited with beforehand, in equal parts."""

FIRST_TRIAL, TRIAL_GROWTH, PAYS = 500, 2.0, 0.1
"""A learner on trial learns from so many answers on, again when they have doubled, and always if it counts for this."""

TRIED, SHARE = "tried", "share"


@dataclass(frozen=True, eq=False)
class Blend:
    """What several learners say together about a pool's items.

    Those `on_trial` cost seconds: they are tried now and then, and take part while they pay.
    """

    names: Sequence[str]
    members: Sequence[BoundLearner]
    on_trial: frozenset[str] = frozenset()

    def learn(self, lesson: Lesson) -> LearntBlend:
        """Have each learn the same, from where it stood."""
        learnt: dict[str, Learnt] = {}
        resting: dict[str, NDArray[Any]] = {}
        for name, one in zip(self.names, self.members, strict=True):
            warm = _own(lesson.warm, name)
            if name in self.on_trial and not due(len(lesson.items), warm):
                resting |= {f"{name}:{key}": array for key, array in warm.items()}
            else:
                learnt[name] = one.learn(replace(lesson, warm=warm))
        return LearntBlend(learnt, lesson, self.on_trial, resting)


def due(answers: int, warm: Warm) -> bool:
    """Whether a learner on trial is to learn from so many answers, by what it left when it last did.

    >>> due(400, {}), due(500, {}), due(600, {"tried": np.array(500), "share": np.array(0.01)})
    (False, True, False)
    """
    if TRIED not in warm:
        return answers >= FIRST_TRIAL
    return float(warm[SHARE]) >= PAYS or answers >= TRIAL_GROWTH * int(warm[TRIED])


def _own(warm: Warm, name: str) -> Warm:
    """What one learner left, without its name.

    >>> list(_own({"network:0": np.zeros(1), "other:0": np.zeros(1)}, "network"))
    ['0']
    """
    return {key.removeprefix(f"{name}:"): array for key, array in warm.items() if key.startswith(f"{name}:")}


@dataclass(frozen=True, eq=False)
class LearntBlend:
    """A mixture of what was learnt; the weights for a part are found without it."""

    members: Mapping[str, Learnt]
    lesson: Lesson
    on_trial: frozenset[str] = frozenset()
    resting: Warm = field(default_factory=dict)
    known: dict[int | None, tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    def left_out(self, without: int | None) -> FloatArray:
        """The mixture's, of each answer outside the part."""
        return self._weighed(without)[1]

    def weights(self, without: int | None) -> FloatArray:
        """How much each learner counts `[S]`."""
        return self._weighed(without)[0]

    def shares(self) -> dict[str, float]:
        """How much each learner counts, by name, on average over the parts that were not seen."""
        mean = np.mean([self.weights(one) for one in self.lesson.left_out_parts], axis=0)
        return dict(zip(self.members, mean.tolist(), strict=True))

    def predict(self, items: IntArray, without: int | None) -> FloatArray:
        """The mixture's, of any items."""
        each = zip(self.weights(without), self.members.values(), strict=True)
        return np.asarray(sum(w * one.predict(items, without) for w, one in each))

    @property
    def warm(self) -> Warm:
        """What each member leaves, under its name; of those on trial also when it was, and what they counted for."""
        left = {f"{name}:{key}": array for name, one in self.members.items() for key, array in one.warm.items()}
        for name in self.on_trial & self.members.keys():
            left |= {f"{name}:{TRIED}": np.array(len(self.lesson.items))}
            left |= {f"{name}:{SHARE}": np.array(self.shares()[name])}
        return {**self.resting, **left}

    def _weighed(self, without: int | None) -> tuple[FloatArray, FloatArray]:
        if without not in self.known:
            labels = self.lesson.labels[self.lesson.seen(without)]
            each = np.stack([one.left_out(without) for one in self.members.values()])  # [S, n, C]
            likelihood = each[:, np.arange(len(labels)), labels].T
            prior = np.full(len(self.members), CREDIT / len(self.members))
            weights = mixture_weights(likelihood, prior, steps=50)
            self.known[without] = weights, np.einsum("s,snc->nc", weights, each)
        return self.known[without]
