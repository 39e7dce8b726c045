"""What a metric is, and the catalogue's formulas, all of one form: sum a few terms over the classes, then combine.

Written with h = hit, t = true, s = said (per class), n = all items. The form is what makes counterfactuals cheap:
moving one item from label d to c changes the terms of d and c alone, and leaves s and n as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.confusion import Totals, ratio, spread_gradient, totals
from altmas.metrics.types import FloatArray


class Metric(Protocol):
    """Confusion `[..., C, P]` -> value `[...]`, vectorised over the leading axes."""

    @property
    def name(self) -> str: ...
    @property
    def bounds(self) -> tuple[float, float]: ...
    def value(self, confusion: ArrayLike) -> FloatArray: ...
    def gradient(self, confusion: ArrayLike) -> FloatArray: ...


_TRACE = 1e-9  # of a true member, where there is none

Terms = Callable[[Totals], tuple[FloatArray, Totals]]
"""A ratio per class `[..., C]`, and its derivatives by that class's h, t and s."""


class Formula(NamedTuple):
    """value = combine(sums of terms, totals); `slope` is its derivative by h, t and s taken as independent."""

    terms: Callable[[Totals], FloatArray]  # [..., S, C]
    combine: Callable[[FloatArray, Totals], FloatArray]  # sums [..., S] and the totals, of which it uses s and n
    slope: Callable[[Totals], Totals]
    only: int | None = None  # the one class that has terms, if it is only one

    def of(self, x: Totals) -> FloatArray:
        """The value `[...]`."""
        return self.combine(self.terms(one_class_of(x, self.only)).sum(-1), x)


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
    lower_is_better: bool = True

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


def one_class_of(x: Totals, index: int | None) -> Totals:
    """The totals of a single class; the other classes' terms would be computed for nothing."""
    if index is None:
        return x
    k = slice(index, index + 1)
    return Totals(x.hit[..., k], x.true[..., k], x.said[..., k])


def _zeros(x: Totals) -> Totals:
    shape = np.broadcast_shapes(x.hit.shape, x.true.shape)
    return Totals(np.zeros(shape), np.zeros(shape), np.zeros(shape[:-1] + x.said.shape[-1:]))


def _count(x: Totals) -> FloatArray:
    return np.asarray(x.true.sum(-1))


def _said(x: Totals) -> FloatArray:
    """Predictions per class, without the column of answers that are no class."""
    return x.said[..., : x.true.shape[-1]]


def _stack(*terms: FloatArray) -> FloatArray:
    return np.stack(np.broadcast_arrays(*terms), axis=-2)


# --- ratios of one class ---------------------------------------------------------------------------------------


def precision_terms(x: Totals) -> tuple[FloatArray, Totals]:
    """Precision of each class, `h / s`."""
    s = _said(x)
    value = ratio(x.hit, s)
    return value, Totals(ratio(1.0, s) + 0 * value, np.zeros_like(value), -ratio(value, s))


def recall_terms(x: Totals) -> tuple[FloatArray, Totals]:
    """Recall of each class, `h / t`."""
    value = ratio(x.hit, x.true)
    return value, Totals(ratio(1.0, x.true) + 0 * value, -ratio(value, x.true), np.zeros_like(value))


def f_beta_terms(beta: float) -> Terms:
    """F-beta of each class, `(1 + b) h / (b t + s)` with `b = beta^2`."""
    b = beta * beta

    def terms(x: Totals) -> tuple[FloatArray, Totals]:
        below = b * x.true + _said(x)
        value = ratio((1 + b) * x.hit, below)
        return value, Totals(ratio(1 + b, below) + 0 * value, -ratio(b * value, below), -ratio(value, below))

    return terms


def one_class(ratios: Terms, index: int) -> Formula:
    """The ratio of a single class."""

    def slope(x: Totals) -> Totals:
        d, (_, parts) = _zeros(x), ratios(x)
        for whole, part in zip(d, parts, strict=True):
            whole[..., index] = part[..., index]
        return d

    return Formula(lambda x: _stack(ratios(x)[0]), lambda sums, x: sums[..., 0], slope, index)


