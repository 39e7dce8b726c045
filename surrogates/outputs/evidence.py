"""What the outputs of models say about each item: columns for a regression of agreement, with a prior for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.special import entr, logit, ndtri
from scipy.stats import rankdata

from altmas.metrics.belief import Belief, Single, blocks
from altmas.metrics.types import BoolArray, FloatArray, IntArray

KNOTS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Quantiles of the confidence at which the slope of its effect may change; between them the effect is linear."""

_SURE = 1e-7
"""A confidence closer than this to 0 or 1 says no more than this: beyond it is rounding, not evidence."""

FEW_OF_ALL = 8
"""Scores of at most one label in so many are those of the top few."""

_DOUBT = 1e-3
"""A learner on few answers is never surer than this."""

LEARNER = (0.0, 0.25)
"""Prior mean and deviation of the coefficients of what a learner on features says."""

SLOPE = (1.0, 0.25)
"""Prior mean and deviation of the slope on the log odds of a confidence: near 1, as for a calibrated probability."""


class ModelOutputs(Protocol):
    """What one model said about the pool's items; `altmas.core.pool.Outputs` is one."""

    @property
    def predictions(self) -> IntArray:
        """A class index per item `[N]`; C stands for an answer that is no class."""
        ...

    @property
    def scores(self) -> FloatArray | None:
        """`[N]` or `[N, C]`, if known."""
        ...

    @property
    def confidence(self) -> FloatArray | None:
        """The score of what was predicted `[N]`, if known."""
        ...

    @property
    def unscored(self) -> BoolArray | None:
        """Where a score is missing `[N]`, and the usual one stands for it; None where none is."""
        ...

    def probable_among(self, classes: int) -> bool:
        """Whether the scores can be read as probabilities of what was predicted, where there are so many classes."""
        ...


@dataclass(frozen=True, eq=False)
class Guess:
    """Scores of every label of each item, and their sums `[N]`."""

    scores: Belief
    total: FloatArray

    @classmethod
    def of(cls, scores: FloatArray) -> Guess:
        """From `[N, C]`. Where a service gave the scores of its top few labels, these are all that is held.

        >>> sure = np.zeros((2, 40))
        >>> sure[:, 3:5] = [0.7, 0.2]
        >>> len(Guess.of(sure).scores.parts), Guess.of(sure).total.round(1).tolist()
        (2, [0.9, 0.9])
        """
        given = max((int(np.count_nonzero(scores[some], axis=1).max()) for some in blocks(*scores.shape)), default=0)
        whole = cls.of_every_label(scores)
        return replace(whole, scores=_top(scores, given)) if 0 < given <= scores.shape[1] / FEW_OF_ALL else whole

    @classmethod
    def of_every_label(cls, scores: FloatArray) -> Guess:
        """The same, however many are 0: what a learner says of parts of a pool has to have one form for all of them."""
        found = Belief.dense(scores)
        return cls(found, found.expect(np.ones((scores.shape[1], 1)))[:, 0])

    def at(self, items: IntArray) -> Guess:
        """Of some items."""
        return Guess(self.scores.at(items), self.total[items])


def _top(scores: FloatArray, given: int) -> Belief:
    """The scores above 0, of which no item has more than are given."""
    size, classes = scores.shape
    labels, mass = np.empty((given, size), dtype=np.int64), np.empty((given, size))
    for some in blocks(size, classes):
        first = np.argpartition(-scores[some], given - 1, axis=1)[:, :given]
        labels[:, some], mass[:, some] = first.T, np.take_along_axis(scores[some], first, axis=1).T
    return Belief(size, classes, tuple(map(Single, labels, mass)))


