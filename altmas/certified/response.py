"""Who answers what: the chance of an answer, by what the label would have been.

Annotators skip what is hard, and what is hard the model gets wrong more often: the answers that came are too good. The
chance s of a question to stay unanswered is taken to be

    logit s_i(y) = a + b x_i + g w_i(y) + the item's groups,

with w_i(y) the share of the models that are wrong if y is the label, and x_i the log odds that the belief gives the
prediction. Nothing in the answers that came tells the effect g of the label itself from the effect b of what is
believed of it; annotators see neither the prediction nor the belief, so that b is held near 0, until answers to
questions that were skipped at first tell. The belief pi' was learnt from items that were answered, so that P(answered)
is the harmonic mean 1 / sum_y pi'_i(y) / (1 - s_i(y)); the coefficients are the most probable ones given who answered,
found out of fold. An answer y then counts for 1 / (1 - s_i(y)) items, at most five, and the belief about all items,
answered or not, is pi_i(y) proportional to pi'_i(y) / (1 - s_i(y)). It is a model, and may be wrong: intervals span the
worst and the best case besides (`altmas.certified.missing`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from altmas.core.pool import Pool
from altmas.metrics.belief import Belief, Single
from altmas.metrics.types import BoolArray, FloatArray, IntArray

MOST_SKIPPED = 0.8
"""No question is likelier to be skipped: an answer stands for at most five items."""

LEVEL_SD, LABEL_SD, GROUP_SD = 2.0, 1.5, 0.5
BELIEF_SD, BELIEF_SD_TOLD = 0.02, 1.0
"""Deviations of the priors: of a, g and a group's effect, and of b, until enough answers came late and after."""

LATE_ANSWERS = 5
"""So many answers to questions that were skipped at first tell the label's effect from that of what is believed."""

MOST_GROUPS, LEAST_MEMBERS = 12, 5


@dataclass(frozen=True, eq=False)
class Response:
    """The chance of an answer: `answered [N]` as believed, and what it is for each label.

    All labels of an item that no model said have the chance `rest [N]`; `said` are those that some model did, each with
    its own, and with nothing to say where a model before it said the same.
    """

    answered: FloatArray
    rest: FloatArray
    said: tuple[Single, ...]

    def kept(self, items: IntArray, labels: IntArray) -> FloatArray:
        """The chance of an answer, for items with these labels."""
        found = self.rest[items]
        for one in self.said:
            here = (one.label[items] == labels) & (one.mass[items] > 0)
            found = np.where(here, one.mass[items], found)
        return found

    def believed(self, belief: Belief) -> Belief:
        """The belief about items, answered or not, from that about answered ones."""
        more = (
            Single(one.label, belief.chance(one.label) * self.answered * _above(one, self.rest)) for one in self.said
        )
        return belief.scaled(self.answered / self.rest).plus(*more)


def _above(one: Single, rest: FloatArray) -> FloatArray:
    """How much more an answer with what a model said counts for than one that nobody said `[N]`."""
    some = one.mass > 0
    return np.where(some, 1 / np.where(some, one.mass, 1.0) - 1 / rest, 0.0)


