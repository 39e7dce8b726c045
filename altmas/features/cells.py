"""Cells as people write them: numbers with thousands separators, dates, truth values, blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from altmas.core.checks import is_blank, plain
from altmas.metrics.types import FloatArray

BLANKS = frozenset(
    {"", "na", "n/a", "nan", "null", "none", "nil", "nat", "<na>", "#n/a", "-", "--", "?", ".", "missing"}
)
"""What stands for nothing in a column of numbers or dates."""

_TRUTH = {"true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0, "false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0}
_AROUND = re.compile(r"^[\s$€£¥]+|[\s$€£¥%]+$")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([ ,'\u2019\u00a0\u202f][0-9]{3})+(\.[0-9]+)?")
_CONTINENTAL = re.compile(r"[+-]?([0-9]{1,3}(\.[0-9]{3})+|[0-9]+),[0-9]+")
_NOT_OF_NUMBERS = re.compile(r"[^0-9.+-]")
_DATES = (
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?"), ("ISO8601",)),
    (re.compile(r"[0-9]{4}-[0-9]{2}"), ("%Y-%m",)),
    (re.compile(r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}"), ("%Y/%m/%d",)),
    (re.compile(r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}"), ("%m/%d/%Y", "%d/%m/%Y")),
    (re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}"), ("%d.%m.%Y",)),
)


def cell_texts(column: Any) -> list[str]:
    """Cells as text, stripped; nothing is the empty text."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return [value.strip() if type(value) is str else _text(value) for value in values]


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip()
    kind: Any = type(value)
    nameless = kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__
    return "" if nameless or is_blank(value) else str(plain(value)).strip()  # a place in memory is no content


def as_number(text: str) -> float:
    """The number a text stands for; NaN if none, infinity too.

    >>> [as_number(one) for one in ("1,234.5", "1 234", "$7", "12%", "3,5", "1e3", "inf", "1_0")]
    [1234.5, 1234.0, 7.0, 12.0, 3.5, 1000.0, nan, nan]
    """
    bare = _AROUND.sub("", text)
    if _NUMBER.fullmatch(bare):
        number = float(bare)
        return number if np.isfinite(number) else np.nan
    if _THOUSANDS.fullmatch(bare):
        return float(_NOT_OF_NUMBERS.sub("", bare))
    if _CONTINENTAL.fullmatch(bare):
        return float(bare.replace(".", "").replace(",", "."))
    return np.nan


def numbers_in(texts: Sequence[str]) -> FloatArray:
    """The number of each text, NaN for what is none; truth values only where there is nothing else."""
    told = [one.casefold() for one in texts if one.casefold() not in BLANKS]
    if told and all(one in _TRUTH for one in told):
        return np.array([_TRUTH.get(one.casefold(), np.nan) for one in texts])
    return np.array([as_number(one) for one in texts], dtype=np.float64)


def dates_in(texts: Sequence[str]) -> FloatArray:
    """The days since 1970 of each text, NaN for what is no date.

    >>> dates_in(["1970-01-02", "x"]).tolist(), dates_in(["02/01/1970", "31/01/1970"]).tolist()
    ([1.0, nan], [1.0, 30.0])
    """
    best = np.full(len(texts), np.nan)
    for pattern, formats in _DATES:
        fitting = [i for i, one in enumerate(texts) if pattern.fullmatch(one)]
        if not fitting:
            continue
        for style in formats:
            read = pd.to_datetime([texts[i] for i in fitting], format=style, errors="coerce", utc=True)
            days = np.full(len(texts), np.nan)
            days[fitting] = days_of(pd.Series(read))
            if np.isfinite(days).sum() > np.isfinite(best).sum():
                best = days
    return best


def days_of(times: Any) -> FloatArray:
    """Times, or lengths of time, in days; NaN for none."""
    if times.dtype.kind == "m":
        lengths: FloatArray = (times / pd.Timedelta(days=1)).to_numpy(np.float64, na_value=np.nan)
        return lengths
    exact = pd.to_datetime(times, utc=True).dt.tz_localize(None).to_numpy()
    seconds = exact.astype("datetime64[s]")  # nanoseconds would end in the year 2262
    return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / 86_400)
