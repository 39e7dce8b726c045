"""Arms with few observations borrow from their neighbours before the fit: the P of BetaGP-SLP (Section 3.3)."""

from __future__ import annotations

import numpy as np

from altmas.metrics.types import FloatArray, IntArray

FEW = 5.0
"""Arms with at most this many observations borrow.

The paper's Appendix C says fewer than five. The authors' program, which made its tables, pools at most 5: so do we.
"""

NEIGHBOURS = 3

_ARMS_AT_ONCE = 1024


def neighbour_weights(features: FloatArray, among: IntArray, of: IntArray, count: int) -> FloatArray:
    """How much each arm of `among` counts for each arm of `of` `[n, len(among)]`: the `count` nearest, rows sum to 1.

    An isotropic kernel falls with distance and nothing else, so the order of distances is that of the row-normalised
    kernel, whatever its length and amplitude. Arms equally far share what is left: on attributes most neighbours are,
    and the order in which attributes are named must not matter.

    >>> neighbour_weights(np.array([[0.0], [1.0], [-1.0], [5.0]]), np.array([0, 1, 2, 3]), np.array([0]), 2).tolist()
    [[0.5, 0.25, 0.25, 0.0]]
    """
    count = min(count, len(among))
    square = np.square(features).sum(1)
    far = square[of, None] + square[among] - 2 * features[of] @ features[among].T
    far[of[:, None] == among] = -1.0  # an arm is its own nearest neighbour
    far = far.round(9)  # rounding must not order arms that are equally far
    last = np.partition(far, count - 1, axis=1)[:, count - 1 : count]
    nearer, tied = far < last, far == last
    left = count - nearer.sum(1, keepdims=True)
    return np.asarray((nearer + tied * left / tied.sum(1, keepdims=True)) / count)


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
    more_right, more_wrong = right.copy(), wrong.copy()
    for start in range(0, len(poor), _ARMS_AT_ONCE):
        rows = poor[start : start + _ARMS_AT_ONCE]
        weights = neighbour_weights(features, seen, rows, neighbours)
        more_right[rows], more_wrong[rows] = weights @ right[seen], weights @ wrong[seen]
    return more_right, more_wrong
