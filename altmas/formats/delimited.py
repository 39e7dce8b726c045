"""CSV and TSV: every cell stays the text it was."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from altmas.core import limits
from altmas.core.doing import so_far
from altmas.metrics.errors import InputError

DELIMITERS = (",", ";", "\t")
"""What may part the cells of a CSV file; spreadsheets of many countries write semicolons."""

_CHARACTERS_AT_ONCE = 1 << 20
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)?")
_TELLING = re.compile(r'[",;\t\r\n]')

_ROWS_AT_ONCE = 1 << 9
_FEW_VALUES = 1 << 10


@dataclass(frozen=True, eq=False)
class Delimited:
    """The cells of a file by column, and each row's number as a spreadsheet shows it."""

    header: list[str]
    rows: Sequence[int]
    columns: list[list[str]]


def parse(text: str, subject: str, delimiter: str | None = None) -> Delimited:
    r"""Header, the number of each row as a spreadsheet shows it, and the cells by column.

    The header is row 1. A newline within quotes does not begin a row; an empty line is a row, but none that is read.

    >>> found = parse('id;text\n007;"two\nlines"\n\n08;=1+1\n', "a.csv")
    >>> found.header, list(found.rows), found.columns
    (['id', 'text'], [2, 4], [['007', '08'], ['two\nlines', '=1+1']])
    >>> parse("id,text\n1,a\n2\n", "a.csv")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: row 3 of a.csv must have 2 cells, as its header has; got 1.
    """
    text = _without_comments(text)
    records = _records(text, subject, delimiter or sniff(text))
    first = next(records, None)
    if first is None:
        raise InputError(subject, "have a header row", "an empty file")
    top, header = first
    limits.few_columns(subject, len(header))
    rows, columns = array("q"), [_Cells() for _ in header]
    even = _of_width(records, len(header), subject)
    while some := list(islice(even, _ROWS_AT_ONCE)):  # a list for every row of the file would take twice the memory
        rows.extend([number for number, _ in some])
        so_far(f"{len(rows):,} rows")
        for column, cells in zip(columns, zip(*(cells for _, cells in some), strict=True), strict=True):
            column.add(cells)
    while len(header) > 1 and not header[-1] and not any(columns[-1].held):
        # A column without a name or any content is what a spreadsheet leaves behind.
        header.pop()
        columns.pop()
    if len(set(header)) < len(header):
        twice = Counter(header).most_common(1)[0][0]
        raise InputError(f"columns of {subject}", "have distinct names", f"{twice!r} twice in row {top}")
    return Delimited(header, rows, [column.held for column in columns])


def _of_width(records: Iterator[tuple[int, list[str]]], width: int, subject: str) -> Iterator[tuple[int, list[str]]]:
    for number, cells in records:
        if len(cells) != width:
            raise InputError(f"row {number:,} of {subject}", f"have {width} cells, as its header has", len(cells))
        yield number, cells


class _Cells:
    """A column as it is read; as long as few texts differ each is kept once, however often it stands there."""

    def __init__(self) -> None:
        self.held: list[str] = []
        self._once: dict[str, str] | None = {}

    def add(self, cells: Sequence[str]) -> None:
        if self._once is None:
            self.held += cells
            return
        self.held += map(self._once.setdefault, cells, cells)
        if len(self._once) > _FEW_VALUES:
            self._once = None


def _without_comments(text: str) -> str:
    r"""The text with the lines left empty that exports write above the header: `# exported by ...`.

    >>> _without_comments("# by ACME\nid\n# 7\n")
    '\nid\n# 7\n'
    """
    found = _COMMENTS.match(text)
    if found is None:
        return text
    return re.sub(r"[^\r\n]", "", found[0]) + text[found.end() :]


_COMMENTS = re.compile(r"(?:#(?:[ \t#!][^\r\n]*)?(?:\r\n|\n|\r))+")


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
