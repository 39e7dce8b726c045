"""Answers per arm, as a surface's estimators take them: right and wrong, weighted where chances were unequal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.confusion import FloatArray, IntArray
from altmas.metrics.errors import InputError, rows_at_fault


@dataclass(frozen=True, eq=False)
class ArmCounts:
    """Each `[A]`: effective numbers of right and wrong answers, and how many labels there are."""

    right: FloatArray
    wrong: FloatArray
    labels: FloatArray


def arm_counts(
    belongs: Any, arms: int, items: IntArray, right: ArrayLike, inclusion: ArrayLike | None = None
) -> ArmCounts:
    """Counts per arm from labelled items, whether each was `right`, and the `inclusion` probability of each `[n]`.

    A policy that prefers likely errors fills an arm with them, and the plain share of right answers is too low. Each
    answer stands for 1 / inclusion items, so the weighted share (Hajek's) is right whatever the policy preferred. What
    it is worth is fewer answers than there are: sum(w)^2 / sum(w^2), Kish's effective number of labels, to which the
    weighted counts of each arm are scaled. Equal chances within an arm give back the plain counts, whatever they are,
    and so does `inclusion=None`: right for labels drawn uniformly, or uniformly within arms that exploration chose.

    An item that belongs to arms with probabilities P(a|x) counts for each by its probability.

    >>> from altmas.surrogates.affiliation import Affiliation
    >>> one_arm = Affiliation.exact(np.zeros(3, dtype=int))
    >>> found = arm_counts(one_arm, 1, np.arange(3), [1, 1, 0], [0.1, 0.1, 0.5])
    >>> found.right.round(2), found.wrong.round(2), found.labels
    (array([2.16]), array([0.22]), array([3.]))
    """
    good, p = np.asarray(right, dtype=np.float64), belongs.probability[items]
    drawn = np.ones(len(items)) if inclusion is None else np.asarray(inclusion, dtype=np.float64)
    if drawn.shape != good.shape:
        raise InputError("inclusion", "be one probability per answer", f"{len(drawn):,} for {len(good):,} answers")
    if bad := np.flatnonzero(~((drawn > 0) & (drawn <= 1 + 1e-9))).tolist():
        raise InputError("inclusion", "be above 0 and at most 1", rows_at_fault(bad))
    where, weight = belongs.arms[items].ravel(), 1 / drawn

    def total(each: FloatArray) -> FloatArray:
        return np.bincount(where, (p * each[:, None]).ravel(), minlength=arms).astype(np.float64)

    whole, square = total(weight), total(np.square(weight))
    share = np.divide(total(weight * good), whole, out=np.zeros(arms), where=whole > 0)
    effective = np.divide(np.square(whole), square, out=np.zeros(arms), where=square > 0)
    share = np.clip(share, 0.0, 1.0)
    return ArmCounts(effective * share, effective * (1 - share), total(np.ones(len(items))))
