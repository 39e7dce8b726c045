"""What the field's estimators share: a belief that relearns in time, and every metric of an estimated confusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from scipy.special import ndtri

from altmas.core.answers import Answers
from altmas.core.estimates import Estimate, on_answers
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.metrics import Metric
from altmas.metrics.types import FloatArray, IntArray

GROWTH = 1.15
"""A belief relearns when it has this many times the answers it last learnt from."""


class Belief(Protocol):
    """What a pool's labels may be; `altmas.beliefs.label_belief.LabelBelief` is one."""

    def fit(self, items: IntArray, labels: IntArray) -> None: ...
    def probabilities(self, items: IntArray | None = None) -> FloatArray: ...
    def agreement(self, items: IntArray | None = None) -> FloatArray: ...
    def draw_agreement(self, draws: int, rng: np.random.Generator, items: IntArray | None = None) -> FloatArray: ...


BeliefMaker = Callable[[Pool], Belief]


def make_belief(pool: Pool, make: BeliefMaker | None) -> Belief:
    """The belief a method was given, or the one learnt from the model under test's outputs."""
    if make is not None:
        return make(pool)
    from altmas.beliefs.label_belief import LabelBelief

    return LabelBelief(pool)


def due(last: int, now: int) -> bool:
    """Whether a belief that learnt from `last` answers should learn again from `now`.

    >>> due(0, 20), due(20, 22), due(20, 23)
    (True, False, True)
    """
    return now > 0 and now >= GROWTH * last


def taught(rounds: IntArray) -> int:
    """How many of the answers, given the round of each, a belief has learnt from: `due` after each round.

    >>> taught(np.array([0] * 20 + [1] * 2 + [2] * 2 + [3] * 2))
    24
    """
    last = 0
    for end in [*(np.flatnonzero(np.diff(rounds)) + 1).tolist(), len(rounds)]:
        last = end if due(last, end) else last
    return last


def first(answers: Answers, count: int) -> Answers:
    """The first `count` answers.

    >>> first(Answers().extended([4, 7], [0, 1], round=0, propensities=[0.1, 0.1]), 1).items.tolist()
    [4]
    """
    return Answers(answers.items[:count], answers.labels[:count], answers.rounds[:count], answers.propensities[:count])


class Learner:
    """A belief that relearns in time; what it believes is a function of the answers alone, not of earlier calls."""

    def __init__(self, pool: Pool, make: BeliefMaker | None) -> None:
        self.pool, self.make = pool, make
        self._belief, self._seen = make_belief(pool, make), Answers()

    def after(self, answers: Answers) -> Belief:
        """What is believed after these answers; the latest of them may not have been learnt from yet."""
        seen = first(answers, taught(answers.rounds))
        if same_answers(seen, self._seen):
            return self._belief
        if len(seen) == 0:
            self._belief = make_belief(self.pool, self.make)
        else:
            self._belief.fit(seen.items, seen.labels)
        self._seen = seen
        return self._belief


def same_answers(one: Answers, other: Answers) -> bool:
    """The same items with the same labels, in the same order."""
    return np.array_equal(one.items, other.items) and np.array_equal(one.labels, other.labels)


def goes_on(before: Answers, after: Answers) -> bool:
    """Whether `after` is `before` and then further rounds, so that what followed from `before` still holds.

    >>> one = Answers().extended([4], [0], round=0, propensities=[0.1])
    >>> goes_on(one, one.extended([5], [0], 1, [0.1])), goes_on(one, one.extended([5], [0], 0, [0.1]))
    (True, False)
    """
    known = len(before)
    same_round = 0 < known < len(after) and after.rounds[known] == after.rounds[known - 1]
    return not same_round and same_answers(before, first(after, known))


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


def believed_confusion(pool: Pool, answers: Answers, belief: Belief) -> FloatArray:
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


def everything_labelled(job: Job, answers: Answers, level: float) -> list[Estimate] | None:
    """The exact metrics, once there is nothing left to estimate."""
    if len(answers) < job.pool.size:
        return None
    return on_answers(job.metrics, answers.confusion(job.pool), job.pool.size, level)


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