def specificity(index: int) -> Formula:
    """True negatives over negatives of one class, `(n - t - s + h) / (n - t)`."""

    def combine(sums: FloatArray, x: Totals) -> FloatArray:
        others = _count(x) - sums[..., 1]
        return ratio(others - x.said[..., index] + sums[..., 0], others)

    def slope(x: Totals) -> Totals:
        d, others = _zeros(x), _count(x) - x.true[..., index]
        value = ratio(others - x.said[..., index] + x.hit[..., index], others)
        d.hit[..., index] = ratio(1.0, others)
        d.said[..., index] = -ratio(1.0, others)
        d.true[...] = ratio(1.0 - value, others)[..., None]  # n is the sum of t: every other class has a share
        d.true[..., index] = 0.0
        return d

    return Formula(lambda x: _stack(x.hit, x.true), combine, slope, index)


# --- the whole -------------------------------------------------------------------------------------------------


def accuracy() -> Formula:
    """Right predictions over all, `sum h / n`."""

    def slope(x: Totals) -> Totals:
        d, n = _zeros(x), _count(x)[..., None]
        d.hit[...] = ratio(1.0, n)
        d.true[...] = -ratio(x.hit.sum(-1)[..., None], n * n)
        return d

    return Formula(lambda x: _stack(x.hit), lambda sums, x: ratio(sums[..., 0], _count(x)), slope)


def complement(formula: Formula) -> Formula:
    """One minus the value."""
    return formula._replace(
        combine=lambda sums, x: 1.0 - formula.combine(sums, x),
        slope=lambda x: Totals(*(-part for part in formula.slope(x))),
    )


def balanced_accuracy() -> Formula:
    """The mean recall over the classes that have true members (scikit-learn's convention)."""

    def slope(x: Totals) -> Totals:
        d, (_, parts) = _zeros(x), recall_terms(x)
        present = (x.true > 0).sum(-1)[..., None]
        d.hit[...] = ratio(parts.hit, present)
        d.true[...] = ratio(parts.true, present)
        return d

    return Formula(
        lambda x: _stack(recall_terms(x)[0], (x.true > 0).astype(np.float64)),
        lambda sums, x: ratio(sums[..., 0], sums[..., 1]),
        slope,
    )


# --- averages over classes -------------------------------------------------------------------------------------


def macro(ratios: Terms) -> Formula:
    """The plain mean over all declared classes; a class never seen counts 0."""

    def slope(x: Totals) -> Totals:
        d, (_, parts) = _zeros(x), ratios(x)
        classes = d.true.shape[-1]
        d.hit[...] = parts.hit / classes
        d.true[...] = parts.true / classes
        d.said[..., :classes] = parts.said / classes
        return d

    return Formula(lambda x: _stack(ratios(x)[0]), lambda sums, x: sums[..., 0] / x.true.shape[-1], slope)


def macro_occurring(ratios: Terms) -> Formula:
    """The mean over the classes that have true members, of whole counts as scikit-learn has it for those labels.

    Believed counts are fractions: a class counts with weight w = min(t, 1), so that it enters without a jump.
    """

    def terms(x: Totals) -> FloatArray:
        weight = np.clip(x.true, 0.0, 1.0)
        return _stack(weight * ratios(x)[0], weight)

    def slope(x: Totals) -> Totals:
        # Recall grows from a class's first trace on, w h / t = h, which 0 / 0 would hide: a trace for those without.
        near = x._replace(true=np.maximum(x.true, _TRACE))
        d, (values, parts) = _zeros(x), ratios(near)
        classes, weight = d.true.shape[-1], np.minimum(near.true, 1.0)
        sums = terms(x).sum(-1)
        mean, below = ratio(sums[..., 0], sums[..., 1])[..., None], sums[..., 1, None]
        d.hit[...] = ratio(weight * parts.hit, below)
        d.true[...] = ratio(weight * parts.true + (x.true < 1) * (values - mean), below)
        d.said[..., :classes] = ratio(weight * parts.said, below)
        return d

    return Formula(terms, lambda sums, x: ratio(sums[..., 0], sums[..., 1]), slope)


