"""PPI++: prediction-powered inference, uniform answers corrected by predicted labels (Angelopoulos 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from altmas.beliefs.learners import AUTO, Learners
from altmas.core.answers import Answers
from altmas.core.checks import whole_number
from altmas.core.estimates import Estimate
from altmas.core.method import Job, Run
from altmas.core.policies import Choice, choose_uniformly
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.methods.weighted import (
    BeliefMaker,
    LearningBelief,
    SamplingRun,
    expected_confusion,
    expected_slopes,
    linearised,
    make_belief,
    normal,
    one_step,
    taught,
)
from altmas.metrics import Metric
from altmas.metrics.confusion import ratio
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray

PREDICTORS = ("belief", "scores")


@dataclass(frozen=True)
class Ppi:
    """Ask uniformly; predict every item's label, and let the answers correct the predictions.

    `predictor="belief"` predicts each item from answers outside its fold of the pool, so that nothing is predicted
    from itself (`belief` makes it; None: learnt from the model under test's outputs and `learners` on
    features). `predictor="scores"` takes the model under test's own scores as they are.
    """

    predictor: str = "belief"
    belief: BeliefMaker | None = None
    learners: Learners = AUTO
    folds: int = 5
    name: str = "ppi"
    metric_blind: ClassVar[bool] = True
    draws_alike: ClassVar[bool] = True

    def begin(self, job: Job) -> Run:
        """Check that there is something to predict from."""
        whole_number("folds", self.folds, 2)
        if self.predictor not in PREDICTORS:
            raise InputError("predictor", f"be one of {', '.join(PREDICTORS)}", repr(self.predictor))
        if self.predictor == "scores":
            return PpiRun(job, self, None, probabilities_of_scores(job.pool))
        return PpiRun(job, self, make_belief(job.pool, self.belief, self.learners), None)


class PpiRun(SamplingRun):
    """Prediction-powered inference at work."""

    def __init__(self, job: Job, recipe: Ppi, belief: LearningBelief | None, predicted: FloatArray | None) -> None:
        super().__init__(job)
        self.recipe = recipe
        self.fold = stream(job.seed, "folds").permutation(job.pool.size) % recipe.folds
        self._belief, self._predicted, self._seen = belief, predicted, Answers()

    def choose_next(self, count: int) -> Choice:
        """Uniformly among the open items."""
        return choose_uniformly(self.job, self.answers, count)

    def estimate_open(self, metrics: tuple[Metric, ...], level: float) -> list[Estimate]:
        """theta = lam mean(Yhat of the open) + mean(Y - lam Yhat), cell by cell, with each metric's best lam.

        A metric's Y is its slope at an item's cell: at the confusion that answers and predictions add up to or, as
        the model under test's own scores may be far off, at the estimate of lam = 1 without its negative cells.
        """
        pool, answers = self.job.pool, self.answers
        open_items, n = answers.unlabelled(pool), len(answers)
        predicted, predicted_open = self.predicted()[answers.items], self.predicted()[open_items]
        said, said_open = pool.predictions[answers.items], pool.predictions[open_items]
        counts, of_answers = answers.confusion(pool), expected_confusion(predicted, said, pool.columns)
        of_open = expected_confusion(predicted_open, said_open, pool.columns)
        near = counts + of_open
        if self._belief is None:
            near = np.maximum(counts / n + of_open / len(open_items) - of_answers / n, 0.0)
            near *= pool.size / near.sum()
        slopes = linearised(metrics, near)[1]
        y, yhat = slopes[:, answers.labels, said], expected_slopes(slopes, predicted, said)
        yhat_open = expected_slopes(slopes, predicted_open, said_open)
        lam = power(y, yhat, yhat_open)
        shift = lam[:, None, None] * (of_open / len(open_items) - of_answers / n)
        values, _ = one_step(metrics, near, pool.size * (counts / n + shift))
        errors = pool.size * ppi_error(y, yhat, yhat_open, lam) if n > 1 else np.full(len(metrics), np.inf)
        return normal(metrics, values, errors, n, level)

    def predicted(self) -> FloatArray:
        """Label probabilities of the whole pool `[N, C]`, none learnt from an answer in the item's own fold."""
        seen = self.answers.first(taught(self.answers.rounds))
        if self._predicted is None or (self._belief is not None and not seen.same_as(self._seen)):
            self._predicted, self._seen = self._cross_fitted(seen), seen
        return self._predicted

    def _cross_fitted(self, seen: Answers) -> FloatArray:
        pool = self.job.pool
        out = np.empty((pool.size, len(pool.classes)))
        for fold in range(self.recipe.folds):
            outside = self.fold[seen.items] != fold
            if self._belief is None or not outside.any():
                belief = make_belief(pool, self.recipe.belief, ())  # one that knows no answer
            else:
                belief = self._belief
                belief.fit(seen.items[outside], seen.labels[outside])
            mine = np.flatnonzero(self.fold == fold)
            out[mine] = belief.probabilities(mine)
        return out


