"""The findings of a result of `assess`, to be reported as those of an audit are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from altmas.audits.told import Told, far_apart
from altmas.core.findings import Findings, Forecasts, TellsAnytime
from altmas.core.result import ContestResult, Result, estimates_table
from altmas.core.tasks import Best, Task
from altmas.surfaces.surface import surface_from_log
from altmas.words.cautions import few_labels
from altmas.words.no_answer import never_right

if TYPE_CHECKING:
    from altmas.surfaces.membership import By
    from altmas.surfaces.recipe import SurfaceRecipe
    from altmas.surfaces.surface import AccuracySurface


@dataclass(frozen=True, eq=False)
class ResultFindings(Told):
    """What a result tells."""

    result: Result

    @property
    def found(self) -> Findings:  # type: ignore[override]
        """What the method tells."""
        return self.result.findings

    @property
    def method_name(self) -> str:
        """The name of the method."""
        return self.result.method

    @property
    def goal(self) -> Task | None:
        """Which model is best, where that was asked."""
        contest = self.result.contest if isinstance(self.result, ContestResult) else None
        return Best(contest.metric) if contest is not None else None

    @cached_property
    def estimates(self) -> pd.DataFrame:
        """A row per metric (and model), with what random sampling would have needed where that can be told."""
        table = estimates_table(self.found.estimates)
        own = not isinstance(self.found, TellsAnytime) or self.found.plain is None
        if isinstance(self.found, Forecasts) and own:
            table = table.assign(random_needed=self.found.forecast()["random_needed"].to_numpy())
        return table

    @property
    def history(self) -> pd.DataFrame:
        """The estimates after every batch; of a contest the leader alone was followed."""
        table = self.result.history
        if "metric" not in table:
            return pd.DataFrame(columns=["labels", "metric", "estimate", "low", "high"])
        return table[[c for c in ("labels", "model", "metric", "estimate", "low", "high") if c in table]]

    @property
    def missing(self) -> dict[str, int]:
        """Questions without a label; an oracle does not say why."""
        return {"unlabelled": max((one.missing for one in self.found.estimates), default=0)}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before relying on the numbers."""
        besides = [*never_right(self.pool, self.found.answers), self.classes_verdict, few_labels(self.labels)]
        return (*far_apart(self), *filter(None, besides))

    def surface(
        self, by: By = None, *, estimator: str | SurfaceRecipe = "betagp", model: str | None = None
    ) -> AccuracySurface:
        """The result's own surface if it is the one asked for, or one of its answers."""
        own: Any = getattr(self.result, "fitted", None)
        if own is not None and (by is None or by == tuple(own.arms.names)):
            fitted: AccuracySurface = own
            return fitted
        return surface_from_log(
            self.pool, self.result.answers, by, estimator=estimator, model=model, level=self.level,
            seed=self.found.job.seed, at_random="inclusion" not in self.result.answers and self.method_name == "random",
        )  # fmt: skip