def weighted(ratios: Terms) -> Formula:
    """The mean over classes weighted by the number of true members."""

    def slope(x: Totals) -> Totals:
        d, (values, parts) = _zeros(x), ratios(x)
        classes, n = d.true.shape[-1], _count(x)[..., None]
        share = ratio(x.true, n)
        mean = (share * values).sum(-1)[..., None]
        d.hit[...] = share * parts.hit
        d.true[...] = share * parts.true + ratio(values - mean, n)
        d.said[..., :classes] = share * parts.said
        return d

    return Formula(lambda x: _stack(ratios(x)[0] * x.true), lambda sums, x: ratio(sums[..., 0], _count(x)), slope)


def micro(ratios: Terms) -> Formula:
    """The ratio of the totals summed over classes."""

    def pooled(sums: FloatArray) -> Totals:
        return Totals(*(sums[..., i, None] for i in range(3)))

    def terms(x: Totals) -> FloatArray:
        return _stack(x.hit, x.true, _said(x))

    def slope(x: Totals) -> Totals:
        d, (_, parts) = _zeros(x), ratios(pooled(terms(x).sum(-1)))
        d.hit[...] = parts.hit
        d.true[...] = parts.true
        d.said[..., : d.true.shape[-1]] = parts.said
        return d

    return Formula(terms, lambda sums, x: ratios(pooled(sums))[0][..., 0], slope)


# --- agreement beyond chance -----------------------------------------------------------------------------------


def mcc() -> Formula:
    """Gorodkin's R_K, `(n H - sum t s) / sqrt((n^2 - sum s^2)(n^2 - sum t^2))`; 0 where a root is 0."""

    def terms(x: Totals) -> FloatArray:
        return _stack(x.hit, x.true * _said(x), x.true**2)

    def pieces(sums: FloatArray, x: Totals) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        n = _count(x)
        top = n * sums[..., 0] - sums[..., 1]
        # Expected counts are fractions: a difference this small is a zero that rounding has blurred.
        by_said, by_true = (ratio(n * n - part, n * n) for part in ((x.said**2).sum(-1), sums[..., 2]))
        by_said, by_true = (np.where(part > 1e-14, part * n * n, 0.0) for part in (by_said, by_true))
        return n, top, by_said, by_true

    def combine(sums: FloatArray, x: Totals) -> FloatArray:
        _, top, by_said, by_true = pieces(sums, x)
        return ratio(top, np.sqrt(by_said * by_true))

    def slope(x: Totals) -> Totals:
        d, (n, top, by_said, by_true) = _zeros(x), pieces(terms(x).sum(-1), x)
        classes = d.true.shape[-1]
        root = np.sqrt(by_said * by_true)[..., None]
        value = ratio(top[..., None], root)
        n = n[..., None]
        d.hit[...] = ratio(n, root)
        # n itself is the sum of t, so each t moves both roots and the first term of the numerator.
        through_roots = value * (ratio(n, by_said[..., None]) + ratio(n - x.true, by_true[..., None]))
        d.true[...] = ratio(x.hit.sum(-1)[..., None] - _said(x), root) - through_roots
        d.said[...] = value * ratio(x.said, by_said[..., None])
        d.said[..., :classes] -= ratio(x.true, root)
        # Where a root is 0 the value is 0 by convention, and so is its slope.
        return Totals(*(np.where(root > 0, part, 0.0) for part in d))

    return Formula(terms, combine, slope)


def cohen_kappa() -> Formula:
    """Cohen's kappa, `(n H - E) / (n^2 - E)` with `E = sum t s`; 0 where chance agreement is complete."""

    def terms(x: Totals) -> FloatArray:
        return _stack(x.hit, x.true * _said(x))

    def combine(sums: FloatArray, x: Totals) -> FloatArray:
        n, chance = _count(x), sums[..., 1]
        return ratio(n * sums[..., 0] - chance, n * n - chance)

    def slope(x: Totals) -> Totals:
        d, n, sums = _zeros(x), _count(x)[..., None], terms(x).sum(-1)
        value, below = combine(sums, x)[..., None], n * n - sums[..., 1, None]
        d.hit[...] = ratio(n, below)
        d.true[...] = ratio(sums[..., 0, None] - _said(x) - value * (2 * n - _said(x)), below)
        d.said[..., : d.true.shape[-1]] = ratio((value - 1.0) * x.true, below)
        return d

    return Formula(terms, combine, slope)
