"""CSV and TSV: every cell stays the text it was."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

from altmas.core import limits
from altmas.metrics.errors import InputError

DELIMITERS = (",", ";", "\t")
"""What may part the cells of a CSV file; spreadsheets of many countries write semicolons."""

_CHARACTERS_AT_ONCE = 1 << 20
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)?")
_TELLING = re.compile(r'[",;\t\r\n]')

Rows = list[tuple[int, list[str]]]


def parse(text: str, subject: str, delimiter: str | None = None) -> tuple[list[str], Rows]:
    r"""Header, and each row with its number as a spreadsheet shows it.

    The header is row 1. A newline within quotes does not begin a row; an empty line is a row, but none that is read.

    >>> parse('id;text\n007;"two\nlines"\n\n08;=1+1\n', "a.csv")
    (['id', 'text'], [(2, ['007', 'two\nlines']), (4, ['08', '=1+1'])])
    >>> parse("id,text\n1,a\n2\n", "a.csv")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: row 3 of a.csv must have 2 cells, as its header has; got 1.
    """
    rows = _records(text, subject, delimiter or sniff(text))
    first = next(rows, None)
    if first is None:
        raise InputError(subject, "have a header row", "an empty file")
    top, header = first
    limits.few_columns(subject, len(header))
    read = []
    for number, cells in rows:
        if len(cells) != len(header):
            rule = f"have {len(header)} cells, as its header has"
            raise InputError(f"row {number:,} of {subject}", rule, len(cells))
        read.append((number, cells))
    while len(header) > 1 and not header[-1] and not any(cells[-1] for _, cells in read):
        # A column without a name or any content is what a spreadsheet leaves behind.
        header.pop()
        for _, cells in read:
            cells.pop()
    if len(set(header)) < len(header):
        twice = Counter(header).most_common(1)[0][0]
        raise InputError(f"columns of {subject}", "have distinct names", f"{twice!r} twice in row {top}")
    return header, read


def sniff(text: str) -> str:
    r"""Whichever of comma, semicolon and tab stands most often in the header, outside quotes; comma if none does.

    >>> sniff("a;b,c;d\n1,2,3,4"), sniff('a,"x;y;z"\n'), sniff("a\n1;2")
    (';', ',', ',')
    """
    counts = dict.fromkeys(DELIMITERS, 0)
    quoted = False
    start = len(text) - len(text.lstrip("\r\n"))
    for found in _TELLING.finditer(text, start, start + limits.MAX_CELL):
        if found[0] == '"':
            quoted = not quoted
        elif found[0] in "\r\n" and not quoted:
            break
        elif found[0] in counts and not quoted:
            counts[found[0]] += 1
    return max(DELIMITERS, key=lambda one: counts[one])


def _records(text: str, subject: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    # The limit is the process's, not the reader's: a long document in a cell is fine, a mark never closed is not.
    csv.field_size_limit(limits.MAX_CELL)
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "field larger than" in str(error):
                rule = f"have at most {limits.MAX_CELL:,} characters in a cell"
                hint = "Is a quotation mark never closed?"
                raise InputError(f"row {number:,} of {subject}", rule, "more", hint) from None
            hint = "A quotation mark within quotes is written twice."
            raise InputError(f"row {number:,} of {subject}", "be well quoted", error, hint) from None
        if cells:
            yield number, cells


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends, some at a time: a copy of all the text would take four bytes a character."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _CHARACTERS_AT_ONCE) + 1 or len(text)
        if end - start <= 2 * _CHARACTERS_AT_ONCE:
            yield from io.StringIO(text[start:end], newline="")
        else:  # one enormous line, or ends of the old kind: slower, and without the copy
            yield from (found[0] for found in _LINE.finditer(text, start, end) if found[0])
        start = end
