"""LURE: active testing with weights that undo the choice of items (Farquhar 2021, Kossen 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from altmas.beliefs.learners import AUTO, Learners
from altmas.core.answers import Answers
from altmas.core.estimates import Estimate
from altmas.core.method import Job, Run
from altmas.core.policies import Choice, draw_in_turn
from altmas.core.pool import Pool
from altmas.methods.weighted import (
    BeliefMaker,
    Learner,
    SamplingRun,
    believed_confusion,
    normal,
    one_step,
    weighted_tally,
)
from altmas.metrics import Metric
from altmas.metrics.types import FloatArray

FLOOR = 0.05
"""Least worth of an item, as a share of the highest: its authors' guard against infinite weights."""


@dataclass(frozen=True)
class Lure:
    """Draw items in proportion to their expected loss, P(label != prediction); weigh answers by LURE.

    `belief` makes the belief from which the loss is expected (None: learnt from the model under test's outputs and
    `learners` on features).
    """

    belief: BeliefMaker | None = None
    learners: Learners = AUTO
    name: str = "lure"
    metric_blind: ClassVar[bool] = True

    def begin(self, job: Job) -> Run:
        """Prepare the belief."""
        return LureRun(job, self)


class LureRun(SamplingRun):
    """Active testing at work."""

    def __init__(self, job: Job, recipe: Lure) -> None:
        super().__init__(job)
        self.learner = Learner(job.pool, recipe.belief, recipe.learners)

    def choose_next(self, count: int) -> Choice:
        """By expected loss."""
        candidates = self.answers.unlabelled(self.job.pool)
        worth = floored(1 - self.learner.after(self.answers).agreement(candidates))
        left = self.stream("draw").standard_exponential(len(candidates), method="inv")
        return draw_in_turn(candidates, worth, count, left)

    def estimate_open(self, metrics: tuple[Metric, ...], level: float) -> list[Estimate]:
        """Every metric of the LURE confusion, +- the standard error of a mean of weighted losses."""
        pool, labels = self.job.pool, len(self.answers)
        v = lure_weights(self.answers.propensities, pool.size)
        near = believed_confusion(pool, self.answers, self.learner.after(self.answers))
        values, slopes = one_step(metrics, near, self.confusion())
        loss = slopes[:, self.answers.labels, pool.predictions[self.answers.items]]
        loss -= _if_right(slopes)[:, pool.predictions[self.answers.items]]
        # Var(v L) / M, their followers' choice; from one answer nothing can be said.
        deviation = (v * loss).std(1, ddof=1) if labels > 1 else np.full(len(metrics), np.inf)
        return normal(metrics, values, pool.size * deviation / np.sqrt(labels), labels, level)

    def confusion(self) -> FloatArray:
        """The estimated confusion of the pool; a cell may be negative."""
        return lure_confusion(self.job.pool, self.answers, lure_weights(self.answers.propensities, self.job.pool.size))


def floored(worth: FloatArray) -> FloatArray:
    """At least 5% of the highest worth, so that no weight is huge; all alike where nothing is worth anything.

    >>> floored(np.array([0.0, 0.5])).tolist(), floored(np.zeros(2)).tolist()
    ([0.025, 0.5], [1.0, 1.0])
    """
    highest = worth.max()
    return np.maximum(worth, FLOOR * highest) if highest > 0 else np.ones_like(worth)


def lure_weights(propensities: FloatArray, pool_size: int) -> FloatArray:
    """v_m = 1 + (N - M)/(N - m) (1/((N - m + 1) q_m) - 1), for M < N draws with probabilities q_m.

    Uniform draws, q_m = 1/(N - m + 1), all weigh 1.

    >>> lure_weights(np.array([0.25, 0.5]), 4).round(3).tolist()
    [1.0, 0.667]
    """
    m = np.arange(1, len(propensities) + 1)
    share = (pool_size - len(m)) / (pool_size - m)
    return np.asarray(1 + share * (1 / ((pool_size - m + 1) * propensities) - 1))


def lure_confusion(pool: Pool, answers: Answers, v: FloatArray) -> FloatArray:
    """Wrong cells are (N/M) sum v_m e_m; right ones are what remains of the known number of such predictions.

    LURE estimates a mean loss, and right answers have none: so accuracy is 1 - (1/M) sum v_m L_m, as published.
    Weighing the right answers too would let their large weights in.
    """
    wrong = weighted_tally(pool, answers.items, answers.labels, v) * (pool.size / len(answers))
    classes = np.arange(len(pool.classes))
    wrong[classes, classes] = 0.0
    said = np.bincount(pool.predictions, minlength=pool.columns)
    wrong[classes, classes] = (said - wrong.sum(0))[classes]
    return wrong


def _if_right(slopes: FloatArray) -> FloatArray:
    """Slope `[K, P]` of the right answer for each prediction; nothing is right where the prediction is no class."""
    out = np.zeros((len(slopes), slopes.shape[2]))
    out[:, : slopes.shape[1]] = np.diagonal(slopes[:, :, : slopes.shape[1]], axis1=1, axis2=2)
    return out
