"""What the field's estimators share: a run's start and end, a belief that relearns, metrics of estimated counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from scipy.special import ndtri

from altmas.beliefs.learners import AUTO, Learners, learners_on
from altmas.core.answers import Answers
from altmas.core.estimates import Estimate, everything_labelled
from altmas.core.method import Job
from altmas.core.policies import Choice, choose_uniformly
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.metrics import Metric
from altmas.metrics.custom import countable
from altmas.metrics.types import FloatArray, IntArray

RELEARN_GROWTH = 1.15
"""A belief relearns when it has this many times the answers it last learnt from."""


class LearningBelief(Protocol):
    """A belief about a pool's labels that learns from answers; `altmas.beliefs.label_belief.LabelBelief` is one."""

    def fit(self, items: IntArray, labels: IntArray) -> None: ...
    def probabilities(self, items: IntArray | None = None) -> FloatArray: ...
    def agreement(self, items: IntArray | None = None) -> FloatArray: ...
    def draw_agreement(self, draws: int, rng: np.random.Generator, items: IntArray | None = None) -> FloatArray: ...


BeliefMaker = Callable[[Pool], LearningBelief]


def make_belief(pool: Pool, make: BeliefMaker | None, learners: Learners = AUTO) -> LearningBelief:
    """The belief a method was given, or the one learnt from the model under test's outputs and learners on features."""
    if make is not None:
        return make(pool)
    from altmas.beliefs.label_belief import LabelBelief

    return LabelBelief(pool, learners_on(pool, learners))


def due(last: int, now: int) -> bool:
    """Whether a belief that learnt from `last` answers should learn again from `now`.

    >>> due(0, 20), due(20, 22), due(20, 23)
    (True, False, True)
    """
    return now > 0 and now >= RELEARN_GROWTH * last


def taught(rounds: IntArray) -> int:
    """How many of the answers, given the round of each, a belief has learnt from: `due` after each round.

    >>> taught(np.array([0] * 20 + [1] * 2 + [2] * 2 + [3] * 2))
    24
    """
    last = 0
    for end in [*(np.flatnonzero(np.diff(rounds)) + 1).tolist(), len(rounds)]:
        last = end if due(last, end) else last
    return last


class SamplingRun(ABC):
    """What the runs of this room have in common: a uniform start, and exact metrics once every item is labelled."""

    def __init__(self, job: Job) -> None:
        self.job, self.answers, self.round = job, Answers(), 0

    def update(self, answers: Answers, round: int) -> None:
        """Remember the answers."""
        self.answers, self.round = answers, round

    def choose(self, count: int) -> Choice:
        """Uniformly before the first answer, then as the method does."""
        if len(self.answers) == 0:
            return choose_uniformly(self.job, self.answers, count)
        return self.choose_next(count)

    def estimate(self, level: float) -> list[Estimate]:
        """Every metric of the job; there is nothing left to estimate where every item is labelled."""
        exact = everything_labelled(self.job, self.answers, level)
        return exact if exact is not None else self.estimate_open(countable(self.job.metrics), level)

    def stream(self, purpose: str) -> np.random.Generator:
        """Random numbers of this round."""
        return stream(self.job.seed, "round", self.round, purpose)

    @abstractmethod
    def choose_next(self, count: int) -> Choice:
        """Which open items to ask about, given some answers."""

    @abstractmethod
    def estimate_open(self, metrics: tuple[Metric, ...], level: float) -> list[Estimate]:
        """These metrics, while some items are open; they can be taken of estimated counts."""


class Learner:
    """A belief that relearns in time; what it believes is a function of the answers alone, not of earlier calls."""

    def __init__(self, pool: Pool, make: BeliefMaker | None, learners: Learners = AUTO) -> None:
        self.pool, self.make, self.learners = pool, make, learners
        self._belief, self._seen = make_belief(pool, make, learners), Answers()

    def after(self, answers: Answers) -> LearningBelief:
        """What is believed after these answers; the latest of them may not have been learnt from yet."""
        seen = answers.first(taught(answers.rounds))
        if seen.same_as(self._seen):
            return self._belief
        if len(seen) == 0:
            self._belief = make_belief(self.pool, self.make, self.learners)
        else:
            self._belief.fit(seen.items, seen.labels)
        self._seen = seen
        return self._belief


