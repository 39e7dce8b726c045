"""What each model said, in the order of the pool and in its classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from altmas.core.checks import sorted_classes
from altmas.formats.columns import cell_text, numbers, python_values
from altmas.formats.keyed import Keyed, aligned, whole
from altmas.formats.model_columns import ModelColumns, model_columns
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray, IntArray

Cast = Callable[[str], Hashable]
Said = list[Hashable | None]


@dataclass(frozen=True, eq=False)
class ModelFile:
    """One model's file, which columns of it are used, and the place of each of the pool's items in it."""

    keyed: Keyed
    columns: ModelColumns
    order: IntArray

    @property
    def said(self) -> Said | None:
        """Predictions in the order of the pool, None where there is none; None if only scores are there."""
        if self.columns.prediction is None:
            return None
        column = whole(python_values(self.keyed.table.frame[self.columns.prediction]))
        return [column[i] for i in self.order]

    def numbers(self, name: str) -> FloatArray:
        """A column of numbers in the order of the pool."""
        subject = f"column {name!r} of {self.keyed.subject}"
        found: FloatArray = numbers(self.keyed.table.frame[name], subject, self.keyed.table.rows)[self.order]
        return found


def read_model(keyed: Keyed, pool: Keyed, **columns: str | None) -> ModelFile:
    """One model's file, joined to the pool on ids."""
    chosen = model_columns(keyed.table.frame, keyed.subject, **columns)
    order = np.arange(len(pool.keys)) if keyed is pool else aligned(pool, keyed.ids, keyed.subject)
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


def outputs(
    model: ModelFile, classes: tuple[Hashable, ...] | None, cast: Cast, logits: bool, notes: list[str]
) -> tuple[Said, FloatArray | None]:
    """A model's predictions as classes, the highest score's if it has no others, and its scores if it has any."""
    scores = None
    if model.columns.scores:
        assert classes is not None  # columns of scores name the classes
        scores = _matrix(model, classes, logits, notes)
    elif model.columns.confidence is not None:
        scores = model.numbers(model.columns.confidence)
    said = model.said
    if said is None:
        assert classes is not None
        assert scores is not None
        return [classes[i] for i in scores.argmax(1)], scores
    nothing = [i for i, value in zip(model.order, said, strict=True) if value is None]
    if nothing and classes is None:
        rows = rows_at_fault(sorted(model.keyed.table.rows[i] for i in nothing))
        hint = "Declare the classes if the model may abstain."
        raise InputError(f"predictions of {model.keyed.subject}", "be there for every item", f"none in {rows}", hint)
    return [None if value is None else cast(cell_text(value)) for value in said], scores


def _matrix(model: ModelFile, classes: Sequence[Hashable], logits: bool, notes: list[str]) -> FloatArray:
    """Scores `[N, C]` in the order of the classes; a class the model does not know has probability 0."""
    columns, subject = model.columns.scores, model.keyed.subject
    names = [cell_text(one) for one in classes]
    unknown = [text for text in columns if text not in names]
    lacking = [name for name in names if name not in columns]
    if unknown:
        raise InputError(f"scores of {subject}", f"be of the classes {names[:12]}", f"also of {unknown[:12]}")
    if lacking and logits:
        raise InputError(f"logits of {subject}", "be there for every class", f"none of {lacking[:12]}")
    if lacking:
        notes.append(f"{subject} has no scores of {', '.join(map(repr, lacking[:12]))}: taken as 0")
    empty = np.zeros(len(model.order))
    return np.column_stack([model.numbers(columns[name]) if name in columns else empty for name in names])
