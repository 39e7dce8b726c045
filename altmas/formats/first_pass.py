"""One pass over a log that is larger than memory: rows counted by stratum, and those kept that may be in its sample.

What one machine makes of all files, and what several make of some each, are parts of the same kind. They come together
in any order, and what is drawn of them is the same to the bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from altmas.core.keyed_draws import EVERY, Keys, drawn, limits, row_keys
from altmas.core.pool import NO_CLASS, NO_SCORE
from altmas.formats.many_files import Piece, batches, read_ahead
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

Stratum = tuple[str, ...]
"""What was predicted, the band of its score, and the groups, as text."""

Limits = Mapping[Stratum, int]

LEAST_PER_STRATUM = 4
"""A sample has at least so many rows for each stratum."""

_KEY, _FILE, _ROW, _STRATUM = "(key)", "(file)", "(row)", "(stratum)"
_DENSE = 1 << 18


@dataclass(frozen=True)
class Plan:
    """What is read and how it is drawn: the columns kept, those that strata are made of, and edges of score bands.

    `scores` are no column, one of confidences, or one for each class, of which the highest counts; `prediction` is
    None where the highest score is what was predicted. Of probabilities the bands are the bins of calibration.
    """

    columns: tuple[str, ...]
    prediction: str | None
    scores: tuple[str, ...]
    groups: tuple[str, ...]
    edges: tuple[float, ...]
    sample: int
    seed: int
    probable: bool = False
    most: int = int(EVERY)
    """Up to which key there are most likely as many rows as the sample."""

    def band_of(self, score: FloatArray) -> IntArray:
        """The band of each score `[n]`."""
        known = ~np.isnan(score)
        if not known.all():
            return np.where(known, self.band_of(np.where(known, score, 0.0)), len(self.bands) - 1)
        if not self.probable:
            return np.searchsorted(np.asarray(self.edges), score, side="right")
        last = len(self.edges)
        return np.asarray(np.clip(score * (last + 1), 0, last).astype(np.int64))

    @property
    def few(self) -> tuple[str, ...]:
        """Columns with few distinct values."""
        return (*([self.prediction] if self.prediction else []), *self.groups)

    @property
    def bands(self) -> list[str]:
        """What the bands of scores are called, those without a score last."""
        ends = [f"{one:.4g}" for one in self.edges]
        inner = [f"{low} to {high}" for low, high in pairwise(ends)]
        return [*([f"below {ends[0]}", *inner, f"from {ends[-1]}"] if ends else []), NO_SCORE]


@dataclass(frozen=True, eq=False)
class Part:
    """What is known of some rows: how many each stratum has, how many each file, and those that may be drawn."""

    rows: dict[Stratum, int]
    files: dict[str, int]
    kept: Any  # an Arrow table: the columns, and key, file, row and stratum of each, its place in `rows`


class Collector:
    """Takes rows, and keeps those that may be drawn: at most two and a half times the sample."""

    def __init__(self, plan: Plan, known: Limits = MappingProxyType({})) -> None:
        self.plan, self._known = plan, known
        self.place: dict[Stratum, int] = {}
        self.rows = np.zeros(0, dtype=np.int64)
        self.limits: Keys = np.zeros(0, dtype=np.uint64)
        self.files: dict[str, int] = {}
        self._tables: list[Any] = []
        self._held = 0

    def places_of(self, strata: Iterable[Stratum]) -> IntArray:
        """The place of each stratum; new ones are added."""
        found = np.array([self.place.setdefault(one, len(self.place)) for one in strata], dtype=np.int64)
        if 0 < self.plan.sample < LEAST_PER_STRATUM * len(self.place):
            kinds = "predicted class, score band" + "".join(f", {name}" for name in self.plan.groups)
            hint = "Take a larger one, or fewer groups; and is it the right column of predictions?"
            rule = f"have at least {LEAST_PER_STRATUM} rows for each {kinds}"
            got = f"{self.plan.sample:,} for {len(self.place):,} of them so far"
            raise InputError("sample", rule, got, hint)
        new = list(self.place)[len(self.rows) :]
        self.rows = np.append(self.rows, np.zeros(len(new), dtype=np.int64))
        self.limits = np.append(self.limits, np.array([self._known.get(one, EVERY) for one in new], dtype=np.uint64))
        return found

    @property
    def known(self) -> Limits:
        """Up to which key rows of each stratum may be drawn, as far as is known: for those who look at other rows."""
        return {one: int(self.limits[k]) for one, k in self.place.items()}

    def scan(self, pieces: Sequence[Piece]) -> None:
        """Take in the rows of some pieces."""
        for piece in pieces:
            self.files.setdefault(piece.name, 0)
        for piece, first, batch in read_ahead(self._batches(pieces)):
            if batch.num_rows:
                self._take(piece, batch, first)
            self.files[piece.name] += batch.num_rows

    def _batches(self, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, int, Any]]:
        """Every batch, and the row that it begins at."""
        for piece in pieces:
            first = piece.first
            for batch in batches(piece, self.plan.columns, self.plan.few):
                yield piece, first, batch
                first += batch.num_rows

    def _take(self, piece: Piece, batch: Any, first: int) -> None:
        import pyarrow as pa

        code, strata = _coded(self.plan, piece, batch, first)
        place = self.places_of(strata)
        stratum = place[code]
        self.rows += np.bincount(stratum, minlength=len(self.rows))
        keys = row_keys(self.plan.seed, piece.name, first, batch.num_rows)
        chosen = np.flatnonzero(keys <= self.limits[stratum])
        if not len(chosen):
            return
        some = batch.take(pa.array(chosen)) if len(chosen) < batch.num_rows else batch
        plain = [_plain(column) for column in some.columns]
        columns = dict(zip(self.plan.columns, plain, strict=True)) | {
            _KEY: pa.array(keys[chosen]), _ROW: pa.array(first + chosen), _STRATUM: pa.array(stratum[chosen]),
            _FILE: pa.array(np.full(len(chosen), piece.number, dtype=np.int32)),
        }  # fmt: skip
        self._hold(pa.table(columns))

    def _hold(self, table: Any) -> None:
        self._tables.append(table)
        self._held += table.num_rows
        if self._held > 2.5 * self.plan.sample + 1:
            self._prune()

    def _prune(self) -> None:
        """Let go of rows that cannot be drawn any more."""
        if not self._tables:
            return
        table = _together(self._tables)
        keys, stratum = table[_KEY].to_numpy(), table[_STRATUM].to_numpy()
        self.limits = np.minimum(self.limits, limits(keys, stratum, self.rows, self.plan.sample, self.plan.most))
        table = table.filter(keys <= self.limits[stratum]).combine_chunks()
        self._tables, self._held = [table], table.num_rows

    def part(self) -> Part:
        """What is known so far."""
        self._prune()
        kept = self._tables[0] if self._tables else None
        return Part({one: int(self.rows[k]) for one, k in self.place.items()}, dict(self.files), kept)

    def add(self, part: Part) -> None:
        """Take in what was found elsewhere."""
        import pyarrow as pa

        place = self.places_of(part.rows)
        np.add.at(self.rows, place, np.fromiter(part.rows.values(), np.int64, len(part.rows)))
        for name, count in part.files.items():
            self.files[name] = self.files.get(name, 0) + count
        if part.kept is not None:
            stratum = place[part.kept[_STRATUM].to_numpy()]
            at = part.kept.column_names.index(_STRATUM)
            self._hold(part.kept.set_column(at, _STRATUM, pa.array(stratum)))


def enough(plan: Plan, part: Part) -> bool:
    """Whether there are as many rows up to that key as was likely: then none was left out that should be drawn."""
    if plan.most == EVERY or part.kept is None:
        return True
    return int((part.kept[_KEY].to_numpy() <= np.uint64(plan.most)).sum()) >= plan.sample


def scanned(plan: Plan, pieces: Sequence[Piece], known: Limits = MappingProxyType({})) -> Part:
    """What is known of the rows of these pieces, where others may be known to leave less to be drawn."""
    found = Collector(plan, known)
    found.scan(pieces)
    return found.part()


@dataclass(frozen=True, eq=False)
class Drawn:
    """The sample, in the order of files and rows: its columns, where each row lies, its stratum and those there are."""

    table: Any
    file: IntArray  # number of the file
    row: IntArray  # in its file, from 0
    stratum: IntArray
    strata: list[Stratum]
    rows: IntArray
    files: dict[str, int]


def draw(plan: Plan, part: Part) -> Drawn:
    """The sample that all rows lead to."""
    if part.kept is None:
        raise InputError("predictions", "hold at least one row", f"none in {len(part.files):,} files")
    strata = sorted(part.rows)
    order = {one: k for k, one in enumerate(strata)}
    places = np.array([order[one] for one in part.rows])
    key, stratum, file, row = (part.kept[name].to_numpy() for name in (_KEY, _STRATUM, _FILE, _ROW))
    rows = np.array([part.rows[one] for one in strata])
    chosen = np.flatnonzero(drawn(key, places[stratum], rows, plan.sample))
    chosen = chosen[np.lexsort((row[chosen], file[chosen]))]
    table = part.kept.select(list(plan.columns)).take(chosen)
    files = dict(sorted(part.files.items()))
    return Drawn(table, file[chosen], row[chosen], places[stratum[chosen]], strata, rows, files)


def _together(tables: Sequence[Any]) -> Any:
    """Tables one below the other; whole numbers and others become numbers."""
    import pyarrow as pa

    try:
        return pa.concat_tables(tables, promote_options="permissive").combine_chunks()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise InputError("columns of all files", "be of the same types", said) from None


def _coded(plan: Plan, piece: Piece, batch: Any, first: int) -> tuple[IntArray, list[Stratum]]:
    """A code for each row, and the stratum of each code."""
    score = _score(plan, piece, batch, first)
    bands = plan.bands
    code = np.full(batch.num_rows, len(bands) - 1) if score is None else plan.band_of(score)
    labels: list[list[str]] = [bands]
    said = _highest(plan, batch) if plan.prediction is None else _texts(batch, plan.prediction, NO_CLASS)
    for index, names in (said, *(_texts(batch, name, "(missing)") for name in plan.groups)):
        code = code * len(names) + index
        labels.append(names)
    size = int(np.prod([len(names) for names in labels]))
    if size <= _DENSE:
        present = np.flatnonzero(np.bincount(code, minlength=size))
        place = np.empty(size, dtype=np.int64)
        place[present] = np.arange(len(present))
        code = place[code]
    else:
        present, code = np.unique(code, return_inverse=True)
    parts = np.unravel_index(present, [len(names) for names in labels])
    named = [tuple(labels[k][int(parts[k][i])] for k in range(len(labels))) for i in range(len(present))]
    return code, [(said_, band_, *groups) for band_, said_, *groups in named]


def _texts(batch: Any, name: str, blank: str) -> tuple[IntArray, list[str]]:
    """The place of each row's value among the distinct ones, which are told as text."""
    import pyarrow as pa

    column = batch.column(batch.schema.get_field_index(name))
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    names = ["" if one is None else str(one) for one in column.dictionary.to_pylist()]
    index = column.indices.fill_null(len(names)).to_numpy(zero_copy_only=False).astype(np.int64)
    return index, [*(one if one.strip() else blank for one in names), blank]


