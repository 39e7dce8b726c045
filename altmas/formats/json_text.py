"""JSON and JSON lines, strictly: no key twice, objects only."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from altmas.core import limits
from altmas.formats.files import refusing
from altmas.metrics.errors import InputError

Record = dict[str, Any]


def loads(text: str, subject: str) -> Any:
    """The value of a JSON text.

    >>> loads('{"id": 9007199254740993}', "a.json")
    {'id': 9007199254740993}
    >>> loads('{"id": 1, "id": 2}', "a.json")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: objects of a.json must name each key once; got 'id' twice.
    """

    def once(pairs: list[tuple[str, Any]]) -> Record:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise InputError(f"objects of {subject}", "name each key once", f"{twice!r} twice")
        return found

    with refusing(subject, "be JSON"):
        return json.loads(text, object_pairs_hook=once)


def lines(text: str, subject: str) -> tuple[list[int], list[Record]]:
    r"""The objects of JSON lines, each with the number of its line.

    >>> lines('{"id": "a"}\n\n{"id": "b"}\n', "a.jsonl")
    ([1, 3], [{'id': 'a'}, {'id': 'b'}])
    """
    # Only a newline ends a line: U+2028 may stand inside a JSON string.
    filled = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, line in filled:
        if len(line) > limits.MAX_CELL:
            rule = f"have at most {limits.MAX_CELL:,} characters"
            raise InputError(f"line {number:,} of {subject}", rule, f"{len(line):,}", "An object goes on each line.")
    records = [loads(line, f"line {number:,} of {subject}") for number, line in filled]
    return [number for number, _ in filled], _objects(records, [f"line {n:,} of {subject}" for n, _ in filled])


def objects(value: Any, subject: str) -> list[Record]:
    """A list of objects.

    >>> objects([{"id": 1}, 2], "a.json")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: entry 2 of a.json must be an object; got int.
    """
    if not isinstance(value, list):
        raise InputError(subject, "be a list of objects", type(value).__name__)
    return _objects(value, [f"entry {number:,} of {subject}" for number in range(1, len(value) + 1)])


def _objects(records: list[Any], subjects: list[str]) -> list[Record]:
    for subject, record in zip(subjects, records, strict=True):
        if not isinstance(record, dict):
            raise InputError(subject, "be an object", type(record).__name__)
    return records
