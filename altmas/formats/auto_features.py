"""Features from the things people have: which of them may be used, and one door for all who make them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from altmas.core.checks import is_blank, same_length, unwrapped
from altmas.features.auto import make_features
from altmas.features.lists import matrix_of
from altmas.formats.images import SUFFIXES
from altmas.formats.model_columns import smells_of_a_model
from altmas.formats.tables import read_table
from altmas.metrics.errors import InputError

AUTO = "auto"
KINDS = "texts, paths of image files, or a table"
_ROWS_COMPARED = 1_000


@dataclass(frozen=True, eq=False)
class Things:
    """What people have of their items: texts, paths of images, or a table."""

    texts: list[str] | None = None
    images: list[str | None] | None = None
    table: pd.DataFrame | None = None

    @property
    def are_numbers(self) -> bool:
        """Whether they are numbers already, perhaps written as text: a table or a column of nothing else."""
        if self.table is not None:
            return all(_numeric(self.table.iloc[:, i]) for i in range(self.table.shape[1]))
        return self.texts is not None and _all_floats([one or None for one in self.texts])


def given_features(
    features: Any,
    items: Any,
    rows: int,
    *,
    media: Sequence[str | None] | None = None,
    said: Sequence[Any] = (),
    ids: Sequence[Any] | None = None,
) -> tuple[Any, str]:
    """Features as a pool takes them, and what they were made of, if they were made.

    Numbers pass as they are. Texts, paths of images and tables of mixed columns are made into numbers; `"auto"` makes
    them of `items` and `media`. `said` is what no column may tell: predictions, scores, labels. A table that names the
    `ids`, in a column or as its index, is joined on them; anything else is taken in the order of the pool.

    >>> given_features([[1.0], [2.0]], None, 2)
    ([[1.0], [2.0]], '')
    >>> given_features("auto", ["good film", "bad film"], 2)[1]
    '2 numbers per item from texts (TF-IDF, SVD)'
    """
    if isinstance(features, str) and features == AUTO:
        if items is None and media is None:
            hint = f"Give items=: {KINDS}."
            raise InputError("features", "have items to be made of where they are 'auto'", "none", hint)
        things = Things() if items is None else sorted_out(in_order(unwrapped(items), ids))
        if things is None:
            raise InputError("items", f"be {KINDS}", type(items).__name__)
        return _made(things, "items", rows, media, said)
    if isinstance(features, str):
        raise InputError("features", f"be numbers, {KINDS}, or 'auto'", repr(features))
    features = in_order(unwrapped(features), ids)
    if isinstance(features, list | tuple | pd.Series) and _vectors(features):
        lists = matrix_of(features)
        return (features if lists is None else lists), ""
    things = None if features is None else sorted_out(features)
    if things is None or things.are_numbers:
        return features, ""  # whoever reads them as numbers will say what is wrong
    if things.table is not None and things.table.shape[1] == 1:
        lists = matrix_of(things.table.iloc[:, 0])
        if lists is not None:
            return lists, ""
    return _made(things, "features", rows, None, said)


def _made(things: Things, subject: str, rows: int, media: Any, said: Sequence[Any]) -> tuple[Any, str]:
    for name, given in ((subject, things.texts), (subject, things.images), (subject, things.table), ("media", media)):
        if given is not None:
            same_length(name, len(given), rows, "row", "rows")
    images = media if things.images is None else things.images
    table, left_out = (None, None) if things.table is None else allowed(things.table, said)
    seen = None if images is None or not any(images) else [one and str(_resolved(one)) for one in images]
    made = make_features(table, texts=things.texts, images=seen, left_out=left_out)
    return made.array, made.used


def allowed(
    table: pd.DataFrame, said: Sequence[Any], without: Collection[str] = (), own: Collection[str] = ()
) -> tuple[pd.DataFrame, dict[str, str]]:
    """The columns that may be used, and why others may not: what a model said, labels and ids are no features.

    `without` are known to be ids, `own` to be the items' own, whatever their names sound like.

    >>> frame = pd.DataFrame({"age": [1, 2, 3, 4], "verdict": list("abab"), "score": [1, 2, 3, 4]})
    >>> allowed(frame, [["x", "y", "x", "y"]])[1]
    {'verdict': 'says what a model or a label says', 'score': "a model's or a label, by its name"}
    """
    why: dict[str, str] = {}
    told = [one for one in map(_Told.of, said) if one is not None and one.rows == len(table)]
    for place, name in enumerate(map(str, table.columns)):
        if name in without or name.strip().casefold() == "id":
            why[name] = "an id"
        elif name not in own and smells_of_a_model(name):
            why[name] = "a model's or a label, by its name"
        elif any(one.told_by(table.iloc[:, place]) for one in told):
            why[name] = "says what a model or a label says"
    return table.iloc[:, [i for i, name in enumerate(map(str, table.columns)) if name not in why]], why


def says_the_same(column: Sequence[Any], said: Sequence[Any]) -> bool:
    """Whether a column has one value for each class that was said, and another for every other.

    >>> says_the_same(["yes", "no", "yes", "no"], [1, 0, 1, 0]), says_the_same(["yes", "no", "no", "no"], [1, 0, 1, 0])
    (True, False)
    """
    told = _Told.of(said)
    return told is not None and told.rows == len(column) and told.told_by(pd.Series(column, dtype=object))


@dataclass(frozen=True, eq=False)
class _Told:
    """What somebody said of each item: classes, or numbers `[N]` or `[N, C]`."""

    rows: int
    codes: Any
    classes: int
    numbers: Any

    @classmethod
    def of(cls, said: Any) -> _Told | None:
        """From predictions, scores or labels; None from what is no array of them, which others refuse."""
        try:
            array = np.asarray(unwrapped(said))
        except (TypeError, ValueError):
            return None
        if array.ndim == 0:
            return None
        if array.dtype.kind == "f":
            return cls(len(array), None, 0, array.reshape(len(array), -1))
        codes, found = pd.factorize(np.array([str(one) for one in array.tolist()], dtype=object))
        return cls(len(array), codes, len(found), None)

    def told_by(self, column: pd.Series[Any]) -> bool:
        """Whether a column says the same, in whatever words."""
        if self.numbers is not None:
            if getattr(column.dtype, "kind", "O") not in "iuf" or isinstance(column.dtype, pd.CategoricalDtype):
                return False
            values = column.to_numpy(np.float64, na_value=np.nan)[:_ROWS_COMPARED]
            few = self.numbers[:_ROWS_COMPARED, :_ROWS_COMPARED]
            return bool(np.isclose(few, values[:, None], rtol=1e-6, atol=1e-9).all(0).any())
        if self.classes > len(column) / 2 or self.classes < 2 or getattr(column.dtype, "kind", "O") == "f":
            return False
        try:
            codes, found = pd.factorize(column)
        except TypeError:  # lists
            return False
        pairs = np.unique(codes.astype(np.int64) * self.classes + self.codes)
        return len(found) == self.classes == len(pairs) and bool((codes >= 0).all())


def in_order(table: Any, ids: Sequence[Any] | None) -> Any:
    """A table in the order of the ids, where a column or its index holds exactly these, each once; else as it is.

    >>> in_order(pd.DataFrame({"id": ["b", "a"], "x": [2, 1]}), ["a", "b"])["x"].tolist()
    [1, 2]
    """
    if ids is None or not isinstance(table, pd.DataFrame | pd.Series) or len(table) != len(ids):
        return table
    wanted = [str(one) for one in ids]
    frame = isinstance(table, pd.DataFrame)
    named = [table[name] for name in table.columns if str(name).strip().casefold() in ID_NAMES] if frame else []
    keys = [*named, *([] if isinstance(table.index, pd.RangeIndex) else [table.index])]
    for column in keys:
        place = {str(key): row for row, key in enumerate(column.tolist())}
        if len(place) == len(table) and place.keys() == set(wanted):
            return table.iloc[[place[one] for one in wanted]]
    return table


ID_NAMES = ("id", "ids", "item", "item_id", "key")


def sorted_out(things: Any) -> Things | None:
    """Texts, paths of images or a table; None for anything else, numbers among them.

    >>> sorted_out(["a.png", "b.JPG"]).images is not None, sorted_out(["so", ""]).texts, sorted_out([1, 2])
    (True, ['so', ''], None)
    """
    if isinstance(things, pd.DataFrame):
        return Things(table=things)
    if hasattr(things, "columns") and hasattr(things, "__arrow_c_stream__"):
        return Things(table=read_table(things))
    numbers = isinstance(things, np.ndarray) and (things.ndim != 1 or things.dtype.kind not in "OU")
    if numbers or isinstance(things, str | bytes | Path | dict | set) or not hasattr(things, "__iter__"):
        return None
    vectors = _vectors(things)
    cells = [] if vectors else [None if is_blank(one) else one for one in things]
    told = [one for one in cells if one is not None and one != ""]
    if vectors or not all(isinstance(one, str | Path) for one in told):
        return None
    if told and all(isinstance(one, Path) or Path(one).suffix.lower() in SUFFIXES for one in told):
        return Things(images=[str(one) if one else None for one in cells])
    return Things(texts=["" if one is None else str(one) for one in cells])


def _vectors(things: Any) -> bool:
    """Whether there is a vector for some item, as embeddings are often kept."""
    return any(getattr(one, "ndim", 0) for one in things)


def _numeric(column: pd.Series[Any]) -> bool:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _all_floats(column.cat.categories)
    return getattr(column.dtype, "kind", "O") in "iufb" or (column.dtype == object and _all_floats(column))


def _all_floats(cells: Any) -> bool:
    try:
        return all(one is None or np.isscalar(float(one)) for one in cells)
    except (TypeError, ValueError):
        return False


def _resolved(path: str) -> Path:
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(path)  # it will not be read either
