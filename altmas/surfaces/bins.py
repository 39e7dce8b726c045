"""A column of numbers cut into bins: where it is cut, and what each bin is called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np

from altmas.metrics.types import FloatArray

LARGEST_NUMBER, MOST_DIGITS = 1e15, 12
"""Numbers that are larger, or have more digits behind the point, are written as Python writes them."""


def quantile_edges(numbers: FloatArray, bins: int) -> FloatArray:
    """Inner cuts at the quantiles; a number on a cut belongs to the bin above it.

    >>> quantile_edges(np.array([1.0, 2, 3, 4, 5, 6]), 3)
    array([3., 5.])
    """
    # Equal numbers share a bin: a quantile met twice cuts once, and one at the minimum cuts off nothing.
    cuts = np.unique(np.quantile(numbers, np.linspace(0, 1, bins + 1)[1:-1], method="higher"))
    return np.asarray(cuts[cuts > numbers.min()])


def bin_names(numbers: FloatArray, edges: FloatArray) -> tuple[str, ...]:
    """Names of the bins of these numbers, all different: `<` before an end that is not in the bin.

    >>> bin_names(np.array([18.0, 30, 44, 80]), np.array([28.0, 36]))
    ('18 to <28', '28 to <36', '36 to 80')
    >>> bin_names(np.array([-1.5, 0.25, 0.75, 0.9]), np.array([0.25, 0.5]))
    ('-1.50 to <0.25', '0.25 to <0.50', '0.50 to 0.90')
    >>> bin_names(np.arange(6) / 3, np.array([2 / 3]))
    ('0.00 to <0.67', '0.67 to 1.67')
    >>> bin_names(np.array([0.0, 1, 5]), np.array([1.0, 5]))
    ('0', '1 to <5', '5')
    """
    ends = [float(numbers.min()), *map(float, edges), float(numbers.max())]
    whole = bool((numbers == np.floor(numbers)).all())
    written = _written(ends, whole)
    *most, (low, high) = pairwise(written)
    names = [
        first if whole and ends[k + 1] - ends[k] == 1 else f"{first} to <{second}"
        for k, (first, second) in enumerate(most)
    ]
    return (*names, low if low == high else f"{low} to {high}")


def _written(ends: Sequence[float], whole: bool) -> list[str]:
    """The ends as they are, where that is short; else with two digits of the smallest step between them."""
    if max(map(abs, ends)) >= LARGEST_NUMBER:
        return [repr(one) for one in ends]
    steps = [high - low for low, high in pairwise(ends) if high > low]
    digits = 0 if whole or not steps else max(1 - math.floor(math.log10(min(steps))), 0)
    exact = max(_decimals(one) for one in ends)
    digits = exact if exact <= digits + 1 else digits
    if digits > MOST_DIGITS:
        return [repr(one) for one in ends]
    return [f"{round(one, digits) + 0.0:.{digits}f}" for one in ends]  # + 0.0: there is no minus zero


def _decimals(number: float) -> int:
    """Digits behind the point that a number has."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0
