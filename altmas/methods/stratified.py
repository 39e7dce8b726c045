"""Stratified sampling with Neyman allocation: more labels where answers vary (as ssepy does)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from altmas.core.checks import whole_number
from altmas.core.estimates import Estimate
from altmas.core.method import Job, Run
from altmas.core.policies import Choice
from altmas.core.pool import Pool
from altmas.methods.weighted import SamplingRun, linearised, normal, weighted_tally
from altmas.metrics import Metric
from altmas.metrics.types import FloatArray, IntArray

LEAST_VARIANCE = 0.05
"""A stratum's agreement counts with at least this variance: one that was always right must still be looked at."""


@dataclass(frozen=True)
class Stratified:
    """Strata by the model under test's confidence, or by its prediction where it gave none.

    Unbiased where the allocation is fixed; here answers decide it, and a stratum that looks all right at first is left
    sooner. On a pool of 60 items with 30 labels that moved cells by up to 0.1 of their standard deviation.
    """

    strata: int = 10
    name: str = "stratified"
    metric_blind: ClassVar[bool] = True

    def begin(self, job: Job) -> Run:
        """Cut the pool into strata."""
        whole_number("strata", self.strata, 1)
        return StratifiedRun(job, stratify(job.pool, self.strata))


class StratifiedRun(SamplingRun):
    """Stratified sampling at work; `strata` is the stratum of each item."""

    def __init__(self, job: Job, strata: IntArray) -> None:
        super().__init__(job)
        self.strata = strata
        self.sizes = np.bincount(strata)

    def choose_next(self, count: int) -> Choice:
        """To strata by Neyman's rule, within a stratum uniformly."""
        have, right = self._answered()
        turns = apportion(neyman_weights(self.sizes, have, right), have, self.sizes - have, count)
        candidates = self.stream("draw").permutation(self.answers.unlabelled(self.job.pool))
        queues = [candidates[self.strata[candidates] == h] for h in range(len(self.sizes))]
        taken, items, open_there = np.zeros(len(queues), np.int64), [], []
        for h in turns:
            items.append(queues[h][taken[h]])
            open_there.append(len(queues[h]) - taken[h])
            taken[h] += 1
        # The stratum of a turn is fixed by the answers; chance enters only within it.
        return Choice(np.array(items), 1.0 / np.array(open_there))

    def estimate_open(self, metrics: tuple[Metric, ...], level: float) -> list[Estimate]:
        """sum_h (N_h/n_h) counts_h, and Var = sum_h N_h^2 (1 - n_h/N_h) s_h^2 / n_h of the answers' slopes."""
        pool, answers = self.job.pool, self.answers
        values, slopes = linearised(metrics, self.confusion())
        influence = slopes[:, answers.labels, pool.predictions[answers.items]]
        merged = self._merged()
        size = np.bincount(merged)
        errors = np.sqrt([stratified_variance(one, merged[answers.items], size) for one in influence])
        return normal(metrics, values, errors, len(answers), level)

    def confusion(self) -> FloatArray:
        """The estimated confusion of the pool."""
        merged, items = self._merged(), self.answers.items
        weights = np.bincount(merged) / np.maximum(np.bincount(merged[items], minlength=merged.max() + 1), 1)
        return weighted_tally(self.job.pool, items, self.answers.labels, weights[merged[items]])

    def _merged(self) -> IntArray:
        """Stratum of each item, where strata without an answer have joined their neighbour."""
        return np.asarray(nearest_labelled(self._answered()[0])[self.strata])

    def _answered(self) -> tuple[IntArray, IntArray]:
        """Answers, and right predictions among them, per stratum."""
        mine = self.strata[self.answers.items]
        right = self.answers.labels == self.job.pool.predictions[self.answers.items]
        return np.bincount(mine, minlength=len(self.sizes)), np.bincount(mine[right], minlength=len(self.sizes))


def stratify(pool: Pool, most: int) -> IntArray:
    """Stratum of each item `[N]`: quantiles of the confidence, or else predictions.

    >>> stratify(Pool.build([0, 1, 1, 0], scores=[0.6, 0.7, 0.8, 0.9]), 2).tolist()
    [0, 0, 1, 1]
    """
    known = pool.confidence
    if known is None:
        return by_prediction(pool, most)
    # By the middle rank of equal values: a confidence that half the pool shares makes a stratum of its own.
    _, which, counts = np.unique(known, return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / pool.size
    return numbered((middle * most).astype(np.int64)[which])


def by_prediction(pool: Pool, most: int) -> IntArray:
    """Strata of what was predicted, the most frequent first; the rarest predictions share the last.

    >>> by_prediction(Pool.build(list("aaabbc")), 2).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    often = np.argsort(-np.bincount(pool.predictions, minlength=pool.columns), kind="stable")
    rank = np.argsort(often)
    return np.minimum(rank[pool.predictions], most - 1)


def numbered(strata: IntArray) -> IntArray:
    """The same strata, in the same order, without numbers that no item has."""
    return np.unique(strata, return_inverse=True)[1].astype(np.int64)


def neyman_weights(sizes: IntArray, have: IntArray, right: IntArray) -> FloatArray:
    """N_h sqrt(max(mu_h (1 - mu_h), .05)), mu_h = (right + 1) / (answers + 2).

    >>> neyman_weights(np.array([10, 10]), np.array([8, 8]), np.array([4, 8])).round(3).tolist()
    [5.0, 3.0]
    """
    mu = (right + 1) / (have + 2)
    return np.asarray(sizes * np.sqrt(np.maximum(mu * (1 - mu), LEAST_VARIANCE)))


def apportion(weights: FloatArray, have: IntArray, room: IntArray, count: int) -> IntArray:
    """Which stratum each of `count` labels goes to: always the one furthest behind its share.

    The next label goes where weight / (labels + 1) is highest, as seats go to parties; so all labels together,
    those given before included, come as near to the shares as the room in the strata allows.

    >>> apportion(np.array([2.0, 1.0]), np.array([0, 0]), np.array([9, 9]), 4).tolist()
    [0, 0, 1, 0]
    """
    ahead = np.arange(1, count + 1)
    quotients = np.where(ahead <= room[:, None], weights[:, None] / (have[:, None] + ahead), -1.0)
    order = np.argsort(-quotients, axis=None, kind="stable")[:count]
    return np.asarray(order // count)


def nearest_labelled(have: IntArray) -> IntArray:
    """For each stratum the nearest one with answers: itself if it has some.

    >>> nearest_labelled(np.array([0, 3, 0, 0, 2])).tolist()
    [1, 1, 1, 4, 4]
    """
    some = np.flatnonzero(have)
    apart = np.abs(np.arange(len(have))[:, None] - some)
    return np.asarray(some[apart.argmin(1)])


def stratified_variance(influence: FloatArray, strata: IntArray, sizes: IntArray) -> float:
    """Variance of sum_h (N_h/n_h) sum of influences; a stratum with one answer takes the variance of all answers.

    >>> round(stratified_variance(np.array([0.0, 1, 1, 1]), np.array([0, 0, 1, 1]), np.array([4, 6])), 6)
    2.0
    """
    if len(influence) < 2:
        return float(np.inf)
    total, overall = 0.0, float(influence.var(ddof=1))
    for h in np.unique(strata):
        mine = influence[strata == h]
        spread = float(mine.var(ddof=1)) if len(mine) > 1 else overall
        total += sizes[h] ** 2 * (1 - len(mine) / sizes[h]) * spread / len(mine)
    return float(total)
