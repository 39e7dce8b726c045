"""Events in words, for the list at the end of a report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from altmas.reports.tables import Table
from altmas.words.wording import clean, counted, quoted, short

MOST_EVENTS = 4000
"""Of more events the first and the last are listed; the JSON report, and the audit itself, have every one."""

_MOST_ITEMS = 20


def event_words(kind: str, body: Mapping[str, Any]) -> str:
    """What happened, in one line.

    >>> event_words("answered", {"item": 12, "annotator": "mk", "answer": "label", "label": "cat"})
    "mk: 12 is 'cat'"
    >>> event_words("drawn", {"items": [4, 7], "round": 0, "propensities": [0.1, 0.1], "fit": None})
    'round 0, 2 items: 4, 7'
    """
    words = _WORDS.get(kind)
    return words(body) if words else short(json.dumps(body, ensure_ascii=False, sort_keys=True), 200)


def events_table(events: Sequence[Mapping[str, Any]]) -> Table:
    """Every event, as far as a page can hold them."""
    half = MOST_EVENTS // 2
    shown = events if len(events) <= MOST_EVENTS else [*events[:half], *events[-half:]]
    rows = tuple(
        (str(one["seq"]), str(one["at"]), clean(one["kind"]), event_words(one["kind"], one["body"]), one["hash"][:12])
        for one in shown
    )
    left = len(events) - len(shown)
    note = f"The first and the last {half:,}; {left:,} between them are in the JSON report." if left else ""
    return Table("Events", ("number", "time (UTC)", "event", "what", "hash"), rows, 5, note)


def _items(body: Mapping[str, Any]) -> str:
    items = [short(one, 40) for one in body.get("items", [])]
    more = f" and {len(items) - _MOST_ITEMS:,} more" if len(items) > _MOST_ITEMS else ""
    return f"{counted(len(items), 'item')}: {', '.join(items[:_MOST_ITEMS])}{more}"


def _who(body: Mapping[str, Any]) -> str:
    return clean(body.get("annotator", "")) or "(nobody named)"


def _item(body: Mapping[str, Any]) -> str:
    return short(body.get("item", ""))


def _answered(body: Mapping[str, Any]) -> str:
    said = f"is {quoted(body['label'])}" if "label" in body else clean(body.get("answer", ""))
    note = f" ({short(body['note'], 200)})" if body.get("note") else ""
    return f"{_who(body)}: {_item(body)} {said}{note}"


_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "created": lambda body: f"a pool of {counted(body.get('size', 0), 'item')}",
    "drawn": lambda body: f"round {body.get('round')}, {_items(body)}",
    "assigned": lambda body: f"for {_who(body)}: {_items(body)}",
    "answered": _answered,
    "undone": lambda body: f"{_who(body)}: {_item(body)} taken back",
    "redone": lambda body: f"{_who(body)}: {_item(body)} given again",
    "fitted": lambda body: f"refit {body.get('number')} on {counted(body.get('labels', 0), 'label')}",
    "revealed": lambda body: f"{clean(body.get('what', ''))} of {_item(body) or 'the audit'} shown to {_who(body)}",
}
