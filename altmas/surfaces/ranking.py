"""Which arms are lowest, by draws of a whole surface."""

from __future__ import annotations

import numpy as np
import pandas as pd

from altmas.core.checks import whole_number
from altmas.metrics.types import FloatArray

_BLOCK = 1_000_000
"""Numbers looked at in one go."""


def probability_among_lowest(draws: FloatArray, m: int) -> FloatArray:
    """P(arm is among the m lowest) `[A]` from coherent draws `[M, A]`; arms that tie for the last places share them.

    >>> probability_among_lowest(np.array([[0.1, 0.9, 0.9], [0.9, 0.9, 0.2]]), 2)
    array([0.75, 0.5 , 0.75])
    >>> probability_among_lowest(np.array([[0.1, 0.2], [0.3, 0.2], [0.1, 0.1], [0.0, 1.0]]), 1)
    array([0.625, 0.375])
    """
    count, arms = draws.shape
    if whole_number("m", m, 1) >= arms:
        return np.ones(arms)
    total = np.zeros(arms)
    step = max(_BLOCK // arms, 1)
    for start in range(0, count, step):
        some = draws[start : start + step]
        last = np.partition(some, m - 1, axis=1)[:, m - 1 : m]
        below, level = some < last, some == last
        places = (m - below.sum(1)) / level.sum(1)
        total += below.sum(0) + places @ level
    return np.asarray(total / count)


def worst_first(table: pd.DataFrame, chance: str, digits: int | None = None) -> pd.DataFrame:
    """The row of the highest `p_worst` first, the others by a column of chances; of equal ones the lower `estimate`.

    With `digits`, chances that look equal when so rounded are equal: the noise of draws orders nothing.

    >>> rows = pd.DataFrame({"estimate": [0.9, 0.7, 0.6], "p_worst": [0.1, 0.5, 0.4], "p": [0.3, 0.8, 0.9]})
    >>> worst_first(rows, "p")["estimate"].tolist()
    [0.7, 0.6, 0.9]
    """
    low, worst, other = (table[name].to_numpy(np.float64) for name in ("estimate", "p_worst", chance))
    follows = np.ones(len(table), dtype=bool)
    follows[np.lexsort([low, -worst])[:1]] = False
    return table.iloc[np.lexsort([low, -other if digits is None else -other.round(digits), follows])]
