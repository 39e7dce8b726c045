"""Tables whose rows have ids, and how they are joined on them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from altmas.core.checks import whole
from altmas.core.files import sha256_of
from altmas.core.spelling import folded
from altmas.formats.columns import python_values, texts
from altmas.formats.matching import Known
from altmas.formats.model_columns import id_column
from altmas.formats.tables import Numbered, read_numbered
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import IntArray

_KEYS_SHOWN = 3

OTHER_IDS = "id=... names another column."


@dataclass(frozen=True, eq=False)
class Keyed:
    """A table whose rows have ids, all different as text; `name` is the model's, `origin` the path as given."""

    name: str
    origin: str
    table: Numbered
    column: str
    keys: list[Hashable | None]
    digest: str

    @property
    def subject(self) -> str:
        """What messages call it."""
        return Path(self.origin).name

    @property
    def ids(self) -> list[str]:
        """The ids as text."""
        return texts(self.keys)

    def has(self, name: str) -> bool:
        """Whether it has a column of this name."""
        return name in self.table.frame.columns

    def cells(self, name: str) -> list[str]:
        """A column as people see it."""
        return texts(self.table.frame[name])


def read_keyed(name: str, source: Any, id: str | None, *, of_model: bool = False) -> Keyed:
    """A table with its ids checked: there, and unique as text."""
    origin = str(source) if isinstance(source, str | Path) else name
    subject = Path(origin).name
    table = read_numbered(source)
    names = [str(one) for one in table.frame.columns]
    _header_on_top(subject, table, names, id or "id")
    column = id_column(names, subject, id, of_model=of_model)
    keys = whole(python_values(table.frame[column]))
    ids = texts(keys)
    _only_items(subject, table, column, ids)
    if not all(map(str.strip, ids)):
        empty = [table.rows[i] for i, one in enumerate(ids) if not one.strip()]
        raise InputError(f"ids of {subject}", "be there for every row", f"none in {rows_at_fault(empty)}", OTHER_IDS)
    if len(set(ids)) < len(ids):
        seen: set[str] = set()
        again = next(one for one in ids if one in seen or seen.add(one))  # type: ignore[func-returns-value]
        rows = [table.rows[i] for i, one in enumerate(ids) if one == again]
        raise InputError(f"ids of {subject}", "be unique", f"{again!r} in {rows_at_fault(rows)}", OTHER_IDS)
    return Keyed(name, origin, table, column, keys, source_digest(source, table))


def _only_items(subject: str, table: Numbered, column: str, ids: Sequence[str]) -> None:
    """Refuse rows that are no items: the header once more, or totals below."""
    names = [str(name) for name in table.frame.columns]
    for i, one in enumerate(ids):
        if one == column and texts(table.frame.iloc[i]) == names:
            raise InputError(f"row {table.rows[i]:,} of {subject}", "be an item", "the header again", "Delete it.")
    last = ids[-1].strip().rstrip(":").casefold() if ids else ""
    if last in TOTALS and all(any(map(str.isdigit, one)) for one in ids[:-1]):
        got = f"{ids[-1]!r}, as below a sum"
        raise InputError(f"id in row {table.rows[-1]:,} of {subject}", "be an item's", got, "Delete that row.")


TOTALS = {"total", "totals", "grand total", "sum", "gesamt", "summe", "count", "anzahl", "average", "mean", "suma",
          "totale", "somme", "итого", "合计", "合計"}  # fmt: skip
"""What stands in the first cell of the last row of many a spreadsheet."""


HEADER_LOOKED_FOR = 10


def _header_on_top(subject: str, table: Numbered, names: Sequence[str], id: str) -> None:
    """Refuse a table with a title above the names of its columns."""
    wanted = folded(id)
    if wanted in map(folded, names):
        return
    for row, cells in zip(table.rows, table.frame.head(HEADER_LOOKED_FOR).itertuples(index=False), strict=False):
        if wanted in (folded(cell) for cell in cells if isinstance(cell, str)):
            got = f"{names[0]!r} there, and {id!r} in row {row:,}"
            raise InputError(subject, "have the names of its columns on top", got, f"Delete what is above row {row:,}.")


