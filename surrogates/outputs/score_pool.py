"""What the scores of several models say together: the probability of every label, not only of the one predicted.

A log-linear pool. The log odds of label c of item i are sum_h beta_h log s_hi(c) + b_c, with Gaussian priors: before
any answer every model has the same share, and no class is favoured. Where the agreement of one model decides, the rest
of the mass is only split roughly; metrics of scores ask what each label is worth, the unlikely ones too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from altmas.metrics.types import FloatArray, IntArray

MODEL_SD, CLASS_SD = 0.5, 0.7
"""Prior deviations of a model's coefficient and of a class's own log odds."""

MANY_CLASSES = 50
"""With more classes than this none has log odds of its own: few answers would be of it."""

_SURE = 1e-4  # no score says more than this: beyond it is rounding, not evidence


class ScorePool:
    """Label probabilities from the scores of models, each `[N, C]`.

    >>> sure, unsure = np.array([[0.9, 0.1], [0.2, 0.8]]), np.full((2, 2), 0.5)
    >>> pool = ScorePool([sure, unsure])
    >>> pool.probabilities(np.arange(2), pool.fit(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))).round(2)
    array([[0.75, 0.25],
           [0.33, 0.67]])
    """

    def __init__(self, scores: Sequence[FloatArray]) -> None:
        logs = [np.log(np.clip(one, _SURE, 1.0)) for one in scores]
        self._logs = np.stack([one - one.mean(1, keepdims=True) for one in logs]).astype(np.float32)  # [H, N, C]
        self._own = self._logs.shape[2] <= MANY_CLASSES
        models, classes = self._logs.shape[0], self._logs.shape[2]
        self._prior = np.concatenate([np.full(models, 1.0 / models), np.zeros(classes if self._own else 0)])
        self._sd = np.concatenate([np.full(models, MODEL_SD), np.full(classes if self._own else 0, CLASS_SD)])

    def fit(self, items: IntArray, labels: IntArray, weights: FloatArray) -> FloatArray:
        """The coefficients, learnt from answers; the prior's where there is none."""
        if len(items) == 0:
            return self._prior
        logs = self._logs[:, items].astype(np.float64)
        told = np.eye(logs.shape[2])[labels]

        def loss(at: FloatArray) -> tuple[float, FloatArray]:
            odds = self._odds(at, logs)
            off = weights[:, None] * (softmax(odds, axis=1) - told)
            apart = (at - self._prior) / self._sd
            value = 0.5 * float(apart @ apart) - float(weights @ (log_softmax(odds, axis=1) * told).sum(1))
            slope = np.einsum("hnc,nc->h", logs, off)
            return value, apart / self._sd + (np.append(slope, off.sum(0)) if self._own else slope)

        return np.asarray(minimize(loss, self._prior, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x)

    def probabilities(self, items: IntArray, fitted: FloatArray) -> FloatArray:
        """Label probabilities `[n, C]` of some items."""
        return np.asarray(softmax(self._odds(fitted, np.asarray(self._logs[:, items], np.float64)), axis=1))

    def _odds(self, at: FloatArray, logs: FloatArray) -> FloatArray:
        models = len(logs)
        odds = np.einsum("h,hnc->nc", at[:models], logs)
        return np.asarray(odds + at[models:] if self._own else odds)
