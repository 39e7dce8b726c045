"""What the label is where the model under test is wrong: its other scores, second opinions, and past mistakes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.outputs.evidence import Evidence

POOLED = 5.0
"""The mistakes of one predicted class are shrunk to those of all classes, which count as this many further ones."""

EVEN_SPREAD = 1.0
"""The prior of all mistakes: this many per class, half of them spread as the predictions are, half evenly."""

CREDIT = 4.0
"""Mistakes that the sources are credited with beforehand, in equal parts."""


@dataclass(frozen=True, eq=False)
class WrongLabels:
    """Label probabilities given that the prediction is wrong: a mixture of sources, weighted by how well they did."""

    evidence: Evidence
    table: FloatArray  # [P, C], by predicted class; no mass on the class itself
    weights: FloatArray  # [S]: of the table, of each guess, of each opinion

    @classmethod
    def fit(cls, evidence: Evidence, items: IntArray, labels: IntArray) -> WrongLabels:
        """Learn from the answers that contradict the prediction."""
        wrong = labels != evidence.said[items]
        items, labels = items[wrong], labels[wrong]
        table = _table(evidence, items, labels)
        start = cls(evidence, table, np.ones(1))
        sources = start._sources(items)
        if len(sources) == 1:
            return start
        likelihood = np.stack([one[np.arange(len(items)), labels] for one in sources], axis=1)
        # The table saw these very mistakes: a discount keeps it from being believed for remembering them.
        likelihood[:, 0] *= 0.9
        prior = np.full(len(sources), CREDIT / len(sources))
        return cls(evidence, table, mixture_weights(likelihood + 1e-12, prior, steps=15))

    def probabilities(self, items: IntArray) -> FloatArray:
        """`[n, C]`, rows sum to 1, no mass on the prediction itself."""
        mixed = sum(w * one for w, one in zip(self.weights, self._sources(items), strict=False))
        return np.asarray(mixed / mixed.sum(1, keepdims=True))

    def _sources(self, items: IntArray) -> list[FloatArray]:
        said = self.evidence.said[items]
        found = [self.table[said]]
        rows = np.arange(len(items))
        real = said < self.evidence.classes
        for guess in self.evidence.guesses:
            others = guess[items] + 1e-6
            others[rows[real], said[real]] = 0.0
            found.append(others / others.sum(1, keepdims=True))
        for second in self.evidence.second:
            other = second[items]
            vote = np.zeros((len(items), self.evidence.classes))
            differs = (other != said) & (other < self.evidence.classes)
            vote[rows[differs], other[differs]] = 1.0
            found.append(vote)
        return found


def _table(evidence: Evidence, items: IntArray, labels: IntArray) -> FloatArray:
    """Dirichlet means of the label by predicted class `[C + 1, C]`, shrunk to the mistakes of all classes."""
    classes = evidence.classes
    overall = np.bincount(labels, minlength=classes) + EVEN_SPREAD * (0.5 * classes * evidence.shares + 0.5)
    prior = np.tile(overall, (classes + 1, 1))
    np.fill_diagonal(prior, 0.0)
    prior /= prior.sum(1, keepdims=True)
    cells = evidence.said[items] * classes + labels
    counts = np.bincount(cells, minlength=prior.size).reshape(prior.shape) + POOLED * prior
    return np.asarray(counts / counts.sum(1, keepdims=True))


def mixture_weights(
    likelihood: FloatArray, prior: FloatArray, counts: FloatArray | None = None, *, steps: int
) -> FloatArray:
    """Weights `[S]` with which S sources together explain best what happened, to which they gave `likelihood [n, S]`.

    EM for the log loss of the mixture, which has one maximum. `prior [S]` are cases that each source is credited with
    beforehand; `counts [n]`, of mean 1, say how much each case counts.

    >>> mixture_weights(np.array([[0.9, 0.1]] * 20), np.zeros(2), steps=100).round(2).tolist()
    [1.0, 0.0]
    """
    weights = np.full(likelihood.shape[1], 1.0 / likelihood.shape[1])
    for _ in range(steps):
        share = likelihood * weights
        share /= share.sum(1, keepdims=True)
        explained = share.sum(0) if counts is None else counts @ share
        weights = (explained + prior) / (len(likelihood) + prior.sum())
    return np.asarray(weights)
