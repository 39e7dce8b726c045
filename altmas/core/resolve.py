"""From what a user asked for to metrics that are known to work on the pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from altmas.core.plugins import METRICS, called
from altmas.core.pool import Pool
from altmas.metrics import InputError, Metric, metrics_named
from altmas.metrics.custom import LabelFunction


def resolve_metrics(
    wanted: str | Metric | Sequence[str | Metric], pool: Pool, cost: ArrayLike | None = None
) -> tuple[Metric, ...]:
    """Look names up, take metrics as they are, and try each on a made-up confusion before any label is spent.

    >>> [m.name for m in resolve_metrics("alt_mas_3", Pool.build(["cat", "dog"]))]
    ['accuracy', 'macro_precision', 'macro_recall']
    """
    single = isinstance(wanted, str) or hasattr(wanted, "value") or not hasattr(wanted, "__iter__")
    listed: list[Any] = [wanted] if single else list(wanted)  # type: ignore[arg-type]
    found: list[Metric] = []
    for one in listed:
        if isinstance(one, str):
            found += _named(one, pool, cost)
        elif isinstance(one, LabelFunction) and not one.classes:
            found.append(replace(one, classes=pool.classes))
        elif hasattr(one, "value") and hasattr(one, "gradient"):
            found.append(one)
        else:
            hint = "Wrap a function with altmas.metrics.from_confusion or from_labels."
            raise InputError("each metric", "be a name or a metric", repr(one), hint)
    if not found:
        raise InputError("metrics", "name at least one metric", "none")
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise InputError("metrics", "have distinct names", f"{twice!r} twice")
    for one in found:
        _try(one, pool)
    return tuple(found)


def _named(name: str, pool: Pool, cost: ArrayLike | None) -> list[Metric]:
    """From the catalogue, or by the entry point `altmas.metrics` of another package."""
    try:
        return metrics_named([name], pool.classes, cost=cost)
    except InputError:
        made = called(METRICS, name, pool.classes)
        if made is None:
            raise
    if not hasattr(made, "value") or not hasattr(made, "gradient"):
        raise InputError(f"plug-in {name!r} of {METRICS}", "make a metric", repr(made))
    return [made]


def _try(one: Metric, pool: Pool) -> None:
    shape = (len(pool.classes), pool.columns)
    try:
        value = np.asarray(one.value(np.ones(shape)))
    except InputError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise InputError(f"metric {one.name!r}", f"take a confusion of shape {shape}", said) from error
    if value.shape != () or not np.isfinite(value):
        raise InputError(f"metric {one.name!r}", "give one finite number for a confusion", value)
