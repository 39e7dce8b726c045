"""A user's columns, read into what a pool holds: classes, ids, scores, features, groups, and labels known before."""

from __future__ import annotations

from collections import Counter
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
    whole,
)
from altmas.core.limits import few_classes
from altmas.core.no_answer import blanks_as_none, fails_by_name, refuse_doubtful
from altmas.core.spelling import folded, spelt_differently
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import BoolArray, FloatArray, IntArray

MISSING = "(missing)"
"""The group of an item whose cell is empty."""

LARGEST_FEATURE = 1e100
"""Squares of larger numbers overflow."""

_NUMBERS_CHECKED_AT_ONCE = 1 << 23

LOGITS = "Pass logits=True if these are logits."
PERCENT = "They are in percent: divide them by 100."


def prediction_column(values: Any, subject: str = "predictions") -> list[Hashable | None]:
    """One prediction per item; None where there is none: a blank, NaN or pandas' NA.

    >>> prediction_column(np.array([1.0, np.nan, 0.0])), prediction_column(["cat", ""])
    ([1, None, 0], ['cat', None])
    """
    values = unwrapped(values)
    if hasattr(values, "columns") and len(values.columns) == 1:
        values = values[values.columns[0]]
    column = as_column(subject, with_blanks_as_none(values))
    if isinstance(values, np.ndarray) and values.dtype.kind in "iub":
        return list(column)
    said = blanks_as_none(column)
    return whole(said) if None in said else said


