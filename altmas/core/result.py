"""What an assessment found: tables, and a picture of how it got there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from altmas.core.contest import Contest
from altmas.core.estimates import Estimate
from altmas.core.findings import Findings, KnowsChances, asked, classes_seen
from altmas.core.gate import Gate, Gates
from altmas.core.loop import Round
from altmas.core.pool import Pool
from altmas.core.requirements import Requirement

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MODELS_SHOWN = 12
"""So many of several models are printed."""


@dataclass(frozen=True, eq=False)
class Result:
    """`estimates`: a row per metric. `history`: the same after every batch. `answers`: a row per label, in order."""

    method: str
    estimates: pd.DataFrame
    history: pd.DataFrame
    answers: pd.DataFrame
    pool: Pool
    findings: Findings = field(repr=False)
    """Everything else the answers tell."""
    verdict: str = field(default="", kw_only=True)
    """What was found, in words."""

    remark: str = field(default="", kw_only=True)
    """What to know before reading the estimates, in a sentence."""

    @classmethod
    def of(cls, method: str, seen: Sequence[Round], findings: Findings, **more: Any) -> Self:
        """Lay the rounds out as tables; `more` is what a kind of result has besides."""
        pool, last = findings.job.pool, seen[-1].answers
        drawn = {"inclusion": findings.inclusion[last.items]} if isinstance(findings, KnowsChances) else {}
        answers = pd.DataFrame(
            {
                "id": [pool.ids[i] for i in last.items],
                "position": last.items,
                "label": [pool.classes[y] for y in last.labels],
                "round": last.rounds,
                "propensity": last.propensities,
                **drawn,
            }
        )
        every = [one for round in seen for one in round.estimates]
        history = estimates_table(every, round=[round.round for round in seen for _ in round.estimates])
        return cls(method, estimates_table(seen[-1].estimates), history, answers, pool, findings, **more)

    @property
    def classes_seen(self) -> pd.DataFrame:
        """How many answers had each declared class; where the method tells it, how many items the pool holds."""
        return classes_seen(self.findings)

    @property
    def features(self) -> str:
        """What features were worth, in a sentence; nothing where a method cannot tell."""
        return ""

    def gate(self, *requirements: str | Requirement, model: str | None = None, cost: Any = None) -> Gate:
        """Whether the model meets all of these, such as `"accuracy >= 0.9"`: pass, fail or not settled.

        It may be asked after every label. Of several models, `model` says which, or the requirement does:
        `"accuracy@ours >= 0.9"`. Methods whose chances are not known refuse.
        """
        found: Gate = asked(self.findings, Gates, self.method).gate(requirements, model=model, cost=cost)
        return found

    def plot(
        self, metrics: Sequence[str] | None = None, *, truth: Mapping[str, float] | None = None, ax: Axes | None = None
    ) -> Any:
        """Draw each metric's estimate and interval against labels spent; dashed lines where the truth is given."""
        from altmas.plots.history import plot_history

        band = self.estimates["promise"].iloc[0]
        title = f"{self.method}; band: {band}"
        return plot_history(self.history, metrics=metrics, truth=truth, ax=ax, title=title)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write what was found as one file: .html, .md, .json, .xlsx or .pdf, by its name.

        `title` stands above it; `compare` are pairs of groups `(by, a, b)`, `surface` names attributes whose
        combinations are to be told, `within` is the precision that labels are forecast for; `lang="de"` for German.
        """
        from altmas.reports.writing import write_report

        return write_report(self, path, **options)

    def __repr__(self) -> str:
        head = f"Result of {self.method} after {len(self.answers)} labels\n{self.estimates.to_string(index=False)}"
        return "\n".join(filter(None, (self.verdict, head, self.remark)))

    def _repr_html_(self) -> str:
        from altmas.words.notebooks import estimates_html, page

        rows = [asdict(one) for one in self.findings.estimates]
        title = f"Result of {self.method} after {len(self.answers):,} labels"
        return page(title, [self.verdict, self.remark], estimates_html(rows))


@dataclass(frozen=True, eq=False, repr=False)
class ContestResult(Result):
    """A result of several models: which is best. `history` has the leader after every batch."""

    contest: Contest = field(kw_only=True, repr=False)
    """Who leads, who may still be ahead, and what choosing the leader may cost."""

    @property
    def leader(self) -> str:
        """The model to choose, if one had to choose now."""
        return self.contest.leader

    @property
    def best(self) -> pd.DataFrame:
        """The models, best first: P(best), estimate and interval, and by how much each is behind the leader."""
        return self.contest.table

    @property
    def expected_loss(self) -> float:
        """How much better the best model is than the leader, on average over what is known."""
        return self.contest.leading.expected_loss

    @property
    def loss_bound(self) -> float:
        """How much better the best model is than the leader at most, with the level's probability."""
        return self.contest.leading.loss_bound

    def plot(
        self, metrics: Sequence[str] | None = None, *, truth: Mapping[str, float] | None = None, ax: Axes | None = None
    ) -> Any:
        """Draw by how much the best models are behind the leader, and P(best); metrics named are drawn as ever."""
        from altmas.plots.contest import plot_contest

        return plot_contest(self.contest, ax=ax) if metrics is None else super().plot(metrics, truth=truth, ax=ax)

    def __repr__(self) -> str:
        shown = self.best.head(MODELS_SHOWN)
        more = f"\n... and {len(self.best) - len(shown):,} more" if len(self.best) > len(shown) else ""
        head = f"{self.verdict}\nResult of {self.method} after {len(self.answers)} labels"
        said = f"{head}\n{shown.to_string(index=False)}{more}"
        return f"{said}\n{self.remark}" if self.remark else said


def contest_result(
    whole: Result, contest: Contest, verdict: str, history: Sequence[Mapping[str, Any]], kind: type[ContestResult]
) -> ContestResult:
    """The result with its contest; the estimates are those of every model, the history that of the leader."""
    plain: dict[str, Any] = {one.name: getattr(whole, one.name) for one in fields(whole)}
    plain |= {"estimates": estimates_table(whole.findings.estimates), "history": pd.DataFrame(list(history))}
    return kind(**{**plain, "verdict": verdict}, contest=contest)


def estimates_table(estimates: Sequence[Estimate], **further: Sequence[Any]) -> pd.DataFrame:
    """Estimates as a table, columns in the order they are read, without those that say nothing for this method.

    `further` are columns to stand first.

    >>> estimates_table([Estimate("accuracy", 0.9, 0.8, 1.0, 20, "nothing")]).columns.tolist()
    ['metric', 'estimate', 'low', 'high', 'labels', 'promise']
    """
    table = pd.DataFrame([asdict(one) for one in estimates])
    first = [name for name in ("model", "metric", "estimate", "low", "high", "plug_in", "design") if name in table]
    table = table[[*first, *(name for name in table if name not in first)]]
    for place, (name, values) in enumerate(further.items()):
        table.insert(place, name, values)
    of_missing = ("missing", "worst_case", "best_case", "low_alike", "high_alike")
    unsaid = [name for name in ("plug_in", "design") if table[name].isna().all()]
    unsaid += [] if table["missing"].any() else of_missing
    return without_model(table.drop(columns=unsaid))


def without_model(table: pd.DataFrame) -> pd.DataFrame:
    """The same table, without the column `model` where one model only is assessed."""
    return table.drop(columns="model") if (table["model"] == "").all() else table
