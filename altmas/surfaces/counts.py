"""Answers per arm, as a surface's estimators take them: right and wrong, weighted where chances were unequal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.surface.affiliation import Affiliation, ArmAnswers

MOST_TIMES_KISH = 1.5
"""The answers of an arm count for at most this many times Kish's effective number of them.

With 1, arms with a single answer would be biased again; without a bound their intervals would not hold."""


@dataclass(frozen=True, eq=False)
class ArmCounts:
    """Each `[A]`: effective numbers of right and wrong answers, and how many labels there are."""

    right: FloatArray
    wrong: FloatArray
    labels: FloatArray

    @classmethod
    def of(cls, answers: ArmAnswers) -> ArmCounts:
        """The expected counts of answers whose arms may be in doubt."""
        return cls(*answers.expected(), answers.labels())


def arm_counts(
    belongs: Affiliation, arms: int, items: IntArray, right: ArrayLike, inclusion: ArrayLike | None = None
) -> ArmCounts:
    """Counts per arm, as expected, of answers weighted as by `arm_answers`."""
    return ArmCounts.of(arm_answers(belongs, arms, items, right, inclusion))


def arm_answers(
    belongs: Affiliation, arms: int, items: IntArray, right: ArrayLike, inclusion: ArrayLike | None = None
) -> ArmAnswers:
    """Labelled items, whether each was `right`, and for how much it counts by the `inclusion` of all items `[N]`.

    A policy that prefers likely errors fills arms with them, and plain counts make every arm look worse than it is. So
    an answer counts for h / p: p is its chance to have been asked about, h the harmonic mean of the chances of all
    items of its arm, asked about or not. On average the counts of an arm are then in proportion to its right and wrong
    items, and sum to Kish's effective number of labels, (sum w)^2 / sum w^2 of the weights w = 1 / p.

    They are not scaled to Kish's number of the answers that came: with one answer in an arm its weight would cancel,
    and nearly all of the bias would stay just where a surface is needed. The price is that an answer may count for more
    than one; the answers of an arm together count for at most `MOST_TIMES_KISH` times Kish's number of them, so that
    one rare answer does not pass for many.

    Equal chances within an arm give the plain counts, whatever they are, and so does `inclusion=None`: right for labels
    drawn uniformly, or uniformly within arms that exploration chose.

    From a log, the chances of items without an answer are not known (NaN). Then one h, from the answers, serves all
    arms: as unbiased, but arms asked about more than others count for less than they are worth, and those asked about
    less for up to `MOST_TIMES_KISH` times that.

    An item that belongs to arms with probabilities P(a|x) counts for each by its probability.

    >>> from altmas.surrogates.surface.affiliation import Affiliation
    >>> one_arm = Affiliation.exact(np.zeros(6, dtype=int))
    >>> found = ArmCounts.of(arm_answers(one_arm, 1, np.array([0, 5]), [1, 0], [0.2, 0.2, 0.2, 0.2, 0.2, 0.8]))
    >>> found.right.round(2), found.wrong.round(2), found.labels
    (array([1.14]), array([0.29]), array([2.]))
    """
    if inclusion is None:
        return belongs.answers(items, right, arms)
    found = belongs.answers(items, right, arms, _weights(belongs, arms, items, inclusion))
    return replace(found, weight=found.weight * _bounds(found)[found.arms])


def _bounds(answers: ArmAnswers) -> FloatArray:
    """What an arm's answers are multiplied by to count for no more than `MOST_TIMES_KISH` times Kish's number `[A]`."""
    w, p = answers.weight, answers.probability
    total, squares = answers.summed(p * w), answers.summed(p * np.square(w))
    return np.minimum(1.0, MOST_TIMES_KISH * total / np.maximum(squares, 1e-300))


def _weights(belongs: Affiliation, arms: int, items: IntArray, inclusion: ArrayLike) -> FloatArray:
    """h / p of each answer for each arm it may belong to `[n, T]`."""
    chance = np.asarray(inclusion, dtype=np.float64)
    if chance.shape != (len(belongs.arms),):
        raise InputError("inclusion", f"be one probability per item, {len(belongs.arms):,}", f"shape {chance.shape}")
    known = np.isfinite(chance)
    if bad := np.flatnonzero(known & ~((chance > 0) & (chance <= 1 + 1e-9))).tolist():
        raise InputError("inclusion", "be above 0 and at most 1", rows_at_fault(bad))
    if not known[items].all():
        raise InputError("inclusion", "be known of every answer", rows_at_fault(items[~known[items]]))
    inverse = 1 / chance
    if not known.all():
        whole = inverse[items]
        return np.repeat(whole[:, None] * whole.sum() / np.square(whole).sum(), belongs.arms.shape[1], axis=1)
    share, where = belongs.probability, belongs.arms.ravel()
    held = np.bincount(where, share.ravel(), minlength=arms)
    harmonic = held / np.maximum(np.bincount(where, (share * inverse[:, None]).ravel(), minlength=arms), 1e-300)
    return np.asarray(harmonic[belongs.arms[items]] * inverse[items][:, None])
