"""The record of an audit as facts: where the questions came from, every event, and items with their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from altmas.core.plain import plain_data, plain_name

if TYPE_CHECKING:
    from altmas.audits.audit import Audit
    from altmas.audits.events import Event

CONTENT = ("note", "content", "text")
"""What an event may hold of an item's content: an annotator's note often quotes it."""


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
        "first": audit.created.hash,
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
