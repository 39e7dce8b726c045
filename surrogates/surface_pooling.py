"""Arms with few observations borrow from their neighbours before the fit: the P of BetaGP-SLP (Section 3.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from altmas.surrogates.arm_posterior import FloatArray

FEW = 5.0
NEIGHBOURS = 3

_BLOCK = 1024


def nearest(features: FloatArray, among: NDArray[np.int64], of: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The `count` arms of `among` nearest to each arm of `of` `[n, count]`; ties go to the arm that comes first.

    An isotropic kernel falls with distance and nothing else, so the order of distances is that of the row-normalised
    kernel, whatever its length and amplitude.

    >>> nearest(np.array([[0.0], [1.0], [5.0]]), np.array([0, 1, 2]), np.array([2]), 2)
    array([[2, 1]])
    """
    square = np.square(features).sum(1)
    out = np.empty((len(of), min(count, len(among))), dtype=np.int64)
    for start in range(0, len(of), _BLOCK):
        rows = of[start : start + _BLOCK]
        far = square[rows, None] + square[among] - 2 * features[rows] @ features[among].T
        far[rows[:, None] == among] = -1.0  # an arm is its own nearest neighbour
        # Rounding must not order arms that are equally far.
        out[start : start + _BLOCK] = among[np.argsort(far.round(9), axis=1, kind="stable")[:, : out.shape[1]]]
    return out


def pooled(
    right: FloatArray, wrong: FloatArray, features: FloatArray, few: float = FEW, neighbours: int = NEIGHBOURS
) -> tuple[FloatArray, FloatArray]:
    """Counts in which an observed arm with at most `few` answers has the mean of its nearest observed arms' counts.

    The arm itself is one of them; an arm without answers has no counts to replace, and stays without.

    >>> right, wrong = pooled(np.array([1.0, 0, 18]), np.array([0.0, 1, 2]), np.array([[0.0], [1.0], [2.0]]))
    >>> right.round(2), wrong.round(2)
    (array([ 6.33,  6.33, 18.  ]), array([1., 1., 2.]))
    """
    total = right + wrong
    seen = np.flatnonzero(total > 0)
    poor = seen[total[seen] <= few]
    if not poor.size:
        return right, wrong
    near = nearest(features, seen, poor, neighbours)
    more_right, more_wrong = right.copy(), wrong.copy()
    more_right[poor], more_wrong[poor] = right[near].mean(1), wrong[near].mean(1)
    return more_right, more_wrong
