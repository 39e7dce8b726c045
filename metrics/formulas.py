"""The catalogue's formulas: each is a pair (value of totals, derivative by totals).

Written with h = hit, t = true, s = said (per class), n = all items. Derivatives are by h, t and s taken as
independent; `spread_gradient` turns them into derivatives by cells.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from altmas.metrics.confusion import FloatArray, Totals
from altmas.metrics.metric import ratio

Formula = tuple[Callable[[Totals], FloatArray], Callable[[Totals], Totals]]


def _zeros(x: Totals) -> Totals:
    shape = np.broadcast_shapes(x.hit.shape, x.true.shape)
    return Totals(np.zeros(shape), np.zeros(shape), np.zeros(shape[:-1] + x.said.shape[-1:]))


def _count(x: Totals) -> FloatArray:
    return np.asarray(x.true.sum(-1))


def _said(x: Totals) -> FloatArray:
    """Predictions per class, without the column of answers that are no class."""
    return x.said[..., : x.true.shape[-1]]


def accuracy() -> Formula:
    """Sum h / n."""

    def of(x: Totals) -> FloatArray:
        return ratio(x.hit.sum(-1), _count(x))

    def slope(x: Totals) -> Totals:
        d, n = _zeros(x), _count(x)[..., None]
        d.hit[...] = ratio(1.0, n)
        d.true[...] = -ratio(of(x)[..., None], n)
        return d

    return of, slope


def complement(formula: Formula) -> Formula:
    """1 - value."""
    of, slope = formula
    return (lambda x: 1.0 - of(x)), (lambda x: Totals(*(-part for part in slope(x))))


# --- one class -------------------------------------------------------------------------------------------------


def precision_terms(x: Totals) -> tuple[FloatArray, Totals]:
    """H / s per class, with its derivatives `[..., C]`."""
    s = _said(x)
    value = ratio(x.hit, s)
    return value, Totals(ratio(1.0, s) + 0 * value, np.zeros_like(value), -ratio(value, s))


def recall_terms(x: Totals) -> tuple[FloatArray, Totals]:
    """H / t per class, with its derivatives `[..., C]`."""
    value = ratio(x.hit, x.true)
    return value, Totals(ratio(1.0, x.true) + 0 * value, -ratio(value, x.true), np.zeros_like(value))


def f_beta_terms(beta: float) -> Callable[[Totals], tuple[FloatArray, Totals]]:
    """(1 + b) h / (b t + s) per class, b = beta^2, with its derivatives."""
    b = beta * beta

    def terms(x: Totals) -> tuple[FloatArray, Totals]:
        below = b * x.true + _said(x)
        value = ratio((1 + b) * x.hit, below)
        return value, Totals(ratio(1 + b, below) + 0 * value, -ratio(b * value, below), -ratio(value, below))

    return terms


def specificity_terms(x: Totals) -> tuple[FloatArray, Totals]:
    """(n - t - s + h) / (n - t) per class. n = sum of t, so every t has a share in each class's value."""
    others = _count(x)[..., None] - x.true
    value = ratio(others - _said(x) + x.hit, others)
    per_other = ratio(1.0, others) + 0 * value
    # Derivative by `others`; the caller adds it to every true total but the class's own.
    return value, Totals(per_other, ratio(1.0 - value, others), -per_other)


Terms = Callable[[Totals], tuple[FloatArray, Totals]]


def one_class(terms: Terms, index: int) -> Formula:
    """The value of a single class."""

    def of(x: Totals) -> FloatArray:
        # Only this class's totals: the other classes' values would be computed for nothing.
        k = slice(index, index + 1)
        value: FloatArray = terms(Totals(x.hit[..., k], x.true[..., k], x.said[..., k]))[0][..., 0]
        return value

    def slope(x: Totals) -> Totals:
        d, (_, parts) = _zeros(x), terms(x)
        for whole, part in zip(d, parts, strict=True):
            whole[..., index] = part[..., index]
        return d

    return of, slope


def specificity(index: int) -> Formula:
    """True negatives over negatives of one class."""

    def of(x: Totals) -> FloatArray:
        value: FloatArray = specificity_terms(x)[0][..., index]
        return value

    def slope(x: Totals) -> Totals:
        d, (_, parts) = _zeros(x), specificity_terms(x)
        d.hit[..., index] = parts.hit[..., index]
        d.said[..., index] = parts.said[..., index]
        d.true[...] = parts.true[..., index, None]
        d.true[..., index] = 0.0
        return d

    return of, slope