def with_blanks_as_none(values: Any) -> Any:
    """A column with None for NaN and pandas' NA; anything else as it is."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iubUS":
        return values
    if isinstance(values, str | bytes | Mapping | set | frozenset | np.ma.MaskedArray) or hasattr(values, "columns"):
        return values
    if not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        return values
    return [None if is_blank(one) else one for one in values]


def pool_classes(
    declared: Sequence[Hashable] | None,
    columns: Mapping[Any, Sequence[Hashable | None]],
    labels_seen: Sequence[Hashable],
    is_a_class: Sequence[Hashable] = (),
) -> tuple[Hashable, ...]:
    """The label set: as declared, or every value that was predicted or seen, sorted.

    Predictions that look like no answer are refused, unless they are labels or `is_a_class` names them.

    >>> pool_classes(None, {"model": ["dog", "cat", None]}, ["emu", "cat"])
    ('cat', 'dog', 'emu')
    """
    if declared is None:
        said = Counter(value for column in columns.values() for value in column if value is not None)
        if not said:
            raise InputError("predictions", "be there for some item", "none")
        few_classes(len(said), len(next(iter(columns.values()))))  # ids taken for classes are not looked at one by one
        refuse_doubtful(said, labels_seen, is_a_class)
        known = classes_of_both(said, labels_seen)
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
        first = next((one for column in columns.values() for one in column if one is not None), None)
        hint = _alike(spelt_differently(known, [] if first is None else [first]))
        raise InputError("predictions", f"hold some of the classes {list(known)[:12]}", f"none, e.g. {first!r}", hint)
    outside = {one for column in columns.values() for one in column if one is not None}
    if pairs := spelt_differently(known, outside):
        got = f"{pairs[0][1]!r}, where the class is {pairs[0][0]!r}"
        raise InputError("predictions", "be spelt as the declared classes are", got, "Spell them alike.")
    return known


def classes_of_both(said: Iterable[Hashable], labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """The classes that are said or are labels, sorted, where both are written in the same words.

    >>> classes_of_both(["cat", "dog"], ["Cat"])
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: predictions and labels must be spelt alike; got 'cat' and 'Cat'. \
Spell them alike, or declare classes=[...] if they differ.
    """
    predicted = set(said)
    _are_labels([one for one in labels if one not in predicted])
    known = sorted_classes(merged([*labels, *predicted]))
    _read_differently(known)
    _share_classes(predicted, labels)
    _spelt_once(known, predicted & set(labels))
    return known


def _share_classes(said: Iterable[Hashable], labels: Sequence[Hashable]) -> None:
    """Refuse labels and predictions that would never meet: read from two files, each in its own spelling."""
    if not labels:
        return
    predicted, answered = set(said), set(labels)
    if pairs := spelt_differently(predicted - answered, answered - predicted):
        got = ", ".join(f"{mine!r} and {theirs!r}" for mine, theirs in pairs[:5])
        hint = "Spell them alike, or declare classes=[...] if they differ."
        raise InputError("predictions and labels", "be spelt alike", got, hint)
    # One label alone may be a class that nobody predicted.
    if len(answered) > 1 and not _have_in_common(predicted, answered):
        got = f"predictions {sorted_classes(predicted)[:5]} and labels {sorted_classes(answered)[:5]}"
        hint = "Give both in the same words or numbers, or declare classes=[...]."
        raise InputError("predictions and labels", "have a class in common", got, hint)


def _are_labels(never_said: Sequence[Hashable]) -> None:
    """Refuse labels that stand for none, and that no model says: they would be a class that is never right."""
    for one in never_said:
        if isinstance(one, str) and (not one.strip() or folded(one) in NO_LABELS or fails_by_name(folded(one))):
            hint = "Answer by a function that returns None there, or declare classes=[...] if it is one."
            raise InputError("labels", "be classes", f"{one!r}, which looks like no label", hint)


NO_LABELS = ("unsure", "skip")


def _spelt_once(known: Sequence[Hashable], beyond_doubt: set[Hashable]) -> None:
    """Refuse classes that differ in case or blanks alone, unless both are predicted and are labels."""
    alike: dict[str, Hashable] = {}
    for one in known:
        other = alike.setdefault(folded(one), one)
        if other != one and not {one, other} <= beyond_doubt:
            hint = "Spell them alike, or declare classes=[...] if they differ."
            raise InputError("classes", "be spelt in one way", f"{other!r} and {one!r}", hint)


def _have_in_common(predicted: set[Hashable], answered: set[Hashable]) -> bool:
    """Whether some class is in both, a fraction perhaps in another precision."""
    return bool((class_indices(list(predicted), list(answered)) < len(answered)).any())


def _alike(pairs: Sequence[tuple[Hashable, Hashable]]) -> str:
    return f"{pairs[0][1]!r} would match {pairs[0][0]!r}: spell them alike." if pairs else ""


def _read_differently(known: tuple[Hashable, ...]) -> None:
    """The label 1 and the prediction '1' are most likely one class, read from two files."""
    seen: dict[str, Hashable] = {}
    for one in known:
        other = seen.setdefault(str(one), one)
        if other is not one:
            hint = "Make labels and predictions of one type, or declare classes=[...]."
            raise InputError("classes", "read differently", f"{other!r} and {one!r}", hint)


def pool_ids(ids: Any, items: int) -> Sequence[Hashable]:
    """An id for each item, all different; the position where none are given.

    >>> list(pool_ids(None, 3))
    [0, 1, 2]
    """
    if ids is None:
        return range(items)
    column = as_column("ids", ids)
    same_length("ids", len(column), items, "id")
    if len(set(column)) < len(column):
        seen: dict[Hashable, int] = {}
        again = [row for row, one in enumerate(column) if seen.setdefault(one, row) != row]
        raise InputError("ids", "be unique", f"{column[again[0]]!r} again in {rows_at_fault(again)}")
    return tuple(column)


def pool_scores(
    scores: Any, logits: bool, said: IntArray, classes: tuple[Hashable, ...], subject: str = "scores"
) -> tuple[FloatArray | None, BoolArray | None]:
    """Probabilities `[N, C]`, made of logits where they are some, or one score per item `[N]`; and where there is none.

    A missing score (NaN, None, or a 0 where the model gave no answer) is filled with what the model usually says of
    what it predicts there, so that it tells nothing; the second array marks it, or is None where none is missing.

    >>> pool_scores([0.5, None, 0.9], False, np.array([0, 0, 1]), ("cat", "dog"))
    (array([0.5, 0.5, 0.9]), array([False,  True, False]))
    """
    if scores is None:
        return None, None
    items = len(said)
    scores = unwrapped(scores)
    if hasattr(scores, "columns") and set(scores.columns) == set(classes):
        scores = scores[list(classes)]  # a table's columns by name, whatever their order
    given = as_numbers(subject, scores)
    if given.ndim not in (1, 2) or (given.ndim == 2 and given.shape[1] != len(classes)):
        rule = f"be [N], or [N, C] with a column for each of {len(classes)} classes"
        raise InputError(subject, rule, f"shape {given.shape}")
    same_length(subject, len(given), items, "row")
    values = given.astype(np.float64, copy=False)  # only now: an array on disk may be of any size
    missing = np.isnan(values).reshape(items, -1).any(1) | _empty(values, said == len(classes))
    if missing.all():
        return None, None
    if missing.any():
        values = np.where(missing.reshape(-1, *[1] * (values.ndim - 1)), values[np.argmin(missing)], values)
    if bad := _rows(~np.isfinite(values)):
        raise InputError(subject, "be finite", f"infinity in {rows_at_fault(bad)}")
    if logits:
        if values.ndim == 1:
            raise InputError("logits", "be [N, C]", "one score per item")
        values = np.asarray(softmax(values, axis=1))
    if bad := _rows(values < 0):
        raise InputError(subject, "be at least 0", f"negative numbers in {rows_at_fault(bad)}", LOGITS)
    if values.ndim == 2 and (bad := _rows(np.abs(values.sum(1) - 1) > _rounding(values))):
        got = f"{values[bad[0]].sum():.4g} in {rows_at_fault(bad)}"
        percent = len(bad) == len(values) and bool((np.abs(values.sum(1) - 100) < 1).all())
        raise InputError(f"each row of {subject}", "sum to 1", got, PERCENT if percent else LOGITS)
    if values.ndim == 2:
        values = np.asarray(values / values.sum(1, keepdims=True))  # rounded probabilities sum to 1 only nearly
    elif values.max() <= 1 + 1e-3:
        values = np.minimum(values, 1.0)
    return (filled(values, missing, said), missing) if missing.any() else (values, None)


def _rounding(values: FloatArray) -> float:
    """How far probabilities may miss 1 in sum: half a unit of their last digit for each class, where they have few.

    >>> _rounding(np.array([[0.33, 0.33, 0.33]])), _rounding(np.array([[0.3333, 0.3334, 0.3333]]))
    (0.015, 0.001)
    """
    few = values[:_ROUNDED_LOOKED_AT]
    for digits in (1, 2, 3):
        if np.allclose(few * 10**digits, np.round(few * 10**digits), atol=1e-6):
            return float(min(max(0.5 * values.shape[1] / 10**digits, 1e-3), MOST_ROUNDED))
    in_bits = few.astype(np.float32)
    if (in_bits == few).all() and not (in_bits.view(np.uint32) & 0xFFFF).any():  # bfloat16: 8 bits of each number
        return 2.0**-8
    return 1e-3


MOST_ROUNDED = 0.05
"""Probabilities that miss 1 by more than this are none, however they are rounded."""

_ROUNDED_LOOKED_AT = 10_000


def _empty(values: FloatArray, unanswered: BoolArray) -> BoolArray:
    """Where the model gave no answer and its scores are all 0: whoever wrote the file had to write something."""
    return np.asarray(unanswered & (values == 0).reshape(len(values), -1).all(1))


def filled(scores: FloatArray, missing: BoolArray, said: IntArray) -> FloatArray:
    """Scores with the usual ones in place of those that are missing: the mean over items predicted alike, or over all.

    One score per item takes the median, which a few extreme ones do not move.

    >>> filled(np.array([0.2, 0.0, 0.4, 0.9]), np.array([False, True, False, False]), np.array([0, 0, 0, 1])).round(2)
    array([0.2, 0.3, 0.4, 0.9])
    """
    usual = np.median if scores.ndim == 1 else np.mean
    out = scores.copy()
    for predicted in np.unique(said[missing]):
        alike = (said == predicted) & ~missing
        out[missing & (said == predicted)] = usual(scores[alike if alike.any() else ~missing], axis=0)
    return out


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
    values = list(values)
    if set(map(type, values)) == {str}:
        return values
    return [MISSING if is_blank(one) else one for one in values]


def _rows(wrong: BoolArray) -> list[int]:
    found: list[int] = np.flatnonzero(wrong.reshape(len(wrong), -1).any(1)).tolist()
    return found


def known_labels(labels: Any, ids: Sequence[Hashable], classes: tuple[Hashable, ...]) -> IntArray | None:
    """Labels there are already `[N]`, -1 where there is none: by id, or a column; None where there is none at all.

    >>> known_labels(["cat", None], (0, 1), ("cat", "dog")).tolist()
    [0, -1]
    """
    labels = unwrapped(labels)
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
