"""Everything the answers of an audit tell at one moment."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from altmas.audits.agreement import Agreement, agreement
from altmas.audits.anytime import anytime_intervals
from altmas.audits.fits import believe, design_of
from altmas.audits.missing import bounds, bounds_of_answers, response_rate
from altmas.audits.sample import Drawing, drawing
from altmas.audits.settings import ECE
from altmas.audits.state import State
from altmas.bandits.findings import CompareResult, GroupResult, result_for
from altmas.bandits.method import GroupMethod
from altmas.bandits.tasks import GroupQuestion
from altmas.certified import models as model_differences
from altmas.certified import slices
from altmas.certified.design import Sample
from altmas.certified.estimator import Estimator
from altmas.certified.method import Certified
from altmas.core.checks import fraction, positive
from altmas.core.loop import Round
from altmas.core.pool import Pool
from altmas.core.resolve import resolve_metrics
from altmas.core.targets import targets_of
from altmas.metrics import Metric
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.surfaces.chances import Chances, explored_chances
from altmas.surfaces.membership import By, Membership, membership
from altmas.surfaces.method import SurfaceMethod
from altmas.surfaces.recipe import DEFAULT as SURFACE
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.surface import Surface, of_model, surface_of
from altmas.words.groups import compared, in_words, ranked
from altmas.words.surfaces import unknown_chances

if TYPE_CHECKING:
    from altmas.audits.audit import Audit


@dataclass(frozen=True, eq=False)
class Findings:
    """Estimates of the audit's metrics, and whatever else is asked of the same answers.

    `estimator` is there where every item's chance of being asked about is known: for `certified` and `random`.
    """

    audit: Audit = field(repr=False)
    state: State = field(repr=False)  # of this moment; the audit goes on
    level: float
    drawn: Drawing
    metrics: tuple[Metric, ...]
    names: tuple[str, ...]  # of the metrics wanted, with calibration error
    estimator: Estimator | None
    anytime: bool = False

    @property
    def labels(self) -> int:
        """Labels these findings rest on."""
        return len(self.drawn.answers)

    @property
    def pool(self) -> Pool:
        """The pool of the audit."""
        return self.audit.pool

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models under test."""
        return tuple(one.name for one in self.pool.outputs)

    @property
    def missing(self) -> dict[str, int]:
        """Questions without a label, by reason."""
        return dict(self.drawn.reasons)

    @cached_property
    def estimates(self) -> pd.DataFrame:
        """A row per metric (and model): estimate, interval, what it promises, and what missing answers could do."""
        if self.audit.settings.method != "certified":
            table = self._by_method()
        else:
            table = self._watched(self._ordinary) if self.anytime else self._ordinary
        table = self._with_bounds(table)
        if ECE not in self.names:
            return table
        calibration = self._ece_rows(table)
        only = set(self.names) == {ECE}
        return (
            calibration.reindex(columns=table.columns) if only else pd.concat([table, calibration], ignore_index=True)
        )

    def _by_method(self) -> pd.DataFrame:
        run = self.audit.method.begin(replace(self.audit.job, metrics=self.metrics))
        run.update(self.drawn.answers, len(self.drawn.rounds))
        table = pd.DataFrame([asdict(one) for one in run.estimate(self.level)])
        return table.drop(columns=[c for c in ("plug_in", "design", "model") if c in table])

    @cached_property
    def _ordinary(self) -> pd.DataFrame:
        """With ordinary intervals, and what random sampling would have needed for them."""
        assert self.estimator is not None
        table = self.estimator.metrics(list(self.metrics))
        forecast = self.estimator.forecast(targets_of(self.metrics, self.pool), _halves(table), None)
        return table.assign(random_needed=forecast["random_needed"].to_numpy())

    def _watched(self, table: pd.DataFrame) -> pd.DataFrame:
        """The same with intervals that hold at all looks together."""
        rows = anytime_intervals(self)
        table = table.assign(**{k: [row[k] for row in rows] for k in ("low", "high", "promise")})
        return table.assign(estimate=table["estimate"].clip(table["low"], table["high"]))

    def _with_bounds(self, table: pd.DataFrame) -> pd.DataFrame:
        nothing = np.full(len(table), np.nan)
        if len(self.drawn.missing) == 0 or self.estimator is None:
            return table.assign(worst_case=nothing, best_case=nothing)
        sample = self._unadjusted
        missing, targets = self.drawn.missing, targets_of(self.metrics, self.pool)
        if self.audit.settings.method == "certified":
            ends = [bounds(one, sample, missing, self.level) for one in targets]
        else:
            ends = [bounds_of_answers(one, sample, missing) for one in targets]
        # Drawing towards the plug-in is not monotone: by a hair, an estimate may lie outside of its own two cases.
        both = [sorted((*pair, value)) for pair, value in zip(ends, table["estimate"], strict=True)]
        upwards = [low <= high for low, high in ends]
        worst = [three[0] if up else three[-1] for three, up in zip(both, upwards, strict=True)]
        best = [three[-1] if up else three[0] for three, up in zip(both, upwards, strict=True)]
        return table.assign(worst_case=worst, best_case=best)

    @property
    def _unadjusted(self) -> Sample:
        """The sample before missing answers were allowed for."""
        assert self.estimator is not None
        sample, missing = self.estimator.sample, self.drawn.missing
        answered = sample.answers.items
        known, lost = (float((1 / sample.inclusion[items]).sum()) for items in (answered, missing))
        rate = known / (known + lost)
        return Sample(sample.probabilities, sample.answers, np.minimum(sample.inclusion / rate, 1.0))

    def _ece_rows(self, table: pd.DataFrame) -> pd.DataFrame:
        rows = []
        for name in self.models:
            found = self.ece(name)
            if found is None:
                raise InputError("ece", "be asked of scores that are probabilities", "none such")
            row = dict(zip(("estimate", "low", "high"), found, strict=True))
            promise = f"approximate {self.level:.0%} coverage, bins as they are"
            rows.append({"model": name, "metric": ECE, **row, "labels": self.labels, "promise": promise})
        more = pd.DataFrame(rows)
        return more if "model" in table else more.drop(columns="model")

    def of_model(self, model: str | None) -> Estimator:
        """The estimator with one model under test in front."""
        if self.estimator is None:
            hint = "Audits by certified or random have it."
            raise InputError("method", "know the chance of each question for this", self.audit.settings.method, hint)
        if model is None or model == self.models[0]:
            return self.estimator
        if model not in self.models:
            raise InputError("model", f"be one of {', '.join(self.models)}", repr(model))
        first = self.pool.outputs[self.models.index(model)]
        return replace(self.estimator, pool=replace(self.pool, outputs=(first,)))

    def groups(self, by: str = "class", metric: str = "accuracy", model: str | None = None) -> pd.DataFrame:
        """A metric per group with its interval, and P(worst)."""
        if isinstance(self.audit.method, GroupMethod):
            self._accuracy_only(metric)
            result = self._group_result(GroupQuestion(by=by))
            assert isinstance(result, GroupResult)
            return result.groups
        return slices.by_group(self.of_model(model), by, metric)

    def worst(self, by: str = "class", metric: str = "accuracy", m: int = 1, model: str | None = None) -> pd.DataFrame:
        """Groups with `p`, the probability to be among the m worst; `attrs["verdict"]` says it in words."""
        table = self.groups(by, metric, model)
        return ranked(table, by, metric, m, self.level, self.audit.settings.seed)

    def surface(self, by: By = None, *, estimator: str | SurfaceRecipe = SURFACE, model: str | None = None) -> Surface:
        """The accuracy of every combination of some groups; the questions' chances are allowed for."""
        recipe = SurfaceRecipe.of(estimator)
        where = membership(of_model(self.pool, model), by, bins=recipe.bins)
        found = self._chances(where)
        return surface_of(
            self.pool, self.drawn.answers, where, estimator=recipe, level=self.level, seed=self.audit.settings.seed,
            model=model, inclusion=found.inclusion, caution=found.caution,
        )  # fmt: skip

    def _chances(self, where: Membership) -> Chances:
        """With what chances the labels of these arms came about."""
        method, known = self.audit.method, inclusion_of(self.audit, self.drawn)
        if isinstance(method, SurfaceMethod):
            explored = membership(self.pool, method.by, bins=method.recipe.bins)
            return explored_chances(explored, where, self.drawn.answers.items)
        if known is not None or (isinstance(method, GroupMethod) and method.rule == "random"):
            return Chances(known)
        return Chances(caution=unknown_chances(method.name))

    def compare(
        self, by: str, a: Hashable, b: Hashable, metric: str = "accuracy", rope: float = 0.05, model: str | None = None
    ) -> dict[str, Any]:
        """How much higher a metric is in group `a`; probabilities that it is lower, equal within `rope`, or higher."""
        fraction("rope", rope)
        if isinstance(self.audit.method, GroupMethod):
            self._accuracy_only(metric)
            result = self._group_result(GroupQuestion("compare", by=by, a=a, b=b, rope=rope))
            assert isinstance(result, CompareResult)
            estimate, low, high = result.difference
            row = {"metric": "accuracy", "a": a, "b": b, "estimate": estimate, "low": low, "high": high}
            return in_words(row, result.mu, rope, self.level)
        row = slices.compare(self.of_model(model), by, a, b, metric)
        return compared(row, rope, self.level)

    def _accuracy_only(self, metric: str) -> None:
        if metric != "accuracy":
            raise InputError("metric", f"be accuracy for the method {self.audit.settings.method}", repr(metric))

    def _group_result(self, question: GroupQuestion) -> Any:
        method = self.audit.method
        assert isinstance(method, GroupMethod)
        run = replace(method, question=question).begin(self.audit.job)
        run.update(self.drawn.answers, len(self.drawn.rounds))
        seen = Round(len(self.drawn.rounds), self.drawn.answers, tuple(run.estimate(self.level)), run)
        return result_for(question, method.name, self.pool, [seen], self.level)

    def confusion(self, model: str | None = None) -> pd.DataFrame | None:
        """Counts per true and predicted class on the whole pool, each with its interval."""
        return None if self.estimator is None else self.of_model(model).confusion()

    def calibration(self, model: str | None = None) -> pd.DataFrame | None:
        """Score and accuracy per score bin; None without scores that are probabilities."""
        return slices.calibration(self.of_model(model)) if self._calibrated(model) else None

    def ece(self, model: str | None = None) -> tuple[float, float, float] | None:
        """Expected calibration error: estimate, low, high."""
        return slices.ece(self.of_model(model)) if self._calibrated(model) else None

    def _calibrated(self, model: str | None) -> bool:
        if self.estimator is None:
            return False
        return self.of_model(model).pool.probable

    def differences(self) -> pd.DataFrame | None:
        """Paired differences of every two models; None for one."""
        if self.estimator is None or len(self.models) < 2:
            return None
        return model_differences.differences(self.estimator, self.metrics)

    def best(self) -> pd.DataFrame | None:
        """P(best) of every model by metric; None for one."""
        if self.estimator is None or len(self.models) < 2:
            return None
        return model_differences.best(self.estimator, self.metrics)

    def forecast(self, within: float) -> pd.DataFrame | None:
        """Labels needed in all for ordinary intervals of +- `within`, and what random sampling would have needed."""
        if self.estimator is None:
            return None
        targets = targets_of(self.metrics, self.pool)
        return self.estimator.forecast(targets, _halves(self._ordinary), positive("within", within))

    @cached_property
    def history(self) -> pd.DataFrame:
        """The estimates after each refit, with the answers there were then, and now."""
        tables = []
        if isinstance(self.audit.method, Certified):
            events = self.audit.events()
            for fit in self.state.fits:
                then = self.audit.state_at(fit.upto, events)
                drawn = drawing(then)
                if 0 < len(drawn.answers) < self.labels:
                    estimator = certified_estimator(self.audit, drawn, self.level, fit.number)
                    tables.append(estimator.metrics(list(self.metrics)))
        now = self._ordinary if self.audit.settings.method == "certified" else self.estimates
        table = pd.concat([*tables, now[now["metric"] != ECE]], ignore_index=True)
        return table[[c for c in ("labels", "model", "metric", "estimate", "low", "high") if c in table]]

    @cached_property
    def agreement(self) -> Agreement:
        """How far annotators agree."""
        state = self.state
        votes = [[e.label for e in state.standing(p).values() if isinstance(e.label, int)] for p in state.entries]
        items, share, alpha = agreement(votes)
        return Agreement(items, share, alpha, state.annotators(), self.drawn.reasons["disputed"])

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before relying on the numbers."""
        return tuple(_warnings(self))


def _halves(table: pd.DataFrame) -> list[float]:
    return [float(half) for half in (table["high"] - table["low"]) / 2]


def _warnings(found: Findings) -> Sequence[str]:
    out = []
    if {"plug_in", "design"} <= set(found.estimates):
        for row in found.estimates.dropna(subset=["design"]).to_dict("records"):
            error = (row["high"] - row["low"]) / 2 / float(ndtri((1 + found.level) / 2))
            if error > 0 and abs(row["plug_in"] - row["design"]) > 2 * error:
                of = f" of {row['model']}" if row.get("model") else ""
                out.append(
                    f"{row['metric']}{of}: what the surrogate believes ({row['plug_in']:.3f}) and what the labels say "
                    f"({row['design']:.3f}) are far apart; the estimate follows the labels, more of them would help."
                )
    lost = len(found.drawn.missing)
    if lost > 0.05 * (lost + found.labels):
        out.append(
            f"{lost} of {lost + found.labels} questions have no label; the estimates take them to be like the others, "
            "the worst and best cases do not."
        )
    if found.labels < 30:
        few = "1 label is few" if found.labels == 1 else f"{found.labels} labels are few"
        out.append(f"{few}: intervals are approximate, and more so the fewer labels there are.")
    return out


def findings_of(audit: Audit, level: float | None, metrics: Any, *, anytime: bool) -> Findings:
    """Gather what an audit's answers tell; a refit that is due is made first."""
    level = audit.settings.level if level is None else fraction("level", level)
    audit.refit()
    audit.check_files()
    events = audit.events()
    state = audit.state_at(events[-1].seq, events)
    drawn = drawing(state)
    if len(drawn.answers) == 0:
        raise InputError("audit", "have at least one label", f"none; {len(state.order)} questions asked")
    names = audit.settings.metrics if metrics is None else (metrics,) if isinstance(metrics, str) else tuple(metrics)
    plain = [one for one in names if one != ECE]
    chosen = resolve_metrics(plain or ["accuracy"], audit.pool, audit.settings.cost)
    method = audit.method
    watched = isinstance(method, Certified) and (anytime or method.interval == "anytime")
    if anytime and not watched:
        raise InputError("method", "be certified for anytime intervals", method.name)
    newest = max((one.number for one in state.fits), default=None)
    estimator = certified_estimator(audit, drawn, level, newest) if _chances_known(audit) else None
    return Findings(audit, state, level, drawn, chosen, names, estimator, watched)


