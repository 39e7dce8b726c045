"""What each model said, in the order of the pool and in its classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from altmas.core.checks import sorted_classes, whole
from altmas.core.spelling import folded
from altmas.formats.columns import cell_text, numbers, percents, python_values, with_points
from altmas.formats.keyed import Keyed, aligned
from altmas.formats.model_columns import ModelColumns, model_columns
from altmas.metrics.errors import InputError
from altmas.metrics.types import BoolArray, FloatArray, IntArray

Cast = Callable[[str], Hashable]
Said = list[Hashable | None]


@dataclass(frozen=True, eq=False)
class ModelFile:
    """One model's file, which columns of it are used, and the place of each of the pool's items in it."""

    keyed: Keyed
    columns: ModelColumns
    order: IntArray

    @cached_property
    def said(self) -> Said | None:
        """Predictions in the order of the pool, None where there is none; None if only scores are there."""
        if self.columns.prediction is None:
            return None
        column = whole(python_values(self.keyed.table.frame[self.columns.prediction]))
        if self.columns.numbered:
            names = list(self.columns.scores)
            column = [None if one is None else names[int(folded(one))] for one in column]
        return column if self.in_order else [column[i] for i in self.order]

    @property
    def in_order(self) -> bool:
        """Whether its rows are the pool's, in the same order."""
        return bool((self.order == np.arange(len(self.order))).all())

    def said_where(self, chosen: BoolArray) -> Said:
        """What was said of some of the pool's items, as the file has it; nothing where only scores are there."""
        said = self.said
        return [None if said is None else said[i] for i in np.flatnonzero(chosen)]

    def numbers(self, name: str) -> FloatArray:
        """A column of numbers in the order of the pool."""
        subject = f"column {name!r} of {self.keyed.subject}"
        table = self.keyed.table
        column = table.frame[name]
        share = percents(column)
        column = with_points([cell.replace("%", "") for cell in column] if share else column)
        found: FloatArray = numbers(column, subject, table.rows, may_miss=True)[self.order]
        return found / 100 if share else found

    def read_as(self, name: str) -> list[str]:
        """A note where a column is written with decimal commas, or in percent."""
        column, what = self.keyed.table.frame[name], f"column {name!r} of {self.keyed.subject}"
        if percents(column):
            example = next(cell.strip() for cell in column if "%" in cell)
            return [f"{what} is in percent: {example!r} is read as {_share(example):g}"]
        if with_points(column) is not column:
            example = next(cell.strip() for cell in column if "," in cell)
            return [f"{what} has decimal commas: {example!r} is read as {example.replace(',', '.', 1)}"]
        return []


def _share(text: str) -> float:
    return float(text.replace("%", "").replace(",", ".").strip()) / 100


def read_model(keyed: Keyed, pool: Keyed, notes: list[str], **columns: str | None) -> ModelFile:
    """One model's file, joined to the pool on ids."""
    chosen = model_columns(keyed.table.frame, keyed.subject, **columns)
    order = np.arange(len(pool.keys)) if keyed is pool else aligned(pool, keyed.ids, keyed.subject, notes)
    return ModelFile(keyed, chosen, order)


def caster(said: Sequence[Hashable | None]) -> Cast:
    """Text to class, in the type the first model's predictions have: files may write 3 as a number or as text.

    >>> cast = caster([3, 1])
    >>> cast("3"), cast("7"), cast("x")
    (3, 7, 'x')
    """
    known = {cell_text(v): v for v in said if v is not None}
    kinds = {type(v) for v in known.values()}

    def cast(text: str) -> Hashable:
        if text in known:
            return known[text]
        if kinds == {int} and re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text):
            return int(text)
        return text == "True" if kinds == {bool} and text in ("True", "False") else text

    return cast


def known_classes(
    models: Sequence[ModelFile], declared: Sequence[Hashable] | None, cast: Cast
) -> tuple[Hashable, ...] | None:
    """The classes as declared, else as the columns of scores name them; None if only predictions tell."""
    if declared is not None:
        if isinstance(declared, str):
            raise InputError("classes", "be a list of classes", repr(declared))
        return tuple(cast(cell_text(one)) for one in declared)
    named = {cast(text) for model in models for text in model.columns.scores}
    return sorted_classes(named) if named else None


