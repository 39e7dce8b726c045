"""A user's columns, read into what a pool holds: classes, ids, scores, features, groups, and labels known before."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from altmas.core.checks import (
    as_column,
    as_numbers,
    class_indices,
    is_blank,
    merged,
    plain,
    same_length,
    sorted_classes,
    unwrapped,
)
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import BoolArray, FloatArray, IntArray

MISSING = "(missing)"
"""The group of an item whose cell is empty."""

LARGEST_FEATURE = 1e100
"""Squares of larger numbers overflow."""

_NUMBERS_CHECKED_AT_ONCE = 1 << 23

LOGITS = "Pass logits=True if these are logits."


def pool_classes(
    declared: Sequence[Hashable] | None, columns: Mapping[Any, Sequence[Hashable]], labels_seen: Sequence[Hashable]
) -> tuple[Hashable, ...]:
    """The label set: as declared, or every value that was predicted or seen, sorted.

    >>> pool_classes(None, {"model": ["dog", "cat"]}, ["emu"])
    ('cat', 'dog', 'emu')
    """
    if declared is None:
        nothing = [row for column in columns.values() for row, value in enumerate(column) if value is None]
        if nothing:
            raise InputError(
                "classes", "be declared where some prediction is None", f"None in {rows_at_fault(nothing)}"
            )
        known = sorted_classes(merged([*labels_seen, *(value for column in columns.values() for value in column)]))
        _read_differently(known)
        if len(known) < 2:
            hint = "Declare classes=[...] when the model under test only ever says one class."
            raise InputError("classes", "be at least two", f"only {known[0]!r} in predictions", hint)
        return known
    if isinstance(declared, str) or not hasattr(declared, "__iter__"):
        raise InputError("classes", "be a list of classes", repr(declared))
    known = tuple(as_column("classes", declared))
    if len(known) < 2:
        raise InputError("classes", "be at least two", len(known))
    if len(set(known)) < len(known):
        twice = next(c for c in known if known.count(c) > 1)
        raise InputError("classes", "be distinct", f"{twice!r} twice")
    if all((class_indices(column, known) == len(known)).all() for column in columns.values()):
        first = next(iter(columns.values()))[0]
        raise InputError("predictions", f"hold some of the classes {list(known)[:12]}", f"none, e.g. {first!r}")
    return known


def _read_differently(known: tuple[Hashable, ...]) -> None:
    """The label 1 and the prediction '1' are most likely one class, read from two files."""
    seen: dict[str, Hashable] = {}
    for one in known:
        other = seen.setdefault(str(one), one)
        if other is not one:
            hint = "Make labels and predictions of one type, or declare classes=[...]."
            raise InputError("classes", "read differently", f"{other!r} and {one!r}", hint)


def pool_ids(ids: Any, items: int) -> tuple[Hashable, ...]:
    """An id for each item, all different; the position where none are given.

    >>> pool_ids(None, 3)
    (0, 1, 2)
    """
    if ids is None:
        return tuple(range(items))
    column = as_column("ids", ids)
    same_length("ids", len(column), items, "id")
    seen: dict[Hashable, int] = {}
    again = [row for row, one in enumerate(column) if seen.setdefault(one, row) != row]
    if again:
        raise InputError("ids", "be unique", f"{column[again[0]]!r} again in {rows_at_fault(again)}")
    return tuple(column)


def pool_scores(
    scores: Any, logits: bool, items: int, classes: tuple[Hashable, ...], subject: str = "scores"
) -> FloatArray | None:
    """Probabilities `[N, C]`, made of logits where they are some, or one score per item `[N]`.

    >>> pool_scores([0.5, 0.9], False, 2, ("cat", "dog")).tolist()
    [0.5, 0.9]
    """
    if scores is None:
        return None
    scores = unwrapped(scores)
    if hasattr(scores, "columns") and set(scores.columns) == set(classes):
        scores = scores[list(classes)]  # a table's columns by name, whatever their order
    given = as_numbers(subject, scores)
    if given.ndim not in (1, 2) or (given.ndim == 2 and given.shape[1] != len(classes)):
        rule = f"be [N], or [N, C] with a column for each of {len(classes)} classes"
        raise InputError(subject, rule, f"shape {given.shape}")
    same_length(subject, len(given), items, "row")
    values = given.astype(np.float64, copy=False)  # only now: an array on disk may be of any size
    if bad := _rows(~np.isfinite(values)):
        raise InputError(subject, "be finite", f"NaN or infinity in {rows_at_fault(bad)}")
    if logits:
        if values.ndim == 1:
            raise InputError("logits", "be [N, C]", "one score per item")
        return np.asarray(softmax(values, axis=1))
    if bad := _rows(values < 0):
        raise InputError(subject, "be at least 0", f"negative numbers in {rows_at_fault(bad)}", LOGITS)
    if values.ndim == 2 and (bad := _rows(np.abs(values.sum(1) - 1) > 1e-3)):
        raise InputError(
            f"each row of {subject}", "sum to 1", f"{values[bad[0]].sum():.4g} in {rows_at_fault(bad)}", LOGITS
        )
    if values.ndim == 2:
        return np.asarray(values / values.sum(1, keepdims=True))  # rounded probabilities sum to 1 only nearly
    return np.minimum(values, 1.0) if values.max() <= 1 + 1e-3 else values


def pool_features(features: Any, items: int) -> NDArray[Any] | None:
    """Numbers of each item `[N, ...]`, finite; looked through in blocks, for they may lie on disk.

    >>> pool_features([1.0, 2.0], 2).shape
    (2, 1)
    """
    if features is None:
        return None
    array = as_numbers("features", features)
    if array.ndim == 0:
        raise InputError("features", "be [N, ...], a row per item", "a single number")
    same_length("features", len(array), items, "row")
    if array.ndim == 1:
        array = array[:, None]
    wide = int(np.prod(array.shape[1:]))
    if wide == 0:
        raise InputError("features", "be at least one number per item", f"shape {array.shape}")
    step = max(_NUMBERS_CHECKED_AT_ONCE // wide, 1)
    for start in range(0, items, step):
        part = array[start : start + step]
        if part.dtype.kind == "f" and (bad := _rows(~np.isfinite(part))):
            raise InputError("features", "be finite", f"NaN or infinity in {rows_at_fault(start + b for b in bad)}")
        if part.dtype in (np.float64, np.longdouble) and (bad := _rows(np.abs(part) > LARGEST_FEATURE)):
            rule = f"be at most {LARGEST_FEATURE:g} in size"
            raise InputError("features", rule, f"larger in {rows_at_fault(start + b for b in bad)}")
    return array


def pool_groups(groups: Any, items: int) -> Mapping[str, NDArray[Any]]:
    """Columns by name that slice the pool, blanks as a value of their own.

    >>> pool_groups({"region": ["north", None]}, 2)["region"].tolist()
    ['north', '(missing)']
    """
    if groups is None:
        return MappingProxyType({})
    groups = unwrapped(groups)
    if hasattr(groups, "columns"):  # a table
        groups = {name: groups[name] for name in groups.columns}
    named = groups if isinstance(groups, Mapping) else {getattr(groups, "name", None) or "group": groups}
    out: dict[str, NDArray[Any]] = {}
    for name, values in named.items():
        column = as_column("groups", with_missing(values))
        same_length("groups", len(column), items, "value")
        array = np.empty(items, dtype=object)
        array[:] = column
        out[str(name)] = array
    return MappingProxyType(out)


def with_missing(values: Any) -> Any:
    """A column whose blanks, as Python, NumPy and pandas have them, are a value of their own: that of an empty cell.

    >>> with_missing([3.0, None, float("nan")])
    [3.0, '(missing)', '(missing)']
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        return values  # not a column: whoever reads it will say so
    return [MISSING if is_blank(one) else one for one in values]


