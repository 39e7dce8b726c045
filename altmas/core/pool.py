"""The pool: the fixed, unlabelled items, and what each model under test said about them."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
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
from altmas.core.limits import few_classes
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import BoolArray, FloatArray, IntArray

NO_CLASS = "(no class)"
"""How an answer outside the declared classes is shown."""

MISSING = "(missing)"
"""The group of an item whose cell is empty."""

LARGEST_FEATURE = 1e100
"""Squares of larger numbers overflow."""

_NUMBERS_CHECKED_AT_ONCE = 1 << 23


MOST_BELOW_CHANCE = 0.05
"""A confidence that is below 1 / C more often than this is no probability of the predicted class."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """What one model said: a class index per item (`C` = no class) and, if known, its scores `[N]` or `[N, C]`."""

    name: str
    predictions: IntArray
    scores: FloatArray | None = None

    @cached_property
    def probable(self) -> bool:
        """Whether the scores can be read as probabilities: a column per class, or confidences that never exceed 1."""
        return self.scores is not None and (self.scores.ndim == 2 or bool(self.scores.max() <= 1))

    def below_chance(self, classes: int) -> float:
        """The share of items whose one score is below 1 / C, which the probability of the best class never is.

        >>> Outputs("model", np.array([0, 1]), np.array([0.9, 0.2])).below_chance(2)
        0.5
        """
        if self.scores is None or self.scores.ndim == 2:
            return 0.0
        return float((self.scores < 1 / classes - 1e-6).mean())

    def probable_among(self, classes: int) -> bool:
        """Whether the scores can be read as probabilities of what was predicted, where there are so many classes."""
        return self.probable and self.below_chance(classes) <= MOST_BELOW_CHANCE

    @cached_property
    def confidence(self) -> FloatArray | None:
        """The score of what was predicted `[N]`, if scores are known.

        >>> Outputs("model", np.array([0, 2]), np.array([[0.9, 0.1], [0.4, 0.6]])).confidence.tolist()  # 2: no class
        [0.9, 0.0]
        """
        if self.scores is None or self.scores.ndim == 1:
            return self.scores
        padded = np.concatenate([self.scores, np.zeros((len(self.scores), 1))], axis=1)
        return np.asarray(padded[np.arange(len(padded)), self.predictions])


@dataclass(frozen=True, eq=False)
class Pool:
    """The items to be assessed on; build it with `Pool.build`, which validates.

    `outputs` holds one entry per model under test, on the same items; `opinions` are other models' outputs, used only
    as evidence about the labels.
    """

    ids: tuple[Hashable, ...]
    classes: tuple[Hashable, ...]
    outputs: tuple[Outputs, ...]
    features: NDArray[Any] | None = None
    groups: Mapping[str, NDArray[Any]] = field(default_factory=lambda: MappingProxyType({}))
    opinions: tuple[Outputs, ...] = ()
    features_from: str = ""
    """What features were made of, in words; empty where they were given as numbers, or in an audit of before."""
    known: IntArray | None = None
    """Labels there were before any question `[N]`, -1 where there is none: they teach the belief, and weigh nothing."""

    @classmethod
    def build(
        cls,
        predictions: Any,
        *,
        ids: Any = None,
        scores: Any = None,
        logits: bool = False,
        features: Any = None,
        groups: Any = None,
        opinions: Any = None,
        classes: Sequence[Hashable] | None = None,
        labels_seen: Sequence[Hashable] = (),
        features_from: str = "",
    ) -> Pool:
        """Validate a user's arrays and freeze them into a pool.

        `predictions` is one class per item, or a mapping of model names to such columns (then `scores` is too).
        `opinions` maps names to other models' predictions, `(predictions, confidence)` or scores `[N, C]`.
        Without `classes`, they are the values in `predictions` and `labels_seen`, sorted.

        >>> pool = Pool.build(["cat", "dog", "cat"], scores=[0.9, 0.6, 0.8])
        >>> pool.classes, pool.size
        (('cat', 'dog'), 3)
        """
        named = dict(predictions) if isinstance(predictions, Mapping) else {"model": predictions}
        if not named:
            raise InputError("predictions", "name at least one model", "an empty mapping")
        columns = {name: as_column("predictions", values) for name, values in named.items()}
        items = len(next(iter(columns.values())))
        if items == 0:
            raise InputError("predictions", "hold at least one item", "0 items")
        for column in columns.values():
            same_length("predictions", len(column), items, "class")
        known = _classes(classes, columns, labels_seen)
        few_classes(len(known), items)
        scored = (
            scores if isinstance(predictions, Mapping) and isinstance(scores, Mapping) else {next(iter(named)): scores}
        )
        if len(named) > 1 and scores is not None and not isinstance(scores, Mapping):
            raise InputError("scores", "be keyed by the models of predictions", type(scores).__name__)
        if len({str(name) for name in named}) < len(named):
            raise InputError("models", "have distinct names", list(named))
        if unknown := set(scored) - set(named):
            raise InputError("scores", "be keyed by the models of predictions", sorted(map(str, unknown)))
        outputs = tuple(
            Outputs(str(name), class_indices(column, known), _scores(scored.get(name), logits, items, known))
            for name, column in columns.items()
        )
        for one in outputs:
            _warn_if_scores_say_otherwise(one, known)
        return cls(
            _ids(ids, items), known, outputs, _features(features, items), _groups(groups, items),
            read_opinions(opinions, items, known), features_from,
        )  # fmt: skip

    def __reduce__(self) -> tuple[Any, ...]:
        # A view that cannot be changed cannot be pickled either; what it shows can.
        groups = dict(self.groups)
        return _restored, (
            self.ids, self.classes, self.outputs, self.features, groups, self.opinions, self.features_from, self.known,
        )  # fmt: skip

    @property
    def size(self) -> int:
        """Number of items, N."""
        return len(self.ids)

    @property
    def predictions(self) -> IntArray:
        """Class indices said by the model under test."""
        return self.outputs[0].predictions

    @property
    def scores(self) -> FloatArray | None:
        """Scores of the model under test."""
        return self.outputs[0].scores

    def with_features(self, features: Any, made_of: str = "") -> Pool:
        """The pool with other features, checked as `build` does."""
        return replace(self, features=_features(features, self.size), features_from=made_of)

    def with_known(self, labels: Any) -> Pool:
        """The pool with labels there are already: a mapping of ids to labels, or a column with None for the others.

        >>> Pool.build(["cat", "dog", "cat"]).with_known({2: "dog"}).known.tolist()
        [-1, -1, 1]
        """
        if isinstance(labels, Mapping):
            given = {plain(id): plain(label) for id, label in labels.items()}
            if given and not set(given) & set(self.ids):
                raise InputError("known labels", "be of the pool's items", f"none, e.g. {next(iter(given))!r}")
            column: list[Any] = [given.get(id) for id in self.ids]
        else:
            column = [None if is_blank(one) else one for one in as_column("known labels", with_missing(labels))]
            column = [None if one == MISSING else one for one in column]
            same_length("known labels", len(column), self.size, "label", "labels")
        places = np.full(self.size, -1)
        some = [row for row, one in enumerate(column) if not is_blank(one)]
        places[some] = class_indices([column[row] for row in some], self.classes)
        strange = [row for row in some if places[row] == len(self.classes)]
        if strange:
            rule = f"be among the classes {list(self.classes)[:12]}"
            raise InputError("known labels", rule, f"{column[strange[0]]!r} in {rows_at_fault(strange)}")
        return replace(self, known=places if some else None)

    def of_model(self, name: str | None) -> Pool:
        """The pool with one model under test only: the first, or by name."""
        names = [one.name for one in self.outputs]
        if name is not None and name not in names:
            raise InputError("model", f"be one of {', '.join(names)}", repr(name))
        chosen = self.outputs[0 if name is None else names.index(name)]
        return self if len(names) == 1 else replace(self, outputs=(chosen,))

    @property
    def probable(self) -> bool:
        """Whether the scores of the model under test can be read as probabilities."""
        return self.outputs[0].probable

    @property
    def confidence(self) -> FloatArray | None:
        """The score that the model under test gave to what it predicted `[N]`."""
        return self.outputs[0].confidence

    @property
    def columns(self) -> int:
        """Predicted columns of a confusion: the classes, and one more if some answer is no class."""
        return len(self.classes) + int(any((o.predictions == len(self.classes)).any() for o in self.outputs))


def _restored(
    ids: Any,
    classes: Any,
    outputs: Any,
    features: Any,
    groups: dict[str, Any],
    opinions: Any,
    made_of: str = "",
    known: Any = None,
) -> Pool:
    return Pool(ids, classes, outputs, features, MappingProxyType(groups), opinions, made_of, known)


def read_opinions(opinions: Any, items: int, classes: tuple[Hashable, ...]) -> tuple[Outputs, ...]:
    """Other models' outputs: predictions, `(predictions, confidence)`, or scores `[N, C]`, by name.

    >>> read_opinions({"other": (["cat", "?"], [0.9, 0.2])}, 2, ("cat", "dog"))[0].predictions.tolist()
    [0, 2]
    """
    if opinions is None:
        return ()
    if not isinstance(opinions, Mapping):
        raise InputError("opinions", "map names to predictions", type(opinions).__name__)
    return tuple(_opinion(str(name), one, items, classes) for name, one in opinions.items())


def _opinion(name: str, given: Any, items: int, classes: tuple[Hashable, ...]) -> Outputs:
    subject = f"opinion {name!r}"
    pair = _holds_columns(given)
    said, confidence = given if pair else (given, None)
    if confidence is None and _axes(said) == 2:
        scores = _scores(said, False, items, classes, f"scores of {subject}")
        assert scores is not None
        return Outputs(name, scores.argmax(1), scores)
    column = as_column(subject, said)
    same_length(subject, len(column), items, "prediction")
    predicted = class_indices(column, classes)
    if (predicted == len(classes)).all():
        raise InputError(subject, f"hold some of the classes {list(classes)[:12]}", f"none, e.g. {column[0]!r}")
    return Outputs(name, predicted, _scores(confidence, False, items, classes, f"confidence of {subject}"))


def _holds_columns(given: Any) -> bool:
    """A pair of columns, the second perhaps None, not two predictions."""
    return isinstance(given, tuple) and len(given) == 2 and all(one is None or _axes(one) for one in given)


def _axes(values: Any) -> int:
    """How many axes values have; lists of different length are rows of nothing in particular."""
    try:
        return np.ndim(values)
    except ValueError:
        return 1


def _classes(
    declared: Sequence[Hashable] | None, columns: Mapping[Any, Sequence[Hashable]], labels_seen: Sequence[Hashable]
) -> tuple[Hashable, ...]:
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


def _ids(ids: Any, items: int) -> tuple[Hashable, ...]:
    if ids is None:
        return tuple(range(items))
    column = as_column("ids", ids)
    same_length("ids", len(column), items, "id")
    seen: dict[Hashable, int] = {}
    again = [row for row, one in enumerate(column) if seen.setdefault(one, row) != row]
    if again:
        raise InputError("ids", "be unique", f"{column[again[0]]!r} again in {rows_at_fault(again)}")
    return tuple(column)


def _scores(
    scores: Any, logits: bool, items: int, classes: tuple[Hashable, ...], subject: str = "scores"
) -> FloatArray | None:
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


def _warn_if_scores_say_otherwise(outputs: Outputs, classes: tuple[Hashable, ...]) -> None:
    if outputs.scores is None:
        return
    if outputs.scores.ndim == 1:
        if outputs.probable and not outputs.probable_among(len(classes)):
            low = outputs.below_chance(len(classes))
            warnings.warn(
                f"scores are below 1/{len(classes)} for {low:.0%} of the items; one score per item must be the model's "
                "confidence in what it predicted, not the probability of one class.",
                stacklevel=4,
            )
        return
    agree = float((outputs.scores.argmax(1) == outputs.predictions).mean())
    if agree < 0.5:
        warnings.warn(
            f"scores are highest for the predicted class in only {agree:.0%} of the items; "
            f"are their columns in the order of the classes {list(classes)[:12]}?",
            stacklevel=4,
        )


LOGITS = "Pass logits=True if these are logits."


def _features(features: Any, items: int) -> NDArray[Any] | None:
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


def _groups(groups: Any, items: int) -> Mapping[str, NDArray[Any]]:
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
