"""The events of an audit in words, a line each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from altmas.words.language import sentence, to_say
from altmas.words.over_time import renewed_from
from altmas.words.wording import clean, counted, marked, quoted, short

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
    values = {"items": counted(len(items), "item"), "names": ", ".join(items[:_MOST_ITEMS])}
    if len(items) <= _MOST_ITEMS:
        return sentence("{items}: {names}", **values)
    return sentence("{items}: {names} and {number} more", number=marked(f"{len(items) - _MOST_ITEMS:,}"), **values)


def _who(body: Mapping[str, Any]) -> str:
    return clean(body.get("annotator", "")) or sentence("(nobody named)")


def _item(body: Mapping[str, Any]) -> str:
    return short(body.get("item", ""))


def _answered(body: Mapping[str, Any]) -> str:
    who = _who(body)
    values = {"who": sentence("{who}, expert", who=who) if body.get("expert") is True else who, "item": _item(body)}
    if "label" in body:
        said = sentence("{who}: {item} is {label}", label=quoted(body["label"]), **values)
    else:
        answer = clean(body.get("answer", ""))
        answer = sentence(_WITHOUT_LABEL[answer]) if answer in _WITHOUT_LABEL else answer
        said = sentence("{who}: {item} {answer}", answer=answer, **values)
    return f"{said} ({short(body['note'], 200)})" if body.get("note") else said


_WITHOUT_LABEL = {"unsure": to_say("unsure"), "skip": to_say("skip")}


def _changed(name: str, value: Any) -> str:
    """A setting and what it is now, in a few words."""
    if name == "guidelines":
        return sentence("other guidelines" if value else "no guidelines")
    shown = ", ".join(map(str, value)) if isinstance(value, list) else value
    if shown in (None, ""):
        shown = sentence("none")
    elif isinstance(shown, bool):
        shown = sentence("yes" if shown else "no")
    return sentence("{setting} now {value}", setting=name.replace("_", " "), value=short(shown, 80))


def _revealed(body: Mapping[str, Any]) -> str:
    what = clean(body.get("what", ""))
    values = {"what": sentence(_REVEALED[what]) if what in _REVEALED else what, "who": _who(body)}
    if item := _item(body):
        return sentence("{what} of {item} shown to {who}", item=item, **values)
    return sentence("{what} of the audit shown to {who}", **values)


_REVEALED = {"prediction": to_say("prediction"), "estimate": to_say("estimate")}


def _labels(body: Mapping[str, Any]) -> str:
    return counted(body.get("labels", 0), "label")


_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "created": lambda body: sentence("a pool of {items}", items=counted(body.get("size", 0), "item")),
    "drawn": lambda body: sentence("round {number}, {items}", number=body.get("round"), items=_items(body)),
    "assigned": lambda body: sentence("for {who}: {items}", who=_who(body), items=_items(body)),
    "answered": _answered,
    "undone": lambda body: sentence("{who}: {item} taken back", who=_who(body), item=_item(body)),
    "redone": lambda body: sentence("{who}: {item} given again", who=_who(body), item=_item(body)),
    "fitted": lambda body: sentence("refit {number} on {labels}", number=body.get("number"), labels=_labels(body)),
    "reread": lambda body: sentence(
        "{answers} drawn for a second reading", answers=counted(len(body.get("places", [])), "answer")
    ),
    "again": lambda body: sentence("asked again, {who}: {items}", who=_who(body), items=_items(body)),
    "looked": lambda body: sentence("estimates looked at, after {labels}", labels=_labels(body)),
    "set": lambda body: "; ".join(_changed(*one) for one in sorted(dict(body.get("settings", {})).items())),
    "renewed": lambda body: " ".join(renewed_from(body)) or sentence("nothing was taken over"),
    "rebuilt": lambda body: sentence("refit {number} made again from the log", number=body.get("number")),
    "revealed": _revealed,
}
