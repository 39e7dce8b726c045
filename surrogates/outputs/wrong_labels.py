"""What the label is where the model under test is wrong: its other scores, second opinions, and past mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from altmas.metrics.belief import Belief, Shared, Single, mixture
from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.outputs.evidence import Evidence

POOLED = 5.0
"""The mistakes of one predicted class are shrunk to those of all classes, which count as this many further ones."""

EVEN_SPREAD = 1.0
"""The prior of all mistakes: this many per class, half of them spread as the predictions are, half evenly."""

TRACE = 1e-6
"""What a class has at least of a model's own scores."""

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
        likelihood = np.stack([one.belief.chance(labels) for one in sources], axis=1)
        # The table saw these very mistakes: a discount keeps it from being believed for remembering them.
        likelihood[:, 0] *= 0.9
        prior = np.full(len(sources), CREDIT / len(sources))
        return cls(evidence, table, mixture_weights(likelihood + 1e-12, prior, steps=15))

    def probabilities(self, items: IntArray) -> FloatArray:
        """`[n, C]`, rows sum to 1, no mass on the prediction itself."""
        return self.belief(items).rows()

    def belief(self, items: IntArray) -> Belief:
        """The same, in parts."""
        sources = self._sources(items)
        weights = self.weights[: len(sources)]
        total = np.asarray(sum(w * one.says for w, one in zip(weights, sources, strict=True)))
        return mixture([one.belief for one in sources], [w / total for w in weights])

    def _sources(self, items: IntArray) -> list[_Source]:
        evidence, size, said = self.evidence, len(items), self.evidence.said[items]
        sure, classes = np.ones(size), evidence.classes
        found = [_Source(Belief(size, classes, (Shared(said, self.table, sure),)), sure)]
        for guess in evidence.guesses:  # of a class that the model gave nothing, a trace
            mine = guess.at(items)
            own = mine.scores.chance(said) + np.where(said < classes, TRACE, 0.0)
            scale = 1.0 / (mine.total + TRACE * classes - own)
            trace = Shared(np.zeros(size, dtype=np.int8), np.full((1, classes), TRACE), scale)
            found.append(_Source(mine.scores.scaled(scale).plus(trace, Single(said, -own * scale)), sure))
        for second in evidence.second:  # an opinion that says the same, or no class, is no source for an item
            other = second[items]
            differs = ((other != said) & (other < classes)).astype(np.float64)
            found.append(_Source(Belief(size, classes, (Single(other, differs),)), differs))
        return found


class _Source(NamedTuple):
    """What one source says the label is where the prediction is wrong, and whether it says something `[n]`."""

    belief: Belief
    says: FloatArray


def _table(evidence: Evidence, items: IntArray, labels: IntArray) -> FloatArray:
    """Dirichlet means of the label by predicted class `[C + 1, C]`, shrunk to the mistakes of all classes."""
    classes = evidence.classes
    overall = np.bincount(labels, minlength=classes) + EVEN_SPREAD * (0.5 * classes * evidence.shares + 0.5)
    prior = np.tile(overall, (classes + 1, 1))
    np.fill_diagonal(prior, 0.0)
    prior /= prior.sum(1, keepdims=True)
    cells = evidence.said[items].astype(np.int64) * classes + labels
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
