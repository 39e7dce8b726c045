"""The result of the certified method: everything its labels tell, asked for when it is wanted."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pandas as pd

from altmas.beliefs.cross_fit import CrossFit
from altmas.beliefs.label_models import label_models
from altmas.certified import models as model_differences
from altmas.certified import slices
from altmas.certified.design import Sample
from altmas.certified.estimator import Estimator
from altmas.certified.functionals import Ratio, group_accuracy, group_difference
from altmas.certified.method import CertifiedRun
from altmas.core.answers import Answers
from altmas.core.checks import as_column, class_indices, fraction, positive
from altmas.core.groups import groups_by
from altmas.core.loop import Round
from altmas.core.pool import Pool
from altmas.core.result import Result
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class CertifiedResult(Result):
    """A result that can be asked further: other metrics, cells, groups, calibration, several models, and plans."""

    run: CertifiedRun = field(repr=False)
    level: float = 0.95

    @classmethod
    def of_run(cls, method: str, pool: Pool, seen: Sequence[Round], run: CertifiedRun, level: float) -> CertifiedResult:
        """Lay the rounds out, and keep the run."""
        plain = Result.of(method, pool, seen)
        return cls(**{f.name: getattr(plain, f.name) for f in fields(Result)}, run=run, level=level)

    @property
    def estimator(self) -> Estimator:
        """The sample this result rests on."""
        return Estimator(self.pool, self.run.sample(), self.level, self.run.job.seed)

    def estimate(self, metrics: Any, cost: Any = None) -> pd.DataFrame:
        """Metrics chosen after the labels were drawn, with ordinary intervals, as valid as those chosen before."""
        return self.estimator.metrics(metrics, cost)

    @property
    def confusion(self) -> pd.DataFrame:
        """Counts per true and predicted class on the whole pool, each with its interval (first model)."""
        return self.estimator.confusion()

    def groups(self, by: str = "class", metric: str = "accuracy", *, anytime: bool = False) -> pd.DataFrame:
        """A metric per group, and which group is probably worst (first model).

        With `anytime=True`, accuracies with intervals that hold at all looks together, each by itself.
        """
        table = slices.by_group(self.estimator, by, metric)
        if not anytime:
            return table
        _accuracy_only(metric)
        found = groups_by(self.pool, by)
        masks = [found.index == k for k in np.flatnonzero(found.sizes > 0)]
        classes = len(self.pool.classes)
        ends = self.anytime(*(group_accuracy(self.pool.predictions, classes, mask) for mask in masks))
        return table.assign(low=[low for low, _ in ends], high=[high for _, high in ends])

    def compare(
        self, by: str, a: Hashable, b: Hashable, metric: str = "accuracy", *, anytime: bool = False
    ) -> dict[str, Any]:
        """How much higher a metric is in group `a` than in group `b` (first model); `anytime` as for `groups`."""
        row = slices.compare(self.estimator, by, a, b, metric)
        if not anytime:
            return row
        _accuracy_only(metric)
        found = groups_by(self.pool, by)
        first, second = (found.index == found.names.index(one) for one in (a, b))
        [(low, high)] = self.anytime(group_difference(self.pool.predictions, len(self.pool.classes), first, second))
        return {**row, "low": low, "high": high}

    def anytime(self, *ratios: Ratio) -> list[tuple[float, float]]:
        """Intervals of any ratios (`altmas.certified.functionals`) that hold at all looks together, one by one.

        The run is made again from its answers, betting on these as it goes.
        """
        again = CertifiedRun(self.run.job, self.run.recipe, ratios)
        again.update(self.run.answers, self.run.round)
        return [one.interval(self.level) for one in again.bets]

    @property
    def calibration(self) -> pd.DataFrame:
        """Score and accuracy per score bin (first model)."""
        return slices.calibration(self.estimator)

    @property
    def ece(self) -> tuple[float, float, float]:
        """Expected calibration error: estimate, low, high (first model)."""
        return slices.ece(self.estimator)

    @property
    def differences(self) -> pd.DataFrame:
        """Paired differences of every two models."""
        return model_differences.differences(self.estimator, self.run.job.metrics)

    @property
    def best(self) -> pd.DataFrame:
        """P(best) of every model, by metric."""
        return model_differences.best(self.estimator, self.run.job.metrics)

    def forecast(self, within: float | None = None) -> pd.DataFrame:
        """Labels still needed for +- `within`, and what random sampling would have needed for the present precision."""
        goal = None if within is None else positive("within", within)
        halves = ((self.estimates["high"] - self.estimates["low"]) / 2).tolist()
        return self.estimator.forecast(self.run.targets, halves, goal)


def _accuracy_only(metric: str) -> None:
    if metric != "accuracy":
        raise InputError("metric", "be accuracy for anytime intervals of groups", repr(metric))


def estimate_from_log(
    pool: Pool, log: pd.DataFrame, metrics: Any, *, level: float = 0.95, cost: Any = None, seed: int = 0
) -> pd.DataFrame:
    """Any metrics, from a pool and a log of answers alone: columns `id`, `label` and `inclusion`.

    The belief is learnt anew from the log; the draws are made, so that the numbers are as valid as the audit's own.

    >>> pool = Pool.build([0, 1] * 50)
    >>> log = pd.DataFrame({"id": range(0, 100, 4), "label": [0] * 25, "inclusion": 0.25})
    >>> estimate_from_log(pool, log, ["precision:0"])["metric"].tolist()
    ['precision:0']
    """
    if "inclusion" not in log:
        raise InputError("log", "have the columns id, label and inclusion", "no inclusion")
    fraction("level", level)
    answers, drawn = answers_in(pool, log)
    assert drawn is not None
    total, spread = float((1 / drawn).sum()), float(((1 - drawn) / drawn**2).sum())
    if abs(total - pool.size) > 5 * np.sqrt(spread) + 1:
        rule = f"count the pool, its inverses summing to about {pool.size:,}"
        raise InputError("log's inclusion", rule, f"{total:,.0f}")
    inclusion = np.full(pool.size, np.nan)
    inclusion[answers.items] = drawn
    weights = 1 / np.sqrt(drawn)
    fit = CrossFit(label_models(pool, network=False), pool.size, len(pool.classes), seed)
    belief = fit.fit(answers, weights / weights.mean())
    return Estimator(pool, Sample(belief.probabilities, answers, inclusion), level, seed).metrics(metrics, cost)


def answers_in(pool: Pool, log: pd.DataFrame) -> tuple[Answers, FloatArray | None]:
    """The answers of a log with columns `id` and `label`, and each one's `inclusion` where there is such a column.

    >>> answers_in(Pool.build(["cat", "dog"]), pd.DataFrame({"id": [1], "label": ["cat"]}))[0].items
    array([1])
    """
    for column in ("id", "label"):
        if column not in log:
            raise InputError("log", "have the columns id, label and inclusion", f"no {column}")
    place = {one: row for row, one in enumerate(pool.ids)}
    ids = as_column("log's ids", log["id"])
    if strange := [row for row, one in enumerate(ids) if one not in place]:
        hint = "A file may have turned text into numbers: read it with dtype=str."
        raise InputError("log's ids", "be ids of the pool", f"{ids[strange[0]]!r} in {rows_at_fault(strange)}", hint)
    if len(set(ids)) < len(ids):
        raise InputError("log's ids", "be unique", f"{len(ids) - len(set(ids))} again")
    labels = class_indices(as_column("log's labels", log["label"]), pool.classes)
    if outside := np.flatnonzero(labels == len(pool.classes)).tolist():
        raise InputError("log's labels", f"be among the classes {list(pool.classes)[:12]}", rows_at_fault(outside))
    items = np.array([place[one] for one in ids], dtype=np.int64)
    if "inclusion" not in log:
        return Answers().extended(items, labels, 0, np.ones(len(items))), None
    try:
        drawn = log["inclusion"].to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("log's inclusion", "be numbers", str(log["inclusion"].dtype)) from None
    if wrong := np.flatnonzero(~((drawn > 0) & (drawn <= 1))).tolist():
        raise InputError("log's inclusion", "be above 0 and at most 1", rows_at_fault(wrong))
    return Answers().extended(items, labels, 0, drawn), drawn