def response(
    pool: Pool, belief: Belief, asked: IntArray, labels: IntArray, late: BoolArray, fold: IntArray
) -> Response:
    """The chances, given the questions asked, their labels (-1 without one), and which were skipped at first.

    >>> pool = Pool.build([0, 1] * 50)
    >>> labels = np.where(np.arange(40) % 4 == 3, -1, np.arange(40) % 2)
    >>> even = Belief.even(100, 2)
    >>> made = response(pool, even, np.arange(40), labels, np.zeros(40, dtype=bool), np.arange(100) % 5)
    >>> made.answered.round(2).min(), made.answered.round(2).max()
    (np.float64(0.75), np.float64(0.75))
    """
    size, classes, models = pool.size, len(pool.classes), [one.predictions for one in pool.outputs]
    before = logit(np.clip(belief.chance(pool.predictions), 1e-3, 1 - 1e-3))
    x = np.stack([np.ones(size), before - before[asked].mean(), *_groups(pool, asked)], axis=1)
    right = np.zeros((len(asked), classes + 1))
    for one in models:
        right[np.arange(len(asked)), one[asked]] += 1
    wrong, probabilities = 1 - right[:, :classes] / len(models), belief.at(asked).rows()
    odds, again, slope = np.empty(size), np.empty(size), np.empty(size)
    for k in np.unique(fold):
        others, inside = fold[asked] != k, fold == k
        found, again[inside] = _coefficients(
            x[asked[others]], wrong[others], probabilities[others], labels[others], late[others]
        )
        odds[inside], slope[inside] = x[inside] @ found[1:], found[0]

    def kept(share: FloatArray | float) -> FloatArray:
        """For labels that such a share of the models has wrong."""
        return np.asarray(np.maximum(1 - (1 - again) * _skipped(odds + slope * share), 1 - MOST_SKIPPED))

    rest, said = kept(1.0), []
    for place, one in enumerate(models):
        first = (one < classes) & ~np.logical_or.reduce([one == other for other in models[:place]])
        agreeing = np.sum([one == other for other in models], axis=0)
        said.append(Single(one, np.where(first, kept(1 - agreeing / len(models)), 0.0)))
    whole = 1 / rest + sum(belief.chance(one.label) * _above(one, rest) for one in said)
    return Response(1 / whole, rest, tuple(said))


def _skipped(odds: FloatArray) -> FloatArray:
    return np.asarray(np.minimum(expit(odds), MOST_SKIPPED))


def _groups(pool: Pool, asked: IntArray) -> list[FloatArray]:
    """A column for each of the commonest values of the groups, centred."""
    found: list[tuple[int, FloatArray]] = []
    for values in pool.groups.values():
        names, counts = np.unique(values[asked].astype(str), return_counts=True)
        common = [pair for pair in zip(names, counts, strict=True) if LEAST_MEMBERS <= pair[1] < len(asked)]
        text = values.astype(str)
        found += [(int(count), (text == name) - float((text[asked] == name).mean())) for name, count in common]
    found.sort(key=lambda one: -one[0])
    return [column for _, column in found[:MOST_GROUPS]]


def _coefficients(
    design: FloatArray, wrong: FloatArray, probabilities: FloatArray, labels: IntArray, late: BoolArray
) -> tuple[FloatArray, float]:
    """g, a, b and the groups' effects, most probable; and what share of the skipped was answered after all."""
    missing = labels < 0
    skipped = missing | late
    again = float(late.sum() / max(skipped.sum(), 1))
    rate = float(np.clip(skipped.mean(), 1e-3, MOST_SKIPPED)) if len(labels) else MOST_SKIPPED / 2
    told = late.sum() >= LATE_ANSWERS
    sd = np.array([LABEL_SD, LEVEL_SD, BELIEF_SD_TOLD if told else BELIEF_SD, *[GROUP_SD] * (design.shape[1] - 2)])
    mean = np.zeros(len(sd))
    mean[1] = logit(rate)
    if not skipped.any():
        return np.where(np.arange(len(sd)) == 1, -20.0, 0.0), again
    # Labels of one share of wrong models have one chance: their probabilities are added up.
    levels, place = np.unique(wrong, return_inverse=True)
    place = place.reshape(len(labels), -1)
    mass = np.zeros((len(labels), len(levels)))
    rows = np.arange(len(labels))
    np.add.at(mass, (rows[:, None], place), probabilities)
    own = place[rows, np.maximum(labels, 0)]

    def loss(theta: FloatArray) -> float:
        first = _skipped((design @ theta[1:])[:, None] + theta[0] * levels)
        kept = 1 - (1 - again) * first
        answered = 1 / (mass / kept).sum(1)
        fit = np.where(missing, np.log(np.maximum(1 - answered, 1e-12)), np.log(answered)).sum()
        if told:  # of those answered, who had been skipped at first
            mine = first[rows, own]
            odds = np.where(late, again * mine, 1 - mine) / kept[rows, own]
            fit += np.log(np.maximum(odds[~missing], 1e-12)).sum()
        return float(0.5 * np.square((theta - mean) / sd).sum() - fit)

    return np.asarray(minimize(loss, mean, method="BFGS").x), again
