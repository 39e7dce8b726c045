"""A prior that the groups share, learnt from the answers as they arrive (empirical Bayes, its doubt kept).

    theta_g ~ Beta(m_g tau, (1 - m_g) tau),    logit m_g = a + b x_g,    x_g = logit of the group's mean score

(a, b, log tau) have weak normal priors and are fitted by the marginal (Beta-binomial) likelihood of the answers, for
many replicates at once. What the answers leave open about them is kept: a Gaussian at the mode, corrected by importance
weights, is carried on as a mixture of `POINTS` priors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma, expit, gammaln, logit, ndtri, softmax
from scipy.stats import qmc

from altmas.metrics.types import FloatArray
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.groups.priors import mean_of_scores

CENTRE = np.array([0.0, 1.0, np.log(40.0)])
SPREAD = np.array([2.0, 1.0, 1.0])
"""Weak priors of (a, b, log tau): any accuracy, scores about right, groups alike but not the same."""

POINTS = 32
LEAST_COUNT = 1e-6
"""Pseudo-counts are at least this, so that their logarithms stay finite where the prior is as good as certain."""

_CLIMBING_STEPS = 30


@dataclass(frozen=True, eq=False)
class HierarchicalPrior:
    """The uncertain prior of R replicates: `points [H, R, 3]`, `weights [H, R]`; the groups' regressor is `x [G]`."""

    points: FloatArray
    weights: FloatArray
    x: FloatArray

    def pseudo_counts(self) -> tuple[FloatArray, FloatArray]:
        """Right and wrong pseudo-counts of the prior `[H, R, G]`."""
        return _shapes(self.points, self.x)[:2]

    def posterior(self, right: ArrayLike, wrong: ArrayLike) -> BetaPosterior:
        """With these answers `[R, G]`."""
        a, b = self.pseudo_counts()
        return BetaPosterior(a + np.asarray(right), b + np.asarray(wrong), self.weights)

    @property
    def mode(self) -> FloatArray:
        """Weighted mean of (a, b, log tau) `[R, 3]`."""
        return np.asarray((self.weights[..., None] * self.points).sum(0))


def regressor(mean_scores: ArrayLike | None, groups: int) -> FloatArray:
    """The logit of each group's mean score, centred; zeros where there are no scores, or they are no probabilities.

    >>> regressor([0.9, 0.1], 2).round(2)
    array([ 2.2, -2.2])
    """
    if mean_scores is None:
        return np.zeros(groups)
    scores = np.asarray(mean_scores, dtype=np.float64)
    known = np.isfinite(scores)
    if not known.any() or scores[known].max() > 1 or scores[known].min() < 0:
        return np.zeros(groups)
    x = np.full(groups, np.nan)
    x[known] = logit(mean_of_scores(scores[known]))
    return np.where(known, x - np.nanmean(x), 0.0)


def fit_prior(right: ArrayLike, wrong: ArrayLike, x: FloatArray, start: FloatArray | None = None) -> HierarchicalPrior:
    """Fit (a, b, log tau) to answers `[R, G]`, each replicate on its own.

    >>> prior = fit_prior([[9.0, 5.0, 1.0]], [[1.0, 5.0, 9.0]], regressor([0.9, 0.5, 0.1], 3))
    >>> prior.posterior([[9.0, 5.0, 1.0]], [[1.0, 5.0, 9.0]]).mean.round(1)
    array([[0.9, 0.5, 0.1]])
    """
    r, w = np.atleast_2d(np.asarray(right, dtype=np.float64)), np.atleast_2d(np.asarray(wrong, dtype=np.float64))
    if start is None:
        start = np.tile(CENTRE, (len(r), 1))
        start[:, 0] = logit((r.sum(-1) + 1) / ((r + w).sum(-1) + 2))
    mode, curvature = _climb(start, r, w, x)
    # Steps to the points: an inverse square root of the curvature, so that their covariance is its inverse.
    values, vectors = np.linalg.eigh(curvature)
    root = vectors / np.sqrt(np.maximum(values, 0.05))[:, None, :]
    normal = np.asarray(ndtri(qmc.Sobol(3, scramble=True, rng=0).random(POINTS)))  # well spread, always the same
    points = mode + np.einsum("rij,hj->hri", root, normal)
    height = np.stack([_log_posterior(point, r, w, x) for point in points]) + 0.5 * (normal**2).sum(-1)[:, None]
    return HierarchicalPrior(points, np.asarray(softmax(height, axis=0)), x)


def _climb(phi: FloatArray, r: FloatArray, w: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Newton's method with a bounded step, all replicates together; the mode and the curvature there."""
    for _ in range(_CLIMBING_STEPS):
        curvature = _curvature(phi, r, w, x)
        values, vectors = np.linalg.eigh(curvature)
        along = np.einsum("rji,rj->ri", vectors, _slope(phi, r, w, x)) / np.maximum(np.abs(values), 0.05)
        step = np.einsum("rij,rj->ri", vectors, along)
        step *= np.minimum(1.0, 1.5 / np.maximum(np.abs(step).max(-1, keepdims=True), 1e-12))
        phi = phi + step
        if np.abs(step).max() < 1e-3:
            break
    return phi, _curvature(phi, r, w, x)


def _shapes(phi: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Pseudo-counts a, b and their sum. b is computed by itself: as a difference from the sum it would round to 0."""
    logits, strength = phi[..., :1] + phi[..., 1:2] * x, np.exp(phi[..., 2:])
    a, b = np.maximum(expit(logits) * strength, LEAST_COUNT), np.maximum(expit(-logits) * strength, LEAST_COUNT)
    return a, b, a + b


def _log_posterior(phi: FloatArray, r: FloatArray, w: FloatArray, x: FloatArray) -> FloatArray:
    a, b, t = _shapes(phi, x)
    each = gammaln(a + r) + gammaln(b + w) - gammaln(t + r + w) - gammaln(a) - gammaln(b) + gammaln(t)
    return np.asarray(each.sum(-1) - 0.5 * (((phi - CENTRE) / SPREAD) ** 2).sum(-1))


def _slope(phi: FloatArray, r: FloatArray, w: FloatArray, x: FloatArray) -> FloatArray:
    a, b, t = _shapes(phi, x)
    both = digamma(t + r + w) - digamma(t)
    by_a, by_b = digamma(a + r) - digamma(a) - both, digamma(b + w) - digamma(b) - both
    by_logit = (by_a - by_b) * a * b / t
    parts = [by_logit.sum(-1), (by_logit * x).sum(-1), (by_a * a + by_b * b).sum(-1)]
    return np.asarray(np.stack(parts, -1) - (phi - CENTRE) / SPREAD**2)


def _curvature(phi: FloatArray, r: FloatArray, w: FloatArray, x: FloatArray, step: float = 1e-4) -> FloatArray:
    """Minus the Hessian `[R, 3, 3]`, by central differences of the slope."""
    columns = []
    for k in range(3):
        move = step * np.eye(3)[k]
        columns.append((_slope(phi - move, r, w, x) - _slope(phi + move, r, w, x)) / (2 * step))
    hessian = np.stack(columns, -1)
    return np.asarray((hessian + hessian.transpose(0, 2, 1)) / 2)
