"""Logs in many files, larger than memory: which files they are, and their rows batch by batch."""

from __future__ import annotations

import glob
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from altmas.core.limits import few_columns
from altmas.formats.files import existing
from altmas.metrics.errors import AltmasError, InputError

ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}
"""Kinds of files that are read batch by batch, by the ending of the name."""

ROWS_AT_ONCE = 1 << 17
_BATCHES_AHEAD = 4
_SPECIAL = "*?["
_END = object()

T = TypeVar("T")


@dataclass(frozen=True)
class Piece:
    """Part of a file: all its rows, or those of some row groups, which begin at row `first`, counted from 0.

    `name` is where it lies below the folder that all files have in common, by which keys are made: it does not change
    with the machine. `number` is its place among them.
    """

    path: str
    name: str
    kind: str
    number: int = 0
    groups: tuple[int, ...] | None = None
    first: int = 0


def found_files(given: Sequence[str | os.PathLike[str]]) -> list[Piece]:
    """The files of paths, folders and patterns, each once, by name; a folder's are those inside of it, at any depth."""
    paths: list[Path] = []
    for one in map(str, given):
        if any(c in one for c in _SPECIAL) and not Path(one).exists():
            matching = [Path(path) for path in glob.glob(one, recursive=True) if Path(path).is_file()]
            if not matching:
                raise InputError("predictions", "match at least one file", repr(one))
            paths += matching
        elif Path(one).is_dir():
            inside = [path for path in Path(one).rglob("*") if path.suffix.lower() in ENDINGS and path.is_file()]
            if not inside:
                raise InputError(one, "hold Parquet or CSV files", "none")
            paths += inside
        else:
            paths.append(existing(one))
    whole = sorted({path.resolve() for path in paths})
    for path in whole:
        if path.suffix.lower() not in ENDINGS:
            hint = "Files of other kinds are read whole: leave out --sample."
            raise InputError(path.name, "be Parquet or CSV to be sampled", f"the ending {path.suffix!r}", hint)
    home = os.path.commonpath([path.parent for path in whole])
    return [
        Piece(str(path), path.relative_to(home).as_posix(), ENDINGS[path.suffix.lower()], number)
        for number, path in enumerate(whole)
    ]


@contextmanager
def _readable(name: str, kind: str) -> Iterator[None]:
    """Whatever a reader raises on a broken file, in one sentence; a file that is gone stays the system's error."""
    try:
        yield
    except (AltmasError, FileNotFoundError, PermissionError):
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:200].rstrip(".")
        named = {"parquet": "a Parquet file", "csv": "a CSV file"}[kind]
        raise InputError(name, f"be {named} that can be read to its end", said or type(error).__name__) from error


def column_names(piece: Piece) -> list[str]:
    """The names of a file's columns."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    with _readable(piece.name, piece.kind):
        if piece.kind == "parquet":
            schema = pq.read_schema(piece.path)
        elif os.path.getsize(piece.path) == 0:
            raise InputError(piece.name, "have the names of its columns on top", "an empty file")
        else:
            with pc.open_csv(piece.path) as reader:
                schema = reader.schema
    names = list(schema.names)
    few_columns(piece.name, len(names))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"columns of {piece.name}", "have distinct names", f"{twice!r} twice")
    return names


def batches(piece: Piece, columns: Sequence[str], few: Sequence[str] = ()) -> Iterator[Any]:
    """The rows of these columns, in order, as batches of Arrow; `few` are columns with few distinct texts."""
    names = column_names(piece)
    if missing := [name for name in columns if name not in names]:
        got = f"none called {missing[0]!r}; there are {names[:12]}"
        raise InputError(f"columns of {piece.name}", "be those of the first file", got)
    with _readable(piece.name, piece.kind):
        yield from _scanned(piece, list(columns), few)


def read_ahead(found: Iterator[T], most: int = 8) -> Iterator[T]:
    """The same, read a little ahead in a thread, across the ends of files too.

    >>> list(read_ahead(iter("abc"), 2))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(1) as reader:
        waiting = deque(reader.submit(next, found, _END) for _ in range(most))
        while (one := waiting.popleft().result()) is not _END:
            waiting.append(reader.submit(next, found, _END))
            yield cast(T, one)


def _scanned(piece: Piece, columns: list[str], few: Sequence[str]) -> Iterator[Any]:
    import pyarrow.dataset as ds

    fragment: Any = ds.dataset(piece.path, format=_format(piece.kind, columns, few)).get_fragments()
    fragment = next(iter(fragment))
    if piece.groups is not None:
        fragment = fragment.subset(row_group_ids=list(piece.groups))
    yield from fragment.to_batches(
        columns=columns, batch_size=ROWS_AT_ONCE, batch_readahead=_BATCHES_AHEAD, fragment_readahead=1
    )


def _format(kind: str, columns: Sequence[str], few: Sequence[str]) -> Any:
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.dataset as ds

    if kind == "parquet":
        return ds.ParquetFileFormat(dictionary_columns=set(few))
    texts = pc.ConvertOptions(column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False)
    return ds.CsvFileFormat(convert_options=texts)


def count_rows(pieces: Sequence[Piece]) -> int | None:
    """How many rows there are, where files tell it without being read."""
    import pyarrow.parquet as pq

    rows = 0
    for one in pieces:
        if one.kind != "parquet":
            return None
        with _readable(one.name, one.kind):
            rows += pq.read_metadata(one.path).num_rows
    return rows


def split(pieces: Sequence[Piece], wanted: int) -> list[Piece]:
    """The same in more pieces, row group by row group, where there are fewer files than wanted."""
    import pyarrow.parquet as pq

    if len(pieces) >= wanted:
        return list(pieces)
    out: list[Piece] = []
    for one in pieces:
        if one.kind != "parquet":
            out.append(one)
            continue
        with _readable(one.name, one.kind):
            about = pq.read_metadata(one.path)
        first = 0
        for k in range(about.num_row_groups):
            out.append(replace(one, groups=(k,), first=first))
            first += about.row_group(k).num_rows
        if not about.num_row_groups:
            out.append(one)
    return out
