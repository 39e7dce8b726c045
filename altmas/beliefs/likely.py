"""What an answer makes of its item's label: L_i, learnt from the answers that experts read.

Whether the answer a_i is right is a logistic regression on what was believed of it before, on how far other annotators
agreed, on the class that was answered and on who answered; a wrong one's label is split as second readings of that
answer have it, and as the belief has it. It is fitted out of fold: no reading has a say in what is believed of its own
item. An annotator who is right with chance s where wrong answers are alike has the odds

    P(a right) / P(a wrong) = (pi(a) / (1 - pi(a))) (C - 1) s / (1 - s),

so the prior has the slope 1 on the log odds of pi(a), and the intercept of somebody who is right 95 times in 100.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from altmas.core.answers import Answers, Votes
from altmas.metrics.types import BoolArray, FloatArray, IntArray

USUALLY_RIGHT = 0.95
INTERCEPT_SD, SLOPE_SD, VOTE, VOTE_SD, EFFECT_SD = 1.5, 0.35, 0.5, 0.5, 0.7
"""Deviations of the intercept and the slope; the slope on the votes and its deviation; that of a class or a person."""

SPLIT = 2.0
"""The belief's split of a wrong answer's labels counts as much as so many readings of that answer."""

READINGS_OF_EFFECT = 2
"""A class or a person has an effect of its own from so many readings on."""

READ_WEIGHTING = 0.5
"""A reading teaches by the inverse of its chance to this power: 1 is full weighting."""

SUREST = 1e-4


@dataclass(frozen=True, eq=False)
class Heard:
    """What is known of each answer besides its label: `vote [n]`, the log odds that votes alone give it, and `people`.

    `people [n, J]` has each annotator's share in the answer. Nothing is known where one annotator answered all.
    """

    vote: FloatArray
    people: FloatArray

    @classmethod
    def of(cls, votes: Votes | None, answers: Answers, classes: int) -> Heard:
        """From what each annotator said; nothing is known where there was one."""
        from altmas.surrogates.annotators.dawid_skene import dawid_skene

        none = cls(np.zeros(len(answers)), np.zeros((len(answers), 0)))
        if votes is None or not len(votes.items):
            return none
        persons = int(votes.people.max()) + 1
        place = {int(item): row for row, item in enumerate(answers.items)}
        rows = np.array([place.get(int(item), -1) for item in votes.items])
        heard = rows >= 0
        if persons < 2 or not heard.any():
            return none
        rows, who, said = rows[heard], votes.people[heard], votes.labels[heard]
        people = np.zeros((len(answers), persons))
        mine = said == answers.labels[rows]
        np.add.at(people, (rows[mine], who[mine]), 1.0)
        people /= np.maximum(people.sum(1, keepdims=True), 1.0)
        vote = np.zeros(len(answers))
        if (several := np.bincount(rows, minlength=len(answers)) > 1).any():
            posterior = dawid_skene(rows, who, said, classes).posterior
            posterior = np.pad(posterior, ((0, len(answers) - len(posterior)), (0, 0)))
            sure = np.clip(posterior[np.arange(len(answers)), answers.labels], SUREST, 1 - SUREST)
            vote = np.where(several, logit(sure), 0.0)
            vote -= vote.mean()
        return cls(vote, people)


def likely(
    believed: FloatArray,
    answered: IntArray,
    heard: Heard,
    read: BoolArray,
    labels: IntArray,
    weights: FloatArray,
    fold: IntArray,
    *,
    as_shown: bool = True,
) -> FloatArray:
    """L `[n, C]` of every answer, given the belief about its item `[n, C]`, and those that were read with their labels.

    With `as_shown`, answers are taken as they are while no reading outside the fold differed from its answer; without
    it, as the prior has it: that is for choosing what to read.
    """
    out = np.empty_like(believed)
    for k in np.unique(fold):
        inside, taught = fold == k, read & (fold != k)
        if as_shown and (labels[taught] == answered[taught]).all():
            out[inside] = np.eye(believed.shape[1])[answered[inside]]
        else:
            out[inside] = _learnt(believed, answered, heard, taught, labels, weights, inside)
    return out


def _learnt(
    believed: FloatArray,
    answered: IntArray,
    heard: Heard,
    taught: BoolArray,
    labels: IntArray,
    weights: FloatArray,
    wanted: BoolArray,
) -> FloatArray:
    from altmas.surrogates.outputs.logistic import fit_logistic

    classes = believed.shape[1]
    rows = np.arange(len(answered))
    before = np.clip(believed[rows, answered], SUREST, 1 - SUREST)
    x = [np.ones(len(rows)), np.log(before / (1 - before)), heard.vote]
    mean = [np.log(USUALLY_RIGHT / (1 - USUALLY_RIGHT) * max(classes - 1, 1)), 1.0, VOTE]
    sd = [INTERCEPT_SD, SLOPE_SD, VOTE_SD]
    counts = np.bincount(answered[taught], minlength=classes)
    effects = [(answered == c).astype(float) for c in np.flatnonzero(counts >= READINGS_OF_EFFECT)]
    effects += [one for one in heard.people.T if one[taught].sum() >= READINGS_OF_EFFECT]
    x, mean, sd = [*x, *effects], [*mean, *[0.0] * len(effects)], [*sd, *[EFFECT_SD] * len(effects)]
    design = np.stack(x, axis=1)
    right = (labels == answered).astype(float)
    share = weights[taught] / max(float(weights[taught].mean()), 1e-300) if taught.any() else None
    found = fit_logistic(design[taught], right[taught], np.array(mean), np.array(sd), share)
    p = np.clip(expit(design[wanted] @ found.coefficients), SUREST, 1 - SUREST)
    return _split(believed[wanted], answered[wanted], p, _wrong(answered, labels, taught, classes))


def _wrong(answered: IntArray, labels: IntArray, taught: BoolArray, classes: int) -> dict[int, FloatArray]:
    """How often each label was read where an answer was wrong, by answer."""
    wrong = taught & (labels != answered)
    return {
        int(a): np.bincount(labels[wrong & (answered == a)], minlength=classes).astype(float)
        for a in np.unique(answered[wrong])
    }


def _split(believed: FloatArray, answered: IntArray, right: FloatArray, read: dict[int, FloatArray]) -> FloatArray:
    rows = np.arange(len(answered))
    rest = believed.copy()
    rest[rows, answered] = 0.0
    total = rest.sum(1, keepdims=True)
    even = 1.0 / max(rest.shape[1] - 1, 1)
    rest = np.where(total > 0, rest / np.where(total > 0, total, 1.0), even)
    for a, counts in read.items():
        mine = answered == a
        rest[mine] = (counts + SPLIT * rest[mine]) / (counts.sum() + SPLIT)
    rest[rows, answered] = 0.0
    rest /= np.maximum(rest.sum(1, keepdims=True), 1e-300)
    out = (1 - right)[:, None] * rest
    out[rows, answered] = right
    return out
