"""Targets: what is to be estimated. From names to metrics that work, to a metric of one model on a part of the pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from altmas.core.first_phase import FirstPhase
from altmas.core.plugins import METRIC_PLUGINS, called
from altmas.core.pool import Outputs, Pool
from altmas.metrics import InputError, Metric, metrics_named
from altmas.metrics.belief import Belief
from altmas.metrics.confusion import sum_by_column
from altmas.metrics.custom import LabelFunction
from altmas.metrics.formulas import LinearMetric
from altmas.metrics.scores import CalibrationError, ScoreMetric
from altmas.metrics.thresholds import AtThreshold
from altmas.metrics.types import FloatArray, IntArray


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
        made = called(METRIC_PLUGINS, name, pool.classes)
        if made is None:
            raise
    if not hasattr(made, "value") or not hasattr(made, "gradient"):
        raise InputError(f"plug-in {name!r} of {METRIC_PLUGINS}", "make a metric", repr(made))
    return [made]


def _try(one: Metric, pool: Pool) -> None:
    if pool.first_phase is not None and _of_single_items(one):
        hint = "Calibration error, accuracy, precision, recall and all others made of a confusion can be had."
        rule = f"be made of a confusion where the pool was drawn from {pool.whole:,} rows"
        raise InputError(f"metric {one.name!r}", rule, "one of single scores or labels", hint)
    if isinstance(one, ScoreMetric):
        for outputs in pool.outputs:
            outputs.bound(one, pool.classes)
        return
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


def _of_single_items(one: Metric) -> bool:
    """Whether a metric looks at single scores or labels, of which a sample does not have those of the whole."""
    return isinstance(one, LabelFunction) or (isinstance(one, ScoreMetric) and one.kind != "ece")


@dataclass(frozen=True, eq=False)
class Target:
    """A metric of the confusion between labels and these columns; an item in column -1 takes no part.

    `members` are the positions of the items that take part, in order, where these are not all of them. A metric of
    scores has a column per item or per score; `bands [P]` are columns whose scores are alike. Where the pool was drawn
    in a `first_phase`, each item counts for the rows of the whole that it stands for.
    """

    name: str
    metric: Metric
    columns: IntArray  # [N]
    width: int  # number of columns, P
    model: str = ""
    members: IntArray | None = None
    bands: IntArray | None = None
    first_phase: FirstPhase | None = None

    @property
    def taking_part(self) -> int:
        """How many items take part."""
        return int(np.count_nonzero(self.columns >= 0)) if self.members is None else len(self.members)

    def tally(self, weights: FloatArray, items: IntArray | slice = slice(None), power: int = 1) -> FloatArray:
        """Sum label weights `[n, C]` of some items into a confusion `[C, P]`.

        Of a first phase each counts for the rows that it stands for, to this power: 2 for variances, 0 for items.
        """
        weights = weights if self.first_phase is None else self.first_phase.times(weights, items, power)
        where = self.columns[items]
        inside = where >= 0
        if not inside.all():
            where, weights = where[inside], weights[inside]
        return sum_by_column(weights, where, self.width)

    def believed(self, belief: Belief) -> FloatArray:
        """The confusion `[C, P]` as a belief about the whole pool has it."""
        columns = self.columns
        if self.first_phase is not None:
            belief = belief.scaled(self.first_phase.weights)
        if self.members is not None or (columns < 0).any():
            inside = np.flatnonzero(columns >= 0) if self.members is None else self.members
            belief, columns = belief.at(inside), columns[inside]
        if self.bands is None:
            return belief.tally(columns, self.width)
        each = (belief.column(c) for c in range(belief.classes))  # nearly as many columns as items
        return np.stack([np.bincount(columns, one, self.width) for one in each])

    def slopes(self, gradient: FloatArray, items: IntArray | slice) -> FloatArray:
        """How each label of each of these items, or of one row like it, moves the metric `[n, C]`."""
        where = self.columns[items]
        found = gradient.T[where]
        if len(where) and where.min() < 0:  # column -1 moves nothing
            found[where < 0] = 0.0
        return np.asarray(found)


def targets_of(metrics: tuple[Metric, ...], pool: Pool) -> list[Target]:
    """Every metric for every model under test.

    >>> from altmas.metrics import metric
    >>> pool = Pool.build({"a": [0, 1], "b": [1, 1]})
    >>> [(t.name, t.model) for t in targets_of((metric("accuracy", [0, 1]),), pool)]
    [('accuracy', 'a'), ('accuracy', 'b')]
    """
    return [target_of(one, outputs, pool) for outputs in pool.outputs for one in metrics]


def target_of(metric: Metric, outputs: Outputs, pool: Pool) -> Target:
    """A metric of one model of the pool; a metric of scores is bound to those of the model."""
    model = outputs.name if len(pool.outputs) > 1 else ""
    if not isinstance(metric, ScoreMetric):
        return Target(metric.name, metric, outputs.predictions, pool.columns, model, first_phase=pool.first_phase)
    bound = outputs.bound(metric, pool.classes)
    inside = bound.columns >= 0
    members = None if inside.all() else np.flatnonzero(inside)
    return Target(metric.name, bound.metric, bound.columns, bound.width, model, members, bound.bands, pool.first_phase)


def within(target: Target, member: np.ndarray[tuple[int], np.dtype[np.bool_]], name: str) -> Target:
    """The same metric on a part of the pool."""
    columns = np.where(member, target.columns, -1)
    return replace(target, name=name, columns=columns, members=np.flatnonzero(columns >= 0))


def bounds_of(metric: Metric) -> tuple[float, float]:
    """What a metric can be at least and at most; that of another package need not say so.

    >>> from altmas.metrics import metric
    >>> bounds_of(metric("mcc", [0, 1]))
    (-1.0, 1.0)
    """
    low, high = getattr(metric, "bounds", (-np.inf, np.inf))
    return float(low), float(high)


def lower_is_better(metric: Metric) -> bool:
    """Whether a metric counts what goes wrong.

    >>> from altmas.metrics import expected_cost
    >>> lower_is_better(expected_cost(1 - np.eye(2)))
    True
    """
    if isinstance(metric, LinearMetric | ScoreMetric):
        return metric.lower_is_better
    if isinstance(metric, AtThreshold):
        return metric.among == "others"
    return metric.name == "error_rate" or isinstance(metric, CalibrationError)
