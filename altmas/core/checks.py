"""Checks shared by everything that takes a user's arrays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import IntArray

_SOUND = {str, int, bool, type(None)}
"""Types whose every value is what it seems."""


def plain(value: Any) -> Hashable:
    """A numpy scalar as the Python value it stands for, so that 3 and np.int64(3) are one class.

    So is a tensor that holds one value. A number of single precision is the one it prints as; a date that is none is
    None; bytes, as TensorFlow has them, are the text they spell.

    >>> plain(np.int64(3)), plain(np.str_("cat")), plain(np.float32(0.1)), plain(b"cat"), plain(np.array(3))
    (3, 'cat', 0.1, 'cat', 3)
    """
    if type(value) in _SOUND:
        return value  # type: ignore[no-any-return]
    if getattr(value, "shape", None) == () and hasattr(value, "item") and not isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        return _decoded(value)
    if not isinstance(value, np.generic):
        return value  # type: ignore[no-any-return]
    if isinstance(value, np.floating):
        return float(str(value)) if value.itemsize < 8 else float(value)
    if isinstance(value, np.datetime64 | np.timedelta64) and np.isnat(value):
        return None
    result: Hashable = value.item()
    return result


def _decoded(value: bytes) -> Hashable:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return bytes(value)


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
    values = unwrapped(values)
    if isinstance(values, str | bytes | bytearray | Mapping) or not isinstance(values, Iterable):
        raise InputError(subject, "be one value per item", repr(values)[:40])
    if isinstance(values, set | frozenset):
        raise InputError(subject, "have an order", "a set", "A list has one.")
    if hasattr(values, "columns"):  # a table: fine if it is one column
        if len(values.columns) != 1:
            hint = "Several models' are a mapping of names to columns." if subject == "predictions" else ""
            raise InputError(subject, "be one column", f"a table of {len(values.columns)}", hint)
        table: Any = values
        values = table[table.columns[0]]
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise InputError(subject, "be one-dimensional, one value per item", f"shape {values.shape}")
    without_masked(subject, values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iub":  # nothing among them can be unfit
        return list(values.tolist())
    if set(map(type, values)) <= _SOUND:  # nor among these, each as plain as it can be
        return list(values)
    column = [plain(v) for v in values]
    unfit = [i for i, v in enumerate(column) if not isinstance(v, Hashable) or (v is not None and is_blank(v))]
    if unfit:
        hint = "An abstention is None, with classes=[...] declared." if subject == "predictions" else ""
        raise InputError(subject, "be hashable and not NaN", rows_at_fault(unfit), hint)
    return column


def whole(column: list[Hashable | None]) -> list[Hashable | None]:
    """Whole numbers that a gap in their column had made floats, as whole numbers again.

    >>> whole([1.0, None, 3.0]), whole([0.5, 1.0]), whole(["1.0"])
    ([1, None, 3], [0.5, 1.0], ['1.0'])
    """
    present = [v for v in column if v is not None]
    if present and all(isinstance(v, float) and v.is_integer() for v in present):
        return [None if v is None else int(v) for v in column]  # type: ignore[call-overload]
    return column


def unwrapped(values: Any) -> Any:
    """Values that can be read again: Arrow's tables as pandas', its columns and iterators as lists, tensors as arrays.

    >>> unwrapped(iter("ab")), unwrapped((1, 2))
    (['a', 'b'], (1, 2))
    """
    if type(values).__name__ == "LazyFrame":
        values = values.collect()
    if hasattr(values, "to_pylist"):
        return values.to_pandas() if hasattr(values, "column_names") else values.to_pylist()
    if isinstance(values, Iterator):
        return list(values)
    if isinstance(values, np.ndarray) or hasattr(values, "to_numpy"):
        return values
    return _tensor(values) if hasattr(values, "__array__") or hasattr(values, "__dlpack__") else values


def _tensor(values: Any) -> Any:
    """A tensor of TensorFlow, PyTorch, JAX or their like as an array, wherever it lies and whatever it learns."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if "bfloat16" in str(values.dtype):
            values = values.float()
    array = np.asarray(values) if hasattr(values, "__array__") else np.from_dlpack(values)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def without_masked(subject: str, values: Any) -> None:
    """Refuse an array that hides some of its values."""
    if isinstance(values, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(values)
        if hidden.any():
            rows = np.flatnonzero(hidden.reshape(len(hidden), -1).any(1)) if hidden.ndim else [0]
            raise InputError(subject, "have no masked values", rows_at_fault(map(int, rows)))


def as_numbers(subject: str, values: Any) -> NDArray[Any]:
    """An array of numbers, or a sentence that says what it is instead; one on disk stays there.

    >>> as_numbers("scores", [[1], [2, 3]])
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: scores must be numbers, in rows of one length; got list.
    """
    values = unwrapped(values)
    without_masked(subject, values)
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
    except (TypeError, ValueError):
        raise InputError(subject, "be numbers, in rows of one length", type(values).__name__) from None
    if array.dtype.kind in "OUS":  # Python's numbers, a gap among them, or numbers as text
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            first = next((one for one in array.ravel().tolist() if isinstance(one, str) and not _floats(one)), None)
            got = type(values).__name__ if first is None else f"{first[:40]!r}"
            raise InputError(subject, "be numbers", got) from None
    if array.dtype.kind not in "fiub":
        raise InputError(subject, "be numbers", f"dtype {array.dtype}")
    return array


def _floats(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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

    Fractions are equal if they are so in single precision: one file has 0.1 in four bytes, another in eight.

    >>> class_indices(["dog", "cat", "error"], ["cat", "dog"])
    array([1, 0, 2])
    >>> class_indices([0.10000000149011612, 0.5], [0.1, 0.5])
    array([0, 1])
    """
    index = {name: i for i, name in enumerate(classes)}
    found = np.fromiter(map(index.get, column, repeat(len(classes))), dtype=np.int64, count=len(column))
    if any(_in_single(one) is not None for one in classes):
        nearly: dict[float | None, int] = {}
        for i, one in enumerate(classes):  # two classes that only double precision tells apart have no such place
            key = _in_single(one)
            nearly[key] = len(classes) if key in nearly or key is None else i
        for row, value in enumerate(column):
            if found[row] == len(classes) and (key := _in_single(value)) is not None:
                found[row] = nearly.get(key, len(classes))
    return found


def class_place(value: Any, classes: Sequence[Hashable]) -> int | None:
    """The position of one value among the classes, if it is any of them.

    >>> class_place("dog", ["cat", "dog"]), class_place(["dog"], ["cat", "dog"])
    (1, None)
    """
    try:
        place = int(class_indices([value], classes)[0])
    except TypeError:  # a list, and whatever else cannot be a class
        return None
    return None if place == len(classes) else place


def merged(values: Iterable[Hashable]) -> set[Hashable]:
    """Distinct values; of two fractions that single precision does not tell apart, the one that is shorter to write.

    >>> sorted(merged([0.1, 0.10000000149011612, 1 / 3, 0.33333334]))
    [0.1, 0.33333334]
    """
    kept: dict[Hashable, Hashable] = {}
    for one in set(values):
        single = _in_single(one)
        key = one if single is None else ("single", single)
        kept[key] = min(kept.get(key, one), one, key=lambda v: (len(str(v)), str(v)))
    return set(kept.values())


def _in_single(value: Any) -> float | None:
    """A fraction as a number of single precision holds it; None for anything else: whole numbers are exact."""
    if not isinstance(value, float) or value.is_integer() or not abs(value) < _LARGEST_SINGLE:
        return None
    return float(np.float32(value))


_LARGEST_SINGLE = float(np.finfo(np.float32).max)


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
