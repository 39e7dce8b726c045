"""The language of what people read: sentences are written in English where they are made, catalogues hold the others.

A catalogue is `catalogues/CODE.json`, a mapping of each English sentence, names in braces, to its translation. Data
stays English in every language: names of metrics and settings, promises that code compares, refusals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from altmas.metrics.errors import InputError

ENGLISH = "en"
_CATALOGUES = Path(__file__).parent / "catalogues"
_now: ContextVar[str] = ContextVar("language", default=ENGLISH)


def languages() -> list[str]:
    """The codes of all languages there are.

    >>> languages()
    ['en', 'de']
    """
    return [ENGLISH, *sorted(path.stem for path in _CATALOGUES.glob("*.json"))]


@cache
def catalogue(code: str) -> Mapping[str, str]:
    """English sentences and their translations; empty for English.

    >>> dict(catalogue("en"))
    {}
    """
    if code not in languages():
        raise InputError("lang", f"be one of {', '.join(languages())}", repr(code))
    return {} if code == ENGLISH else dict(json.loads((_CATALOGUES / f"{code}.json").read_text("utf-8")))


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Within this, sentences are in that language.

    >>> with speaking("de"):
    ...     sentence("not known")
    'nicht bekannt'
    """
    catalogue(code)
    before = _now.set(code)
    try:
        yield
    finally:
        _now.reset(before)


def language() -> str:
    """The code of the language spoken now.

    >>> language()
    'en'
    """
    return _now.get()


def sentence(text: str, /, **values: Any) -> str:
    """A sentence in the language spoken now, its values filled in; English where the catalogue has none.

    Only what a programmer wrote may be `text`: what users call their classes and files comes in by `values`.

    >>> sentence("from {labels}", labels="200 labels")
    'from 200 labels'
    """
    return catalogue(_now.get()).get(text, text).format(**values)


def to_say(text: str) -> str:
    """A text that `sentence` says later: so marked where it stands, and as it is.

    >>> to_say("not known")
    'not known'
    """
    return text
