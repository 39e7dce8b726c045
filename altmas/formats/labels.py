"""A table of labels that is there already, matched with the items of a pool."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.core.places import Places
from altmas.formats.matching import Known, KnownClasses, NoMatchError, match
from altmas.formats.returned import ReturnedColumns, returned_columns
from altmas.metrics.errors import InputError
from altmas.metrics.types import IntArray

_NONE, _BLANK, _WRONG = -1, -2, -3
_OTHERS = ("unsure", "skip")


class ByPosition(Mapping[int, Hashable]):
    """Labels by position, in an array: a table may have millions."""

    def __init__(self, codes: NDArray[np.int32], words: Sequence[Hashable]) -> None:
        self._codes, self._words = codes, words

    def __getitem__(self, position: int) -> Hashable:
        if not 0 <= position < len(self._codes) or self._codes[position] == _NONE:
            raise KeyError(position)
        return self._words[int(self._codes[position])]

    def __iter__(self) -> Iterator[int]:
        return iter(np.flatnonzero(self._codes != _NONE).tolist())

    def __len__(self) -> int:
        return int((self._codes != _NONE).sum())

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True)
class LabelTable:
    """Labels by position, `unsure` and `skip` among them; rows that are wrong, and how many are of other items."""

    labels: Mapping[int, Hashable]
    wrong: list[str]
    elsewhere: int


def label_table(
    source: Any,
    places: Mapping[str, int],
    classes: Sequence[Hashable],
    subject: str = "table",
    *,
    id: str | None = None,
    label: str | None = None,
) -> LabelTable:
    """The labels that a table with `id` and `label` has for these items, by the text of their ids.

    It may know more than the pool. `id` and `label` name its columns. Rows as they should be are looked up by column;
    only those whose id is written otherwise, is there twice, or has a strange label are matched one by one.

    >>> import pandas as pd
    >>> label_table(pd.DataFrame({"id": ["a", "z"], "label": ["cat", "dog"]}), {"a": 0, "b": 1}, ["cat", "dog"])
    LabelTable(labels={0: 'cat'}, wrong=[], elsewhere=1)
    """
    table = returned_columns(source, id, label)
    words = [*classes, *_OTHERS]
    at, told = _positions(table, places), _codes(table.cells["label"], classes)
    others, elsewhere, meant = _written_otherwise(table, at, places)
    if not (at >= 0).any() and not len(others):
        raise InputError(subject, "have labels for the pool's items", "none for any of their ids")
    odd = np.isin(at, _repeated(at)) | np.isin(at, meant) | ((at >= 0) & (told == _WRONG))
    plain = (at >= 0) & ~odd & (told >= 0)
    codes = np.full(len(places), _NONE, dtype=np.int32)
    codes[at[plain]] = told[plain]
    wrong: list[str] = []
    if len(rows := np.union1d(np.flatnonzero(odd), others)):
        found = match([table.row(i) for i in rows.tolist()], places, places.keys(), classes)
        wrong = list(found.wrong)
        for one in found.rows:
            codes[one.position] = words.index(one.label, len(classes)) if isinstance(one.label, str) else one.label
    return LabelTable(ByPosition(codes, words), wrong, elsewhere)


def _positions(table: ReturnedColumns, places: Mapping[str, int]) -> IntArray:
    """Each row's item, -1 where its id is none as it is written."""
    ids = table.cells["id"]
    if isinstance(places, Places):
        return places.positions(ids)
    return np.fromiter((places.get(text, -1) for text in ids), dtype=np.int64, count=len(ids))


def _codes(texts: Sequence[str], classes: Sequence[Hashable]) -> IntArray:
    """Each label's place among the classes, `unsure` and `skip`; each text is looked up once."""
    known, meant = KnownClasses(classes), dict.fromkeys(texts, _BLANK)
    for text in meant:
        if text.strip():
            try:
                found = known.find(text)
                meant[text] = len(classes) + _OTHERS.index(found) if isinstance(found, str) else found
            except NoMatchError:
                meant[text] = _WRONG
    return np.fromiter((meant[text] for text in texts), dtype=np.int64, count=len(texts))


def _repeated(at: IntArray) -> IntArray:
    """Items that several rows are about."""
    counts = np.bincount(at[at >= 0])
    return np.flatnonzero(counts > 1)


def _written_otherwise(
    table: ReturnedColumns, at: IntArray, places: Mapping[str, int]
) -> tuple[IntArray, int, IntArray]:
    """Rows whose id may stand for others of the pool, how many are of none, and the items they may stand for."""
    known, ids = Known(places), table.cells["id"]
    rows, elsewhere, meant = [], 0, set()
    for i in np.flatnonzero(at < 0).tolist():
        if fits := known.find(ids[i]):
            rows.append(i)
            meant |= {places[one] for one in fits}
        elif not table.blank(i):
            elsewhere += 1
    return np.array(rows, dtype=np.int64), elsewhere, np.array(sorted(meant), dtype=np.int64)
