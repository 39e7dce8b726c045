"""What is believed about an item comes from the answers outside its fold: the belief never saw its label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from altmas.beliefs.label_models import LabelModel, TaughtBefore, label_models
from altmas.beliefs.learners import AUTO, Learners, learners_on
from altmas.core.answers import Answers
from altmas.core.clusters import Clusters, cluster_folds
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.metrics.belief import Belief, mixture, scattered
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.learners.blend import Blend, LearntBlend

FOLDS = 5
PRIOR = 4.0
"""The first candidate starts with the credit of this many answers: another has to be better, not only lucky."""


SMALL = 0.005
"""A label less probable than this teaches nothing."""


@dataclass(frozen=True, eq=False)
class Learnt:
    """The belief about the whole pool, and what each candidate counts for.

    Where learners on features took part: how much each counted, what they start from next time, and what would have
    been believed without them.
    """

    belief: Belief
    weights: dict[str, float]
    learners: dict[str, float] = field(default_factory=dict)
    warm: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    without_features: Belief | None = None


class CrossFit:
    """Splits the pool into folds once, never a cluster, and fits every candidate out of fold.

    Learners on features learn at two depths: what they say about an answer, for the belief of another fold, comes from
    answers that are neither that one nor of the other fold.
    """

    def __init__(
        self,
        models: Sequence[LabelModel],
        size: int,
        classes: int,
        seed: int,
        learners: Blend | None = None,
        clusters: Clusters | None = None,
    ) -> None:
        self.models, self.classes, self.seed, self.learners = models, classes, seed, learners
        rng = stream(seed, "folds")
        # Items of a cluster are alike: whoever saw the label of one knows too much of the others.
        self.fold = rng.permutation(size) % FOLDS if clusters is None else cluster_folds(clusters, FOLDS, rng)
        self._inside = [np.flatnonzero(self.fold == k) for k in range(FOLDS)]

    def fit(
        self,
        answers: Answers,
        weights: FloatArray,
        warm: Mapping[str, NDArray[Any]] | None = None,
        soft: FloatArray | None = None,
    ) -> Learnt:
        """Fit every candidate out of fold, and mix them by how well they predicted the answers.

        Where labels are only probable, `soft [n, C]` has the probabilities, and `answers` the likeliest: each possible
        label then teaches by its own. Learners on features are taught the likeliest.
        """
        if self.learners is None:
            return self._fit(answers, weights, {}, soft)
        from altmas.surrogates.learners.threads import one_thread

        with one_thread():
            return self._fit(answers, weights, warm or {}, soft)

    def before_answers(self, items: IntArray) -> Belief:
        """What the candidates say about some items before there is an answer, on average."""
        alone = [one for one in self.models if not one.asks_learners]
        taught = [one for one in alone if isinstance(one, TaughtBefore)]
        each = [one.about(items, Answers(), np.zeros(0), None) for one in taught or alone]
        if not each:
            return Belief.even(len(items), self.classes)
        return each[0] if len(each) == 1 else mixture(each, [np.full(len(items), 1 / len(each))] * len(each))

    def _fit(
        self, answers: Answers, weights: FloatArray, warm: Mapping[str, NDArray[Any]], soft: FloatArray | None
    ) -> Learnt:
        learnt, place = self._learnt(answers, warm), np.arange(len(answers))
        if soft is not None:
            place, labels = np.nonzero(soft >= SMALL)
            answers, weights = answers.at(place).relabelled(labels), weights[place] * soft[place, labels]
        by_fold: list[list[Belief]] = [[] for _ in self.models]
        for k, inside in enumerate(self._inside):
            others = np.flatnonzero(self.fold[answers.items] != k)
            says = None if learnt is None else (learnt.predict(inside, k), _of_rows(learnt.left_out(k), place[others]))
            for found, model in zip(by_fold, self.models, strict=True):
                hears = says if model.asks_learners else None
                found.append(model.about(inside, answers.at(others), weights[others], hears))
        each = [scattered(found, self._inside) for found in by_fold]
        mixed, share = self._mixed(each, answers, weights)
        shares = dict(zip([one.name for one in self.models], share.tolist(), strict=True))
        if learnt is None:
            return Learnt(mixed, shares)
        alone = [p for p, one in zip(each, self.models, strict=True) if not one.asks_learners]
        without = self._mixed(alone, answers, weights)[0] if alone else None
        return Learnt(mixed, shares, learnt.shares(), learnt.warm, without)

    def _learnt(self, answers: Answers, warm: Mapping[str, NDArray[Any]]) -> LearntBlend | None:
        if self.learners is None:
            return None
        from altmas.surrogates.learners.protocol import Lesson

        seed = int(stream(self.seed, "learners", len(answers)).integers(1 << 31))
        lesson = Lesson(
            answers.items, answers.labels, self.fold[answers.items], self.classes, FOLDS, seed=seed, warm=warm
        )
        return self.learners.learn(lesson)

    def _mixed(self, each: Sequence[Belief], answers: Answers, weights: FloatArray) -> tuple[Belief, FloatArray]:
        """The mixture of candidates, and their shares on average; those for a fold are found outside it."""
        if len(each) == 1:
            return each[0], np.ones(1)
        likelihood = np.stack([one.at(answers.items).chance(answers.labels) for one in each], axis=1)
        shares = np.empty((FOLDS, len(each)))
        for k in range(FOLDS):
            others = self.fold[answers.items] != k
            shares[k] = stack(likelihood[others], weights[others])
        return mixture(each, [share[self.fold] for share in shares.T]), shares.mean(0)


def _of_rows(left_out: FloatArray, rows: IntArray) -> FloatArray:
    """What learners say of answers outside a fold, of which each may stand in several rows one after the other."""
    return np.asarray(left_out[np.unique(rows, return_inverse=True)[1]])


def cross_fit_on(
    pool: Pool, seed: int, learners: Learners = AUTO, *, vote: bool = True, every_label: bool = False
) -> CrossFit:
    """The candidates of a pool, with learners on its features where it has some; without the models' vote if so said.

    With `every_label`, one more that is about every label alike, for metrics that ask for more than right or wrong.

    >>> [one.name for one in cross_fit_on(Pool.build([0, 1, 1]), 0).models]
    ['scores']
    """
    bound = learners_on(pool, learners)
    models = label_models(pool, learners=bound is not None, vote=vote, every_label=every_label)
    return CrossFit(models, pool.size, len(pool.classes), seed, bound, pool.clusters)


def stack(likelihood: FloatArray, weights: FloatArray) -> FloatArray:
    """Mixture weights `[S]` of candidates that gave the answers these out-of-fold probabilities `[n, S]`.

    >>> stack(np.array([[0.9, 0.1]] * 20), np.ones(20)).round(2).tolist()
    [1.0, 0.0]
    """
    from altmas.surrogates.outputs.wrong_labels import mixture_weights

    prior = PRIOR * (np.arange(likelihood.shape[1]) == 0)
    scale = len(weights) / max(float(weights.sum()), 1e-12)
    return mixture_weights(np.maximum(likelihood, 1e-9), prior, weights * scale, steps=200)