def weighted_tally(pool: Pool, items: IntArray, labels: IntArray, weights: FloatArray) -> FloatArray:
    """Sum of weights per cell `[C, P]`.

    >>> weighted_tally(Pool.build([0, 1, 1]), np.array([0, 2]), np.array([0, 0]), np.array([2.0, 0.5])).tolist()
    [[2.0, 0.5], [0.0, 0.0]]
    """
    classes, columns = len(pool.classes), pool.columns
    cells = labels * columns + pool.predictions[items]
    sums = np.bincount(cells, weights, minlength=classes * columns).astype(np.float64)
    return sums.reshape(classes, columns)


def expected_confusion(probabilities: FloatArray, predictions: IntArray, columns: int) -> FloatArray:
    """Counts `[C, P]` of items with these label probabilities `[n, C]` and predictions.

    >>> expected_confusion(np.array([[0.75, 0.25], [0.5, 0.5]]), np.array([0, 1]), 2).tolist()
    [[0.75, 0.5], [0.25, 0.5]]
    """
    rows = [np.bincount(predictions, one, minlength=columns) for one in probabilities.T]
    return np.array(rows, dtype=np.float64)


def believed_confusion(pool: Pool, answers: Answers, belief: LearningBelief) -> FloatArray:
    """The answers, and the other items as they are believed to be: a confusion of the pool without negative cells."""
    open_items = answers.unlabelled(pool)
    rest = expected_confusion(belief.probabilities(open_items), pool.predictions[open_items], pool.columns)
    return answers.confusion(pool) + rest


def expected_slopes(slopes: FloatArray, probabilities: FloatArray, predictions: IntArray) -> FloatArray:
    """Expected slope `[K, n]` of each item under label probabilities `[n, C]`, of slopes `[K, C, P]`.

    >>> expected_slopes(np.array([[[4.0, 0], [0, 8]]]), np.array([[0.75, 0.25]]), np.array([0])).tolist()
    [[3.0]]
    """
    out = np.zeros((len(slopes), len(predictions)))
    for column in np.unique(predictions):  # a product per predicted class: fast, and never [K, n, C]
        here = np.flatnonzero(predictions == column)
        out[:, here] = slopes[:, :, column] @ probabilities[here].T
    return out


def linearised(metrics: Sequence[Metric], confusion: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values `[K]` and slopes `[K, C, P]` at a confusion of the pool."""
    values = np.array([float(one.value(confusion)) for one in metrics])
    return values, np.array([one.gradient(confusion) for one in metrics])


def one_step(metrics: Sequence[Metric], near: FloatArray, confusion: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values `[K]` at a confusion that may have negative cells, from slopes `[K, C, P]` at one that has none.

    Q(T) is taken as Q(near) + slope (T - near), within the metric's bounds. For a mean such as accuracy that is Q(T)
    itself, the published estimate. Setting negative cells to zero would not do: it adds to the wrong cells, of which
    there are many, and with 100 classes and 400 labels doubled the error of accuracy. `confusion` is `[C, P]` or one
    per metric, of the same total as `near`.

    >>> from altmas.metrics import metric
    >>> near, estimated = np.array([[5.0, 1], [1, 3]]), np.array([[6.0, -1], [2, 3]])
    >>> one_step([metric("accuracy", "ab")], near, estimated)[0].round(3).tolist()
    [0.9]
    """
    values, slopes = linearised(metrics, near)
    values = values + (slopes * (confusion - near)).sum((-2, -1))
    bottom, top = np.array([one.bounds for one in metrics]).T
    return np.clip(values, bottom, top), slopes


def normal(
    metrics: Sequence[Metric], values: FloatArray, errors: FloatArray, labels: int, level: float
) -> list[Estimate]:
    """Value +- z standard errors, within the metric's bounds: what these estimators' authors report.

    >>> from altmas.metrics import metric
    >>> one = normal([metric("accuracy", "ab")], np.array([0.9]), np.array([0.1]), 20, 0.95)[0]
    >>> round(one.low, 3), one.high
    (0.704, 1.0)
    """
    promise = f"normal {level:.0%} interval, as published; fails with few labels or near 0 and 1"
    reach = float(ndtri((1 + level) / 2)) * errors
    out = []
    for one, value, half in zip(metrics, values.tolist(), reach.tolist(), strict=True):
        bottom, top = one.bounds
        low, high = min(max(value - half, bottom), value), max(min(value + half, top), value)
        out.append(Estimate(one.name, value, low, high, labels, promise))
    return out
