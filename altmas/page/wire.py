"""What the page may send: each request read into a value, strictly, with a sentence for what does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from unicodedata import category

from altmas.audits.values import SKIP, UNSURE
from altmas.metrics.errors import InputError

LONGEST_NOTE = 4000
LONGEST_TIME = 24 * 3600 * 1000
PREDICTION, ESTIMATE = "prediction", "estimate"
_CLIENT = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)

Body = Mapping[str, Any]


class RefusedError(Exception):
    """A request that is not answered as asked.

    >>> RefusedError(404, "There is nothing here.").status
    404
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Wish:
    """What to be asked next: `again` the unsure, skipped and disputed; `beyond` what was planned."""

    again: bool = False
    beyond: bool = False


@dataclass(frozen=True)
class Reply:
    """An answer: a class by its index, `unsure` or `skip`, to the item of this name, and the wish for the next."""

    client: str
    item: str
    label: int | str
    note: str = ""
    took_ms: int | None = None
    replace: bool = False
    wish: Wish = Wish()


@dataclass(frozen=True)
class Turn:
    """An undo or redo, and the wish for the next item."""

    client: str
    wish: Wish = Wish()


@dataclass(frozen=True)
class Reveal:
    """A look at what is hidden: the model's prediction for an item, or the running estimate."""

    client: str
    what: str
    item: str | None = None


def read_login(body: Body) -> str:
    """The login token."""
    _only(body, {"token"})
    return str(_field(body, "token", "be a text", lambda v: isinstance(v, str) and len(v) <= 200))


def read_wish(body: Body) -> Wish:
    """What to be asked next.

    >>> read_wish({"again": True})
    Wish(again=True, beyond=False)
    """
    _only(body, {"again", "beyond"})
    return _wish(body)


def read_reply(body: Body, classes: int) -> Reply:
    """An answer to one of so many classes.

    >>> read_reply({"client": "a1b2c3d4", "item": "x", "label": 3}, 3)
    Traceback (most recent call last):
        ...
    altmas.metrics.errors.InputError: label must be 0 to 2, 'unsure' or 'skip'; got 3.
    """
    _only(body, {"client", "item", "label", "note", "took_ms", "replace", "again", "beyond"})
    return Reply(
        _client(body),
        _item(body),
        _field(body, "label", f"be 0 to {classes - 1}, 'unsure' or 'skip'", lambda v: _is_label(v, classes)),
        _field(body, "note", f"be a text of at most {LONGEST_NOTE:,} characters", _is_note, ""),
        _field(body, "took_ms", "be milliseconds, at most a day", _is_time, None),
        _flag(body, "replace"),
        _wish(body),
    )


def read_reveal(body: Body) -> Reveal:
    """A look at what is hidden; for a prediction, the item.

    >>> read_reveal({"client": "a1b2c3d4", "what": "estimate"})
    Reveal(client='a1b2c3d4', what='estimate', item=None)
    """
    _only(body, {"client", "what", "item"})
    what = _field(body, "what", f"be {PREDICTION!r} or {ESTIMATE!r}", lambda v: v in (PREDICTION, ESTIMATE))
    return Reveal(_client(body), what, _item(body) if what == PREDICTION else None)


def read_turn(body: Body) -> Turn:
    """An undo or redo.

    >>> read_turn({"client": "a1b2c3d4"}).client
    'a1b2c3d4'
    """
    _only(body, {"client", "again", "beyond"})
    return Turn(_client(body), _wish(body))


def read_place(text: str | None) -> int | None:
    """Which of one's own answers, counted from 0; None for the last.

    >>> read_place("12"), read_place(None)
    (12, None)
    """
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        raise InputError("at", "be a number", _shown(text))
    return int(text)


_MISSING: Any = object()


def _field(body: Body, name: str, rule: str, fits: Callable[[Any], bool], default: Any = _MISSING) -> Any:
    value = body.get(name, default)
    if value is _MISSING:
        raise InputError(name, rule, "nothing")
    if value is not default and not fits(value):
        raise InputError(name, rule, _shown(value))
    return value


def _only(body: Body, known: set[str]) -> None:
    unknown = sorted(set(body) - known)
    if unknown:
        raise InputError("request", f"have no fields but {', '.join(sorted(known)) or 'none'}", _shown(unknown[0]))


def _client(body: Body) -> str:
    return str(_field(body, "client", "be 8 to 64 letters, digits, - or _", lambda v: _matches(_CLIENT, v)))


def _item(body: Body) -> str:
    return str(_field(body, "item", "be the name of an item", lambda v: _matches(_NAME, v)))


def _wish(body: Body) -> Wish:
    return Wish(_flag(body, "again"), _flag(body, "beyond"))


def _flag(body: Body, name: str) -> bool:
    return bool(_field(body, name, "be true or false", lambda v: isinstance(v, bool), False))


def _matches(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_label(value: Any, classes: int) -> bool:
    if isinstance(value, str):
        return value in (UNSURE, SKIP)
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < classes


def _is_note(value: Any) -> bool:
    # Lone surrogates cannot be stored, control characters cannot be shown.
    return (
        isinstance(value, str)
        and len(value) <= LONGEST_NOTE
        and all(c in "\n\r\t" or category(c) not in ("Cc", "Cs") for c in value)
    )


def _is_time(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LONGEST_TIME


def _shown(value: Any) -> str:
    return ascii(value)[:40]
