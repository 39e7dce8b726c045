"""How far an estimated accuracy surface is from the truth: the four errors of the paper, over active arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray
from altmas.surfaces.combinations import ACTIVE

EXTREME_ARMS = 50
"""Arms that the worst error is about, the least accurate, and as many for the infrequent error, the rarest."""


@dataclass(frozen=True)
class SurfaceErrors:
    """Mean squared errors; multiply by 100 for the paper's tables."""

    macro: float
    micro: float
    worst: float
    infrequent: float


def surface_errors(estimate: FloatArray, truth: FloatArray, support: IntArray, least: int = ACTIVE) -> SurfaceErrors:
    """Over arms with at least `least` items: unweighted, by support, on the 50 least accurate, on the 50 rarest.

    >>> errors = surface_errors(np.array([0.5, 0.9]), np.array([0.5, 0.8]), np.array([10, 30]))
    >>> round(errors.macro, 6), round(errors.micro, 6)
    (0.005, 0.0075)
    """
    active = support >= least
    if not active.any():
        raise InputError("arms", f"hold at least one with {least} items", "none")
    square = np.square(estimate - truth)[active]
    accuracy, weight = truth[active], support[active]
    return SurfaceErrors(
        float(square.mean()),
        float(np.average(square, weights=weight)),
        float(square[_lowest(accuracy)].mean()),
        float(square[_lowest(weight)].mean()),
    )


def _lowest(values: Any) -> Any:
    return np.argsort(values, kind="stable")[:EXTREME_ARMS]
