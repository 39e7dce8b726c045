"""What a metric is: a named function of a confusion, with its gradient and its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.confusion import spread_gradient, totals
from altmas.metrics.formulas import Formula
from altmas.metrics.ratios import ratio
from altmas.metrics.types import FloatArray


class Metric(Protocol):
    """Confusion `[..., C, P]` -> value `[...]`, vectorised over the leading axes."""

    @property
    def name(self) -> str: ...
    @property
    def bounds(self) -> tuple[float, float]: ...
    def value(self, confusion: ArrayLike) -> FloatArray: ...
    def gradient(self, confusion: ArrayLike) -> FloatArray: ...


@dataclass(frozen=True)
class TotalsMetric:
    """A metric that needs only the totals of a confusion; the whole catalogue but cost is of this kind."""

    name: str
    formula: Formula
    bounds: tuple[float, float] = (0.0, 1.0)

    def value(self, confusion: ArrayLike) -> FloatArray:
        return self.formula.of(totals(confusion))

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        return spread_gradient(self.formula.slope(totals(confusion)))


@dataclass(frozen=True)
class LinearMetric:
    """sum(weights * confusion) / sum(confusion): expected cost, and any other mean over items."""

    name: str
    weights: FloatArray  # [C, P]

    @property
    def bounds(self) -> tuple[float, float]:
        return float(self.weights.min()), float(self.weights.max())

    def value(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        return ratio((self.weights * counts).sum((-2, -1)), counts.sum((-2, -1)))

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        total = counts.sum((-2, -1))[..., None, None]
        return ratio(self.weights - self.value(counts)[..., None, None], total)
