"""The score-calibrated surrogate: is the prediction right, from what models said; and if not, what is the label."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from altmas.metrics.belief import Belief, Single
from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.outputs.evidence import Evidence
from altmas.surrogates.outputs.logistic import LogisticFit, fit_logistic
from altmas.surrogates.outputs.wrong_labels import WrongLabels

INTERCEPT_SD = 2.0
"""Prior deviation of the log odds of agreement at the average item."""

CLASS_SD, CLASS_SLOPE_SD = 1.5, 0.3
"""Prior deviations of a predicted class's own log odds, and of its own slope on the confidence."""


class ScoreCalibrated:
    """Agreement by logistic regression on the evidence, with an effect and a slope for each predicted class.

    >>> from altmas.core.pool import Outputs
    >>> from altmas.surrogates.outputs.evidence import evidence_from
    >>> said = np.array([0, 1] * 50)
    >>> belief = ScoreCalibrated(evidence_from(Outputs("model", said, np.linspace(0.5, 1, 100)), 2))
    >>> belief.fit(np.arange(40), np.where(np.arange(40) < 20, 1 - said[:40], said[:40]))
    >>> a = belief.agreement(np.arange(100))
    >>> bool(a[0] < 0.5 < a[-1])
    True
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._seen = np.zeros(0, np.int64)  # predicted classes that have a coefficient
        self._fit = LogisticFit.before(*self._prior())
        self.wrong = WrongLabels.fit(evidence, np.zeros(0, np.int64), np.zeros(0, np.int64))

    def fit(self, items: IntArray, labels: IntArray, weights: FloatArray | None = None) -> None:
        """Learn from answers."""
        said = self.evidence.said[items]
        real = said < self.evidence.classes  # an answer that is no class is wrong for certain
        self._seen = np.unique(said[real])
        mean, sd = self._prior()
        outcome = (labels == said).astype(np.float64)[real]
        some = None if weights is None else weights[real]
        self._fit = LogisticFit.before(mean, sd)
        if real.any():
            self._fit = fit_logistic(self._design(items[real]), outcome, mean, sd, some)
        self.wrong = WrongLabels.fit(self.evidence, items, labels)

    def agreement(self, items: IntArray) -> FloatArray:
        """P(label = prediction) `[n]`."""
        return self._where_real(items, expit(self._log_odds(items, self._fit.coefficients[:, None])[:, 0]))

    def draw_agreement(self, items: IntArray, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draws of it `[M, n]` from the Laplace posterior, the same coefficients for every item."""
        return self._where_real(items, expit(self._log_odds(items, self._fit.draw(draws, rng))).T)

    def probabilities(self, items: IntArray) -> FloatArray:
        """Label probabilities `[n, C]`."""
        return self.belief(items).rows()

    def belief(self, items: IntArray) -> Belief:
        """The same, in parts: the prediction, and what the label is where it is wrong."""
        right = self.agreement(items)
        return self.wrong.belief(items).scaled(1 - right).plus(Single(self.evidence.said[items], right))

    def _prior(self) -> tuple[FloatArray, FloatArray]:
        """Means and deviations: intercept, columns, class effects, class slopes."""
        seen = len(self._seen)
        mean = np.concatenate([[self.evidence.intercept], self.evidence.prior_mean, np.zeros(2 * seen)])
        own = [np.full(seen, CLASS_SD), np.full(seen, CLASS_SLOPE_SD)]
        return mean, np.concatenate([[INTERCEPT_SD], self.evidence.prior_sd, *own])

    def _design(self, items: IntArray) -> FloatArray:
        one_hot = (self.evidence.said[items][:, None] == self._seen).astype(np.float64)
        slopes = one_hot * self.evidence.confidence[items][:, None]
        return np.concatenate([np.ones((len(items), 1)), self.evidence.columns[items], one_hot, slopes], axis=1)

    def _log_odds(self, items: IntArray, coefficients: FloatArray) -> FloatArray:
        """`[n, M]` without the design of all items: class effects are looked up, not multiplied."""
        shared = 1 + self.evidence.columns.shape[1]
        classes, seen = self.evidence.classes, len(self._seen)
        effect, slope = np.zeros((2, classes + 1, coefficients.shape[1]))
        effect[self._seen] = coefficients[shared : shared + seen]
        slope[self._seen] = coefficients[shared + seen :]
        said = self.evidence.said[items]
        linear = coefficients[0] + self.evidence.columns[items] @ coefficients[1:shared]
        return np.asarray(linear + effect[said] + slope[said] * self.evidence.confidence[items][:, None])

    def _where_real(self, items: IntArray, agreement: FloatArray) -> FloatArray:
        return np.where(self.evidence.said[items] < self.evidence.classes, agreement, 0.0)
