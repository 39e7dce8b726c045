"""What an audit was set up to do. Most of it is fixed when it is created; `changes` has what is not."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from altmas import __version__
from altmas.audits.events import canonical
from altmas.audits.telling import annotator_name
from altmas.catalogue import (
    METHODS,
    check_clusters,
    check_first_phase,
    contested_metrics,
    for_task,
    make_method,
    portions,
    usual_metrics,
)
from altmas.core.checks import fraction, positive, whole_number
from altmas.core.loop import USUAL_BATCH, USUAL_INITIAL
from altmas.core.method import Method, check_scores_seen
from altmas.core.plugins import METHOD_PLUGINS, plugin
from altmas.core.pool import Pool
from altmas.core.requirements import Requirement, check_bound, read_requirement
from altmas.core.targets import bounds_of, resolve_metrics
from altmas.core.tasks import USUAL, Best, EstimateGroups, Task, as_task, task_data
from altmas.metrics import Metric
from altmas.metrics.errors import AltmasError, InputError

NOT_IN_AUDITS = ("lure", "ase", "asi", "oasis", "ppi", "stratified")
"""Their weights do not survive answers that come late, out of order or not at all; `assess` has them."""

ECE = "ece"
"""Calibration error is asked for like a metric, but needs the scores and not only a confusion."""

THREE = ("accuracy", "macro_precision", "macro_recall")
"""The set `alt_mas_3` by its names, so that a record says what they are."""


@dataclass(frozen=True)
class Settings:
    """Metrics, method with its options, seed, portions and level; how many annotators see each item."""

    metrics: tuple[str, ...]
    method: str = "certified"
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    initial: int = 50
    batch: int = 10
    level: float = 0.95
    budget: int | None = None
    overlap: int = 1
    guidelines: str = ""
    title: str = ""
    cost: tuple[tuple[float, ...], ...] | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    task: Mapping[str, Any] = field(default_factory=lambda: task_data(EstimateGroups()))
    experts: tuple[str, ...] = ()
    second_readings: int | None = None
    cost_expert: float | None = None
    show: tuple[str, ...] | None = None  # of the items' columns; None for all
    reveal: bool = True  # whether annotators may look at predictions and estimates
    targets: tuple[Requirement, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For the store, but for the time, which the event has."""
        plain = {"targets": [str(one) for one in self.targets], "show": self.show and list(self.show)}
        return {k: v for k, v in {**asdict(self), **plain}.items() if k != "created"}

    @classmethod
    def of(cls, body: Mapping[str, Any], created: str) -> Settings:
        """From the store."""
        cost = body["cost"] and tuple(map(tuple, body["cost"]))
        known = {"metrics": tuple(body["metrics"]), "options": options_now(body["options"]), "cost": cost}
        known["experts"] = tuple(body.get("experts", ()))
        known |= values_of({name: body[name] for name in ("show", "targets") if name in body})
        return cls(**{**body, **known, "created": created})

    def checked(self, pool: Pool) -> Settings:
        """Refuse, before a label is spent, what would fail later."""
        for name, least in (("seed", 0), ("initial", 1), ("batch", 1), ("overlap", 1)):
            whole_number(name, getattr(self, name), least)
        self.check_plan(pool)
        fraction("level", self.level)
        if self.method in NOT_IN_AUDITS or (self.method not in METHODS and plugin(METHOD_PLUGINS, self.method) is None):
            usable = ", ".join(name for name in METHODS if name not in NOT_IN_AUDITS)
            raise InputError("method of an audit", f"be one of {usable}", repr(self.method))
        if "interval" in self.options and self.method != "certified":
            raise InputError("method", "be certified for anytime intervals", repr(self.method))
        self.metrics_on(pool)
        if isinstance(self.goal, Best):
            contested_metrics(self.goal, None, pool, self.cost)
        self._check_calibration(pool)
        method = self.make_method(pool)
        check_clusters(method, self.goal, pool)
        check_first_phase(method, self.goal, pool)
        if len(pool.outputs) > 1 and not getattr(method, "several_models", False):
            raise InputError("method", "be certified or random for several models", repr(self.method))
        check_scores_seen(method, self.metrics_on(pool))
        self.check_experts(pool, method)
        self.check_told(pool)
        try:
            canonical(self.as_dict())
        except (TypeError, ValueError) as error:
            raise InputError("settings of an audit", "be text and numbers, which a store can keep", error) from None
        return self

    def check_plan(self, pool: Pool) -> None:
        """Refuse a budget that cannot be kept to."""
        if self.budget is not None:
            whole_number("budget", self.budget, 1)
            if self.budget > pool.size and self.cost_expert is None:
                raise InputError("budget", f"be at most the pool's size, {pool.size:,}", f"{self.budget:,}")

    def check_told(self, pool: Pool) -> None:
        """Refuse what people could not be told: texts that are none, and targets of metrics that there are not."""
        for name in ("guidelines", "title"):
            if not isinstance(getattr(self, name), str):
                raise InputError(name, "be text", type(getattr(self, name)).__name__)
        if not isinstance(self.reveal, bool):
            raise InputError("reveal", "be True or False", repr(self.reveal))
        for one in self.targets:
            metrics = () if one.metric == ECE else resolve_metrics([one.metric], pool, self.cost)
            check_bound(one, *(bounds_of(metrics[0]) if len(metrics) == 1 else (0.0, 1.0)))
        told = [(one.metric, one.sign) for one in self.targets]
        if again := [one for one in self.targets if told.count((one.metric, one.sign)) > 1]:
            raise InputError("targets", "be one for each metric and sign", " and ".join(map(repr, map(str, again))))

    def check_experts(self, pool: Pool, method: Method) -> None:
        for one in self.experts:
            if not annotator_name(one):
                raise InputError("experts", "be names", repr(one))
        if len(set(self.experts)) < len(self.experts):
            raise InputError("experts", "be named once each", ", ".join(self.experts))
        for name, given in (("second_readings", self.second_readings), ("cost_expert", self.cost_expert)):
            if given is not None and not self.experts:
                hint = "Name those who read answers again: experts=...."
                raise InputError("experts", f"be named for {name}", "nobody", hint)
        if self.experts and not getattr(method, "takes_readings", False):
            rule, hint = "come with a method whose answers can be corrected", "Take certified, without --anytime."
            found = "anytime intervals" if self.method == "certified" else repr(self.method)
            raise InputError("experts", rule, found, hint)
        if self.second_readings is not None and self.cost_expert is not None:
            hint = "cost_expert decides how many there are."
            raise InputError("second_readings", "be left out with cost_expert", f"{self.second_readings:,}", hint)
        if self.second_readings is not None:
            most = pool.size if self.budget is None else self.budget
            if whole_number("second_readings", self.second_readings, 1) > most:
                raise InputError("second_readings", f"be at most {most:,}, one for each answer", self.second_readings)
        if self.cost_expert is not None:
            positive("cost_expert", self.cost_expert)
            if self.budget is None:
                raise InputError("budget", "be given with cost_expert, which splits it", "none")
            if self.budget < 1 + self.cost_expert:
                rule = f"be enough for an answer and a reading, {1 + self.cost_expert:g}"
                raise InputError("budget", rule, f"{self.budget:,}")

    def _check_calibration(self, pool: Pool) -> None:
        if ECE not in self.metrics:
            return
        if self.method not in ("certified", "random"):
            raise InputError("method", "be certified or random for ece", repr(self.method))
        for one in pool.outputs:
            if not one.probable:
                raise InputError("ece", "be asked of scores that are probabilities", f"none such of {one.name!r}")

    def metrics_on(self, pool: Pool) -> tuple[Metric, ...]:
        """The metrics, but for calibration error."""
        if not self.metrics or not all(isinstance(one, str) for one in self.metrics):
            raise InputError("metrics of an audit", "be names, at least one", list(self.metrics))
        names = [one for one in self.metrics if one != ECE]
        return resolve_metrics(names or ["accuracy"], pool, self.cost)

    @property
    def goal(self) -> Task:
        """The task that questions are drawn for."""
        return as_task(**self.task, cost=self.cost)

    def make_method(self, pool: Pool) -> Method:
        """The method with its options, for the task."""
        return for_task(make_method(self.method, **self.options), self.goal, pool)[0]


