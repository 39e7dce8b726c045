"""The first event of an audit: everything else rests on it, so that it is read once, and never believed unread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Rule = Callable[[Any], bool]

NEEDED = ("settings", "files", "items", "size")
"""What every version of altmas has written; the rest came later."""


def checked_beginning(body: Any) -> Mapping[str, Any]:
    """The body of the first event; a ValueError names what of it is not what it should be.

    >>> checked_beginning({"settings": {"seed": "x"}, "files": {}, "items": "", "size": 1})
    Traceback (most recent call last):
    ValueError: settings.seed is 'x'
    """
    if not isinstance(body, dict):
        raise ValueError(f"it is {_shown(body)}")
    for name in NEEDED:
        if name not in body:
            raise ValueError(f"{name} is missing")
    if "secret" in body and "pool" not in body:
        raise ValueError("pool is missing")
    if not isinstance(body["settings"], dict):
        raise ValueError(f"settings is {_shown(body['settings'])}")
    _check(body["settings"], SETTINGS, "settings.")
    _check(body, BODY)
    return body


def checked_changes(body: Any) -> Mapping[str, Any]:
    """Settings that an event changes, as the first event would have them.

    >>> checked_changes({"settings": {"budget": -1}})
    Traceback (most recent call last):
    ValueError: settings.budget is -1
    """
    if not isinstance(body, dict) or not isinstance(body.get("settings"), dict):
        raise ValueError(f"settings that changed are {_shown(body)}")
    _check(body["settings"], SETTINGS, "settings.")
    return dict(body["settings"])


def _check(held: Mapping[str, Any], rules: Mapping[str, Rule], where: str = "") -> None:
    for name, rule in rules.items():
        if name in held and not rule(held[name]):
            raise ValueError(f"{where}{name} is {_shown(held[name])}")


def _shown(value: Any) -> str:
    return repr(value)[:60]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _truth(value: Any) -> bool:
    return isinstance(value, bool)


def _whole(least: int, most: int | None = 1 << 53) -> Rule:
    return lambda value: (
        isinstance(value, int) and not isinstance(value, bool) and least <= value and (most is None or value <= most)
    )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list_of(rule: Rule) -> Rule:
    return lambda value: isinstance(value, list) and all(map(rule, value))


def _dict_of(rule: Rule) -> Rule:
    return lambda value: isinstance(value, dict) and all(map(rule, value.values()))


def _or_none(rule: Rule) -> Rule:
    return lambda value: value is None or rule(value)


def _with(**rules: Rule) -> Rule:
    return lambda value: isinstance(value, dict) and all(n in value and rule(value[n]) for n, rule in rules.items())


def _hex(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _file_hashes(value: Any) -> bool:
    """Hashes by the names of files in one folder: no name leads out of it."""
    named = isinstance(value, dict) and {"ids.json", "names.json"} <= value.keys()
    return named and all(_hex(one) for one in value.values()) and not any(set(name) & set("/\\") for name in value)


SETTINGS: Mapping[str, Rule] = {
    "metrics": lambda value: bool(value) and _list_of(_text)(value),
    "method": _text,
    "options": lambda value: isinstance(value, dict),
    "seed": _whole(0, None),
    "initial": _whole(1),
    "batch": _whole(1),
    "level": lambda value: _number(value) and 0 < value < 1,
    "budget": _or_none(_whole(1)),
    "overlap": _whole(1),
    "guidelines": _text,
    "title": _text,
    "cost": _or_none(_list_of(_list_of(_number))),
    "inputs": _dict_of(_text),
    "versions": _dict_of(_text),
    "task": _with(task=_text, about=lambda value: isinstance(value, dict)),
    "second_readings": _or_none(_whole(1)),
    "show": _or_none(_list_of(_text)),
    "reveal": _truth,
    "targets": _list_of(_text),
}

BODY: Mapping[str, Rule] = {
    "files": _file_hashes,
    "pool": _hex,
    "items": _hex,
    "size": _whole(1),
    "media": _with(files=_whole(0), hashed=_whole(0)),
    "witness": _truth,
    "engine": _whole(0),
    "earlier": _list_of(_with(created=_text, labels=_whole(0), head=_text)),
    "secret": _hex,
    "secret_given": _truth,
}
