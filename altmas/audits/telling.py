"""What a caller may tell an audit: checked before anything is written, for the log is for good."""

from __future__ import annotations

from typing import Any

from altmas.audits.events import canonical
from altmas.core.checks import whole_number
from altmas.metrics.errors import InputError

LONGEST_NAME = 64
LONGEST_MS = 1000 * 60 * 60 * 24 * 365
"""No answer takes more than a year."""


def annotator_name(name: str) -> str:
    """A name that can be shown and typed; empty where nobody is named.

    >>> annotator_name("mk")
    'mk'
    """
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        rule = f"be a name of at most {LONGEST_NAME} printable characters, without blanks around it"
        raise InputError("annotator", rule, repr(name))
    return name


def checked_client(client: str | None) -> None:
    """Refuse an id of the caller's own making that could not be shown."""
    if client is not None and not (isinstance(client, str) and client.isprintable()):
        raise InputError("client id", "be printable text", repr(client))


def checked_extras(note: str, given_at: str, took_ms: int | None) -> dict[str, Any]:
    """What an answer brings along, without what is empty.

    >>> checked_extras("blurred", "", 900)
    {'note': 'blurred', 'ms': 900}
    """
    for subject, text in (("note", note), ("given_at", given_at)):
        if not isinstance(text, str):
            raise InputError(subject, "be text", repr(text))
    if took_ms is not None and whole_number("took_ms", took_ms, 0) > LONGEST_MS:
        raise InputError("took_ms", f"be milliseconds, at most {LONGEST_MS:,}", "more")
    spent = None if took_ms is None else int(took_ms)
    return {
        key: value for key, value in (("note", note), ("ms", spent), ("given_at", given_at)) if value not in ("", None)
    }


def checked_body(body: dict[str, Any]) -> None:
    """Refuse what a log cannot keep."""
    if not isinstance(body, dict):
        raise InputError("body of an event", "be a dict", repr(body))
    if "annotator" in body:
        annotator_name(body["annotator"])
    try:
        canonical(body)
    except (TypeError, ValueError) as error:
        raise InputError("body of an event", "be text and numbers, which a store can keep", error) from None
