"""Events: what happened in an audit, each bound to the one before it by a hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

Row = tuple[int, str, str, str, str | None, str, str]
"""An event as the store has it: seq, at, kind, body, client, previous, hash."""

GENESIS = "0" * 64
"""What stands before the first event."""


@dataclass(frozen=True)
class Event:
    """One event: its number, time, kind and body, the client's own id for it, and the hashes that chain it."""

    seq: int
    at: str
    kind: str
    body: dict[str, Any]
    client: str | None
    previous: str
    hash: str


def canonical(value: Any) -> str:
    """JSON in one form only, so that equal things have equal hashes.

    >>> canonical({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return _IN_ONE_FORM(value)


_IN_ONE_FORM = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def link(seq: int, at: str, kind: str, body: str, client: str | None, previous: str) -> str:
    """The hash of an event: of everything in it, and of the event before it.

    >>> link(1, "2026-01-01T00:00:00.000Z", "noted", "{}", None, GENESIS)[:8]
    'c0560f2c'
    """
    return hashlib.sha256(canonical([seq, at, kind, body, client, previous]).encode()).hexdigest()


def faults(rows: Iterable[Row], expected: int = 1, previous: str | None = GENESIS) -> list[str]:
    """What is wrong with a chain of (seq, at, kind, body, client, previous, hash); empty if nothing is.

    A part of a chain begins with the event `expected`, after one of the hash `previous` where that is known.
    """
    found: list[str] = []
    for seq, at, kind, body, client, before, stored in rows:
        if seq != expected:
            found.append(f"event {expected} is missing; the next one is {seq}")
        if previous is not None and before != previous:
            found.append(f"event {seq} does not follow the one before it")
        if not _is_whole((seq, at, kind, body, client, before, stored)):
            found.append(f"event {seq} was changed after it was written")
        previous, expected = stored, seq + 1
    return found


def _is_whole(row: Row) -> bool:
    try:
        return link(*row[:6]) == row[6]
    except (TypeError, ValueError):  # no text where there was text
        return False


def now() -> str:
    """The time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
