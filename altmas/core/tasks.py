"""Tasks: what is to be found out beyond the metrics of the whole pool. Values that check themselves."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from altmas.core.checks import fraction, plain, whole_number
from altmas.metrics.errors import InputError

USUAL = "usual"
"""Metrics where none are named: `alt_mas_3`, or what the method says it knows."""

TARGETS = ("least_accurate", "most_accurate", "least_calibrated", "most_costly")


@dataclass(frozen=True)
class EstimateGroups:
    """The accuracy of each group: by `class` (predicted), `score`, `score:weight` or one of the pool's groups.

    The task where none is named. Methods that know nothing of groups then estimate their metrics, and `by` stays None.
    """

    by: str | None = None
    bins: int = 10


@dataclass(frozen=True)
class Identify:
    """Which `m` groups are the `target`: least or most accurate, least calibrated, or most costly (with `cost`).

    >>> Identify(m=3, by="region").target
    'least_accurate'
    """

    target: str = "least_accurate"
    m: int = 1
    by: str = "class"
    cost: ArrayLike | None = None
    bins: int = 10

    def __post_init__(self) -> None:
        if not isinstance(self.target, str) or self.target not in TARGETS:
            raise InputError("target", f"be one of {', '.join(TARGETS)}", repr(self.target))
        whole_number("m", self.m, 1)
        if self.cost is not None:
            object.__setattr__(self, "cost", as_costs(self.cost))


@dataclass(frozen=True)
class Compare:
    """Whether groups `a` and `b` differ; differences smaller than `rope` do not matter.

    >>> Compare("north", "south", by="region").rope
    0.05
    """

    a: Hashable
    b: Hashable
    by: str = "class"
    rope: float = 0.05
    bins: int = 10

    def __post_init__(self) -> None:
        fraction("rope", self.rope)
        object.__setattr__(self, "a", plain(self.a))
        object.__setattr__(self, "b", plain(self.b))


@dataclass(frozen=True)
class Surface:
    """The accuracy of every combination of attributes: names among the pool's groups, or all of them.

    `estimator` is a name, `betagp` unless given, or an `altmas.SurfaceRecipe`; see docs/surface.md.
    """

    by: Any = None
    estimator: Any = None


@dataclass(frozen=True)
class Best:
    """Which of several models is best by a `metric`: a name from the catalogue, or a metric of your own.

    Left out, it is the first of the metrics that are asked for, or accuracy.

    >>> Best().name, Best(metric="macro_recall").name
    ('accuracy', 'macro_recall')
    """

    metric: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.metric, str | None) and not (
            hasattr(self.metric, "value") and hasattr(self.metric, "name")
        ):
            raise InputError("metric of task 'best'", "be one name or one metric", repr(self.metric))

    @property
    def name(self) -> str:
        """Of the metric."""
        if self.metric is None:
            return "accuracy"
        return self.metric if isinstance(self.metric, str) else str(self.metric.name)

    def by_first(self, metrics: Any) -> Best:
        """The same; by the first of these metrics, where none was named.

        >>> Best().by_first(["macro_recall", "accuracy"]).name, Best().by_first("usual").name
        ('macro_recall', 'accuracy')
        """
        if self.metric is not None:
            return self
        listed = isinstance(metrics, Sequence) and not isinstance(metrics, str)
        first = (metrics[0] if metrics else None) if listed else metrics
        return Best("accuracy" if first in (None, USUAL) else first)


def as_costs(cost: ArrayLike) -> tuple[tuple[float, ...], ...]:
    """A matrix of costs as plain numbers, which can be compared and kept.

    >>> as_costs([[0, 1], [5, 0]])
    ((0.0, 1.0), (5.0, 0.0))
    """
    try:
        matrix = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("cost", "be a matrix of numbers, [true, predicted]", repr(cost)[:60]) from None
    if matrix.ndim != 2:
        raise InputError("cost", "be a matrix of numbers, [true, predicted]", f"shape {matrix.shape}")
    return tuple(map(tuple, matrix.tolist()))


Task = EstimateGroups | Identify | Compare | Surface | Best

TASKS: Mapping[str, type[Task]] = {
    "estimate": EstimateGroups,
    "identify": Identify,
    "compare": Compare,
    "surface": Surface,
    "best": Best,
}


def as_task(task: str | Task, about: Mapping[str, Any] | None = None, cost: ArrayLike | None = None) -> Task:
    """A task as it is, or by its name with what it is about; a `cost` given elsewhere is that of finding the costliest.

    >>> as_task("compare", {"a": "north", "b": "south", "by": "region"})
    Compare(a='north', b='south', by='region', rope=0.05, bins=10)
    """
    words = dict(about or {})
    if not isinstance(task, str):
        if not isinstance(task, Task):
            raise InputError("task", f"be one of {', '.join(TASKS)}, or a value such as Compare(...)", repr(task))
        if words:
            raise InputError("task", "hold everything it is about", f"{', '.join(words)} beside it")
        return replace(task, cost=cost) if isinstance(task, Identify) and task.cost is None else task
    if task not in TASKS:
        raise InputError("task", f"be one of {', '.join(TASKS)}", repr(task))
    kind = TASKS[task]
    known = [one.name for one in fields(kind)]
    if strange := [word for word in words if word not in known]:
        takes = ", ".join(known)
        raise InputError(f"task {task!r}", f"be about {takes}", repr(strange[0]), "See help(altmas.assess).")
    if kind is Compare and not {"a", "b"} <= set(words):
        hint = "task=altmas.Compare('north', 'south', by='region')."
        raise InputError("groups to compare", "be two, a and b", ", ".join(words) or "none", hint)
    return as_task(kind(**words), None, cost)


def task_name(task: Task) -> str:
    """The name of a task, as `as_task` takes it.

    >>> task_name(Surface(["sex", "race"]))
    'surface'
    """
    return next(name for name, kind in TASKS.items() if isinstance(task, kind))


def task_data(task: Task) -> dict[str, Any]:
    """A task as data that a file can keep; `as_task(**data)` makes it again.

    >>> task_data(Identify(m=2))["about"]["m"]
    2
    """
    about = {one.name: getattr(task, one.name) for one in fields(task)}
    if isinstance(task, Surface) and not isinstance(task.estimator, str | None):
        hint = "Name one, and ask audit.surface(...) for a recipe of your own."
        raise InputError("estimator of an audit's surface", "be a name, which a store can keep", "a recipe", hint)
    if isinstance(task, Best) and not isinstance(task.metric, str | None):
        raise InputError("metric of an audit's task", "be a name, which a store can keep", repr(task.metric))
    return {"task": task_name(task), "about": about}
