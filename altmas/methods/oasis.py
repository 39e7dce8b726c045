"""OASIS: adaptive importance sampling of strata for the F-measure of one class (Marchant and Rubinstein 2017)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altmas.core.answers import Answers
from altmas.core.checks import fraction, whole_number
from altmas.core.estimates import Estimate
from altmas.core.method import Job, Run
from altmas.core.policies import Choice, uniform
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.methods.stratified import by_prediction, numbered
from altmas.methods.weighted import (
    SamplingRun,
    linearised,
    normal,
    weighted_tally,
)
from altmas.metrics import Metric
from altmas.metrics.errors import InputError
from altmas.metrics.types import BoolArray, FloatArray, IntArray

PRIOR_STRENGTH = 2.0
"""Pseudo-answers per stratum at its mean score; they fade as 1/answers, as in its authors' program."""

BINS_PER_STRATUM = 20
"""Equal-width bins of the score from which cum-sqrt(F) strata are put together."""


@dataclass(frozen=True)
class Oasis:
    """Draw strata where the F-measure's variance comes from, with replacement; an item drawn again costs nothing.

    The class is that of the job's first per-class metric, or the second of two; without one, accuracy decides where
    to draw. `alpha` is the weight of precision in F (1: precision, 0: recall), `epsilon` the share of uniform draws.
    """

    strata: int = 30
    alpha: float = 0.5
    epsilon: float = 1e-3
    name: str = "oasis"

    def begin(self, job: Job) -> Run:
        """Cut the pool into strata."""
        whole_number("strata", self.strata, 1)
        fraction("epsilon", self.epsilon)
        if not 0 <= self.alpha <= 1:
            raise InputError("alpha", "be between 0 and 1", repr(self.alpha))
        return OasisRun(job, self)


class OasisRun(SamplingRun):
    """Adaptive importance sampling at work. `drawn` and `weights` hold every draw, repeated ones included."""

    def __init__(self, job: Job, recipe: Oasis) -> None:
        super().__init__(job)
        self.recipe = recipe
        self.strata = Strata.of(job.pool, class_of_interest(job.pool, job.metrics), recipe.strata)
        self.labels = np.full(job.pool.size, -1)  # -1: not known
        self.drawn: IntArray = np.zeros(0, np.int64)
        self.weights: FloatArray = np.zeros(0)

    def update(self, answers: Answers, round: int) -> None:
        """Draw each new round again, repeated draws and all: it follows from the seed and the answers before it."""
        if not answers.goes_on_from(self.answers):
            self._forget()
        for number, until in answers.by_round(len(self.answers)):
            new = until.at(slice(len(self.answers), None))
            items, weights = self._drawn(new.items, new.propensities, number)
            self.drawn, self.weights = np.append(self.drawn, items), np.append(self.weights, weights)
            self.labels[new.items] = new.labels
            self.answers = until
        self.answers, self.round = answers, round

    def choose_next(self, count: int) -> Choice:
        """Draw until `count` new items have come up."""
        chances = self.instrument()
        items, new, rng = self._draws(chances, count, self.round)
        chosen = Choice(items[new], self.strata.of_item(chances / self.strata.sizes, items[new]))
        if len(chosen.items) == count:
            return chosen
        # The draws come up with known items only: the rest is asked about uniformly, and is no part of the draws.
        left = np.setdiff1d(self.answers.unlabelled(self.job.pool), chosen.items)
        more = uniform(left, count - len(chosen.items), rng)
        return Choice(np.append(chosen.items, more.items), np.append(chosen.propensities, more.propensities))

    def estimate_open(self, metrics: tuple[Metric, ...], level: float) -> list[Estimate]:
        """N sum(u e) / sum(u), with the delta method's error of such a ratio."""
        values, slopes = linearised(metrics, self.confusion())
        influence = slopes[:, self.labels[self.drawn], self.job.pool.predictions[self.drawn]]
        errors = self.job.pool.size * ratio_error(influence, self.weights)
        return normal(metrics, values, errors, len(self.answers), level)

    def confusion(self) -> FloatArray:
        """The weighted draws' cells, scaled to the pool."""
        labels = self.labels[self.drawn]
        cells = weighted_tally(self.job.pool, self.drawn, labels, self.weights)
        return np.asarray(cells * (self.job.pool.size / self.weights.sum()))

    def instrument(self) -> FloatArray:
        """Probability of each stratum in the next draw."""
        strata, share = self.strata, self.strata.sizes / self.strata.sizes.sum()
        known = np.flatnonzero(self.labels >= 0)
        p = strata.posterior_mean(known, strata.positive(self.job.pool, known, self.labels[known]))
        if strata.target is None:
            optimal = share * np.sqrt(p * (1 - p))
        else:
            f = self._f_measure(share, p)
            optimal = optimal_for_f(share, strata.said, p, f, self.recipe.alpha)
        total = optimal.sum()
        optimal = optimal / total if total > 0 else share
        return np.asarray((1 - self.recipe.epsilon) * optimal + self.recipe.epsilon * share)

    def _f_measure(self, share: FloatArray, p: FloatArray) -> float:
        """F of the draws; where they have no hit yet, of the posterior means."""
        y = self.labels[self.drawn] == self.strata.target
        a = self.job.pool.predictions[self.drawn] == self.strata.target
        f = f_measure(self.weights, y, a, self.recipe.alpha)
        if f > 0:
            return f
        hit, said, true = (share * p * self.strata.said).sum(), (share * self.strata.said).sum(), (share * p).sum()
        below = self.recipe.alpha * said + (1 - self.recipe.alpha) * true
        return float(np.clip(hit / below, 1e-10, 1 - 1e-10)) if below > 0 else 0.5

    def _drawn(self, items: IntArray, propensities: FloatArray, number: int) -> tuple[IntArray, FloatArray]:
        """All draws of a round that ended in these answers, and their weights u = w_k / v_k."""
        if len(self.answers) == 0:
            return items, np.ones(len(items))  # drawn uniformly: v = w
        chances = self.instrument()
        drawn, new, _ = self._draws(chances, len(items), number)
        if not np.isin(drawn[new], items).all():  # not our own draws: take the answers as they were logged
            return items, 1 / (self.job.pool.size * propensities)
        share = self.strata.sizes / self.job.pool.size
        return drawn, self.strata.of_item(share / chances, drawn)

    def _draws(self, chances: FloatArray, count: int, number: int) -> tuple[IntArray, BoolArray, np.random.Generator]:
        rng = stream(self.job.seed, "round", number, "draw")
        items, new = draw_until_new(self.strata, chances, self.labels >= 0, count, rng)
        return items, new, rng

    def _forget(self) -> None:
        self.answers, self.labels = Answers(), np.full_like(self.labels, -1)
        self.drawn, self.weights = np.zeros(0, np.int64), np.zeros(0)