# --- averages over classes -------------------------------------------------------------------------------------


def macro(terms: Terms) -> Formula:
    """The plain mean over all declared classes; a class never seen counts 0."""

    def of(x: Totals) -> FloatArray:
        return np.asarray(terms(x)[0].mean(-1))

    def slope(x: Totals) -> Totals:
        d, (_, parts) = _zeros(x), terms(x)
        classes = d.true.shape[-1]
        d.hit[...] = parts.hit / classes
        d.true[...] = parts.true / classes
        d.said[..., :classes] = parts.said / classes
        return d

    return of, slope


def weighted(terms: Terms) -> Formula:
    """The mean over classes weighted by the number of true members."""

    def of(x: Totals) -> FloatArray:
        return ratio((terms(x)[0] * x.true).sum(-1), _count(x))

    def slope(x: Totals) -> Totals:
        d, (values, parts) = _zeros(x), terms(x)
        classes, n = d.true.shape[-1], _count(x)[..., None]
        share = ratio(x.true, n)
        d.hit[...] = share * parts.hit
        d.true[...] = share * parts.true + ratio(values - of(x)[..., None], n)
        d.said[..., :classes] = share * parts.said
        return d

    return of, slope


def micro(terms: Terms) -> Formula:
    """The one-class formula on the totals summed over classes."""

    def pooled(x: Totals) -> Totals:
        return Totals(*(part.sum(-1, keepdims=True) for part in (x.hit, x.true, _said(x))))

    def of(x: Totals) -> FloatArray:
        value: FloatArray = terms(pooled(x))[0][..., 0]
        return value

    def slope(x: Totals) -> Totals:
        d, (_, parts) = _zeros(x), terms(pooled(x))
        d.hit[...] = parts.hit
        d.true[...] = parts.true
        d.said[..., : d.true.shape[-1]] = parts.said
        return d

    return of, slope


def balanced_accuracy() -> Formula:
    """The mean recall over the classes that have true members (scikit-learn's convention)."""

    def of(x: Totals) -> FloatArray:
        return ratio(recall_terms(x)[0].sum(-1), (x.true > 0).sum(-1))

    def slope(x: Totals) -> Totals:
        d, (_, parts) = _zeros(x), recall_terms(x)
        present = (x.true > 0).sum(-1)[..., None]
        d.hit[...] = ratio(parts.hit, present)
        d.true[...] = ratio(parts.true, present)
        return d

    return of, slope


# --- agreement beyond chance -----------------------------------------------------------------------------------


def mcc() -> Formula:
    """Gorodkin's R_K: (n H - sum t s) / sqrt((n^2 - sum s^2)(n^2 - sum t^2)); 0 where a root is 0."""

    def pieces(x: Totals) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        n = _count(x)
        top = n * x.hit.sum(-1) - (x.true * _said(x)).sum(-1)
        return n, top, n * n - (x.said**2).sum(-1), n * n - (x.true**2).sum(-1)

    def of(x: Totals) -> FloatArray:
        _, top, by_said, by_true = pieces(x)
        return ratio(top, np.sqrt(by_said * by_true))

    def slope(x: Totals) -> Totals:
        d, (n, top, by_said, by_true) = _zeros(x), pieces(x)
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
        defined = root > 0
        return Totals(*(np.where(defined, part, 0.0) for part in d))

    return of, slope


def cohen_kappa() -> Formula:
    """(n H - E) / (n^2 - E), E = sum t s; 0 where chance agreement is complete."""

    def pieces(x: Totals) -> tuple[FloatArray, FloatArray, FloatArray]:
        n = _count(x)
        return n, x.hit.sum(-1), (x.true * _said(x)).sum(-1)

    def of(x: Totals) -> FloatArray:
        n, hits, chance = pieces(x)
        return ratio(n * hits - chance, n * n - chance)

    def slope(x: Totals) -> Totals:
        d, (n, hits, chance) = _zeros(x), pieces(x)
        n, hits, below = n[..., None], hits[..., None], (n * n - chance)[..., None]
        value = of(x)[..., None]
        d.hit[...] = ratio(n, below)
        d.true[...] = ratio(hits - _said(x) - value * (2 * n - _said(x)), below)
        d.said[..., : d.true.shape[-1]] = ratio((value - 1.0) * x.true, below)
        return d

    return of, slope