def named_sources(given: Any, names: Sequence[str] | None, subject: str) -> list[tuple[str, Any]]:
    """Files and tables with a name each: `name=path`, or what `names` says, or the file's own.

    >>> named_sources(["ours=a.csv", "b.csv"], None, "predictions")
    [('ours', 'a.csv'), ('b', 'b.csv')]
    """
    word = "opinion" if subject == "opinions" else "model"
    alone = isinstance(given, str | Path) or not isinstance(given, Sequence)
    found = []
    for i, one in enumerate([given] if alone else given):
        name, source = f"{word} {i + 1}" if i else word, one
        if isinstance(one, str | Path):
            split = re.fullmatch(r"([^=/\\]+)=(.+)", str(one))
            _check_named(str(one), word)
            name, source = (split[1], split[2]) if split and not Path(one).exists() else (Path(one).stem, one)
        found.append((name, source))
    if names is not None:
        if len(names) != len(found):
            raise InputError("names", f"be one for each of {len(found)} files", len(names))
        found = [(str(name), source) for name, (_, source) in zip(names, found, strict=True)]
    listed = [name for name, _ in found]
    if len(set(listed)) < len(listed):
        raise InputError(f"names of {subject}", "be distinct", listed, "Write name=path.")
    return found


def _check_named(given: str, word: str) -> None:
    """Refuse `=file.csv` and `name=`, which name half of what they should."""
    if Path(given).exists():
        return
    hint = "Write name=path, or the path alone."
    if given.startswith("="):
        raise InputError(f"name of a {word}", "not be empty", repr(given), hint)
    if re.fullmatch(r"[^=/\\]+=\s*", given):
        raise InputError(f"file of {word} {given.rstrip().removesuffix('=')!r}", "be named", repr(given), hint)


def aligned(pool: Keyed, ids: Sequence[str], subject: str, notes: list[str], *, more: bool = False) -> IntArray:
    """For each item of the pool its row in another table, whose ids must be the same; `more` allows others.

    Ids that only a spreadsheet has changed, `1` for `001`, are the same where no other could be meant; `notes` tells.
    """
    place = {one: i for i, one in enumerate(ids)}
    wanted = pool.ids
    if changed := _as_shown([one for one in wanted if one not in place], place.keys() - set(wanted)):
        place = {changed.get(one, one): i for one, i in place.items()}
        shown, meant = next(iter(changed.items()))
        notes.append(f"{len(changed):,} ids of {subject} are written otherwise: {shown!r} is read as {meant!r}")
    missing = [one for one in wanted if one not in place]
    extra = [] if more else sorted(place.keys() - set(wanted))
    if missing or extra:
        said = [
            f"{len(some):,} {word}, e.g. {', '.join(map(repr, some[:_KEYS_SHOWN]))}"
            for some, word in ((missing, "missing"), (extra, "more"))
            if some
        ]
        raise InputError(f"ids of {subject}", f"be those of {pool.subject}", "; ".join(said), OTHER_IDS)
    if len(place) < len(ids):
        raise InputError(f"ids of {subject}", "be unique", f"{len(ids) - len(place):,} repeated", OTHER_IDS)
    return np.array([place[one] for one in wanted], dtype=np.int64)


def _as_shown(missing: Sequence[str], others: set[str]) -> dict[str, str]:
    """What each of the others stands for, if there is one for every id that is missing, and no doubt about any."""
    if not missing or len(others) < len(missing):
        return {}
    known, meant = Known(others), {}
    for one in missing:
        fits = known.find(one)
        if len(fits) != 1:
            return {}
        meant[fits.pop()] = one
    return meant if len(meant) == len(missing) else {}


def source_digest(source: Any, table: Numbered) -> str:
    """The SHA-256 of a file, or of the cells of a table that came from memory."""
    if isinstance(source, str | Path):
        return sha256_of(Path(source))
    found = hashlib.sha256()
    for name in table.frame.columns:
        for text in (str(name), *texts(table.frame[name])):
            found.update(f"{len(text)}:{text}".encode())
    return found.hexdigest()
