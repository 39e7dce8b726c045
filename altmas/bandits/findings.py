"""What was found out about groups: a table of accuracies, a ranking, a comparison; each with a verdict in words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from altmas.bandits.rewards import FindCostliest
from altmas.core.checks import fraction
from altmas.core.findings import RunFindings
from altmas.core.groups import required_confidence
from altmas.core.loop import Round
from altmas.core.plain import plain_rows
from altmas.core.ranking import RANKING_DRAWS, Ranking, probability_among_lowest
from altmas.core.result import Result
from altmas.core.tasks import Compare, EstimateGroups, Identify
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.words.groups import comparison_verdict, ranking_verdict

if TYPE_CHECKING:
    from altmas.bandits.method import GroupRun
    from altmas.bandits.tasks import GroupTask
    from altmas.surrogates.groups.beta_posterior import BetaPosterior


RANKED = {
    "least_accurate": "lowest accuracy",
    "most_accurate": "highest accuracy",
    "least_calibrated": "highest calibration error",
    "most_costly": "highest cost",
}
"""What an extreme group has, by the target of the task."""


@dataclass(frozen=True, eq=False)
class GroupFindings(RunFindings):
    """What the answers of a bandit's run tell: of its own groups, and of any other groups of the pool."""

    run: GroupRun

    def about(self, task: GroupTask) -> GroupRun:
        """A run with the same answers, about another task."""
        if task == self.run.method.task:
            return self.run
        run = replace(self.run.method, task=task).begin(self.job)
        run.update(self.answers, self.run.round)
        return run

    def groups(self, by: str = "class", metric: str = "accuracy", model: str | None = None) -> pd.DataFrame:
        """Size, labels, estimate, low, high of each group's accuracy on this pool, and P(worst)."""
        self._accuracy_only(metric)
        return _groups(self.about(_estimate_by(by)), self.level)

    def ranking(
        self, by: str = "class", metric: str = "accuracy", m: int = 1, model: str | None = None
    ) -> pd.DataFrame:
        """Groups with `p`, the probability to be among the m least accurate; `attrs["verdict"]` says it in words."""
        self._accuracy_only(metric)
        return self.identified(Identify(m=m, by=by))

    def identified(self, task: Identify) -> pd.DataFrame:
        """Each group with its rank (1 = most extreme) and `p`, the probability that it is among the m sought."""
        run, level = self.about(task), self.level
        filled = run.arms.groups.told  # a group without items has nothing but a prior
        if task.target == "most_costly":  # an item without an answer costs as any other
            filled = run.arms.groups.sizes > 0
        values = _values(run, task)[:, filled]
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
        table = pd.DataFrame(_sizes(run))[filled].reset_index(drop=True)
        table = table.assign(estimate=values.mean(0), low=low, high=high)
        found = Ranking.of_draws(values if task.target == "least_accurate" else -values, task.m, level)
        table = found.beside(table)
        what, rows = f"{RANKED[task.target]} by {task.by}", plain_rows(table, ("group",))
        table.attrs["verdict"] = ranking_verdict(what, rows, task.m, found.together, level)
        return table

    def compare(
        self, by: str, a: Hashable, b: Hashable, metric: str = "accuracy", rope: float = 0.05, model: str | None = None
    ) -> dict[str, Any]:
        """How much more accurate group `a` is; probabilities that it is lower, equal within `rope`, or higher."""
        fraction("rope", rope)
        self._accuracy_only(metric)
        return self.compared(Compare(a, b, by, rope))[0]

    def compared(self, task: Compare) -> tuple[dict[str, Any], FloatArray]:
        """The comparison as a row, and the draws of the difference `[M]` behind it."""
        run = self.about(task)
        draws = run.belief.accuracy().draw(RANKING_DRAWS, run.stream("ranking"))
        gap = draws[:, 0] - draws[:, 1]
        shares = {
            "lower": float((gap < -task.rope).mean()),
            "equal": float((np.abs(gap) <= task.rope).mean()),
            "higher": float((gap > task.rope).mean()),
        }
        low, high = np.quantile(gap, [(1 - self.level) / 2, (1 + self.level) / 2])
        row = {"metric": "accuracy", "a": task.a, "b": task.b}
        row |= {"estimate": float(gap.mean()), "low": float(low), "high": float(high)}
        row |= {f"p_{region}": share for region, share in shares.items()}
        return {**row, "verdict": comparison_verdict(row, task.rope, self.level)}, gap

    @cached_property
    def _calibrated(self) -> tuple[pd.DataFrame | None, tuple[float, float, float] | None]:
        return _calibration(self.run, self.level)

    def calibration(self, model: str | None = None) -> pd.DataFrame | None:
        """Per score bin: mean score, accuracy and its interval, and `bias`, score minus accuracy; None without."""
        return self._calibrated[0]

    def ece(self, model: str | None = None) -> tuple[float, float, float] | None:
        """Expected calibration error of the whole pool: estimate, low, high; None without scores."""
        return self._calibrated[1]

    def result(self, method: str, seen: Sequence[Round]) -> Result:
        """The result of `assess` that fits the task."""
        task = self.run.method.task
        found: Result
        if isinstance(task, Identify):
            ranking = self.identified(task)
            found = IdentifyResult.of(method, seen, self, ranking=ranking, verdict=ranking.attrs["verdict"])
        elif isinstance(task, Compare):
            found = self._compare_result(method, seen, task)
        else:
            more = {"groups": _groups(self.run, self.level), "posterior": self.run.belief.accuracy()}
            found = GroupResult.of(method, seen, self, **more, calibration=self.calibration(), ece=self.ece())
        return found

    def _compare_result(self, method: str, seen: Sequence[Round], task: Compare) -> Result:
        row, gap = self.compared(task)
        mu = {region: row[f"p_{region}"] for region in ("lower", "equal", "higher")}
        eta = max(mu, key=lambda region: mu[region])
        difference = (row["estimate"], row["low"], row["high"])
        found: Result = CompareResult.of(
            method, seen, self, verdict=row["verdict"], mu=mu, eta=eta, lam=mu[eta], difference=difference, draws=gap
        )
        return found

    def _accuracy_only(self, metric: str) -> None:
        if metric != "accuracy":
            raise InputError("metric", f"be accuracy for the method {self.run.method.name}", repr(metric))


