"""`compare_audits`: last month against this month, by every metric that both can tell; and what changed in the pool."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from altmas.audits.audit import Audit
from altmas.audits.looks import AuditFindings
from altmas.audits.settings import ECE
from altmas.core.apart import apart
from altmas.core.findings import SharesDraws
from altmas.core.plain import plain_rows
from altmas.core.pool_changes import PoolChanges, pool_changes, same_models
from altmas.core.targets import resolve_metrics
from altmas.metrics.errors import InputError
from altmas.metrics.formulas import LinearMetric
from altmas.metrics.scores import RANKED, ScoreMetric
from altmas.words.comparing import two_audits
from altmas.words.language import speaking
from altmas.words.notebooks import page
from altmas.words.over_time import another_meaning, changes_of_pool, in_both, independent, no_coverage

NO_COVERAGE = "not coverage"
"""What a promise says that is none."""


@dataclass(frozen=True, eq=False)
class AuditsCompared:
    """Two audits side by side: `metrics` has a row per metric (and model), later minus earlier, with its interval.

    `verdicts` say each row in words, `pool` what changed from one pool to the other in numbers, `changes` in words,
    and `notes` what the intervals rest on.
    """

    level: float
    labels: tuple[int, int]
    metrics: pd.DataFrame
    verdicts: tuple[str, ...]
    pool: PoolChanges = field(repr=False)
    changes: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([*self.verdicts, *self.changes, *self.notes])

    def _repr_html_(self) -> str:
        return page("Two audits compared", [*self.verdicts, *self.changes, *self.notes])

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "level": self.level,
            "labels": list(self.labels),
            "metrics": [
                {**row, "verdict": said} for row, said in zip(plain_rows(self.metrics), self.verdicts, strict=True)
            ],
            "pool": self.pool.as_dict(),
            "changes": list(self.changes),
            "notes": list(self.notes),
        }


def compare_audits(
    earlier: Audit | str | os.PathLike[str],
    later: Audit | str | os.PathLike[str],
    *,
    metrics: str | Sequence[str] | None = None,
    level: float | None = None,
    model: str | None = None,
    lang: str = "en",
) -> AuditsCompared:
    """How every metric changed from one audit to the next, each with its interval, and what changed in the pool.

    The audits are open, or named by their folders. `metrics` left out are those of both audits; others are as valid.
    `level` left out is the later audit's. Models under test are matched by name, or are the only one of each; `model`
    names one. `lang="de"` gives the sentences in German.

    >>> import tempfile
    >>> from altmas.core.pool import Pool
    >>> home, folders = tempfile.mkdtemp(), []
    >>> for month, wrong in (("march", 4), ("april", 2)):
    ...     pool = Pool.build(["cat", "dog"] * 60)
    ...     with Audit.create(f"{home}/{month}", pool, metrics=["accuracy"], initial=20, seed=1) as audit:
    ...         for query in audit.ask(60):
    ...             place = query.position
    ...             told = audit.tell(query.id, "dog" if place % wrong == 0 else pool.classes[place % 2])
    ...     folders.append(audit.folder)
    >>> found = compare_audits(*folders)
    >>> found.metrics["metric"].tolist(), bool(found.metrics["estimate"][0] < 0), found.pool.shared_ids
    (['accuracy'], True, 120)
    """
    with ExitStack() as held, speaking(lang):
        first, second = (
            one if isinstance(one, Audit) else held.enter_context(Audit.open(one)) for one in (earlier, later)
        )
        if first.created.hash == second.created.hash:
            raise InputError("audits to compare", "be two", f"{first.folder} and {second.folder}, which are one audit")
        pairs = _pairs(first, second, model)
        names, other = _shared_metrics(first, second, metrics)
        level = second.settings.level if level is None else level
        before, after = (one.findings(level, metrics=names) for one in (first, second))
        alike = _alike(before, after)
        table = _table(before, after, pairs, names, alike)
        several = len(second.pool.outputs) > 1
        said = [two_audits(row, level) for row in plain_rows(table)]
        if several:
            said = [f"{name}: {one}" for name, one in zip(table["model"], said, strict=True)]
        changes = pool_changes(first.pool, second.pool)
        changed, told = changes_of_pool(changes), _notes(before, after, alike)
        told += [another_meaning(other)] if other else []
    return AuditsCompared(
        level, (before.labels, after.labels), table if several else table.drop(columns="model"), tuple(said), changes,
        tuple(changed), tuple(told),
    )  # fmt: skip


def _pairs(first: Audit, second: Audit, model: str | None) -> list[tuple[str, str]]:
    """Names of the models to compare, in the earlier audit and in the later one."""
    found = [(one.name, other.name) for one, other in same_models(first.pool, second.pool)]
    if model is not None:
        found = [pair for pair in found if model in pair]
        if not found:
            raise InputError("model", "be one that both audits have", repr(model))
    if not found:
        known = [", ".join(one.name for one in audit.pool.outputs) for audit in (first, second)]
        raise InputError("audits to compare", "have a model under test in common", f"{known[0]}; and {known[1]}")
    return found


def _shared_metrics(
    first: Audit, second: Audit, wanted: str | Sequence[str] | None
) -> tuple[list[str], list[str]]:  # fmt: skip
    """Names of the metrics to compare, and of those that both have but that mean something else in each."""
    listed = [wanted] if isinstance(wanted, str) else wanted
    found = second.settings.metrics if listed is None else listed
    found = [one for one in found if listed is not None or one in first.settings.metrics]
    other = [one for one in found if _meaning(one, first) != _meaning(one, second)]
    if other and (listed is not None or len(other) == len(found)):
        hint = (
            "Name a class, such as auroc:CLASS, or take macro_auroc; of other classes Brier scores are on other scales."
        )
        raise InputError("metrics", "mean the same in both audits", ", ".join(other), hint)
    if not found:
        own = "; and ".join(", ".join(audit.settings.metrics) for audit in (first, second))
        hint = "Name some with metrics=[...]: they need not be the audits' own."
        raise InputError("audits to compare", "have a metric in common", own, hint)
    return [one for one in found if one not in other], other


def _meaning(name: str, audit: Audit) -> tuple[Hashable, ...]:
    """What a metric's name leaves to the classes: which one is meant, and of how many; and what errors cost."""
    names = [str(one) for one in audit.pool.classes]
    said: list[Hashable] = []
    for one in () if name == ECE else resolve_metrics(name, audit.pool, audit.settings.cost):
        if isinstance(one, ScoreMetric) and one.index is not None:
            said.append((names[one.index],))
        elif isinstance(one, ScoreMetric) and one.kind in ("brier", *RANKED):
            of_two = len(names) == 2
            said.append((of_two, names[1] if of_two and one.kind in RANKED else None))
        elif isinstance(one, LinearMetric):
            said.append(tuple(zip(names, map(tuple, one.weights.tolist()), strict=True)))
    return tuple(said)