def _chances_known(audit: Audit) -> bool:
    return isinstance(audit.method, Certified) or audit.method.name == "random"


def _recipe(audit: Audit) -> Certified:
    """How the chances came about; random sampling is a race in which all run alike."""
    return audit.method if isinstance(audit.method, Certified) else Certified(network=False)


def inclusion_of(audit: Audit, drawn: Drawing) -> FloatArray | None:
    """Probability of each item to have been asked about by now `[N]`; None where a method does not know it."""
    if not _chances_known(audit):
        return None
    return design_of(audit.job, _recipe(audit), drawn, audit.files.ideal).race.inclusion()


def certified_estimator(audit: Audit, drawn: Drawing, level: float, fit: int | None) -> Estimator:
    """The sample with its chances, and the belief kept by a fit, or one made now where there is none yet."""
    job, method, inclusion = audit.job, _recipe(audit), inclusion_of(audit, drawn)
    assert inclusion is not None
    if fit is None:
        belief = believe(job, method, drawn, audit.files.ideal, 0)[1]
    else:
        belief = audit.files.array(fit, "belief").astype(np.float64)
        belief /= belief.sum(1, keepdims=True)
    rate = response_rate(inclusion, drawn.answers.items, drawn.missing)
    return Estimator(audit.pool, Sample(belief, drawn.answers, inclusion * rate), level, job.seed)