def _estimate_by(by: str) -> EstimateGroups:
    return EstimateGroups(None if by == "class" else by)


@dataclass(frozen=True, eq=False, repr=False)
class GroupResult(Result):
    """A result with `groups`: size, labels, estimate, low, high of each group's accuracy on this pool, and P(worst).

    Labelled items are known, open ones predicted, so a group whose items are all labelled has its accuracy exactly.
    P(worst) is about the accuracy behind the pool, which stays uncertain.
    """

    groups: pd.DataFrame
    posterior: BetaPosterior
    """Of each group's accuracy behind the pool, for displays and questions of your own."""

    calibration: pd.DataFrame | None
    """Per score bin: mean score, accuracy and its interval, and `bias`, score minus accuracy; None without scores."""

    ece: tuple[float, float, float] | None
    """Expected calibration error of the whole pool: estimate, low, high; None without scores."""


@dataclass(frozen=True, eq=False, repr=False)
class IdentifyResult(Result):
    """`ranking`: each group with its rank (1 = most extreme) and `p`, the probability that it is among the m sought."""

    ranking: pd.DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class CompareResult(Result):
    """ROPE comparison: `mu` (masses lower, equal, higher), `eta` the most probable region, `lam` its probability."""

    mu: dict[str, float]
    eta: str
    lam: float
    difference: tuple[float, float, float]  # estimate, low, high
    draws: FloatArray  # of the difference [M]


def _calibration(run: GroupRun, level: float) -> tuple[pd.DataFrame | None, tuple[float, float, float] | None]:
    if not run.job.pool.probable:  # confidences that are no probabilities have no calibration
        return None, None
    bins, mean, draws = run.belief.reliability(RANKING_DRAWS, run.stream("calibration"))
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(draws, tails, axis=0)
    table = pd.DataFrame({"bin": bins.names, "size": bins.sizes, "score": mean, "estimate": draws.mean(0)})
    table = table.assign(low=low, high=high, bias=mean - draws.mean(0))
    shares = bins.shares * bins.told
    error = (shares / shares.sum() * np.abs(draws - mean)).sum(-1)
    ends = np.quantile(error, tails)
    return table[bins.told].reset_index(drop=True), (float(error.mean()), float(ends[0]), float(ends[1]))


def _groups(run: GroupRun, level: float) -> pd.DataFrame:
    rng = run.stream("ranking")
    theta = run.belief.accuracy().draw(RANKING_DRAWS, rng)
    right, wrong = run.belief.right_wrong()
    sizes = run.arms.groups.sizes
    open_items = np.asarray(sizes - right - wrong, dtype=np.int64)
    on_pool = (right + rng.binomial(open_items, theta)) / np.maximum(sizes, 1)
    on_pool = np.where(sizes > 0, on_pool, theta)  # an empty group has only its prior
    low, high = np.quantile(on_pool, [(1 - level) / 2, (1 + level) / 2], axis=0)
    worst, told = np.zeros(len(sizes)), run.arms.groups.told
    worst[told] = probability_among_lowest(theta[:, told])
    found = {"estimate": on_pool.mean(0), "low": low, "high": high, "p_worst": worst}
    table = pd.DataFrame({**_sizes(run), **found})
    if run.job.pool.scores is None:
        return table
    score = run.arms.groups.mean(required_confidence(run.job.pool))
    return table.assign(score=score, bias=score - table["estimate"])  # the bias of calibration, per group


def _sizes(run: GroupRun) -> dict[str, object]:
    groups = run.arms.groups
    asked = np.bincount(groups.index[run.answers.items], minlength=len(groups.names))
    return {"group": list(groups.names), "size": groups.sizes, "labels": asked}


def _values(run: GroupRun, task: Identify) -> FloatArray:
    """Draws `[M, G]` of the quantity that is ranked."""
    rng = run.stream("ranking")
    if task.target == "least_calibrated":
        return run.belief.calibration_error(RANKING_DRAWS, rng)
    if isinstance(run.arms.task, FindCostliest):
        columns = run.belief.columns()
        draws = max(min(RANKING_DRAWS, 20_000_000 // columns.alpha[0].size), 100)
        return run.arms.task.value(columns.draw(draws, rng))
    return run.belief.accuracy().draw(RANKING_DRAWS, rng)
