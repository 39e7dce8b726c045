"""The facts of a report: everything it says, as plain JSON data. Every format is made from these.

The schema, `altmas-report/1`, is described in `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from altmas import __version__
from altmas.core.checks import positive
from altmas.core.groups import named_pair
from altmas.core.plain import plain_data, plain_name, plain_rows
from altmas.reports.facts_model import ModelFacts, Wanted, main_row
from altmas.reports.facts_people import agreement_facts
from altmas.reports.facts_targets import found_with_targets, target_facts
from altmas.reports.facts_trail import items_asked, trail
from altmas.reports.facts_vendors import vendor_facts, with_targets
from altmas.reports.of_result import ResultFindings
from altmas.surfaces.membership import membership
from altmas.words.assumptions import assumptions, kinds_of, warnings_of
from altmas.words.clusters import about_clusters
from altmas.words.first_phase import about_whole, first_phase_facts, sample_of
from altmas.words.language import language, sentence
from altmas.words.no_answer import no_answer_on
from altmas.words.verdict import no_labels

if TYPE_CHECKING:
    from altmas.audits.audit import Audit
    from altmas.audits.told import Told
    from altmas.core.pool import Pool
    from altmas.core.result import Result
    from altmas.surfaces.membership import By
    from altmas.surfaces.recipe import SurfaceRecipe

SCHEMA = {
    "schema": "altmas-report/1",
    "language": "of the sentences: 'en', or what was asked for; names, promises and refusals are English in each",
    "kind": "audit, or assessment for a result of assess, which has no status, no targets and no trail",
    "altmas": "the version that wrote the report",
    "title": "of the audit, or ''",
    "as_of": "time of the last answer, or of the audit's creation; '' for an assessment",
    "level": "of the intervals",
    "labels": "items with a label",
    "pool": "size, classes, class_names (at most 1,000), models, scores (model -> bool), opinions, groups (-> values), "
    "features (numbers per item, or null), features_from (what they were made of, or '')",
    "method": "its name",
    "no_answer": "[model, items, share, sentence]: on how many items each model gave no answer; they count "
    "as wrong, belong to no class, and are never the worst group",
    "guidelines": "what annotators were told",
    "targets": "rows [model, target, metric, sign, bound, outcome (pass, fail, not settled), estimate, low, high, "
    "labels_needed (in all, to settle it; null where it is settled or not known), sentence], note (where the outcomes "
    "rest on one look and the plan is not finished, else ''); null without targets",
    "headline": "sentences: one verdict, or which model is best and then one verdict per model",
    "models": "a list, best first, of many only the best few; each has name, main (metric), verdict (how_good, reach, "
    "promise, worst [], next, random, features, unanswered), estimates [], groups [by, metric, values, rows [], "
    "verdict, settled], recalls (rows [class, labels, estimate, low, high, p_worst] by true class, verdict; or null), "
    "comparisons [], surface (by, estimator, least, combinations, judged, labelled, largest_only, "
    "verdict, promise, arms [values, ...], attributes [attribute, rows []], pairs [attributes, values, cells []]; null "
    "unless asked for), confusion (classes, cells [], worst [], left_out), calibration (bins [], ece, sentence), "
    "forecast [], history [], left_out [part, why]",
    "vendors": "ranking [rank, model, metric, estimate, low, high, p_best, behind, no_answer (share of items), targets "
    "(target -> outcome)] by the first metric, contests [metric, leader, p_best, expected_loss, loss_bound, "
    "contenders, promise, verdict], best [] "
    "(a row per metric and model, best first), differences [], sentences []; or null for one model",
    "status": "answered (with a label, unsure, skipped or disputed), labels, unsure, skipped, disputed, open, asked, "
    "budget, pool, annotators, ...",
    "missing": "questions without a label: unsure, skip, disputed, taken_back, open",
    "classes_seen": "a row per declared class: class, labels (that named it) and, where the method tells it, estimate, "
    "low and high (its items in the pool)",
    "agreement": "items (with two labels or more), share (of pairs), alpha, annotators, disputed, by_annotator "
    "[annotator, answers, pairs, share, read, confirmed], by_class [class, pairs, share], experts; or null",
    "people": "readings (by experts), changed, sentences, sensitivity [model, metric, wrong, how, estimate, low, "
    "high]; or null",
    "assumptions": "sentences",
    "warnings": "sentences",
    "conduct": "answers, after_reveal, timed, quick, changed, replaced_by_import, taken_back, looks [labels], "
    "looks_before, replanned, retargeted, reguided; or null",
    "trail": "created, seed, secret (null until the planned labels are there, and in audits of older versions), "
    "secret_given, commitment (the first event's hash, or ''), first (the same, in any case), earlier "
    "[created, labels, head], settings, versions, inputs (name -> sha256), intact, problems, head, events "
    "[seq, at, kind, body, hash]",
    "items": "id, content, answers [annotator, label, note]; only if contents were asked for, else null",
}
"""What each field holds. Numbers that are not known are null."""

MODELS_TOLD = 6
"""So many models a report goes into."""


def gather(
    audit: Audit,
    *,
    level: float | None = None,
    compare: Sequence[tuple[str, Hashable, Hashable]] = (),
    rope: float = 0.05,
    within: float = 0.03,
    contents: bool = False,
    surface: By = None,
    estimator: str | SurfaceRecipe = "betagp",
) -> dict[str, Any]:
    """Everything a report of an audit says.

    `compare` are pairs of groups `(by, a, b)`; `rope` is the difference that does not matter, `within` the precision
    that labels are forecast for. `surface` names attributes, `"sex,race"`: the accuracy of each of their combinations
    is told, as the `estimator` has it.

    What items say stays out, unless `contents=True`; so do notes, which may quote it.
    """
    wanted = _wanted(audit.pool, compare, rope, within, surface, estimator)
    findings = found_with_targets(audit, level) if audit.status().labels else None
    status, pool, settings = audit.status(), audit.pool, audit.settings  # after the findings: they make a refit due
    models = [_model(findings, pool, settings.method, name, wanted) for name in _told_of(findings, pool)]
    record = trail(audit, contents=contents)
    told = _told(findings, pool, settings.method, models, record["problems"])
    missing = {
        "unsure": status.unsure, "skip": status.skipped, "disputed": status.disputed, "taken_back": status.taken_back,
        "open": status.open - status.taken_back,
    }  # fmt: skip
    targets = target_facts(findings, settings.targets, models, status)
    return {
        **told,
        "vendors": with_targets(told["vendors"], targets),
        "kind": "audit",
        "title": settings.title,
        "as_of": status.last_answer or settings.created,
        "level": findings.level if findings else settings.level if level is None else level,
        "labels": status.labels,
        "guidelines": settings.guidelines,
        "targets": targets,
        "status": plain_data(status.as_dict()),
        "missing": plain_data(findings.missing if findings else missing),
        "agreement": agreement_facts(findings.agreement, pool) if findings else None,
        "conduct": plain_data(findings.conduct.as_dict()) if findings else None,
        "trail": record,
        "items": items_asked(audit) if contents else None,
    }


def gather_result(
    result: Result,
    *,
    title: str = "",
    compare: Sequence[tuple[str, Hashable, Hashable]] = (),
    rope: float = 0.05,
    within: float = 0.03,
    surface: By = None,
    estimator: str | SurfaceRecipe = "betagp",
) -> dict[str, Any]:
    """The same of a result of `assess`, which has no record, no annotators and no targets."""
    pool, findings = result.pool, ResultFindings(result)
    combined = getattr(result, "fitted", None)
    surface = tuple(combined.arms.names) if surface is None and combined is not None else surface
    wanted = _wanted(pool, compare, rope, within, surface, estimator)
    models = [_model(findings, pool, result.method, name, wanted) for name in _told_of(findings, pool)]
    none = dict.fromkeys(("targets", "status", "agreement", "conduct", "trail", "items"))
    return {
        **_told(findings, pool, result.method, models, ()),
        "kind": "assessment",
        "title": title,
        "as_of": "",
        "level": findings.level,
        "labels": findings.labels,
        "guidelines": "",
        "missing": findings.missing,
        **none,
    }


def _wanted(
    pool: Pool, compare: Sequence[tuple[str, Hashable, Hashable]], rope: float, within: float, surface: By,
    estimator: str | SurfaceRecipe,
) -> Wanted:  # fmt: skip
    """What was asked for; refused now, if the pool has no such groups or attributes."""
    pairs = tuple(named_pair(pool, *pair) for pair in compare)
    if surface is not None:
        membership(pool, surface)
    return Wanted(pairs, positive("rope", rope), positive("within", within), surface, estimator)


def _told(
    findings: Told | None, pool: Pool, method: str, models: list[dict[str, Any]], problems: Sequence[str]
) -> dict[str, Any]:
    """What audits and results have in common."""
    estimates = [{**row, "model": one["name"]} for one in models for row in one["estimates"]]
    vendors = vendor_facts(findings)
    missing = sum(findings.missing.values()) if findings else 0
    return {
        "schema": SCHEMA["schema"],
        "language": language(),
        "pool": {
            "size": pool.size,
            "classes": len(pool.classes),
            "class_names": [plain_name(one) for one in pool.classes[:1000]],
            "models": [one.name for one in pool.outputs],
            "scores": {one.name: one.scores is not None for one in pool.outputs},
            "opinions": [one.name for one in pool.opinions],
            "groups": {name: len(set(column)) for name, column in pool.groups.items()},
            "features": None if pool.features is None else int(np.prod(pool.features.shape[1:])),
            "features_from": pool.features_from,
            **({} if pool.first_phase is None else {"drawn_from": first_phase_facts(pool)}),
        },
        "no_answer": _no_answer(pool),
        "method": method,
        "altmas": __version__,
        "headline": _headline(models, vendors),
        "models": models,
        "vendors": vendors,
        "classes_seen": plain_rows(findings.classes_seen, ("class",)) if findings else [],
        "people": plain_data(_people(findings)) if findings else None,
        "assumptions": _assumptions(findings, estimates, pool.size, missing) if findings else [],
        "warnings": warnings_of(
            findings.warnings if findings else (),
            estimates if len(models) > 1 else [{**row, "model": ""} for row in estimates],
            problems,
        ),
    }


def _people(findings: Told) -> dict[str, Any]:
    """What the figures are measured against, and how many labels opinions saved, which only a report works out."""
    found, saved = findings.people, findings.opinions_verdict
    return {**found, "sentences": [*found["sentences"], *([saved] if saved else [])]}


def _no_answer(pool: Pool) -> list[dict[str, Any]]:
    """On how many items each model gave no answer: a figure of its own, and no class."""
    counts = [(one.name, int(pool.unanswered(k))) for k, one in enumerate(pool.outputs)]
    return [
        {"model": name, "items": count, "share": count / pool.whole, "sentence": no_answer_on(name, count, pool.whole)}
        for name, count in counts
    ]


def _model(findings: Told | None, pool: Pool, method: str, name: str, wanted: Wanted) -> dict[str, Any]:
    if findings is not None:
        return ModelFacts(findings, pool, method, name, wanted).gather()
    unsaid = dict.fromkeys(("reach", "promise", "next", "random", "features", "unanswered"), "")
    empty: dict[str, Any] = {part: [] for part in ("estimates", "groups", "comparisons", "forecast", "history")}
    none = dict.fromkeys(("main", "surface", "recalls", "confusion", "calibration"))
    left_out = [] if wanted.surface is None else [{"part": "combinations", "why": sentence("No item has a label yet.")}]
    verdict = {"how_good": no_labels(), "worst": [], **unsaid}
    return {"name": name, "verdict": verdict, **none, **empty, "left_out": left_out}


def _told_of(findings: Told | None, pool: Pool) -> list[str]:
    """The models that a report goes into, best first; of many the best few, the others are in the table of all."""
    names = [one.name for one in pool.outputs]
    if findings is not None and findings.contests:
        names = [str(one) for one in findings.contests[0].table["model"]]
    return names[:MODELS_TOLD]


def _headline(models: Sequence[dict[str, Any]], vendors: dict[str, Any] | None) -> list[str]:
    if len(models) == 1:
        return [models[0]["verdict"]["how_good"]]
    if all(main_row(one["estimates"]) is None for one in models):
        return [no_labels()]
    each = [one["verdict"]["how_good"] for one in models]
    return [*(vendors["sentences"][:1] if vendors else []), *each]


def _assumptions(findings: Told, estimates: Sequence[dict[str, Any]], pool: int, missing: int) -> list[str]:
    clusters, phase = findings.pool.clusters, findings.pool.first_phase
    about = "" if clusters is None else about_clusters(clusters, pool)
    about = about if phase is None else f"{about_whole(phase)} {sample_of(phase)}"
    return assumptions(kinds_of(estimates), pool, missing, findings.level, experts=findings.readings > 0, about=about)
