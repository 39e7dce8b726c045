"""Columns of typed values: whole numbers stay whole, text stays text, nothing passes through a float unasked."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from altmas.core.checks import is_blank, plain
from altmas.core.no_answer import fails_by_name
from altmas.core.spelling import folded
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray

_NUMBER = re.compile(r"[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")
_UNSOUND = re.compile("[\0\ud800-\udfff]")
_EXACT_IN_FLOAT = 2**53
_PLAIN = {str, int, bool, type(None)}


def cell_text(value: object) -> str:
    """A cell as people see it; nothing is the empty text.

    >>> [cell_text(v) for v in (7, "007", 0.5, None, True, 2**63)]
    ['7', '007', '0.5', '', 'True', '9223372036854775808']
    """
    if isinstance(value, str):
        return value
    return "" if is_blank(value) else str(plain(value))


def texts(column: Iterable[object]) -> list[str]:
    """A column as people see it."""
    return [value if type(value) is str else cell_text(value) for value in column]


def python_values(column: Iterable[object]) -> list[Hashable | None]:
    """A column's Python values, None where there is nothing; text of nothing but blanks is nothing too.

    >>> python_values(pd.array([3, None], dtype="Int64")), python_values(["a", ""])
    ([3, None], ['a', None])
    """
    return [(v if v.strip() else None) if type(v) is str else None if is_blank(v) else plain(v) for v in column]


def typed(given: Sequence[Any], subject: str) -> Any:
    """One column of a table from any values: an array of the one type they share, else of objects.

    >>> typed([2**62 + 1, None], "a").dtype, typed(["x", None], "a").dtype, typed([1, 2.5], "a").dtype
    (Int64Dtype(), dtype('O'), dtype('float64'))
    """
    cells: list[Any] = list(given)
    if not set(map(type, cells)) <= _PLAIN:
        cells = [None if is_blank(v) else plain(v) for v in cells]
    kinds = set(map(type, cells)) - {type(None)}
    if kinds <= {str}:
        return as_objects(all_sound(cells, subject))
    gap = any(v is None for v in cells)
    if kinds == {bool}:
        return pd.array(cells, dtype="boolean") if gap else np.array(cells, dtype=bool)
    if kinds == {int}:
        kind: Any = _whole(min(v for v in cells if v is not None), max(v for v in cells if v is not None))
        if kind is not None:
            return pd.array(cells, dtype=kind) if gap else np.array(cells, dtype=kind.lower())
    elif kinds and kinds <= {int, float} and all(abs(v) <= _EXACT_IN_FLOAT for v in cells if isinstance(v, int)):
        return np.array([math.nan if v is None else v for v in cells], dtype=np.float64)
    return as_objects([_plain_cell(v, subject) for v in cells])


def _whole(low: int, high: int) -> str | None:
    if low >= -(2**63) and high < 2**63:
        return "Int64"
    return "UInt64" if low >= 0 and high < 2**64 else None


def _plain_cell(value: Any, subject: str) -> Any:
    if isinstance(value, str):
        return sound(value, subject)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, bytes):
        try:
            return sound(value.decode(), subject)
        except UnicodeDecodeError:
            raise InputError(subject, "be text or numbers", "bytes that are not UTF-8") from None
    if isinstance(value, list | tuple | dict):
        return sound(json.dumps(value, ensure_ascii=False, default=str), subject)
    return sound(str(value), subject)


def sound(text: str, subject: str) -> str:
    r"""The text, if any file can hold it: no NUL, no half of a surrogate pair.

    >>> sound("a\0", "column 'x'")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: column 'x' must be text; got a NUL character in 'a\x00'.
    """
    if not _UNSOUND.search(text):
        return text
    what = "a NUL character" if "\0" in text else "half of a surrogate pair"
    raise InputError(subject, "be text", f"{what} in {text[:40]!r}")


def all_sound(cells: list[Any], subject: str) -> list[Any]:
    """The cells, if all that are text are sound."""
    if _UNSOUND.search("".join(cell for cell in cells if isinstance(cell, str))):
        for cell in cells:
            if isinstance(cell, str):
                sound(cell, subject)
    return cells


def as_objects(cells: Sequence[Any]) -> Any:
    """A column of Python objects, whatever they are."""
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    # A bare array of text would become pandas' own text type, which has no None.
    return pd.Series(column, dtype=object)


def frame_of(columns: Mapping[str, Any], rows: int) -> pd.DataFrame:
    """A table of columns, each kept as it is; names may be any text, and there may be none."""
    return pd.DataFrame(dict(columns), index=pd.RangeIndex(rows), columns=pd.Index(list(columns), dtype=object))


def numbers(column: Any, subject: str, rows: Sequence[int] | None = None, *, may_miss: bool = False) -> FloatArray:
    """A column of numbers, or an error that names the rows at fault as the file's reader sees them.

    With `may_miss`, what stands for nothing is NaN: a blank, `NA`, `null`, `-`, or a program's `ERROR`.

    >>> numbers(["0.5", "1e-3"], "p_cat").tolist()
    [0.5, 0.001]
    >>> numbers(["0.5", "high", ""], "p_cat", [2, 3, 4])
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: p_cat must be numbers; got 'high' in rows 3, 4.
    """
    array = np.asarray(column)
    if array.dtype.kind in "fiub":
        found: FloatArray = array.astype(np.float64)
    else:
        found = np.array(_floats(list(column)), dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(found)).tolist()
    if may_miss and wrong:
        cells = list(column)
        wrong = [i for i in wrong if np.isinf(found[i]) or not _says_nothing(cells[i])]
    if wrong:
        first = plain(list(column)[wrong[0]])
        hint = "Write decimal points." if isinstance(first, str) and _is_number(first.replace(",", ".", 1)) else ""
        shown = "nothing" if is_blank(first) or first == "" else repr(first)
        seen = rows_at_fault(wrong if rows is None else [rows[i] for i in wrong])
        raise InputError(subject, "be numbers", f"{shown} in {seen}", hint)
    return found


def _says_nothing(cell: Any) -> bool:
    if not isinstance(cell, str):
        return is_blank(cell)
    text = folded(cell)
    return text in ("", "-", "--") or fails_by_name(text)


def percents(column: Any) -> bool:
    """Whether every number of a column is written with a percent sign.

    >>> percents(["93%", "", "7,5 %"]), percents(["93%", "0.5"])
    (True, False)
    """
    cells = list(column)
    if not all(isinstance(cell, str) for cell in cells) or not any("%" in cell for cell in cells):
        return False
    told = [cell for cell in cells if not _says_nothing(cell)]
    return bool(told) and all(map(_PERCENT.fullmatch, told))


_PERCENT = re.compile(r"[ \t]*[0-9]+([.,][0-9]+)?[ \t\u00a0\u202f]*%[ \t]*")


def mostly_numbers(column: Any) -> bool:
    """Whether most cells that say anything are numbers: a column that is merely named as one of them is none.

    >>> mostly_numbers(["0,9", "80%", "ERROR", ""]), mostly_numbers(["high", "low"])
    (True, False)
    """
    told = [cell for cell in list(column)[:_LOOKED_AT] if not _says_nothing(cell)]
    read = [cell.strip().removesuffix("%").replace(",", ".", 1) if isinstance(cell, str) else cell for cell in told]
    return 2 * sum(map(_is_number, read)) >= len(told)


_LOOKED_AT = 10_000


def with_points(column: Any) -> Any:
    """A column of numbers that are all written with decimal commas, with points in their place; any other as it is.

    `1,234` may be a thousand and more: some cell must tell that it is not.

    >>> with_points(["0,93", "", "1"]), with_points(["1,234"]), with_points(["0,9", "0.8"])
    (['0.93', '', '1'], ['1,234'], ['0,9', '0.8'])
    """
    cells = list(column)
    if not all(isinstance(cell, str) for cell in cells) or not any("," in cell for cell in cells):
        return column
    told = [cell for cell in cells if "," in cell]
    whole = all("." not in cell and (_is_number(cell.replace(",", ".", 1)) or _says_nothing(cell)) for cell in cells)
    if not whole or all(map(_THOUSANDS.fullmatch, told)):
        return column
    return [cell.replace(",", ".", 1) for cell in cells]


_THOUSANDS = re.compile(r"[ \t]*[+-]?[1-9][0-9]{0,2},[0-9]{3}[ \t]*")


def parsed(column: Sequence[str]) -> Any:
    """A column of text as numbers if every cell is one: whole numbers exactly, else floats; else as it is.

    >>> parsed(["1", "2"]).dtype, parsed(["1", "2.5"]).dtype, parsed(["1", "x"]).dtype
    (dtype('int64'), dtype('float64'), dtype('O'))
    """
    if column and all(re.fullmatch(r"[ \t]*[+-]?[0-9]{1,25}[ \t]*", cell) for cell in column):
        return typed([int(cell) for cell in column], "numbers")
    if column and all(_is_number(cell) for cell in column):
        return np.array([float(cell) for cell in column], dtype=np.float64)
    return as_objects(column)


def _floats(cells: list[Any]) -> list[float]:
    """Numbers as people write them; Python's float would also take 1_000 and digits of every script."""
    try:
        written = "".join(cells)
        if written.isascii() and "_" not in written:
            return list(map(float, cells))
    except (TypeError, ValueError):
        pass
    return [_float(cell) for cell in cells]


def _float(cell: Any) -> float:
    try:
        return float(cell) if _is_number(cell) else math.nan
    except OverflowError:  # a whole number beyond all floats
        return math.inf


def _is_number(cell: object) -> bool:
    if isinstance(cell, str):
        return _NUMBER.fullmatch(cell) is not None
    return isinstance(cell, int | float | np.number)