def _table(
    before: AuditFindings, after: AuditFindings, pairs: Sequence[tuple[str, str]], names: Sequence[str],
    alike: Mapping[tuple[str, str], float],
) -> pd.DataFrame:  # fmt: skip
    bounds = {one.name: one.bounds for one in resolve_metrics([n for n in names if n != ECE] or "accuracy", after.pool)}
    known = [_by_model_and_metric(found) for found in (before, after)]
    rows = []
    for old, new in pairs:
        for (model, metric), now in known[1].items():
            then = known[0].get((old, metric))
            if model != new or then is None:
                continue
            found = apart(then, now, after.level, bounds.get(metric, (0.0, 1.0)), alike.get((new, metric), 0.0))
            rows.append({
                "model": new, "metric": metric, "before": then["estimate"], "after": now["estimate"],
                "estimate": found.estimate, "low": found.low, "high": found.high, "p_higher": found.p_higher,
            })  # fmt: skip
    return pd.DataFrame(rows)


def _by_model_and_metric(found: AuditFindings) -> dict[tuple[str, str], dict[str, Any]]:
    rows = [{str(name): value for name, value in row.items()} for row in found.estimates.to_dict("records")]
    return {(str(row.get("model") or found.models[0]), str(row["metric"])): row for row in rows}


def _alike(before: AuditFindings, after: AuditFindings) -> dict[tuple[str, str], float]:
    """How alike the errors of both audits are, by model and metric, where the later one kept labels of the other."""
    if not kept_from(after.audit, before.audit) or not isinstance(after.found, SharesDraws):
        return {}
    place = before.audit.places.positions([str(one) for one in after.pool.ids])
    found = after.found.alike(before.found, place)
    return {(model or after.models[0], metric): share for (model, metric), share in found.items()}


def _notes(before: AuditFindings, after: AuditFindings, alike: Mapping[tuple[str, str], float]) -> list[str]:
    kept = kept_from(after.audit, before.audit)
    told = [in_both(kept, allowed=any(alike.values())) if kept else independent()]
    promises = [*before.estimates["promise"], *after.estimates["promise"]]
    return [*told, *([no_coverage()] if any(NO_COVERAGE in one for one in promises) else [])]


def kept_from(later: Audit, earlier: Audit) -> int:
    """How many labels of an earlier audit a later one kept."""
    renewed = getattr(later.state, "renewed", None)
    return int(renewed["kept"]) if renewed and renewed["from"]["first"] == earlier.created.hash else 0
