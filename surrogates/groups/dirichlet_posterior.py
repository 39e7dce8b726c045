"""Posteriors of confusion columns: for each group a Dirichlet over true classes, alone or mixed over its prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.groups.hierarchical import HierarchicalPrior


@dataclass(frozen=True, eq=False)
class DirichletPosterior:
    """theta_g ~ sum_h weight_h Dirichlet(alpha_hg), with `alpha [H, G, C]` and `weights [H]`.

    >>> DirichletPosterior.of([[1.0, 2.0, 1.0]]).mean
    array([[0.25, 0.5 , 0.25]])
    """

    alpha: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, alpha: ArrayLike) -> DirichletPosterior:
        """Independent Dirichlet posteriors `[G, C]`."""
        return cls(np.asarray(alpha, dtype=np.float64)[None], np.ones(1))

    @property
    def mean(self) -> FloatArray:
        """Mean posterior estimate `[G, C]`: exactly (counts + prior) / total for a single Dirichlet."""
        each = self.alpha / self.alpha.sum(-1, keepdims=True)
        return np.asarray(each[0] if len(each) == 1 else np.einsum("h,hgc->gc", self.weights, each))

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Coherent draws `[M, G, C]`: all groups of a draw share one prior."""
        which = rng.choice(len(self.weights), draws, p=self.weights)
        gammas = rng.standard_gamma(self.alpha[which])
        return np.asarray(gammas / np.maximum(gammas.sum(-1, keepdims=True), 1e-300))

    def of_class(self, index: IntArray) -> BetaPosterior:
        """The posterior of one class's share per group (its own class: the accuracy): Dirichlets aggregate to Betas."""
        right = np.take_along_axis(self.alpha, np.broadcast_to(index[None, :, None], (*self.alpha.shape[:2], 1)), -1)
        return BetaPosterior(right[..., 0], self.alpha.sum(-1) - right[..., 0], self.weights)

    def distribution(self) -> Any:
        """The same as a batched TensorFlow Probability distribution."""
        from altmas.surrogates.backend import tensorflow_probability

        tfd = tensorflow_probability().distributions
        if len(self.alpha) == 1:
            return tfd.Dirichlet(self.alpha[0])
        moved = np.moveaxis(self.alpha, 0, 1)
        weights = np.broadcast_to(self.weights, moved.shape[:2])
        return tfd.MixtureSameFamily(tfd.Categorical(probs=weights), tfd.Dirichlet(moved))


def proportions(scores: FloatArray | None, index: IntArray, said: IntArray, classes: int) -> FloatArray:
    """Prior proportions of true classes per group `[G, C]` from the model's own scores, no labels needed.

    `index [N]` is each item's group, `said [G]` the class that group's items were predicted as. With full scores
    `[N, C]` they are the group's mean scores; with confidences `[N]` the rest is spread evenly; without, all is even.

    >>> proportions(np.array([0.9, 0.7]), np.array([0, 0]), np.array([1]), 3).round(2)
    array([[0.1, 0.8, 0.1]])
    """
    groups = len(said)
    even = np.full((groups, classes), 1 / classes)
    if scores is None:
        return even
    sizes = np.bincount(index, minlength=groups)
    if scores.ndim == 2:
        sums = np.stack([np.bincount(index, column, minlength=groups) for column in scores.T], -1)
        return np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], even)
    sure = np.clip(np.bincount(index, scores, minlength=groups) / np.maximum(sizes, 1), 0, 1)
    spread = np.repeat((1 - sure)[:, None] / (classes - 1), classes, axis=1)
    own = np.flatnonzero((said < classes) & (sizes > 0))
    spread[own, said[own]] = sure[own]
    return np.where(((sizes > 0) & (said < classes))[:, None], spread, even)


def hierarchical_columns(prior: HierarchicalPrior, shares: FloatArray, said: IntArray) -> FloatArray:
    """Pseudo-counts `[H, G, C]` under a learnt prior of accuracies (its first replicate).

    The column of class k is Dirichlet with m tau on k and (1 - m) tau on the others, split as in `shares [G, C]`. Seen
    as right or wrong it is exactly the Beta(m tau, (1 - m) tau) that was fitted. Groups of answers that are no class
    keep their shares, with the wrong part's strength.
    """
    right, wrong = (part[:, 0] for part in prior.pseudo_counts())  # [H, G]
    classes = shares.shape[-1]
    own = np.arange(classes) == said[:, None]
    others = np.where(own, 0.0, np.maximum(shares, 1e-6))
    others /= others.sum(-1, keepdims=True)
    return np.asarray(right[..., None] * own + wrong[..., None] * others)
