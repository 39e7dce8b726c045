"""A quick belief about the labels, learnt from the vendor's outputs and second opinions alone; no network."""

from __future__ import annotations

import numpy as np

from altmas.core.pool import Pool
from altmas.metrics.types import FloatArray, IntArray


class LabelBelief:
    """Label probabilities of a pool's items, for the first model under test.

    >>> pool = Pool.build([0, 1, 1, 0], scores=[0.9, 0.6, 0.7, 0.8])
    >>> LabelBelief(pool).probabilities().shape
    (4, 2)
    """

    def __init__(self, pool: Pool) -> None:
        from altmas.surrogates.outputs.evidence import evidence_from
        from altmas.surrogates.outputs.score_calibrated import ScoreCalibrated

        own, *others = (*pool.outputs, *pool.opinions)
        self.everything = np.arange(pool.size)
        self.surrogate = ScoreCalibrated(evidence_from(own, len(pool.classes), others))

    def fit(self, items: IntArray, labels: IntArray) -> None:
        """Learn from answers."""
        self.surrogate.fit(items, labels)

    def probabilities(self, items: IntArray | None = None) -> FloatArray:
        """`[n, C]` of these items, or of the whole pool."""
        return self.surrogate.probabilities(self.everything if items is None else items)

    def agreement(self, items: IntArray | None = None) -> FloatArray:
        """P(label = prediction) `[n]`."""
        return self.surrogate.agreement(self.everything if items is None else items)

    def draw_agreement(self, draws: int, rng: np.random.Generator, items: IntArray | None = None) -> FloatArray:
        """Posterior draws of the agreement `[M, n]`."""
        return self.surrogate.draw_agreement(self.everything if items is None else items, draws, rng)