def one_spelling(
    cast: Cast,
    models: Sequence[ModelFile],
    declared: tuple[Hashable, ...] | None,
    labels: Sequence[Hashable],
    notes: list[str],
) -> Cast:
    """A cast that reads `Cat` and `cat ` as one class: as declared, else as a label, else as the first model has it.

    Of several spellings of one model the commonest is taken.
    """
    counts = Counter(cast(cell_text(v)) for model in models for v in model.said or () if v is not None)
    first = {cast(cell_text(v)) for v in set(models[0].said or ()) if v is not None}
    likeliest = sorted(counts, key=lambda one: (one in labels, one in first, counts[one]), reverse=True)
    chosen: dict[str, Hashable] = {}
    ambiguous = set()
    for one in declared if declared is not None else (*likeliest, *labels):
        other = chosen.setdefault(folded(one), one)
        if declared is not None and other != one:  # told apart by whoever declared them
            ambiguous.add(folded(one))
    known = set(declared or ())
    changed = {
        one: chosen[folded(one)]
        for one in (*counts, *labels)
        if one not in known
        and folded(one) not in ambiguous
        and chosen.get(folded(one), one) != one
        and not (declared is None and _letters(one, chosen[folded(one)]))
    }
    for spelling, meant in list(changed.items())[:MOST_SPELLINGS]:
        notes.append(f"{spelling!r} is read as the class {meant!r}")
    if len(changed) > MOST_SPELLINGS:
        notes.append(
            f"{len(changed) - MOST_SPELLINGS:,} more spellings are read as classes that differ in case or blanks"
        )
    if not changed:
        return cast

    def respelt(text: str) -> Hashable:
        found = cast(text)
        return changed.get(found, found)

    return respelt


def _letters(one: Hashable, other: Hashable) -> bool:
    """Whether both are single letters: `a` and `A` are two classes of whoever reads handwriting."""
    return len(str(one)) == 1 == len(str(other)) and str(one).isalpha() and str(other).isalpha()


MOST_SPELLINGS = 5
"""So many are named in notes."""


def outputs(
    model: ModelFile,
    classes: tuple[Hashable, ...] | None,
    cast: Cast,
    logits: bool,
    notes: list[str],
    failed: Callable[[Any], bool] = lambda value: False,
) -> tuple[Said, FloatArray | None]:
    """A model's predictions as classes, the highest score's if it has no others, and its scores if it has any.

    A prediction is None where there is none, and where it has `failed`.
    """
    scores = None
    if model.columns.scores:
        assert classes is not None  # columns of scores name the classes
        scores = _matrix(model, classes, logits, notes)
    elif model.columns.confidence is not None:
        scores = model.numbers(model.columns.confidence)
        notes += model.read_as(model.columns.confidence)
    if scores is not None and np.isnan(scores).reshape(len(scores), -1).any(1).all():
        notes.append(f"scores of {model.keyed.subject} are empty: there are none")
    said = model.said
    if said is None:
        assert classes is not None
        assert scores is not None
        missing = np.asarray(np.isnan(scores).any(1))
        highest = np.where(np.isnan(scores), -np.inf, scores).argmax(1)
        return [None if gap else classes[i] for i, gap in zip(highest, missing, strict=True)], scores
    if said and all(value is None for value in said):
        subject = f"predictions of {model.keyed.subject}"
        raise InputError(subject, "be there for some item", f"none in column {model.columns.prediction!r}", PREDICTION)
    if set(map(type, said)) <= {str, type(None)}:  # what is said a million times is looked up once
        meant = {text: None if text is None or failed(text) else cast(cell_text(text)) for text in set(said)}
        return [meant[text] for text in said], scores
    return [None if value is None or failed(value) else cast(cell_text(value)) for value in said], scores


PREDICTION = "prediction=... names the column."


def _matrix(model: ModelFile, classes: Sequence[Hashable], logits: bool, notes: list[str]) -> FloatArray:
    """Scores `[N, C]` in the order of the classes; a class the model does not know has probability 0."""
    columns, subject = model.columns.scores, model.keyed.subject
    names = [cell_text(one) for one in classes]
    unknown = [text for text in columns if text not in names]
    lacking = [name for name in names if name not in columns]
    if unknown:
        hint = "Declare them with classes=[...], or name other columns with scores=...."
        raise InputError(f"scores of {subject}", f"be of the classes {names[:12]}", f"also of {unknown[:12]}", hint)
    if lacking and logits:
        hint = "Leave them out of classes=[...], or name other columns with scores=...."
        raise InputError(f"logits of {subject}", "be there for every class", f"none of {lacking[:12]}", hint)
    if lacking:
        notes.append(f"{subject} has no scores of {', '.join(map(repr, lacking[:12]))}: taken as 0")
    notes += [note for name in list(columns.values())[:1] for note in model.read_as(name)]
    empty = np.zeros(len(model.order))
    table = np.column_stack([model.numbers(columns[name]) if name in columns else empty for name in names])
    if not logits and _in_percent(table):
        notes.append(f"scores of {subject} are in percent: each row sums to 100")
        return np.asarray(table / 100)
    return table


def _in_percent(table: FloatArray) -> bool:
    """Whether every row sums to 100, which neither probabilities nor logits do."""
    sums = table.sum(1)
    sums = sums[~np.isnan(sums)]
    return len(sums) > 0 and bool((table[~np.isnan(table)] >= 0).all() and (np.abs(sums - 100) < 5).all())
