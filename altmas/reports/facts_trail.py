"""The audit trail: what the numbers came from, and everything that happened, without what the items say."""

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
    return {
        "created": audit.settings.created,
        "seed": audit.settings.seed,
        "settings": settings,
        "versions": versions,
        "inputs": inputs,
        "intact": checked.ok,
        "problems": list(checked.problems),
        "head": checked.head,
        "events": [event_facts(event, contents=contents) for event in audit.events()],
    }


def event_facts(event: Event, *, contents: bool = False) -> dict[str, Any]:
    """One event; what an item says stays out unless asked for."""
    body = {key: value for key, value in event.body.items() if contents or key not in CONTENT}
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
