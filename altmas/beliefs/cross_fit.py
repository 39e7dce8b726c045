"""A belief about every item from the answers to others: no item is predicted by its own label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.beliefs.label_models import LabelModel
from altmas.core.answers import Answers
from altmas.core.streams import stream
from altmas.metrics.types import Float32Array, FloatArray

FOLDS = 5
PRIOR = 4.0
"""The first candidate starts with the credit of this many answers: another has to be better, not only lucky."""


@dataclass(frozen=True, eq=False)
class Belief:
    """Label probabilities `[N, C]` of the whole pool, what each candidate counts for, and what slow ones said."""

    probabilities: FloatArray
    weights: dict[str, float]
    slow: dict[str, Float32Array] = field(default_factory=dict)


class CrossFit:
    """Splits the pool into folds once; what is believed about an item comes from the answers outside its fold."""

    def __init__(self, models: Sequence[LabelModel], size: int, classes: int, seed: int) -> None:
        self.models, self.classes, self.seed = models, classes, seed
        self.fold = stream(seed, "folds").permutation(size) % FOLDS

    def fit(self, answers: Answers, weights: FloatArray, kept: Mapping[str, Float32Array] | None = None) -> Belief:
        """Fit every candidate out of fold, and mix them by how well they predicted the answers.

        What slow candidates said is taken from `kept` where it has it, and comes back in `slow`.
        """
        each: list[NDArray[Any]] = []
        slow: dict[str, Float32Array] = {}
        for one in self.models:
            if one.quick:
                each.append(self._out_of_fold(one, answers, weights))
                continue
            known = kept is not None and one.name in kept
            said = kept[one.name] if kept and known else self._out_of_fold(one, answers, weights)
            slow[one.name] = said.astype(np.float32)  # in single precision, as a file keeps it
            each.append(slow[one.name])
        if len(each) == 1:
            return Belief(np.asarray(each[0], dtype=np.float64), {self.models[0].name: 1.0}, slow)
        rows, labels = answers.items, answers.labels
        share = stack(np.stack([p[rows, labels] for p in each], axis=1), weights)
        mixed = sum(w * p for w, p in zip(share, each, strict=True))
        names = [one.name for one in self.models]
        return Belief(np.asarray(mixed), dict(zip(names, share.tolist(), strict=True)), slow)

    def _out_of_fold(self, model: LabelModel, answers: Answers, weights: FloatArray) -> FloatArray:
        out = np.empty((len(self.fold), self.classes))
        for k in range(FOLDS):
            others = np.flatnonzero(self.fold[answers.items] != k)
            rng = stream(self.seed, "fit", model.name, len(answers), k)
            inside = np.flatnonzero(self.fold == k)
            if len(others) == 0 and not model.quick:  # nothing to train a network on
                out[inside] = 1.0 / self.classes
                continue
            predict = model.fit(answers.at(others), weights[others], rng)
            out[inside] = predict(inside)
        return out


def stack(likelihood: FloatArray, weights: FloatArray) -> FloatArray:
    """Mixture weights `[S]` of candidates that gave the answers these out-of-fold probabilities `[n, S]`.

    >>> stack(np.array([[0.9, 0.1]] * 20), np.ones(20)).round(2).tolist()
    [1.0, 0.0]
    """
    from altmas.surrogates.outputs.wrong_labels import mixture_weights

    prior = PRIOR * (np.arange(likelihood.shape[1]) == 0)
    scale = len(weights) / max(float(weights.sum()), 1e-12)
    return mixture_weights(np.maximum(likelihood, 1e-9), prior, weights * scale, steps=200)
