"""How to split money between answers and second readings."""

from __future__ import annotations

import numpy as np

from altmas.metrics.types import FloatArray

RATIOS = np.geomspace(0.01, 1.0, 60)
"""Readings per answer to choose from: no answer is read twice."""


def best_ratio(first: FloatArray, second: FloatArray, cost: float) -> float:
    """Readings per answer that make intervals narrowest, where a reading costs as much as `cost` answers.

    With n answers and m readings, target k's variance is first_k / n + second_k / m. Money B buys n = B / (1 + cost h)
    and m = h n; the product of all targets' variances is to be least, as for the questions. For one target the best h
    is sqrt(second / (cost first)).

    >>> round(best_ratio(np.array([0.1]), np.array([0.02]), 5.0), 1)
    0.2
    """
    total = np.log((1 + cost * RATIOS) * (first[:, None] + second[:, None] / RATIOS)).sum(0)
    return float(RATIOS[int(total.argmin())])
