"""Checks shared by everything that takes a user's arrays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import IntArray


def plain(value: Any) -> Hashable:
    """A numpy scalar as the Python value it stands for, so that 3 and np.int64(3) are one class.

    >>> plain(np.int64(3)), plain(np.str_("cat"))
    (3, 'cat')
    """
    result: Hashable = value.item() if isinstance(value, np.generic) else value
    return result


def is_blank(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, pandas' NA and NaT.

    >>> [is_blank(one) for one in (None, float("nan"), 0, "", "nan")]
    [True, True, False, False, False]
    """
    # pandas' NA is neither equal nor unequal to anything, so it is known by its name.
    return (
        value is None
        or (isinstance(value, float | np.floating) and math.isnan(value))
        or type(value).__name__ in ("NAType", "NaTType")
    )


def as_column(subject: str, values: Any) -> list[Hashable]:
    """One hashable value per item, or an error that names the rows at fault."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(subject, "be one value per item", repr(values)[:40])
    if hasattr(values, "columns"):  # a table: fine if it is one column
        if len(values.columns) != 1:
            raise InputError(subject, "be one column", f"a table of {len(values.columns)}")
        table: Any = values
        values = table[table.columns[0]]
    array = values if isinstance(values, np.ndarray) else None
    if array is not None and array.ndim != 1:
        raise InputError(subject, "be one-dimensional, one value per item", f"shape {array.shape}")
    column = [plain(v) for v in values]
    unfit = [i for i, v in enumerate(column) if not isinstance(v, Hashable) or (v is not None and is_blank(v))]
    if unfit:
        hint = "An abstention is None, with classes=[...] declared." if subject == "predictions" else ""
        raise InputError(subject, "be hashable and not NaN", rows_at_fault(unfit), hint)
    return column


def same_length(subject: str, count: int, items: int, each: str, noun: str = "") -> None:
    """Refuse a column that does not fit the pool."""
    if count != items:
        raise InputError(subject, f"be one {each} per item", f"{count:,} {noun or subject} for {items:,} items")


def sorted_classes(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Distinct values in a fixed order: by value where they compare, else by type and text.

    >>> sorted_classes([2, 10, 2]), sorted_classes(["b", 1])
    ((2, 10), (1, 'b'))
    """
    distinct: set[Any] = set(values)
    try:
        return tuple(sorted(distinct))
    except TypeError:
        return tuple(sorted(distinct, key=lambda v: (type(v).__name__, str(v))))


def class_indices(column: Sequence[Hashable], classes: Sequence[Hashable]) -> IntArray:
    """Position of each value among the classes; `len(classes)` for a value that is no class.

    >>> class_indices(["dog", "cat", "error"], ["cat", "dog"])
    array([1, 0, 2])
    """
    index = {name: i for i, name in enumerate(classes)}
    return np.array([index.get(value, len(classes)) for value in column], dtype=np.int64)


def whole_number(subject: str, value: Any, least: int) -> int:
    """An int of at least `least`; True and 3.0 are refused."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(subject, f"be an int >= {least}", repr(value))
    return int(value)


def is_number(value: Any) -> bool:
    """Whether it is a plain number; True is none.

    >>> is_number(0.5), is_number(True), is_number("1")
    (True, False, False)
    """
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def positive(subject: str, value: Any) -> float:
    """A number above 0."""
    if not is_number(value) or not value > 0:
        raise InputError(subject, "be a number above 0", repr(value))
    return float(value)


def fraction(subject: str, value: Any) -> float:
    """A number strictly between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        raise InputError(subject, "be a number between 0 and 1, both excluded", repr(value))
    return float(value)
