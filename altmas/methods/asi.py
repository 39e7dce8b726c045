"""ASI, active statistical inference: predicted labels, corrected where they are doubtful (Zrnic and Candes 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from altmas.beliefs.learners import AUTO, Learners
from altmas.beliefs.worths import water_fill
from altmas.core.answers import Answers
from altmas.core.estimates import Estimate
from altmas.core.method import Job, Run
from altmas.core.policies import Choice
from altmas.methods.weighted import (
    BeliefMaker,
    Learner,
    SamplingRun,
    believed_confusion,
    expected_confusion,
    expected_slopes,
    normal,
    one_step,
    weighted_tally,
)
from altmas.metrics import Metric
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray


@dataclass(frozen=True)
class Asi:
    """Include an item with a probability that grows with the doubt about it; weigh its correction by the inverse.

    `tau` is the share of uniform sampling in the mixture, 0.5 in its authors' programs; `belief` makes the predicted
    labels (None: learnt from the model under test's outputs and
    `learners` on features).
    """

    tau: float = 0.5
    belief: BeliefMaker | None = None
    learners: Learners = AUTO
    name: str = "asi"
    metric_blind: ClassVar[bool] = True

    def begin(self, job: Job) -> Run:
        """Prepare the belief."""
        if not 0 < self.tau <= 1:  # at 0 an item may never be asked about, and its error never corrected
            raise InputError("tau", "be above 0 and at most 1", repr(self.tau))
        return AsiRun(job, self)


@dataclass(frozen=True, eq=False)
class SampledRound:
    """One round's unbiased confusion, and what its error depends on: its items, their predicted labels and pi."""

    items: IntArray
    labels: IntArray
    inclusion: FloatArray
    predicted: FloatArray  # [n, C]
    confusion: FloatArray  # [C, P]


class AsiRun(SamplingRun):
    """Active statistical inference at work."""

    def __init__(self, job: Job, recipe: Asi) -> None:
        super().__init__(job)
        self.recipe = recipe
        self.learner = Learner(job.pool, recipe.belief, recipe.learners)
        self.done: list[SampledRound] = []

    def update(self, answers: Answers, round: int) -> None:
        """Correct the predictions that stood before each new round by that round's answers."""
        if not answers.goes_on_from(self.answers):
            self.answers, self.done = Answers(), []
        for _, until in answers.by_round(len(self.answers)):
            self.done.append(self._sampled(self.answers, until))
            self.answers = until
        self.answers, self.round = answers, round

    def choose_next(self, count: int) -> Choice:
        """A sample in which doubtful items are more likely."""
        candidates = self.answers.unlabelled(self.job.pool)
        inclusion = inclusion_by_doubt(self.learner.after(self.answers).agreement(candidates), count, self.recipe.tau)
        chosen = systematic(inclusion, self.stream("draw"))
        return Choice(candidates[chosen], inclusion[chosen])

    def estimate_open(self, metrics: tuple[Metric, ...], level: float) -> list[Estimate]:
        """Rounds averaged by their number of labels: each is unbiased, whatever was believed."""
        pool, labels = self.job.pool, len(self.answers)
        shares = self._shares()
        near = believed_confusion(pool, self.answers, self.learner.after(self.answers))
        values, slopes = one_step(metrics, near, self.confusion())
        variance = np.zeros(len(metrics))
        for share, one in zip(shares, self.done, strict=True):
            said = pool.predictions[one.items]
            residual = slopes[:, one.labels, said] - expected_slopes(slopes, one.predicted, said)
            variance += share**2 * poisson_variance(residual, one.inclusion)
        return normal(metrics, values, np.sqrt(variance), labels, level)

    def confusion(self) -> FloatArray:
        """The estimated confusion of the pool; a cell may be negative."""
        return np.tensordot(self._shares(), np.array([one.confusion for one in self.done]), axes=1)

    def _shares(self) -> FloatArray:
        return np.array([len(one.items) for one in self.done]) / len(self.answers)

    def _sampled(self, before: Answers, after: Answers) -> SampledRound:
        """T = known + sum over open of Yhat + sum over sampled of (Y - Yhat) / pi."""
        pool, start = self.job.pool, len(before)
        items, labels = after.items[start:], after.labels[start:]
        open_items = before.unlabelled(pool)
        # The first round is a plain random sample; its logged propensities are those of single draws.
        inclusion = after.propensities[start:] if start else np.full(len(items), len(items) / pool.size)
        predicted = self.learner.after(before).probabilities(open_items)
        mine = predicted[np.searchsorted(open_items, items)]
        total = before.confusion(pool) + expected_confusion(predicted, pool.predictions[open_items], pool.columns)
        total += weighted_tally(pool, items, labels, 1 / inclusion)
        total -= expected_confusion(mine / inclusion[:, None], pool.predictions[items], pool.columns)
        return SampledRound(items, labels, inclusion, mine, total)


def inclusion_by_doubt(agreement: FloatArray, count: int, tau: float) -> FloatArray:
    """pi_i = (1 - tau) (n_b/n) u_i/ubar + tau n_b/n, u = 2 min(a, 1 - a), held at 1 with the sum kept at n_b.

    >>> inclusion_by_doubt(np.array([0.5, 0.9, 1.0, 1.0]), 1, 0.5).round(3).tolist()
    [0.542, 0.208, 0.125, 0.125]
    """
    doubt = 2 * np.minimum(agreement, 1 - agreement)
    mean = doubt.mean()
    relative = doubt / mean if mean > 0 else np.ones_like(doubt)
    return water_fill((1 - tau) * relative + tau, count)


def systematic(inclusion: FloatArray, rng: np.random.Generator) -> IntArray:
    """Positions of a sample with exactly these inclusion probabilities, as many as they sum to (Madow 1949).

    The items lie along a line, in random order, each as long as its probability; a comb of teeth one apart, shifted
    at random, picks those it touches.

    >>> sorted(systematic(np.array([0.5, 1.0, 0.25, 0.25]), np.random.default_rng(0)).tolist())
    [1, 3]
    """
    certain = np.flatnonzero(inclusion >= 1 - 1e-12)  # apart, so that rounding cannot pick one of them twice
    others = rng.permutation(np.flatnonzero(inclusion < 1 - 1e-12))
    ends = np.cumsum(inclusion[others])
    count = round(float(ends[-1])) if len(ends) else 0
    if count == 0:
        return certain
    teeth = rng.random() + np.arange(count)
    return np.concatenate([certain, others[np.searchsorted(ends * (count / ends[-1]), teeth, side="right")]])


def poisson_variance(residual: FloatArray, inclusion: FloatArray) -> FloatArray:
    """Variance `[K]` of sum (Y - Yhat)/pi estimated from the sampled: sum (1 - pi) ((Y - Yhat)/pi)^2.

    As published it is for items that are included independently; a sample of fixed size varies less.

    >>> poisson_variance(np.array([[1.0, 1.0]]), np.array([0.5, 1.0])).tolist()
    [2.0]
    """
    return np.asarray(((1 - inclusion) * np.square(residual / inclusion)).sum(1))
