"""Dawid and Skene (1979): whose answers are how good, and what each item's label is, found together from votes alone.

Annotator j says a where the label is y with the chance theta_j(a | y); labels have the shares rho. From the votes' own
majority on, two steps in turn: labels given the thetas, thetas given the labels. Each theta has the prior of somebody
who is usually right, worth a few answers: who answered little is judged by everybody together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altmas.metrics.types import FloatArray, IntArray

STEPS, CLOSE = 50, 1e-6
PRIOR_RIGHT, PRIOR_ANSWERS = 0.9, 4.0
"""Annotators are right this often, before they are known: a belief worth so many answers of each class."""

MOST_CLASSES = 50
"""Up to so many classes every annotator has a confusion of their own; beyond, one share of right answers."""


@dataclass(frozen=True, eq=False)
class Consensus:
    """`posterior [n, C]` of each item's label, and how often each annotator is right, `skill [J]`."""

    posterior: FloatArray
    skill: FloatArray


def dawid_skene(items: IntArray, people: IntArray, labels: IntArray, classes: int) -> Consensus:
    """From votes, each an item, a person and a label, all numbered from 0.

    >>> items, people = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    >>> found = dawid_skene(items, people, np.array([1, 1, 0, 0, 0, 0]), 2)
    >>> found.posterior.argmax(1).tolist(), bool(found.skill[0] > found.skill[2])
    ([1, 0], True)
    """
    size, persons = int(items.max(initial=-1)) + 1, int(people.max(initial=-1)) + 1
    posterior = np.zeros((size, classes))
    np.add.at(posterior, (items, labels), 1.0)
    posterior /= np.maximum(posterior.sum(1, keepdims=True), 1.0)
    estimate = _confusions if classes <= MOST_CLASSES else _skills
    for _ in range(STEPS):
        shares = np.log((posterior.sum(0) + 1.0 / classes) / (size + 1.0))
        said = estimate(posterior, items, people, labels, persons)  # [votes, C]: log of the chance of what was said
        odds = np.tile(shares, (size, 1))
        np.add.at(odds, items, said)
        new = np.exp(odds - odds.max(1, keepdims=True))
        new /= new.sum(1, keepdims=True)
        moved, posterior = float(np.abs(new - posterior).max(initial=0.0)), new
        if moved < CLOSE:
            break
    right = np.bincount(people, posterior[items, labels], persons) + PRIOR_RIGHT * PRIOR_ANSWERS
    return Consensus(posterior, right / (np.bincount(people, minlength=persons) + PRIOR_ANSWERS))


def _confusions(posterior: FloatArray, items: IntArray, people: IntArray, labels: IntArray, persons: int) -> FloatArray:
    """log theta_j(a | y) of every vote, for every label y `[votes, C]`; a confusion for each annotator."""
    classes = posterior.shape[1]
    wrong = (1 - PRIOR_RIGHT) / max(classes - 1, 1)
    prior = np.full((classes, classes), wrong) + (PRIOR_RIGHT - wrong) * np.eye(classes)
    together = np.zeros((classes, classes))  # [a, y]
    np.add.at(together, labels, posterior[items])
    usual = (together + PRIOR_ANSWERS * prior) / (together.sum(0) + PRIOR_ANSWERS)
    own = np.zeros((persons, classes, classes))  # [j, a, y]
    np.add.at(own, (people, labels), posterior[items])
    theta = (own + PRIOR_ANSWERS * usual) / (own.sum(1, keepdims=True) + PRIOR_ANSWERS)
    return np.asarray(np.log(theta[people, labels]))


def _skills(posterior: FloatArray, items: IntArray, people: IntArray, labels: IntArray, persons: int) -> FloatArray:
    """The same where each annotator is right with one chance, and wrong in every way alike."""
    classes = posterior.shape[1]
    right = np.bincount(people, posterior[items, labels], persons) + PRIOR_RIGHT * PRIOR_ANSWERS
    skill = right / (np.bincount(people, minlength=persons) + PRIOR_ANSWERS)
    out = np.repeat(np.log((1 - skill[people]) / max(classes - 1, 1))[:, None], classes, axis=1)
    out[np.arange(len(labels)), labels] = np.log(skill[people])
    return out
