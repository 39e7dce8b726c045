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
    """`answered [N]`, the chance of an answer, and `kept [N, C]`, what it is for each label."""

    answered: FloatArray
    kept: FloatArray

    def believed(self, probabilities: FloatArray) -> FloatArray:
        """The belief about items, answered or not `[N, C]`, from that about answered ones."""
        whole = probabilities / self.kept
        return np.asarray(whole / whole.sum(1, keepdims=True))


def response(
    pool: Pool, probabilities: FloatArray, asked: IntArray, labels: IntArray, late: BoolArray, fold: IntArray
) -> Response:
    """The chances, given the questions asked, their labels (-1 without one), and which were skipped at first.

    >>> pool = Pool.build([0, 1] * 50)
    >>> labels = np.where(np.arange(40) % 4 == 3, -1, np.arange(40) % 2)
    >>> even = np.full((100, 2), 0.5)
    >>> made = response(pool, even, np.arange(40), labels, np.zeros(40, dtype=bool), np.arange(100) % 5)
    >>> made.answered.round(2).min(), made.answered.round(2).max()
    (np.float64(0.75), np.float64(0.75))
    """
    size, classes = probabilities.shape
    right = np.zeros((size, classes + 1))
    for one in pool.outputs:
        right[np.arange(size), one.predictions] += 1
    wrong = 1 - right[:, :classes] / len(pool.outputs)
    mine = np.concatenate([probabilities, np.zeros((size, 1))], axis=1)[np.arange(size), pool.predictions]
    before = logit(np.clip(mine, 1e-3, 1 - 1e-3))
    x = np.stack([np.ones(size), before - before[asked].mean(), *_groups(pool, asked)], axis=1)
    kept = np.empty((size, classes))
    for k in np.unique(fold):
        others, inside = fold[asked] != k, fold == k
        found, again = _coefficients(x, wrong, probabilities, asked[others], labels[others], late[others])
        odds = x[inside] @ found[1:]
        kept[inside] = 1 - (1 - again) * _skipped(odds[:, None] + found[0] * wrong[inside])
    kept = np.maximum(kept, 1 - MOST_SKIPPED)
    return Response(1 / (probabilities / kept).sum(1), kept)


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
    x: FloatArray, wrong: FloatArray, probabilities: FloatArray, asked: IntArray, labels: IntArray, late: BoolArray
) -> tuple[FloatArray, float]:
    """g, a, b and the groups' effects, most probable; and what share of the skipped was answered after all."""
    missing = labels < 0
    skipped = missing | late
    again = float(late.sum() / max(skipped.sum(), 1))
    rate = float(np.clip(skipped.mean(), 1e-3, MOST_SKIPPED)) if len(asked) else MOST_SKIPPED / 2
    told = late.sum() >= LATE_ANSWERS
    sd = np.array([LABEL_SD, LEVEL_SD, BELIEF_SD_TOLD if told else BELIEF_SD, *[GROUP_SD] * (x.shape[1] - 2)])
    mean = np.zeros(len(sd))
    mean[1] = logit(rate)
    if not skipped.any():
        return np.where(np.arange(len(sd)) == 1, -20.0, 0.0), again
    # Labels of one share of wrong models have one chance: their probabilities are added up.
    levels, place = np.unique(wrong[asked], return_inverse=True)
    place = place.reshape(len(asked), -1)
    mass = np.zeros((len(asked), len(levels)))
    np.add.at(mass, (np.arange(len(asked))[:, None], place), probabilities[asked])
    rows, own = np.arange(len(asked)), place[np.arange(len(asked)), np.maximum(labels, 0)]
    design = x[asked]

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