class Strata:
    """Items by stratum, with what each stratum is believed to hold before any answer."""

    def __init__(self, pool: Pool, target: int | None, number: IntArray, guess: FloatArray | None) -> None:
        self.target, self.number = target, number
        self.sizes = np.bincount(number)
        self.order = np.argsort(number, kind="stable")
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        self.said = self.mean((pool.predictions == target).astype(np.float64))
        self.guess = np.full(len(self.sizes), 0.5) if guess is None else np.clip(self.mean(guess), 0.0, 1.0)

    @classmethod
    def of(cls, pool: Pool, target: int | None, goal: int) -> Strata:
        """By the score of the class of interest, or of being right; by prediction where there are no scores."""
        score = pool.confidence if target is None else class_score(pool, target)
        number = by_prediction(pool, goal) if score is None else cum_sqrt_f(score, goal)
        return cls(pool, target, numbered(number), score if pool.probable else None)

    def mean(self, values: FloatArray) -> FloatArray:
        """Mean within each stratum."""
        return np.asarray(np.bincount(self.number, values) / self.sizes)

    def of_item(self, values: FloatArray, items: IntArray) -> FloatArray:
        """A stratum's value for each item."""
        return np.asarray(values[self.number[items]])

    def positive(self, pool: Pool, items: IntArray, labels: IntArray) -> BoolArray:
        """Of the class of interest; without one, predicted right."""
        return np.asarray(labels == (pool.predictions[items] if self.target is None else self.target))

    def posterior_mean(self, items: IntArray, positive: BoolArray) -> FloatArray:
        """Beta posterior mean of each stratum's share of positives."""
        have = np.bincount(self.number[items], minlength=len(self.sizes))
        yes = np.bincount(self.number[items[positive]], minlength=len(self.sizes))
        prior = PRIOR_STRENGTH / np.maximum(have, 1)
        return np.asarray((yes + prior * self.guess) / (have + prior))


def class_of_interest(pool: Pool, metrics: tuple[Metric, ...]) -> int | None:
    """The class of the first metric named after one, the second class of two, or none.

    >>> from altmas.metrics import metrics_named
    >>> class_of_interest(Pool.build(list("abc")), tuple(metrics_named(["accuracy", "f1:c"], "abc")))
    2
    """
    names = [str(one) for one in pool.classes]
    for metric in metrics:
        _, colon, name = metric.name.partition(":")
        if colon and name in names:
            return names.index(name)
    return 1 if len(names) == 2 else None