@dataclass(frozen=True, eq=False)
class Evidence:
    """About one model under test: whether it is right on each item, and what the label is where it is wrong."""

    said: IntArray  # [N], C = no class
    classes: int
    columns: FloatArray  # [N, D], each with mean 0 over the pool
    prior_mean: FloatArray  # [D], of the columns' coefficients
    prior_sd: FloatArray  # [D]
    intercept: float  # prior mean of the log odds of agreement at the average item
    confidence: FloatArray  # [N], on the scale of a standard normal; zeros where there is none
    shares: FloatArray  # [C], of the predicted classes over the pool
    guesses: tuple[Guess, ...] = ()  # the model's own scores, what a learner says
    second: tuple[IntArray, ...] = ()  # what each opinion said [N]

    def with_learner(self, items: IntArray, says: FloatArray, of_pool: int) -> Evidence:
        """The evidence about some items, and what a learner on features says about them, `[n, C]`.

        It is an opinion: its log odds that the prediction is right, whether it agrees, and the log odds of the best
        other class. Each coefficient has a prior at zero, so that a learner which knows nothing changes nothing. The
        first `of_pool` items stand for the pool, over which columns have mean 0.
        """
        said = self.said[items]
        rows, real = np.arange(len(items)), said < self.classes
        place = np.minimum(said, self.classes - 1)
        right = np.where(real, says[rows, place], 0.0)
        others = says.copy()
        others[rows[real], said[real]] = 0.0
        best = others.max(1)
        build = _Columns(of_pool)
        build.add(logit(np.clip(right, _DOUBT, 1 - _DOUBT)), *LEARNER)
        build.add((right > best).astype(np.float64), *LEARNER)
        build.add(logit(np.clip(best, _DOUBT, 1 - _DOUBT)), *LEARNER)
        columns, mean, sd = build.done(len(items))
        return Evidence(
            said,
            self.classes,
            np.concatenate([self.columns[items], columns], axis=1),
            np.concatenate([self.prior_mean, mean]),
            np.concatenate([self.prior_sd, sd]),
            self.intercept,
            self.confidence[items],
            self.shares,
            (*(one.at(items) for one in self.guesses), Guess.of_every_label(says)),
            tuple(one[items] for one in self.second),
        )


def evidence_from(own: ModelOutputs, classes: int, opinions: Sequence[ModelOutputs] = ()) -> Evidence:
    """The evidence in one model's outputs and in other models' opinions on the same items.

    Confidences enter twice: as log odds, believed to matter as a calibrated probability would (slope near 1), and by
    rank, with a slope that may change at each knot, so that a confidence that is no probability can be learnt too. An
    opinion enters as agreement with the model under test, with its own confidence where it agrees and where it does
    not, and in the count of those agreeing. That a score is missing is a column of its own.

    >>> from altmas.core.pool import Outputs
    >>> evidence_from(Outputs("model", np.array([0, 1, 1]), np.array([0.9, 0.6, 0.7])), 2).columns.shape
    (3, 6)
    """
    build = _Columns()
    ranks, intercept = np.zeros(len(own.predictions)), 1.0
    if (confidence := _confidence(own)) is not None:
        ranks = normal_scores(confidence)
        odds = ranks  # of a confidence that is no probability the size means nothing, its order does
        if own.probable_among(classes):
            odds = log_odds(confidence)
            intercept = SLOPE[0] * float(odds.mean())
        build.add(odds, *SLOPE)
        build.add(ranks, 0.0, 0.7)
        for knot in ndtri(KNOTS):
            build.add(np.maximum(ranks - knot, 0.0), 0.0, 0.5)
    if own.scores is not None and own.scores.ndim == 2 and classes > 2:
        margin, entropy = _margin_and_entropy(own.scores)
        build.add(normal_scores(margin), 0.0, 0.7)
        build.add(normal_scores(-entropy), 0.0, 0.7)
    for unscored in (one.unscored for one in (own, *opinions)):
        if unscored is not None:  # that a service gave no score may itself say how hard the item is
            build.add(unscored.astype(np.float64), 0.0, 1.0)
    agreeing = np.zeros(len(own.predictions))
    for one in opinions:
        same = (one.predictions == own.predictions).astype(np.float64)
        agreeing += same
        build.add(same, 0.0, 1.0)
        if (confidence := _confidence(one)) is not None:
            sure = normal_scores(confidence)
            build.add(sure * same, 0.0, 0.5)
            build.add(sure * (1 - same), 0.0, 0.5)
    for count in range(len(opinions)):
        build.add((agreeing > count).astype(np.float64), 0.0, 1.0)
    columns, mean, sd = build.done(len(own.predictions))
    scores = (Guess.of(own.scores),) if own.scores is not None and own.scores.ndim == 2 else ()
    second = tuple(one.predictions for one in opinions)
    shares = predicted_shares(own.predictions, classes)
    return Evidence(own.predictions, classes, columns, mean, sd, intercept, ranks, shares, scores, second)


