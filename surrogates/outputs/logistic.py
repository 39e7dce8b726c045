"""Logistic regression with a Gaussian prior on each coefficient: few answers, many possible effects."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from altmas.metrics.types import FloatArray
from altmas.surrogates.outputs.line_search import halved_until_lower

_NEWTON_STEPS = 50
_SMALL = 1e-6
"""Newton decrement at which the fit has converged: a change of the log posterior far below anything that matters."""


class LogisticFit(NamedTuple):
    """The most probable coefficients `[D]`, and what the Hessian there is made of."""

    coefficients: FloatArray
    columns: FloatArray  # [n, D]
    curvature: FloatArray  # [n], of the log likelihood
    prior: FloatArray  # [D], inverse variances

    @classmethod
    def before(cls, prior_mean: FloatArray, prior_sd: FloatArray) -> LogisticFit:
        """Without any answer."""
        return cls(prior_mean, np.zeros((0, len(prior_mean))), np.zeros(0), 1.0 / np.square(prior_sd))

    @property
    def precision(self) -> FloatArray:
        """The Hessian `[D, D]`, the inverse covariance of a Laplace posterior."""
        return _hessian(self.columns, self.curvature, self.prior)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Coefficients `[D, M]` from the Laplace posterior."""
        root = np.linalg.cholesky(self.precision)
        noise = np.linalg.solve(root.T, rng.standard_normal((len(root), draws)))
        return np.asarray(self.coefficients[:, None] + noise)


def fit_logistic(
    x: FloatArray, outcome: FloatArray, prior_mean: FloatArray, prior_sd: FloatArray, weights: FloatArray | None = None
) -> LogisticFit:
    """Maximise the log posterior by Newton's method with a halving line search, which always converges here.

    The prior is per coefficient, which scikit-learn's single penalty cannot say: a vendor's confidence is believed to
    matter, a class's own slope is believed to be small.

    >>> x = np.column_stack([np.ones(4), [-1.0, 0, 1, 2]])
    >>> fit = fit_logistic(x, np.array([0.0, 0, 1, 1]), np.zeros(2), np.ones(2))
    >>> bool(fit.coefficients[1] > 0.5)
    True
    """
    precision = 1.0 / np.square(prior_sd)
    w = np.ones(len(outcome)) if weights is None else weights
    b = prior_mean.copy()

    def judge(at: FloatArray) -> tuple[float, FloatArray]:
        odds = x @ at
        return _loss(at, odds, outcome, w, prior_mean, precision), odds

    loss, logit = judge(b)
    for _ in range(_NEWTON_STEPS):
        p = expit(logit)
        gradient = x.T @ (w * (outcome - p)) - precision * (b - prior_mean)
        curvature = w * p * (1 - p)
        step = _newton_step(x, curvature, precision, gradient)
        if (gain := float(gradient @ step)) < _SMALL:
            break
        b, loss, logit = halved_until_lower(b, step, gain, loss, judge)
    return LogisticFit(b, x, curvature, precision)


def _newton_step(x: FloatArray, curvature: FloatArray, precision: FloatArray, gradient: FloatArray) -> FloatArray:
    """The Hessian's inverse times the gradient; by Woodbury where there are more coefficients than answers."""
    answers, size = x.shape
    if size <= answers:
        return np.asarray(np.linalg.solve(_hessian(x, curvature, precision), gradient), dtype=np.float64)
    root = x * np.sqrt(curvature)[:, None]
    alone = gradient / precision
    inner = np.eye(answers) + (root / precision) @ root.T
    return np.asarray(alone - (root.T @ np.linalg.solve(inner, root @ alone)) / precision)


def _hessian(x: FloatArray, curvature: FloatArray, precision: FloatArray) -> FloatArray:
    found = (x * curvature[:, None]).T @ x
    found[np.diag_indices_from(found)] += precision
    return np.asarray(found)


def _loss(b: FloatArray, logit: FloatArray, t: FloatArray, w: FloatArray, mean: FloatArray, prec: FloatArray) -> float:
    return float((w * (np.logaddexp(0, logit) - t * logit)).sum() + 0.5 * (prec * np.square(b - mean)).sum())