def _rows(wrong: BoolArray) -> list[int]:
    found: list[int] = np.flatnonzero(wrong.reshape(len(wrong), -1).any(1)).tolist()
    return found


def known_labels(labels: Any, ids: Sequence[Hashable], classes: tuple[Hashable, ...]) -> IntArray | None:
    """Labels there are already `[N]`, -1 where there is none: by id, or a column; None where there is none at all.

    >>> known_labels(["cat", None], (0, 1), ("cat", "dog")).tolist()
    [0, -1]
    """
    if isinstance(labels, Mapping):
        given = {plain(id): plain(label) for id, label in labels.items()}
        if given and not set(given) & set(ids):
            raise InputError("known labels", "be of the pool's items", f"none, e.g. {next(iter(given))!r}")
        column: list[Any] = [given.get(id) for id in ids]
    else:
        column = [None if is_blank(one) else one for one in as_column("known labels", with_missing(labels))]
        column = [None if one == MISSING else one for one in column]
        same_length("known labels", len(column), len(ids), "label", "labels")
    places = np.full(len(ids), -1)
    some = [row for row, one in enumerate(column) if not is_blank(one)]
    places[some] = class_indices([column[row] for row in some], classes)
    strange = [row for row in some if places[row] == len(classes)]
    if strange:
        rule = f"be among the classes {list(classes)[:12]}"
        raise InputError("known labels", rule, f"{column[strange[0]]!r} in {rows_at_fault(strange)}")
    return places if some else None