def _numbers(piece: Piece, batch: Any, name: str, first: int) -> FloatArray:
    """A column as numbers, NaN where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = batch.column(batch.schema.get_field_index(name))
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        text = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.equal(text, ""), None, text)
    try:
        found = column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        row, said = _no_number(column)
        subject = f"column {name!r} of {piece.name}"
        raise InputError(subject, "hold numbers", f"{said!r} in row {first + row + 1}") from None
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.float64)


def _no_number(column: Any) -> tuple[int, Any]:
    """The first cell that is no number."""
    for row, one in enumerate(column.to_pylist()):
        try:
            float(np.nan if one is None else one)
        except (TypeError, ValueError):
            return row, one
    return 0, column.type


def _score(plan: Plan, piece: Piece, batch: Any, first: int) -> FloatArray | None:
    """The score that bands are made of."""
    if not plan.scores:
        return None
    found = _numbers(piece, batch, plan.scores[0], first)
    for name in plan.scores[1:]:
        np.fmax(found, _numbers(piece, batch, name, first), out=found)
    return found


def _highest(plan: Plan, batch: Any) -> tuple[IntArray, list[str]]:
    """The column with the highest score, where that is what was predicted."""
    import pyarrow as pa

    columns = [batch.column(batch.schema.get_field_index(name)).cast(pa.float64()) for name in plan.scores]
    table = np.stack([column.to_numpy(zero_copy_only=False) for column in columns], axis=1)
    gap = np.isnan(table).any(1)
    return np.where(gap, len(plan.scores), np.where(gap[:, None], 0.0, table).argmax(1)), [*plan.scores, NO_CLASS]


def _plain(column: Any) -> Any:
    """The values themselves: what a dictionary holds differs from batch to batch."""
    import pyarrow as pa

    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
