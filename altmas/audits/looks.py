"""Everything the answers of an audit tell at one moment: the findings of its run, and what only an audit knows.

Estimates, groups, models and surfaces are those of `altmas.core.findings`, whatever made the run; here are the
questions without a label, the annotators, the history, and what a reader must be warned of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from altmas.audits.agreement import Agreement, agreement, by_annotator, by_class, with_experts
from altmas.audits.conduct import Conduct, conduct_of
from altmas.audits.sample import Drawing, drawing
from altmas.audits.settings import ECE
from altmas.audits.state import State
from altmas.audits.told import Told, far_apart
from altmas.catalogue import findings_of
from altmas.core.checks import fraction
from altmas.core.contest import HoldsContests
from altmas.core.doing import doing, so_far
from altmas.core.estimates import whatever_missing
from altmas.core.findings import (
    AboutClusters,
    Findings,
    Forecasts,
    Identifies,
    KnowsChances,
    TellsAnytime,
    asked,
)
from altmas.core.gate import Gate, Gates
from altmas.core.method import Job, ReplayedRun, Replays, draws_alike
from altmas.core.plain import plain_rows
from altmas.core.requirements import Requirement
from altmas.core.result import estimates_table
from altmas.core.targets import resolve_metrics
from altmas.core.tasks import Best, Compare, Identify, Surface, Task
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.surfaces.recipe import DEFAULT, SurfaceRecipe
from altmas.surfaces.result import surface_found
from altmas.words.best import best_verdict
from altmas.words.cautions import accepted_loss, drawn_after, few_labels, not_as_registered, without_label
from altmas.words.clusters import cluster_warnings
from altmas.words.conduct import conduct_warnings, drawing_warnings
from altmas.words.in_short import in_short
from altmas.words.no_answer import failures, never_right
from altmas.words.notebooks import estimates_html, page
from altmas.words.over_time import renewed_from
from altmas.words.people import reading_warnings
from altmas.words.promises import taken_as_alike

if TYPE_CHECKING:
    from altmas.audits.audit import Audit
    from altmas.core.clusters import Clusters
    from altmas.surfaces.membership import By
    from altmas.surfaces.surface import AccuracySurface


@dataclass(frozen=True, eq=False)
class AuditFindings(Told):
    """Estimates of the audit's metrics, and whatever else is asked of the same answers."""

    audit: Audit = field(repr=False)
    state: State = field(repr=False)  # of this moment; the audit goes on
    drawn: Drawing
    found: Findings
    names: tuple[str, ...]  # of the metrics wanted, with calibration error

    @property
    def method_name(self) -> str:
        """The name of the audit's method."""
        return self.audit.method.name

    @property
    def goal(self) -> Task:
        """The audit's task."""
        return self.audit.settings.goal

    @property
    def combinations_only(self) -> Any:
        """The combinations that the questions were drawn for, where the method tells of nothing else; else None."""
        return getattr(self.audit.method, "surface_task", None)

    def _repr_html_(self) -> str:
        rows = plain_rows(self.estimates)
        said = [in_short(self.found.estimates, self.level, self.pool.whole), *failures(self.pool), *self.warnings]
        return page(f"Findings from {self.labels:,} labels", said, estimates_html(rows))

    @property
    def taken_over(self) -> list[str]:
        """What was taken over from an earlier audit, in sentences."""
        return [] if self.state.renewed is None else renewed_from(self.state.renewed)

    @property
    def missing(self) -> dict[str, int]:
        """Questions without a label, by reason."""
        return dict(self.drawn.reasons)

    @cached_property
    def estimates(self) -> pd.DataFrame:
        """A row per metric (and model): estimate, interval, what it promises, and what missing answers could do."""
        table = estimates_table(self.found.estimates)
        if isinstance(self.found, Forecasts) and not draws_alike(self.audit.method):
            table = table.assign(random_needed=self.found.forecast()["random_needed"].to_numpy())
        table = self._with_cases(table)
        if ECE not in self.names:
            return table
        calibration = self._ece_rows(table)
        only = set(self.names) == {ECE}
        return (
            calibration.reindex(columns=table.columns) if only else pd.concat([table, calibration], ignore_index=True)
        )

    def _with_cases(self, table: pd.DataFrame) -> pd.DataFrame:
        """With the two cases of missing answers; a method that cannot tell them says what it takes them for."""
        if "worst_case" in table:
            return table
        table = table.assign(worst_case=np.nan, best_case=np.nan)
        if lost := len(self.drawn.missing):
            table["promise"] += f"; {taken_as_alike(lost)}"
        return table

    def _ece_rows(self, table: pd.DataFrame) -> pd.DataFrame:
        rows = []
        for name in self.models:
            found = self.ece(name)
            if found is None:
                raise InputError("ece", "be asked of scores that are probabilities", "none such")
            row = dict(zip(("estimate", "low", "high"), found, strict=True))
            lost = len(self.drawn.missing)
            like = "" if self.clusters is None else f" for clusters like these {self.clusters.count:,}"
            promise = f"approximate {self.level:.0%} coverage{like}, bins as they are"
            promise += whatever_missing(lost)
            told = {"labels": self.labels, "promise": promise, **({"missing": lost} if lost else {})}
            rows.append({"model": name, "metric": ECE, **row, **told})
        more = pd.DataFrame(rows)
        return more if "model" in table else more.drop(columns="model")

    @property
    def clusters(self) -> Clusters | None:
        """What the pool is a sample of, where the numbers are about clusters like its own."""
        return self.found.clusters if isinstance(self.found, AboutClusters) else None

    def surface(
        self, by: By = None, *, estimator: str | SurfaceRecipe = DEFAULT, model: str | None = None
    ) -> AccuracySurface:
        """The accuracy of every combination of some groups; the questions' chances are allowed for."""
        if self.clusters is not None:
            hint = "Groups one by one have intervals about clusters: altmas worst, altmas compare."
            raise InputError(
                "surface", "be asked without clusters, of which it knows nothing", self.clusters.name, hint
            )
        with doing("fitting the surface"):
            return surface_found(self.audit.method, self.found, Surface(by, estimator), model)

    def gate(self, *requirements: str | Requirement, model: str | None = None) -> Gate:
        """Whether the model meets all of these, or the audit's targets where none are given; as for `Audit.gate`."""
        wanted = requirements or self.audit.settings.targets
        if not wanted:
            hint = "Give some, such as 'accuracy >= 0.9', or set the audit's targets."
            raise InputError("requirements", "be given, where the audit has no targets", "none", hint)
        found: Gate = asked(self.found, Gates, self.method_name).gate(
            wanted, model=model, cost=self.audit.settings.cost
        )
        return found

    @cached_property
    def verdict(self) -> str:
        """What the answers say about the audit's task, in words."""
        task = self.goal
        if isinstance(task, Identify) and isinstance(self.found, Identifies):
            return str(self.found.identified(task).attrs["verdict"])
        if isinstance(task, Best) and isinstance(self.found, HoldsContests):
            mine = [one for one in self.contests if one.metric == task.name]  # unless other metrics were asked for
            return best_verdict(mine[0] if mine else self.found.contest(task.name))
        if isinstance(task, Compare):
            return str(self.compare(task.by, task.a, task.b, rope=task.rope)["verdict"])
        surface = getattr(self.audit.method, "surface_task", task)
        if isinstance(surface, Surface):
            return surface_found(self.audit.method, self.found, surface).verdict
        return in_short(self.found.estimates, self.level, self.pool.whole)

    @cached_property
    def history(self) -> pd.DataFrame:
        """The estimates after each refit, with the answers there were then, and now; ordinary intervals."""
        tables, audit = [], self.audit
        if isinstance(audit.method, Replays):
            events = audit.events()
            for fit in self.state.fits:
                then = drawing(audit.state_at(fit.upto, events))
                if 0 < len(then.answers) < self.labels:  # no two findings at once: those of a large pool are large
                    so_far(f"as they were with {fit.labels:,} labels")
                    tables.append(_ordinary_then(audit, self.found.job, then, self.level, fit.number))
        table = pd.concat([*tables, estimates_table(ordinary(self.found))], ignore_index=True)
        return table[[c for c in ("labels", "model", "metric", "estimate", "low", "high") if c in table]]

    @cached_property
    def agreement(self) -> Agreement:
        """How far annotators agree."""
        state = self.state
        votes = {p: {e.annotator: e.label for e in state.standing(p).values() if isinstance(e.label, int)}
                 for p in state.entries}  # fmt: skip
        items, share, alpha = agreement([*votes.values()])
        read = {p: label for p in votes if isinstance(label := state.reading(p), int)}
        return Agreement(
            items, share, alpha, state.annotators(), self.drawn.reasons["disputed"], by_annotator([*votes.values()]),
            by_class([*votes.values()]), state.experts(), with_experts([votes[p] for p in read], [*read.values()]),
        )  # fmt: skip

    @cached_property
    def conduct(self) -> Conduct:
        """How the answers came about."""
        return conduct_of([event for event in self.audit.events() if event.seq <= self.state.seq])

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before relying on the numbers."""
        return tuple(_warnings(self))


def _ordinary_then(audit: Audit, job: Job, drawn: Drawing, level: float, fit: int) -> pd.DataFrame:
    return estimates_table(ordinary(found_then(audit, job, drawn, level, fit)))


def ordinary(found: Findings) -> Sequence[Any]:
    """The estimates with the intervals of one look."""
    return found.ordinary if isinstance(found, TellsAnytime) and found.plain is None else found.estimates


def _warnings(found: AuditFindings) -> Sequence[str]:
    out = [accepted_loss(event.body) for event in found.audit.events() if event.kind == "recovered"]
    out += far_apart(found)
    lost = len(found.drawn.missing)
    if lost:
        models_them = found.knows_chances and not draws_alike(found.audit.method)
        out.append(without_label(lost, found.labels, found.missing, models=models_them, allows=found.knows_chances))
    unread = found.state.readings_missing() if found.readings else 0
    out += reading_warnings(unread, len(found.state.to_read), found.state.changed_since_drawn())
    behind = len(found.state.order) - lost - found.labels
    settings, replanned = found.audit.settings, found.conduct.replanned > 0  # a plan made to fit excuses nothing
    if behind > settings.batch and (replanned or found.state.answered != settings.budget):
        out.append(drawn_after(behind))
    out += never_right(found.pool, found.drawn.answers)
    out += cluster_warnings(found.clusters)
    out += [one for one in (found.classes_verdict, few_labels(found.labels)) if one]
    one_look = any("all looks" not in promise for promise in found.estimates["promise"])
    spent = found.state.answered
    how = conduct_warnings(found.conduct.as_dict(), found.labels, spent, settings.budget, one_look=one_look)
    elsewhere = [not_as_registered(one) for one in found.audit.registry_problems()]
    return [*out, *elsewhere, *drawing_warnings(found.audit.created.body), *how]


def look_at(
    audit: Audit, level: float | None, metrics: Any, *, anytime: bool, this_pool: bool = False
) -> AuditFindings:
    """Gather what an audit's answers tell; a refit that is due is made first, and the log has that somebody looked.

    With `this_pool`, about its items alone, where it would be about clusters like the pool's.
    """
    level = audit.settings.level if level is None else fraction("level", level)
    audit.refresh()
    labels = len(drawing(audit.state).answers)  # a first label counts, also where others are still to answer
    if labels == 0:
        raise InputError("audit", "have at least one label", f"none; {len(audit.state.order)} questions asked")
    audit.check_files()
    if no_chance_yet(audit):
        hint = "One answer to a new question is enough: altmas label asks it."
        raise InputError("audit", "have an answer of its own, for items that are new had no chance yet", "none", hint)
    audit.refit()
    audit.log_look(labels)
    events = audit.events()
    state = audit.state_at(events[-1].seq, events).take(audit.unsaved)
    drawn = drawing(state)
    names = audit.settings.metrics if metrics is None else (metrics,) if isinstance(metrics, str) else tuple(metrics)
    plain = [one for one in names if one != ECE]
    chosen = resolve_metrics(plain or ["accuracy"], audit.pool, audit.settings.cost)
    newest = max((one.number for one in state.fits), default=None)
    job = replace(audit.job, metrics=chosen, drawn_for=audit.job.metrics)
    found = found_then(audit, job, drawn, level, newest)
    if this_pool and isinstance(found, AboutClusters):
        found = found.of_this_pool()
    if anytime:
        found = _at_all_looks(found, audit.method.name)
    return AuditFindings(audit, state, drawn, found, names)


def no_chance_yet(audit: Audit) -> bool:
    """Whether some items could not have been asked about by now: they are new, and all labels an earlier audit's."""
    earlier, state = audit.job.pool.earlier, audit.state
    if earlier is None or earlier.hazard is None or (earlier.hazard > 0).all():
        return False
    return not any(state.ever_answered(one) for round in state.rounds if not round.before for one in round.positions)


def _at_all_looks(found: Findings, method: str) -> Findings:
    if not isinstance(found, TellsAnytime) or found.plain is not None:
        raise InputError("method", "be certified for anytime intervals", method)
    return found.at_all_looks()


def found_then(audit: Audit, job: Job, drawn: Drawing, level: float, fit: int | None) -> Findings:
    """What the method makes of a drawing, with what one of its fits left behind."""
    method, rounds = audit.method, drawn.asked_rounds(audit.kept)
    if isinstance(method, Replays):
        run: ReplayedRun = drawn.heard(method.replay(job, rounds))
        return (run if fit is None else run.with_kept(audit.kept(fit))).findings(level)
    made = method.begin(job)
    made.update(drawn.answers, len(drawn.rounds))
    return findings_of(method, made, job, drawn.answers, level, rounds)


def inclusion_of(audit: Audit, drawn: Drawing) -> FloatArray | None:
    """Probability of each item to have been asked about `[N]`; None where a method does not know it."""
    if len(drawn.answers) == 0 or not (isinstance(audit.method, Replays) or draws_alike(audit.method)):
        return None
    found = found_then(audit, audit.job, drawn, audit.settings.level, None)
    return found.asked if isinstance(found, KnowsChances) else None
