"""Planning: how many labels a precision takes, from what is known so far."""

from __future__ import annotations

import math

NEVER = math.inf


def labels_for(half_width: float, labels: int, pool_size: int, within: float) -> int:
    """Labels in all after which an interval that is `half_width` wide on each side now will be `within`.

    Errors shrink as sqrt(1/n - 1/N): with the root of the labels, and to nothing when the pool is used up.

    >>> labels_for(0.06, 100, 1_000_000, 0.03)
    400
    """
    if half_width <= within:
        return labels
    now = 1 / labels - 1 / pool_size
    wanted = now * (within / half_width) ** 2 + 1 / pool_size
    return min(math.ceil(1 / wanted - 1e-6), pool_size)


def random_labels_for(within: float, under_random: float, quantile: float, pool_size: int) -> int:
    """Labels that random sampling needs for a half-width: `quantile * sqrt(under_random * (1/n - 1/N))`.

    >>> random_labels_for(0.03, 0.25, 1.96, 1_000_000)  # a share near one half
    1066
    """
    if under_random <= 0 or not math.isfinite(within):
        return 1
    wanted = within**2 / (quantile**2 * under_random) + 1 / pool_size
    return min(math.ceil(1 / wanted - 1e-6), pool_size)
