"""ASE: active surrogate estimation; the surrogate answers what nobody was asked (Kossen 2022)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from altmas.beliefs.learners import AUTO, Learners
from altmas.beliefs.worths import xwed
from altmas.core.checks import whole_number
from altmas.core.estimates import Estimate, plug_in
from altmas.core.method import Job, Run
from altmas.core.policies import Choice, best
from altmas.methods.weighted import BeliefMaker, Learner, SamplingRun
from altmas.metrics import Metric
from altmas.metrics.types import FloatArray, IntArray

_ITEMS_DRAWN_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Ase:
    """Ask where draws disagree about the loss (XWED); estimate by the answers and, for the rest, by the draws.

    `belief` makes the surrogate (None: learnt from the model under test's outputs and
    `learners` on features).
    """

    belief: BeliefMaker | None = None
    learners: Learners = AUTO
    draws: int = 50
    name: str = "ase"
    metric_blind: ClassVar[bool] = True

    def begin(self, job: Job) -> Run:
        """Prepare the belief."""
        whole_number("draws", self.draws, 2)
        return AseRun(job, self)


class AseRun(SamplingRun):
    """Active surrogate estimation at work."""

    def __init__(self, job: Job, recipe: Ase) -> None:
        super().__init__(job)
        self.recipe = recipe
        self.learner = Learner(job.pool, recipe.belief, recipe.learners)

    def choose_next(self, count: int) -> Choice:
        """The items of highest XWED."""
        worth = np.concatenate([xwed(agreement) for _, agreement in self._agreement()])
        return best(self.answers.unlabelled(self.job.pool), worth, count, self.stream("ties"))

    def estimate_open(self, metrics: tuple[Metric, ...], level: float) -> list[Estimate]:
        """Mean over draws of the metric, and the draws' spread; for accuracy R = (1/N) sum_i sum_y pi(y|x_i) L."""
        pool, belief = self.job.pool, self.learner.after(self.answers)
        confusions = np.tile(self.answers.confusion(pool), (self.recipe.draws, 1, 1))
        for items, agreement in self._agreement():
            said = pool.predictions[items]
            confusions += drawn_confusions(agreement, belief.probabilities(items), said, pool.columns)
        return plug_in(metrics, confusions, len(self.answers), level)

    def _agreement(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Open items in blocks, with draws of their agreement `[M, n]`."""
        belief, open_items = self.learner.after(self.answers), self.answers.unlabelled(self.job.pool)
        for start in range(0, len(open_items), _ITEMS_DRAWN_AT_ONCE):
            items = open_items[start : start + _ITEMS_DRAWN_AT_ONCE]
            # A new generator of the same stream each time: every block sees the same worlds.
            yield items, belief.draw_agreement(self.recipe.draws, self.stream("draw"), items)


def drawn_confusions(
    agreement: FloatArray, probabilities: FloatArray, predictions: IntArray, columns: int
) -> FloatArray:
    """Expected counts per draw `[M, C, P]`: a to the prediction, 1 - a to the other labels as `probabilities` say.

    >>> drawn_confusions(np.array([[0.5]]), np.array([[0.6, 0.1, 0.3]]), np.array([0]), 3)[0, :, 0].round(3).tolist()
    [0.5, 0.125, 0.375]
    """
    rest = wrong_shares(probabilities, predictions)
    out = np.zeros((len(agreement), rest.shape[1], columns))
    for column in np.unique(predictions):
        here = np.flatnonzero(predictions == column)
        out[:, :, column] = (1 - agreement[:, here]) @ rest[here]
        if column < rest.shape[1]:
            out[:, column, column] += agreement[:, here].sum(1)
    return out


def wrong_shares(probabilities: FloatArray, predictions: IntArray) -> FloatArray:
    """How labels share the probability of being other than predicted `[n, C]`; equally where that is zero.

    >>> wrong_shares(np.array([[0.6, 0.1, 0.3], [1.0, 0.0, 0.0]]), np.array([0, 0])).round(3).tolist()
    [[0.0, 0.25, 0.75], [0.0, 0.5, 0.5]]
    """
    real = np.flatnonzero(predictions < probabilities.shape[1])
    rest = probabilities.copy()
    rest[real, predictions[real]] = 0.0
    rest[rest.sum(1) <= 0] = 1.0
    rest[real, predictions[real]] = 0.0
    return np.asarray(rest / rest.sum(1, keepdims=True))
