"""What a report says about several models: who is best, in one short table, and how far each is behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from altmas.core.plain import plain_rows
from altmas.words.best import contest_facts
from altmas.words.comparing import two_models

if TYPE_CHECKING:
    from altmas.audits.told import Told
    from altmas.core.pool import Pool


def vendor_facts(findings: Told | None) -> dict[str, Any] | None:
    """The contests by every metric, the ranking by the first, differences, and all of it in sentences."""
    if findings is None or not findings.contests:
        return None
    differences, best = findings.differences(), findings.best()
    pairs = [] if differences is None else plain_rows(differences)
    contests = [contest_facts(one) for one in findings.contests]
    sentences = [one["verdict"] for one in contests] + [two_models(row, findings.level) for row in pairs]
    ranked = [] if best is None else plain_rows(best)
    first = [row for row in ranked if row["metric"] == contests[0]["metric"]]
    ranking = _ranking(first, findings.pool)
    return {"ranking": ranking, "contests": contests, "best": ranked, "differences": pairs, "sentences": sentences}


def _ranking(rows: list[dict[str, Any]], pool: Pool) -> list[dict[str, Any]]:
    failed = {one.name: pool.unanswered(k) / pool.whole for k, one in enumerate(pool.outputs)}
    names = ("model", "metric", "estimate", "low", "high", "p_best", "behind")
    return [
        {"rank": rank, **{name: row[name] for name in names}, "no_answer": failed[row["model"]], "targets": {}}
        for rank, row in enumerate(rows, start=1)
    ]


def with_targets(vendors: dict[str, Any] | None, targets: dict[str, Any] | None) -> dict[str, Any] | None:
    """The ranking, with what came of each model's targets as far as they were looked at."""
    if vendors is None or targets is None:
        return vendors
    found: dict[str, dict[str, str]] = {}
    for row in targets["rows"]:
        found.setdefault(row["model"], {})[row["target"]] = row["outcome"]
    return {**vendors, "ranking": [{**row, "targets": found.get(row["model"], {})} for row in vendors["ranking"]]}
