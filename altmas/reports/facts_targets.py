"""What came of an audit's targets: each requirement of each model, and what would settle it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from altmas.core.plain import plain_rows
from altmas.metrics.errors import AltmasError
from altmas.words.good_enough import target_sentence, too_early

if TYPE_CHECKING:
    from altmas.audits.audit import Audit
    from altmas.audits.looks import AuditFindings
    from altmas.audits.values import Status
    from altmas.core.requirements import Requirement

_UNKNOWN: dict[str, Any] = dict.fromkeys(("estimate", "low", "high", "labels_needed"))


def found_with_targets(audit: Audit, level: float | None) -> AuditFindings:
    """What the answers tell of the audit's metrics, and of those its targets are about as far as the method can."""
    own = audit.settings.metrics
    more = [one for one in dict.fromkeys(one.metric for one in audit.settings.targets) if one not in own]
    if more:
        try:
            return audit.findings(level, metrics=[*own, *more])
        except AltmasError:  # a method that knows accuracy alone: its targets stay unsettled
            pass
    return audit.findings(level)


def target_facts(
    findings: AuditFindings | None, targets: Sequence[Requirement], models: Sequence[dict[str, Any]], status: Status
) -> dict[str, Any] | None:
    """A row per model and requirement, best model first; None where no target was set."""
    if not targets:
        return None
    rows = [_row(findings, one, model, status.pool) for model in models for one in targets]
    promises = [row["promise"] for model in models for row in model["estimates"]]
    watched = any("all looks" in one or one.startswith("exact") for one in promises)
    return {"rows": rows, "note": "" if watched else too_early(status.answered, status.budget)}


def _row(findings: AuditFindings | None, one: Requirement, model: dict[str, Any], pool: int) -> dict[str, Any]:
    found = next((row for row in model["estimates"] if row["metric"] == one.metric), None)
    told = {**_UNKNOWN, **({name: found[name] for name in ("estimate", "low", "high", "labels")} if found else {})}
    row = {
        "model": model["name"], "target": str(one), "metric": one.metric, "sign": one.sign, "bound": one.bound,
        "outcome": one.met_by(told["low"], told["high"]), **told,
    }  # fmt: skip
    if findings is not None and row["outcome"] == "not settled" and row["estimate"] is not None:
        row |= _needed(findings, row, model["name"])
    sentence = target_sentence(one, row, pool)
    return {name: value for name, value in row.items() if name not in ("labels", "unreachable", "clusters")} | {
        "sentence": sentence
    }


def _needed(findings: AuditFindings, row: dict[str, Any], model: str) -> dict[str, Any]:
    """Labels in all after which the interval would lie on one side of the bound, if the estimate stays where it is."""
    gap = max(abs(row["estimate"] - row["bound"]), CLOSEST)
    table = findings.forecast(gap)
    rows = [] if table is None else plain_rows(table)
    mine = [one for one in rows if one["metric"] == row["metric"] and one.get("model", model) == model]
    if not mine:
        return {}
    needed = mine[0]["labels_needed"]
    floor = (mine[0].get("least_half_width") or 0.0) >= gap  # more labels do not help, more clusters would
    return {"labels_needed": needed, "unreachable": needed is None, "clusters": needed is None and floor}


CLOSEST = 1e-4
"""An estimate nearer to its bound than this is as good as on it."""
