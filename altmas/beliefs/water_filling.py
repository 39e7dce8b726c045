"""Water-filling: inclusion probabilities that are proportional to worth and sum to a number of items."""

from __future__ import annotations

import numpy as np

from altmas.metrics.types import FloatArray


def water_fill(worth: FloatArray, count: int) -> FloatArray:
    """min(1, eta * worth) with eta such that the sum is `count`, for `count` of at most as many items.

    If k items are held at 1, eta = (count - k) / (worth of the others); the right k is the first at which the next
    item stays below 1. Where fewer than `count` items are worth anything, these are certain and the others equal.

    >>> water_fill(np.array([1.0, 2.0, 3.0, 10.0]), 2).round(3).tolist()
    [0.167, 0.333, 0.5, 1.0]
    """
    relative = worth / max(float(worth.max()), np.finfo(float).tiny)  # neither tiny nor huge worths lose digits
    some = int((relative > 0).sum())
    if some <= count:
        return np.where(relative > 0, 1.0, (count - some) / max(len(worth) - some, 1))
    order = np.argsort(-relative, kind="stable")
    ranked = relative[order]
    others = np.cumsum(ranked[::-1])[::-1]  # worth of an item and all below it
    certain = int(np.argmax((count - np.arange(count + 1)) * ranked[: count + 1] <= others[: count + 1]))
    filled = np.ones(len(worth))
    filled[certain:] = np.minimum(1.0, (count - certain) * ranked[certain:] / others[certain])
    out = np.empty(len(worth))
    out[order] = filled
    return out
