"""Estimates of anything from one certified sample: metrics chosen later, cells of the confusion, plans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from altmas.certified.design import (
    Designed,
    Interval,
    Linearised,
    Sample,
    designed,
    labels_of_endless_pool,
    linearise,
    standard_error,
    wald,
)
from altmas.core.estimates import Estimate
from altmas.core.pool import NO_CLASS, Pool
from altmas.core.result import estimates_table, without_model
from altmas.core.targets import Target, resolve_metrics, targets_of
from altmas.metrics import metric


@dataclass(frozen=True, eq=False)
class Estimator:
    """A pool, what is believed and drawn, and a level: estimates anything from them."""

    pool: Pool
    sample: Sample
    level: float
    seed: int = 0

    def of(self, signed: Sequence[tuple[float, Target]]) -> tuple[Linearised, Designed, Interval]:
        """One target, or a difference of two."""
        made = self.sample.linearised.get(signed[0][1]) if len(signed) == 1 else None
        at = linearise(signed, self.sample) if made is None else made
        found = designed(at, self.sample)
        if self._all_answered([target for _, target in signed]):  # nothing is left to believe
            value = sum(sign * self._exact(target) for sign, target in signed)
            return at, replace(found, plug_in=value, design=value), Interval(value, value, value, 0.0)
        return at, found, wald(found, self.level)

    def _all_answered(self, targets: Sequence[Target]) -> bool:
        answered = np.zeros(self.pool.size, dtype=bool)
        answered[self.sample.answers.items] = True
        return all(bool(answered[target.columns >= 0].all()) for target in targets)

    def _exact(self, target: Target) -> float:
        return float(target.metric.value(target.tally(self.sample.one_hot, self.sample.answers.items)))

    def estimate(self, target: Target) -> Estimate:
        """One target, with the ordinary interval and what it promises."""
        at, found, interval = self.of([(1.0, target)])
        return Estimate(
            target.name, interval.estimate, interval.low, interval.high, len(self.sample.answers),
            self._promise(target, at, found), found.plug_in, found.design, target.model,
        )  # fmt: skip

    def metrics(self, wanted: Any, cost: Any = None) -> pd.DataFrame:
        """Any metrics, chosen now: the draws did not depend on which would be asked."""
        targets = targets_of(resolve_metrics(wanted, self.pool, cost), self.pool)
        return estimates_table([self.estimate(target) for target in targets])

    def _promise(self, target: Target, at: Linearised, found: Designed) -> str:
        if self._all_answered([target]):
            return "exact: every item is labelled"
        if not np.abs(at.mean).any() and not at.variance.any():
            return "certain: no label could change it"
        apart, error = abs(found.plug_in - found.design), standard_error(found)
        if apart <= 2 * error:
            return approximately(self.level)
        by = f"{apart / max(error, 1e-300):.1f} standard errors"
        return f"{approximately(self.level)}; surrogate and design disagree by {by}"

    def confusion(self, model: int = 0) -> pd.DataFrame:
        """Every cell's count with its interval; a row per true and predicted class."""
        pool, sample = self.pool, self.sample
        target = Target("confusion", metric("accuracy", pool.classes), pool.outputs[model].predictions, pool.columns)
        items, drawn = sample.answers.items, sample.inclusion[sample.answers.items][:, None]
        believed = target.tally(sample.probabilities)
        known = target.tally(sample.one_hot, items)
        r = sample.surprise
        design = believed + target.tally(r / drawn, items)
        plug_in = np.maximum(believed + target.tally(r, items), 0.0)
        each = (1 - drawn) * np.square(r / drawn)
        observed, fourth = target.tally(each, items), target.tally(np.square(each), items)
        p = sample.probabilities
        expected = target.tally(p * (1 - p) * sample.odds_against[:, None])
        surprised = target.tally(np.square(r) / (np.square(r) + p[items] * (1 - p[items]) + 1e-300), items)
        said = np.bincount(target.columns, minlength=pool.columns)
        names = [*pool.classes, NO_CLASS]
        rows = []
        for c, a in np.ndindex(*design.shape):
            here, answered, most = float(known[c, a]), float(known[:, a].sum()), float(said[a])
            shown, square = float(observed[c, a]), float(fourth[c, a])
            found = Designed(
                plug_in=float(plug_in[c, a]), design=float(design[c, a]), observed=shown,
                expected=float(expected[c, a]), degrees_of_freedom=shown**2 / square if square > 0 else 0.0,
                surprises=float(surprised[c, a]), nonlinearity=0.0,
                labels=labels_of_endless_pool(drawn[target.columns[items] == a, 0]),
                # A cell of which the column's answers were none, or all, may hold none, or all.
                answers_only=(most * here / answered,) * 2 if answered else (0.0, most), bounds=(0.0, most),
            )  # fmt: skip
            interval = wald(found, self.level)
            high = min(interval.high, most - (answered - here))
            low = min(max(interval.low, here), high)
            value = min(max(interval.estimate, low), high)
            rows.append({"true": names[c], "predicted": names[a], "estimate": value, "low": low, "high": high})
        return pd.DataFrame(rows)

    def forecast(self, targets: Sequence[Target], halves: Sequence[float], to: float | None) -> pd.DataFrame:
        """Labels for +- `to`, and what random sampling would have needed for the half-widths there are now."""
        labels, size = len(self.sample.answers), self.pool.size
        quantile = float(ndtri((1 + self.level) / 2))
        rows = []
        for target, half in zip(targets, halves, strict=True):
            at, *_ = self.of([(1.0, target)])
            row: dict[str, Any] = {"model": target.model, "metric": target.name, "labels": labels, "half_width": half}
            row["random_needed"] = random_labels_for(half, at.under_random(), quantile, size)
            if to is not None:
                row["labels_needed"] = labels_for(half, labels, size, to)
                row["random_needed_for_goal"] = random_labels_for(to, at.under_random(), quantile, size)
            rows.append(row)
        return without_model(pd.DataFrame(rows))


def ends(interval: Interval, found: Designed) -> dict[str, float]:
    """An estimate's columns in a table."""
    return {
        "estimate": interval.estimate, "low": interval.low, "high": interval.high, "plug_in": found.plug_in,
        "design": found.design,
    }  # fmt: skip


def approximately(level: float) -> str:
    """What the ordinary interval promises.

    >>> approximately(0.95)
    'approximate 95% coverage, whatever the surrogate believes'
    """
    return f"approximate {level:.0%} coverage, whatever the surrogate believes"


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
