"""The facts of a report: everything it says, as plain JSON data. Every format is made from these.

The schema, `altmas-report/1`, is described in `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.core.checks import positive
from altmas.core.groups import named_pair
from altmas.core.plain import plain_data, plain_name, plain_rows
from altmas.reports.facts_model import ModelFacts, Wanted, main_row
from altmas.surfaces.membership import membership
from altmas.words.assumptions import assumptions, kinds_of, warnings_of
from altmas.words.best import contest_facts
from altmas.words.comparing import two_models
from altmas.words.language import language
from altmas.words.verdict import no_labels

if TYPE_CHECKING:
    from altmas.audits.agreement import Agreed
    from altmas.audits.audit import Audit
    from altmas.audits.events import Event
    from altmas.audits.looks import AuditFindings
    from altmas.core.pool import Pool
    from altmas.surfaces.membership import By
    from altmas.surfaces.recipe import SurfaceRecipe

SCHEMA = {
    "schema": "altmas-report/1",
    "language": "of the sentences: 'en', or what was asked for; names, promises and refusals are English in each",
    "title": "of the audit, or ''",
    "as_of": "time of the last answer, or of the audit's creation",
    "level": "of the intervals",
    "labels": "items with a label",
    "pool": "size, classes, class_names (at most 1,000), models, scores (model -> bool), opinions, groups (-> values), "
    "features (numbers per item, or null), features_from (what they were made of, or '')",
    "method": "its name",
    "guidelines": "what annotators were told",
    "headline": "sentences: one verdict, or which model is best and then one verdict per model",
    "models": "a list, best first, of many only the best few; each has name, main (metric), verdict (how_good, reach, "
    "promise, worst [], next, random, features, unanswered), estimates [], groups [by, metric, values, rows [], "
    "verdict, settled], comparisons [], surface (by, estimator, least, combinations, judged, labelled, largest_only, "
    "verdict, promise, arms [values, ...], attributes [attribute, rows []], pairs [attributes, values, cells []]; null "
    "unless asked for), confusion (classes, cells [], worst [], left_out), calibration (bins [], ece, sentence), "
    "forecast [], history [], left_out [part, why]",
    "vendors": "contests [metric, leader, p_best, expected_loss, loss_bound, contenders, promise, verdict], best [] "
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
    "looks_before, replanned, retargeted; or null",
    "trail": "created, seed, secret (null until the planned labels are there, and in audits of older versions), "
    "secret_given, commitment (the first event's hash, or ''), earlier [created, labels, head], settings, versions, "
    "inputs (name -> sha256), intact, problems, head, events [seq, at, kind, body, hash]",
    "items": "id, content, answers [annotator, label, note]; only if contents were asked for, else null",
}
"""What each field holds. Numbers that are not known are null."""

MODELS_TOLD = 6
"""So many models a report goes into."""

CONTENT = ("note", "content", "text")
"""What an event may hold of an item's content: an annotator's note often quotes it."""


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
    """Everything a report says.

    `compare` are pairs of groups `(by, a, b)`; `rope` is the difference that does not matter, `within` the precision
    that labels are forecast for. `surface` names attributes, `"sex,race"`: the accuracy of each of their combinations
    is told, as the `estimator` has it.

    What items say stays out, unless `contents=True`; so do notes, which may quote it.
    """
    pairs = tuple(named_pair(audit.pool, *pair) for pair in compare)
    if surface is not None:
        membership(audit.pool, surface)  # refused now, if the pool has no such attributes
    wanted = Wanted(pairs, positive("rope", rope), positive("within", within), surface, estimator)
    findings = audit.findings(level) if audit.status().labels else None
    status, pool = audit.status(), audit.pool  # after the findings, which make a refit that is due
    models = [_model(audit, findings, name, wanted) for name in _told_of(findings, pool)]
    estimates = [{**row, "model": one["name"]} for one in models for row in one["estimates"]]
    missing = {
        "unsure": status.unsure, "skip": status.skipped, "disputed": status.disputed, "taken_back": status.taken_back,
        "open": status.open - status.taken_back,
    }  # fmt: skip
    record = trail(audit, contents=contents)
    vendors = _vendors(findings)
    used = findings.level if findings else audit.settings.level if level is None else level
    return {
        "schema": SCHEMA["schema"],
        "language": language(),
        "title": audit.settings.title,
        "as_of": status.last_answer or audit.settings.created,
        "level": used,
        "labels": status.labels,
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
        },
        "method": audit.settings.method,
        "guidelines": audit.settings.guidelines,
        "headline": _headline(models, vendors),
        "models": models,
        "vendors": vendors,
        "status": plain_data(status.as_dict()),
        "missing": plain_data(findings.missing if findings else missing),
        "classes_seen": plain_rows(findings.classes_seen, ("class",)) if findings else [],
        "agreement": _agreement(findings),
        "people": plain_data(findings.people) if findings else None,
        "conduct": plain_data(findings.conduct.as_dict()) if findings else None,
        "assumptions": _assumptions(findings, estimates, pool.size, sum(missing.values())) if findings else [],
        "warnings": warnings_of(
            findings.warnings if findings else (),
            estimates if len(models) > 1 else [{**row, "model": ""} for row in estimates],
            record["problems"],
        ),
        "trail": record,
        "items": items_asked(audit) if contents else None,
    }


def _model(audit: Audit, findings: AuditFindings | None, name: str, wanted: Wanted) -> dict[str, Any]:
    if findings is not None:
        return ModelFacts(findings, audit.pool, audit.settings.method, name, wanted).gather()
    unsaid = dict.fromkeys(("reach", "promise", "next", "random", "features", "unanswered"), "")
    empty: dict[str, Any] = {part: [] for part in ("estimates", "groups", "comparisons", "forecast", "history")}
    none = dict.fromkeys(("main", "surface", "confusion", "calibration"))
    left_out = [] if wanted.surface is None else [{"part": "combinations", "why": "No item has a label yet."}]
    verdict = {"how_good": no_labels(), "worst": [], **unsaid}
    return {"name": name, "verdict": verdict, **none, **empty, "left_out": left_out}


def _told_of(findings: AuditFindings | None, pool: Pool) -> list[str]:
    """The models that a report goes into, best first; of many the best few, the others are in the table of all."""
    names = [one.name for one in pool.outputs]
    if findings is not None and findings.contests:
        names = [str(one) for one in findings.contests[0].table["model"]]
    return names[:MODELS_TOLD]


def _vendors(findings: AuditFindings | None) -> dict[str, Any] | None:
    if findings is None or not findings.contests:
        return None
    differences, best = findings.differences(), findings.best()
    pairs = [] if differences is None else plain_rows(differences)
    contests = [contest_facts(one) for one in findings.contests]
    sentences = [one["verdict"] for one in contests] + [two_models(row, findings.level) for row in pairs]
    ranked = [] if best is None else plain_rows(best)
    return {"contests": contests, "best": ranked, "differences": pairs, "sentences": sentences}


def _headline(models: Sequence[dict[str, Any]], vendors: dict[str, Any] | None) -> list[str]:
    if len(models) == 1:
        return [models[0]["verdict"]["how_good"]]
    if all(main_row(one["estimates"]) is None for one in models):
        return [no_labels()]
    each = [f"{one['name']}: {one['verdict']['how_good']}" for one in models]
    return [*(vendors["sentences"][:1] if vendors else []), *each]


def _agreement(findings: AuditFindings | None) -> dict[str, Any] | None:
    if findings is None:
        return None
    found, classes = findings.agreement, findings.pool.classes
    names = ("items", "share", "alpha", "annotators", "disputed", "experts")
    people = [
        {
            "annotator": name, "answers": answers,
            **_pairs(found.with_others.get(name)),
            "read": getattr(found.against_experts.get(name), "pairs", 0),
            "confirmed": getattr(found.against_experts.get(name), "agree", 0),
        }
        for name, answers in found.annotators.items()
    ]  # fmt: skip
    each = [{"class": plain_name(classes[c]), **_pairs(one)} for c, one in found.of_classes.items()]
    return {**{name: plain_data(getattr(found, name)) for name in names}, "by_annotator": people, "by_class": each}


def _pairs(one: Agreed | None) -> dict[str, Any]:
    return {"pairs": 0, "share": None} if one is None else {"pairs": one.pairs, "share": one.share}


def _assumptions(findings: AuditFindings, estimates: Sequence[dict[str, Any]], pool: int, missing: int) -> list[str]:
    return assumptions(kinds_of(estimates), pool, missing, findings.level, experts=findings.readings > 0)


def trail(audit: Audit, *, contents: bool = False) -> dict[str, Any]:
    """Hashes of inputs, seed, versions, settings, whether the record is intact, and every event."""
    settings = plain_data(audit.settings.as_dict())
    checked = audit.verify()
    versions, inputs = settings.pop("versions", {}), settings.pop("inputs", {})
    settings.pop("guidelines", None)  # said elsewhere
    created, budget = audit.created.body, audit.settings.budget
    revealed = budget is None or audit.state.answered >= budget  # whoever has it can draw what is still to come
    told = contents, revealed
    return {
        "created": audit.settings.created,
        "seed": audit.settings.seed,
        "secret": created.get("secret") if revealed else None,
        "secret_given": bool(created.get("secret_given")),
        "commitment": audit.created.hash if "secret" in created else "",
        "earlier": created.get("earlier", []),
        "settings": settings,
        "versions": versions,
        "inputs": inputs,
        "intact": checked.ok,
        "problems": list(checked.problems),
        "head": checked.head,
        "events": [event_facts(event, *told) for event in audit.events()],
    }


def event_facts(event: Event, contents: bool = False, revealed: bool = True) -> dict[str, Any]:
    """One event; what an item says stays out unless asked for, and the secret until it is revealed."""
    hidden = {*(() if contents else CONTENT), *(() if revealed else ("secret",))}
    body = {key: value for key, value in event.body.items() if key not in hidden}
    facts = {"seq": event.seq, "at": event.at, "kind": event.kind, "body": plain_data(body), "hash": event.hash}
    return {**facts, "client": event.client} if event.client else facts


def items_asked(audit: Audit) -> list[dict[str, Any]]:
    """Items with an answer: what they say, and what each annotator answered, with notes."""
    found: dict[int, dict[str, Any]] = {}
    for annotator in audit.status().annotators:
        for given in audit.answers_of(annotator):
            item = found.setdefault(
                given.position,
                {"id": plain_name(given.id), "content": dict(audit.content(given.position)), "answers": []},
            )
            answer = {"annotator": annotator, "label": plain_name(given.label), "note": given.note}
            item["answers"].append(answer)
    return [found[position] for position in sorted(found)]
