"""Tables of the record: how answers came about, what an audit was made from, its events, and its items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from altmas.reports.tables import Table, more_left, text
from altmas.words.conduct import conduct_rows
from altmas.words.events import event_words
from altmas.words.language import sentence
from altmas.words.wording import Row, clean, marked, quoted

MOST_EVENTS = 4000
"""Of more events the first and the last are listed; the JSON report, and the audit itself, have every one."""

MOST_ITEMS = 1000
"""Items whose contents are listed; the JSON report has all of them."""


def conduct_table(conduct: Row) -> Table:
    """How the answers came about."""
    return Table(sentence("Conduct"), (sentence("what"), sentence("how often")), tuple(conduct_rows(conduct)))


def pairs_table(caption: str, heads: tuple[str, str], pairs: dict[str, Any]) -> Table:
    """Names and values."""
    return Table(caption, heads, tuple((clean(key), _plain(value)) for key, value in pairs.items()), 2)


def record_tables(record: Row) -> dict[str, Table]:
    """What an audit was made from: its input files, settings, and the versions of programs."""
    heads = {
        "inputs": (sentence("Inputs"), (sentence("file"), "SHA-256")),
        "settings": (sentence("Settings"), (sentence("setting"), sentence("value"))),
        "versions": (sentence("Versions"), (sentence("of"), sentence("version"))),
    }
    return {name: pairs_table(caption, pair, record[name]) for name, (caption, pair) in heads.items()}


def events_table(events: Sequence[Row]) -> Table:
    """Every event, as far as a page can hold them."""
    half, left = MOST_EVENTS // 2, len(events) - MOST_EVENTS
    shown = [*events[:half], *events[-half:]] if left > 0 else events
    columns = [
        (sentence("number"), lambda one: str(one["seq"])),
        (sentence("time (UTC)"), lambda one: str(one["at"])),
        text(sentence("event"), "kind"),
        (sentence("what"), lambda one: event_words(one["kind"], one["body"])),
        (sentence("hash"), lambda one: str(one["hash"][:12])),
    ]
    note = sentence(
        "The first and the last {half}; {left} between them are in the JSON report.",
        half=marked(f"{half:,}"), left=marked(f"{left:,}"),
    )  # fmt: skip
    return Table.of(sentence("Events"), columns, shown, 5, note if left > 0 else "", MOST_EVENTS)


def items_table(items: Sequence[Row]) -> Table:
    """Items with an answer: what they say, and what was answered."""
    contents = list(dict.fromkeys(name for one in items for name in one["content"]))
    rows = tuple(
        (
            clean(one["id"]),
            "; ".join(
                f"{clean(a['annotator']) or sentence('(nobody named)')}: {quoted(a['label'])}" for a in one["answers"]
            ),
            "; ".join(clean(a["note"]) for a in one["answers"] if a["note"]),
            *(str(one["content"].get(name, "")) for name in contents),
        )
        for one in items[:MOST_ITEMS]
    )
    heads = ("id", sentence("answers"), sentence("notes"), *contents)
    return Table(sentence("Items"), heads, rows, 3 + len(contents), more_left(len(items) - MOST_ITEMS))


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or sentence("none")
    if isinstance(value, dict):
        return ", ".join(f"{clean(key)} = {_plain(one)}" for key, one in value.items()) or sentence("none")
    return sentence("none") if value in (None, "") else clean(value)
