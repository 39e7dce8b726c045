"""Newton's method needs a step that surely goes down: the whole step, or half of it, or a quarter, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from altmas.metrics.types import FloatArray

Rest = TypeVar("Rest")
_ENOUGH, _SHORTEST = 1e-4, 1e-9


def halved_until_lower(
    start: FloatArray, step: FloatArray, gain: float, loss: float, judge: Callable[[FloatArray], tuple[float, Rest]]
) -> tuple[FloatArray, float, Rest]:
    """The point that a step, halved as often as need be, leads to, its loss, and what else `judge` says of it.

    `gain` is what the whole step would gain if the loss were as its slope has it; a small part of that is enough.

    >>> import numpy as np
    >>> point, loss, _ = halved_until_lower(np.ones(1), np.full(1, -4.0), 8.0, 1.0, lambda x: (float(x @ x), None))
    >>> point.tolist(), loss
    ([0.0], 0.0)
    """
    size = 1.0
    while True:
        moved = start + size * step
        lower, rest = judge(moved)
        if lower <= loss - _ENOUGH * size * gain or size < _SHORTEST:
            return moved, lower, rest
        size /= 2
