"""Metrics a user brings: a cost matrix, a function of a confusion, or a function of labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from altmas.metrics.errors import InputError
from altmas.metrics.formulas import LinearMetric, Metric
from altmas.metrics.types import FloatArray

UNBOUNDED = (-np.inf, np.inf)


def expected_cost(cost: ArrayLike, name: str = "expected_cost") -> LinearMetric:
    """Mean cost of an item, `cost[true, predicted]`.

    >>> float(expected_cost([[0, 1], [10, 0]]).value([[8, 2], [1, 9]]))
    0.6
    """
    try:
        matrix = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("cost", "be numbers", type(cost).__name__) from None
    if matrix.ndim != 2 or matrix.shape[1] not in (matrix.shape[0], matrix.shape[0] + 1):
        raise InputError("cost", "be a [C, C] matrix (or [C, C + 1] with answers that are no class)", matrix.shape)
    if not np.isfinite(matrix).all():
        raise InputError("cost", "be finite", "NaN or infinity")
    return LinearMetric(name, matrix)


@dataclass(frozen=True)
class ConfusionFunction:
    """Any `fn(confusion [C, P]) -> float`; its gradient is taken by central differences."""

    name: str
    fn: Callable[[FloatArray], float]
    bounds: tuple[float, float] = UNBOUNDED

    def value(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        flat = counts.reshape(-1, *counts.shape[-2:])
        values = np.array([self.fn(one) for one in flat], dtype=np.float64)
        return values.reshape(counts.shape[:-2])

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        cells = np.eye(counts.shape[-2] * counts.shape[-1]).reshape(-1, *counts.shape[-2:])
        step = 1e-5 * np.maximum(1.0, counts.sum((-2, -1)))[..., None, None, None]
        around = counts[..., None, :, :]
        slope = (self.value(around + step * cells) - self.value(around - step * cells)) / (2 * step[..., 0, 0])
        return np.asarray(slope.reshape(counts.shape))


@dataclass(frozen=True)
class LabelFunction:
    """Any `fn(y_true, y_pred) -> float` on class names.

    Slower than a function of a confusion: each value rebuilds two label arrays as long as the pool. The order
    of the items is not kept, so `fn` must not depend on it. The gradient is a difference of one item.
    """

    name: str
    fn: Callable[[NDArray[np.object_], NDArray[np.object_]], float]
    classes: tuple[Hashable, ...]
    bounds: tuple[float, float] = UNBOUNDED

    def value(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        if not np.array_equal(counts, np.rint(counts)) or (counts < 0).any():
            raise InputError(f"the confusion for {self.name!r}", "hold whole counts", "fractions", WHOLE_COUNTS)
        flat = counts.reshape(-1, *counts.shape[-2:])
        return np.array([self._of(one) for one in flat], dtype=np.float64).reshape(counts.shape[:-2])

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        cells = np.eye(counts.shape[-2] * counts.shape[-1]).reshape(-1, *counts.shape[-2:])
        more = self.value(np.rint(counts)[..., None, :, :] + cells)
        slope = more - self.value(np.rint(counts))[..., None]
        return np.asarray(slope.reshape(counts.shape))

    def _of(self, counts: FloatArray) -> float:
        if len(self.classes) != counts.shape[0]:
            raise InputError(f"metric {self.name!r}", f"know {counts.shape[0]} classes", len(self.classes))
        names = self._names(counts.shape[1])
        true, said = np.indices(counts.shape)
        repeats = counts.astype(np.int64).ravel()
        return float(self.fn(names[np.repeat(true.ravel(), repeats)], names[np.repeat(said.ravel(), repeats)]))

    def _names(self, columns: int) -> NDArray[Any]:
        """Class names in their natural dtype, which scikit-learn wants; None for an answer that is no class."""
        kinds = {type(one) for one in self.classes}
        if columns == len(self.classes) and len(kinds) == 1 and kinds <= {int, str, float, bool}:
            return np.array(self.classes)
        names = np.empty(columns, dtype=object)
        names[: len(self.classes)] = self.classes
        return names


WHOLE_COUNTS = "A function of labels cannot be taken of expected counts; write it as a function of a confusion."


def whole_counts(confusions: FloatArray) -> FloatArray:
    """Whole counts near these `[..., C, P]`, with their total rounded: what is left goes to the largest fractions.

    >>> whole_counts(np.array([[2.6, 0.3], [0.4, 0.7]])).tolist()
    [[3.0, 0.0], [0.0, 1.0]]
    """
    flat = np.maximum(confusions, 0).reshape(-1, confusions.shape[-2] * confusions.shape[-1])
    down = np.floor(flat)
    missing = np.rint(flat.sum(1)) - down.sum(1)
    rank = np.argsort(np.argsort(down - flat, axis=1, kind="stable"), axis=1)
    return np.asarray((down + (rank < missing[:, None])).reshape(confusions.shape))


@dataclass(frozen=True)
class OnWholeCounts:
    """A function of labels, taken of estimated counts: it knows whole items only, so they are rounded first."""

    inner: LabelFunction

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def bounds(self) -> tuple[float, float]:
        return self.inner.bounds

    def value(self, confusion: ArrayLike) -> FloatArray:
        return self.inner.value(whole_counts(np.asarray(confusion, dtype=np.float64)))

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        return self.inner.gradient(whole_counts(np.asarray(confusion, dtype=np.float64)))


def countable(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """The metrics, all of them fit for expected counts."""
    return tuple(OnWholeCounts(one) if isinstance(one, LabelFunction) else one for one in metrics)


def from_confusion(name: str, fn: Callable[[FloatArray], float], bounds: tuple[float, float] = UNBOUNDED) -> Metric:
    """Make a metric of any function of a confusion `[true, predicted]`.

    >>> worst = from_confusion("worst_recall", lambda c: float((c.diagonal() / c.sum(1)).min()), (0, 1))
    >>> float(worst.value([[8, 2], [1, 9]]))
    0.8
    """
    return ConfusionFunction(name, fn, bounds)


def from_labels(
    name: str,
    fn: Callable[[NDArray[np.object_], NDArray[np.object_]], float],
    classes: Sequence[Hashable] = (),
    bounds: tuple[float, float] = UNBOUNDED,
) -> LabelFunction:
    """Make a metric of any `fn(y_true, y_pred)`. Slower: it sees label arrays as long as the pool.

    Without `classes` it takes those of the pool it is used on.

    >>> agree = from_labels("agree", lambda y, a: float((y == a).mean()), ["cat", "dog"], (0, 1))
    >>> float(agree.value([[8, 2], [1, 9]]))
    0.85
    """
    return LabelFunction(name, fn, tuple(classes), bounds)