def power(y: FloatArray, yhat: FloatArray, yhat_open: FloatArray) -> FloatArray:
    """lam* = Cov(Y, Yhat) / ((1 + n/N) Var(Yhat)), in [0, 1]; for n answers `[K, n]` and N open items `[K, N]`.

    Here the answers are part of the pool, and its value is wanted, not that of a population: the best multiple of
    mean(Yhat of the pool) - mean(Yhat of the answers) is Cov/Var. That mean of the pool is the mean of answers and
    open items together, which makes it this very estimate: the finite pool needs no other lam. Where no answer
    touches the metric at all, Y = 0 throughout, nothing speaks against the predictions: lam = 1, which is plain PPI.

    >>> power(np.array([[0.0, 1.0]]), np.array([[0.2, 0.8]]), np.array([[0.2, 0.8]])).round(3).tolist()
    [0.625]
    """
    n, others = y.shape[1], yhat_open.shape[1]
    covariance = ((y - y.mean(1, keepdims=True)) * (yhat - yhat.mean(1, keepdims=True))).mean(1)
    variance = np.concatenate([yhat, yhat_open], axis=1).var(1, ddof=1)
    lam = np.clip(ratio(covariance, (1 + n / others) * variance), 0.0, 1.0)
    return np.where((y == 0).all(1), 1.0, lam)


def ppi_error(y: FloatArray, yhat: FloatArray, yhat_open: FloatArray, lam: FloatArray) -> FloatArray:
    """se^2 = lam^2 Var(Yhat_open)/N + Var(Y - lam Yhat)/n, as published: it does not shrink as a pool is used up.

    >>> ppi_error(np.array([[0.0, 1.0]]), np.zeros((1, 2)), np.zeros((1, 3)), np.ones(1)).round(4).tolist()
    [0.3536]
    """
    rest = (y - lam[:, None] * yhat).var(1) / y.shape[1]
    return np.asarray(np.sqrt(np.square(lam) * yhat_open.var(1) / yhat_open.shape[1] + rest))


def probabilities_of_scores(pool: Pool) -> FloatArray:
    """The scores as label probabilities `[N, C]`; a lone confidence leaves the rest to the other classes equally.

    >>> probabilities_of_scores(Pool.build(["a", "b"], scores=[0.8, 0.5], classes=list("abc"))).round(2).tolist()
    [[0.8, 0.1, 0.1], [0.25, 0.5, 0.25]]
    """
    if pool.scores is None or not pool.probable:
        got = "no scores" if pool.scores is None else f"numbers up to {pool.scores.max():.4g}"
        raise InputError("scores", "be probabilities for predictor='scores'", got)
    if pool.scores.ndim == 2:
        return pool.scores
    classes = len(pool.classes)
    real = np.flatnonzero(pool.predictions < classes)
    out = np.full((pool.size, classes), 1 / classes)
    out[real] = ((1 - pool.scores[real]) / (classes - 1))[:, None]
    out[real, pool.predictions[real]] = pool.scores[real]
    return out