def class_score(pool: Pool, target: int) -> FloatArray | None:
    """Score of one class `[N]`. A lone confidence in another class leaves an equal part of the rest to this one.

    >>> class_score(Pool.build([0, 1], scores=[0.9, 0.6]), 1).round(3).tolist()
    [0.1, 0.6]
    """
    said = pool.predictions == target
    if pool.scores is None:
        return np.asarray(said, dtype=np.float64)
    if pool.scores.ndim == 2:
        return np.asarray(pool.scores[:, target])
    rest = (1 - pool.scores) / (len(pool.classes) - 1) if pool.probable else -pool.scores
    return np.asarray(np.where(said, pool.scores, rest))


def cum_sqrt_f(score: FloatArray, goal: int) -> IntArray:
    """Stratum of each item: equal steps of the cumulated square root of the score's histogram (Dalenius and Hodges).

    A bin goes by its middle, so that a crowded bin is a stratum of its own.

    >>> cum_sqrt_f(np.array([0.0] * 16 + [0.5, 0.9, 1.0]), 3).tolist()[-4:]
    [0, 1, 2, 2]
    """
    bins = goal * BINS_PER_STRATUM
    width = np.ptp(score)
    place = np.minimum((score - score.min()) / width * bins, bins - 1).astype(np.int64) if width > 0 else 0 * score
    roots = np.sqrt(np.bincount(place.astype(np.int64), minlength=bins))
    ends = np.cumsum(roots)
    step = np.minimum((ends - roots / 2) / ends[-1] * goal, goal - 1).astype(np.int64)
    return numbered(step[place.astype(np.int64)])


def optimal_for_f(share: FloatArray, said: FloatArray, p: FloatArray, f: float, alpha: float) -> FloatArray:
    """v*_k ~ w_k sqrt(l_k [a^2 F^2 (1-p_k) + (1-F)^2 p_k] + (1-l_k) (1-a)^2 F^2 p_k).

    >>> optimal_for_f(np.array([0.5]), np.array([1.0]), np.array([0.5]), 0.5, 0.5).round(4).tolist()
    [0.1976]
    """
    if_said = alpha**2 * f**2 * (1 - p) + (1 - f) ** 2 * p
    if_not = (1 - alpha) ** 2 * f**2 * p
    return np.asarray(share * np.sqrt(said * if_said + (1 - said) * if_not))


def f_measure(weights: FloatArray, y: BoolArray, a: BoolArray, alpha: float) -> float:
    """F = sum(u y A) / (alpha sum(u A) + (1 - alpha) sum(u y)); 0 where nothing is true or predicted.

    >>> f_measure(np.array([1.0, 2.0, 1.0]), np.array([True, True, False]), np.array([True, False, True]), 0.5)
    0.4
    """
    below = alpha * (weights * a).sum() + (1 - alpha) * (weights * y).sum()
    return float((weights * (y & a)).sum() / below) if below > 0 else 0.0


def ratio_error(influence: FloatArray, weights: FloatArray) -> FloatArray:
    """Standard error `[K]` of sum(u g)/sum(u) over independent draws: sqrt(sum u^2 (g - mean)^2) / sum(u).

    >>> ratio_error(np.array([[0.0, 1.0]]), np.ones(2)).round(4).tolist()
    [0.3536]
    """
    if len(weights) < 2:
        return np.full(len(influence), np.inf)
    mean = (influence * weights).sum(1, keepdims=True) / weights.sum()
    return np.asarray(np.sqrt((np.square(weights) * np.square(influence - mean)).sum(1)) / weights.sum())


def draw_until_new(
    strata: Strata, chances: FloatArray, known: BoolArray, count: int, rng: np.random.Generator
) -> tuple[IntArray, BoolArray]:
    """Draws with replacement until `count` items not known have come up, and which draws were their first.

    Repeated draws cost nothing but time: after 100 draws per item wanted, and 1,000 more, it ends with what it has.
    """
    most, items = 100 * count + 1000, np.zeros(0, np.int64)
    while True:
        more = min(2 * count + 100, most - len(items))
        which = rng.choice(len(chances), more, p=chances / chances.sum())
        place = (rng.random(more) * strata.sizes[which]).astype(np.int64)
        items = np.append(items, strata.order[strata.starts[which] + place])
        new = np.zeros(len(items), dtype=bool)
        new[np.unique(items, return_index=True)[1]] = True
        new &= ~known[items]
        if new.sum() >= count:
            end = int(np.flatnonzero(new)[count - 1]) + 1
            return items[:end], new[:end]
        if len(items) >= most:
            return items, new