def predicted_shares(said: IntArray, classes: int) -> FloatArray:
    """How often each class was predicted `[C]`.

    >>> predicted_shares(np.array([0, 1, 1, 2]), 2).tolist()
    [0.25, 0.5]
    """
    return np.bincount(said, minlength=classes + 1)[:classes] / len(said)


def normal_scores(values: FloatArray) -> FloatArray:
    """Each value's rank, as the quantile of a standard normal; equal values share theirs.

    >>> normal_scores(np.array([3.0, 1.0, 2.0])).round(2).tolist()
    [0.97, -0.97, 0.0]
    """
    return np.asarray(ndtri((rankdata(values) - 0.5) / len(values)))


def log_odds(confidence: FloatArray) -> FloatArray:
    """Of a confidence in 0 to 1. A full 1 is taken for halfway from the next lower value there is, a 0 likewise.

    Services round: where the scale has the steps .6, .8 and 1, a 1 says no more than "above .8".

    >>> log_odds(np.array([0.6, 0.8, 1.0])).round(2).tolist()  # 1 is taken for .9
    [0.41, 1.39, 2.2]
    """
    inner = confidence[(confidence > 0) & (confidence < 1)]
    if len(inner) == 0:
        inner = np.array([0.5])
    inside = np.clip(confidence, inner.min() / 2, (1 + inner.max()) / 2)
    return np.asarray(logit(np.clip(inside, _SURE, 1 - _SURE)))


def _margin_and_entropy(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far the highest score is above the second, and the entropy of all, each `[N]`; in blocks of items."""
    margin, entropy = np.empty(len(scores)), np.empty(len(scores))
    for block in blocks(*scores.shape):
        top = np.partition(scores[block], -2, axis=1)
        margin[block], entropy[block] = top[:, -1] - top[:, -2], entr(scores[block]).sum(1)
    return margin, entropy


def _confidence(one: ModelOutputs) -> FloatArray | None:
    """The confidence `[N]`. Where no class was predicted it is the highest score: the log odds of 0 are an outlier."""
    if one.scores is None or one.scores.ndim == 1 or one.confidence is None:
        return one.confidence
    return np.where(one.predictions < one.scores.shape[1], one.confidence, one.scores.max(1))


class _Columns:
    """Collects columns with their priors; a constant column says nothing and is left out.

    The mean that is taken off is that of the first `of_pool` rows, where not all of them stand for the pool.
    """

    def __init__(self, of_pool: int | None = None) -> None:
        self.of_pool = of_pool
        self.columns: list[FloatArray] = []
        self.priors: list[tuple[float, float]] = []

    def add(self, column: FloatArray, mean: float, sd: float) -> None:
        centred = column - column[: self.of_pool].mean()
        if np.abs(centred).max() > 1e-12:
            self.columns.append(centred)
            self.priors.append((mean, sd))

    def done(self, size: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        if not self.columns:
            return np.zeros((size, 0)), np.zeros(0), np.zeros(0)
        priors = np.array(self.priors)
        return np.stack(self.columns, axis=1), priors[:, 0], priors[:, 1]