def values_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as the store has them, lists and texts, as the values they stand for.

    >>> values_of({"targets": ["accuracy >= 0.9"], "show": None, "budget": 300})["targets"][0].bound
    0.9
    """
    found = dict(body)
    if "targets" in found:
        found["targets"] = tuple(read_requirement(one) for one in found["targets"])
    if found.get("show") is not None:
        found["show"] = tuple(found["show"])
    return found


def options_now(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Options of a method as they are called now: older audits have a network or none, where learners are named now.

    >>> options_now({"worth": "neyman", "network": False})
    {'worth': 'neyman', 'learners': []}
    """
    if "network" not in options:
        return options
    rest = {name: value for name, value in options.items() if name != "network"}
    return rest if options["network"] else {**rest, "learners": []}


def metrics_wanted(
    metrics: str | Sequence[str], method: str, options: Mapping[str, Any], task: Task | None = None
) -> tuple[str, ...]:
    """Names of metrics; where none are named, `accuracy,macro_precision,macro_recall` or what the method knows.

    That by which the best of several models is sought is always among them.

    >>> metrics_wanted("usual", "surface", {}), metrics_wanted("mcc", "surface", {})
    (('accuracy',), ('mcc',))
    >>> metrics_wanted("mcc", "certified", {}, Best())
    ('accuracy', 'mcc')
    """
    if isinstance(task, Best):
        more = () if isinstance(metrics, str) and metrics == USUAL else metrics_wanted(metrics, method, options)
        return (task.name, *(one for one in more if one != task.name))
    if not isinstance(metrics, str):
        return tuple(metrics)
    if metrics != USUAL:
        return (metrics,)
    try:
        found = usual_metrics(make_method(method, **options))
    except AltmasError:
        return THREE  # what is wrong with the method is told when the settings are checked
    return THREE if found == "alt_mas_3" else (found,)


def preferred_portions(
    method: str, options: Mapping[str, Any], task: Task, pool: Pool, initial: int | None, batch: int | None
) -> tuple[int, int]:
    """How many questions to draw before the first fit, and at a time after it, where nobody says."""
    try:
        made = for_task(make_method(method, **options), task, pool)[0]
    except AltmasError:  # what is wrong with the method is told when the settings are checked
        return (USUAL_INITIAL if initial is None else initial), (USUAL_BATCH if batch is None else batch)
    return portions(made, task, initial, batch)


def versions() -> dict[str, str]:
    """Of what computes the numbers."""
    from importlib.metadata import version

    packages = ("numpy", "scipy", "pandas")
    return {"altmas": __version__, "python": platform.python_version(), **{name: version(name) for name in packages}}
