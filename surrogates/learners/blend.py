"""Several learners as one: weighted by the likelihood of answers that they did not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.types import BoolArray, FloatArray, IntArray
from altmas.surrogates.learners.protocol import BoundLearner, Learnt, Lesson, Warm
from altmas.surrogates.outputs.wrong_labels import mixture_weights

CREDIT = 4.0
"""Answers that the learners are credited with beforehand, in equal parts."""

FIRST_TRIAL, TRIAL_GROWTH, PAYS = 500, 2.0, 0.1
"""A learner on trial learns from so many answers on, and again when they have grown so much.

In between it goes on for the parts in which it last counted for `PAYS` or more, as the answers outside them have it.
"""

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
        """Have each learn the same, from where it stood; a whole lesson is for those that are always asked."""
        learnt: dict[str, Learnt] = {}
        resting: dict[str, NDArray[Any]] = {}
        paying: dict[str, BoolArray] = {}
        for name, one in zip(self.names, self.members, strict=True):
            warm = _own(lesson.warm, name)
            if name in self.on_trial:
                paying[name] = takes_part(len(lesson.items), lesson.parts, warm) & (not lesson.whole)
            if name in self.on_trial and not paying[name].any():
                resting |= {f"{name}:{key}": array for key, array in warm.items()}
            else:
                learnt[name] = one.learn(replace(lesson, warm=warm))
        return LearntBlend(learnt, lesson, paying, resting)


def tried_at(answers: int, warm: Warm) -> bool:
    """Whether it is time for a trial: by the number of answers alone, whatever they say.

    >>> tried_at(400, {}), tried_at(500, {}), tried_at(600, {"tried": np.array(500)})
    (False, True, False)
    """
    return answers >= (TRIAL_GROWTH * int(warm[TRIED]) if TRIED in warm else FIRST_TRIAL)


def takes_part(answers: int, parts: int, warm: Warm) -> BoolArray:
    """For which parts a learner on trial takes part: all of them at a trial, else where it paid.

    >>> takes_part(600, 2, {"tried": np.array(500), "share": np.array([0.3, 0.01])}).tolist()
    [True, False]
    """
    if tried_at(answers, warm) or TRIED not in warm:
        return np.full(parts, tried_at(answers, warm))
    return np.asarray(warm[SHARE] >= PAYS)


def _own(warm: Warm, name: str) -> Warm:
    """What one learner left, without its name.

    >>> list(_own({"network:0": np.zeros(1), "other:0": np.zeros(1)}, "network"))
    ['0']
    """
    return {key.removeprefix(f"{name}:"): array for key, array in warm.items() if key.startswith(f"{name}:")}


@dataclass(frozen=True, eq=False)
class LearntBlend:
    """A mixture of what was learnt; the weights for a part are found without it.

    `paying` says for which parts a learner on trial takes part.
    """

    members: Mapping[str, Learnt]
    lesson: Lesson
    paying: Mapping[str, BoolArray] = field(default_factory=dict)
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
        return np.asarray(sum(w * one.predict(items, without) for w, one in each if w > 0))

    @property
    def warm(self) -> Warm:
        """What each member leaves, under its name; of those on trial also when it was, and what they count for."""
        left = {f"{name}:{key}": array for name, one in self.members.items() for key, array in one.warm.items()}
        for name in self.paying.keys() & self.members.keys():
            before, answers = _own(self.lesson.warm, name), len(self.lesson.items)
            place = list(self.members).index(name)
            share = np.array([self.weights(one)[place] for one in self.lesson.left_out_parts])
            left[f"{name}:{SHARE}"] = np.where(self.paying[name], share, before.get(SHARE, 0.0))
            left[f"{name}:{TRIED}"] = np.array(answers) if tried_at(answers, before) else before[TRIED]
        return {**self.resting, **left}

    def _weighed(self, without: int | None) -> tuple[FloatArray, FloatArray]:
        if without not in self.known:
            labels = self.lesson.labels[self.lesson.seen(without)]
            taking = [name not in self.paying or bool(self.paying[name][without or 0]) for name in self.members]
            active = [one for one, takes in zip(self.members.values(), taking, strict=True) if takes]
            each = np.stack([one.left_out(without) for one in active])  # [S, n, C]
            likelihood = each[:, np.arange(len(labels)), labels].T
            found = mixture_weights(likelihood, np.full(len(active), CREDIT / len(active)), steps=50)
            weights = np.zeros(len(taking))
            weights[taking] = found
            self.known[without] = weights, np.einsum("s,snc->nc", found, each)
        return self.known[without]
