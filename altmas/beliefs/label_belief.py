"""A quick belief about the labels: from the vendor's outputs, second opinions and, with features, learners on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from altmas.beliefs.label_models import FromOutputs
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.learners.blend import Blend

PARTS = 5
"""Parts of the pool for learners that cannot leave out one answer at a time."""


class LabelBelief:
    """Label probabilities of a pool's items, for the first model under test.

    What `learners` on features say is one more opinion; of answered items they say what they would without the answer.

    >>> pool = Pool.build([0, 1, 1, 0], scores=[0.9, 0.6, 0.7, 0.8])
    >>> LabelBelief(pool).probabilities().shape
    (4, 2)
    """

    def __init__(self, pool: Pool, learners: Blend | None = None) -> None:
        from altmas.surrogates.outputs.evidence import evidence_from
        from altmas.surrogates.outputs.score_calibrated import ScoreCalibrated

        own, *others = (*pool.outputs, *pool.opinions)
        self.everything, self.learners, self.classes = np.arange(pool.size), learners, len(pool.classes)
        self.evidence = evidence_from(own, self.classes, others)
        self.surrogate = ScoreCalibrated(self.evidence)
        self._row = self.everything  # by which the surrogate knows each item

    def fit(self, items: IntArray, labels: IntArray) -> None:
        """Learn from answers."""
        if self.learners is None:
            self.surrogate.fit(items, labels)
            return
        from altmas.surrogates.learners.threads import one_thread

        with one_thread():
            self._fit_with(self.learners, items, labels)

    def _fit_with(self, learners: Blend, items: IntArray, labels: IntArray) -> None:
        from altmas.surrogates.learners.protocol import Lesson

        size = len(self.everything)
        part = stream(0, "parts").permutation(size) % PARTS
        lesson = Lesson(items, labels, part[items], self.classes, PARTS, seed=len(items), whole=True)
        learnt = learners.learn(lesson)
        says = learnt.predict(self.everything, None), learnt.left_out(None)
        model = FromOutputs("scores and features", self.evidence, asks_learners=True)
        self.surrogate, rows = model.fitted(self.everything, Answers(items, labels), np.ones(len(items)), says)
        self._row = rows
        self._row[items] = np.arange(size, size + len(items))  # without each one's own label

    def probabilities(self, items: IntArray | None = None) -> FloatArray:
        """`[n, C]` of these items, or of the whole pool."""
        return self.surrogate.probabilities(self._rows(items))

    def agreement(self, items: IntArray | None = None) -> FloatArray:
        """P(label = prediction) `[n]`."""
        return self.surrogate.agreement(self._rows(items))

    def draw_agreement(self, draws: int, rng: np.random.Generator, items: IntArray | None = None) -> FloatArray:
        """Posterior draws of the agreement `[M, n]`."""
        return self.surrogate.draw_agreement(self._rows(items), draws, rng)

    def wrong_labels(self, items: IntArray) -> FloatArray:
        """Label probabilities `[n, C]` where the prediction is wrong."""
        return self.surrogate.wrong.probabilities(self._rows(items))

    def _rows(self, items: IntArray | None) -> IntArray:
        return self._row if items is None else self._row[items]
