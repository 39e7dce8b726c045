"""The events of an audit in words, a line each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from altmas.words.wording import clean, counted, quoted, short

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
    reader = ", expert" if body.get("expert") is True else ""
    return f"{_who(body)}{reader}: {_item(body)} {said}{note}"


def _changed(name: str, value: Any) -> str:
    """A setting and what it is now, in a few words."""
    if name == "guidelines":
        return "other guidelines" if value else "no guidelines"
    shown = ", ".join(map(str, value)) if isinstance(value, list) else value
    word = "none" if shown in (None, "") else {True: "yes", False: "no"}[shown] if isinstance(shown, bool) else shown
    return f"{name.replace('_', ' ')} now {short(word, 80)}"


_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "created": lambda body: f"a pool of {counted(body.get('size', 0), 'item')}",
    "drawn": lambda body: f"round {body.get('round')}, {_items(body)}",
    "assigned": lambda body: f"for {_who(body)}: {_items(body)}",
    "answered": _answered,
    "undone": lambda body: f"{_who(body)}: {_item(body)} taken back",
    "redone": lambda body: f"{_who(body)}: {_item(body)} given again",
    "fitted": lambda body: f"refit {body.get('number')} on {counted(body.get('labels', 0), 'label')}",
    "reread": lambda body: f"{counted(len(body.get('places', [])), 'answer')} drawn for a second reading",
    "again": lambda body: f"asked again, {_who(body)}: {_items(body)}",
    "looked": lambda body: f"estimates looked at, after {counted(body.get('labels', 0), 'label')}",
    "set": lambda body: "; ".join(_changed(*one) for one in sorted(dict(body.get("settings", {})).items())),
    "rebuilt": lambda body: f"refit {body.get('number')} made again from the log",
    "revealed": lambda body: f"{clean(body.get('what', ''))} of {_item(body) or 'the audit'} shown to {_who(body)}",
}
