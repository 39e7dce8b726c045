"""The file a sweep leaves: a line of JSON per finished cell, written whole or not at all."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from altmas.core.files import locked
from altmas.experiments.bench.spec import Cell
from altmas.metrics.errors import InputError

SORTED = ["pool", "model", "metrics", "method", "budget", "seed", "initial", "batch", "level", "key"]


@dataclass(frozen=True)
class Finished:
    """A cell that is done: its rows, or the error it failed with. `seconds` and `error` are no results."""

    key: str
    status: str
    cell: dict[str, Any]
    rows: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    checksum: str = ""
    version: str = ""
    seconds: float = 0.0

    def line(self) -> bytes:
        r"""One line of JSON.

        >>> Finished("k", "ok", {}).line()[:28]
        b'{"key":"k","status":"ok","ce'
        """
        return json.dumps(asdict(self), separators=(",", ":"), allow_nan=False).encode() + b"\n"


def read_finished(path: Path) -> list[Finished]:
    """The last line of every cell; the file may be gzipped. Half a line, where a sweep was killed, does not count."""
    return lines_of(path).cells if path.is_file() else []


@dataclass(frozen=True)
class Lines:
    """What a file of rows holds: the last line of every cell, whether half a line follows, and the file's SHA-256."""

    cells: list[Finished]
    half: bool
    sha256: str


def lines_of(path: Path) -> Lines:
    """The lines of a file of rows, or a refusal of the first that is none."""
    stored = path.read_bytes()
    try:
        content = gzip.decompress(stored) if path.suffix == ".gz" else stored
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"rows file {path.name}", "be gzipped, and whole", str(error)) from None
    found: dict[str, Finished] = {}
    end = content.rfind(b"\n") + 1
    for number, line in enumerate(content[:end].splitlines(), 1):
        try:
            one = Finished(**json.loads(line))
            found[one.key] = one
        except (ValueError, TypeError, RecursionError):
            raise InputError(f"rows file {path.name}", "hold the lines of a sweep", f"line {number}") from None
    return Lines(list(found.values()), end < len(content), hashlib.sha256(stored).hexdigest())


@dataclass(frozen=True)
class Writer:
    """Appends lines to an open file."""

    descriptor: int

    def append(self, lines: bytes) -> None:
        """Write with one call, and wait until it is on disk."""
        written = os.write(self.descriptor, lines)
        if written != len(lines):  # a full disk: half a line is cut when the sweep resumes
            raise OSError(f"only {written} of {len(lines)} bytes were written; the disk may be full")
        os.fsync(self.descriptor)


@contextmanager
def appending(path: Path) -> Iterator[Writer]:
    """Open the rows for this process alone, cutting half a line at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.lock"), wait=0) as mine:
        if not mine:
            raise InputError("rows file", "be written by one sweep at a time", str(path))
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
        try:
            os.ftruncate(descriptor, path.read_bytes().rfind(b"\n") + 1)
            yield Writer(descriptor)
        finally:
            os.close(descriptor)


def to_frame(path: Path, cells: Sequence[Cell] | None = None) -> pd.DataFrame:
    """All rows, in the order of the cells (by their content, where none are given), however they were finished."""
    known = {one.key: one for one in read_finished(path) if one.status == "ok"}
    if cells is None:
        ordered = sorted(known.values(), key=by_content)
    else:
        ordered = [known[cell.key] for cell in cells if cell.key in known]
    return framed(ordered)


def by_content(one: Finished) -> list[Any]:
    """What sorts cells where nothing else does."""
    return [{**one.cell, "key": one.key}.get(name, "") for name in SORTED]


def framed(cells: Iterable[Finished]) -> pd.DataFrame:
    """A row for each of the cells' rows."""
    return pd.DataFrame(
        [
            {**one.cell, **row, "key": one.key, "checksum": one.checksum, "seconds": one.seconds}
            for one in cells
            for row in one.rows
        ]
    )


def same_rows(a: pd.DataFrame, b: pd.DataFrame) -> bool:
    """Whether two sweeps found the same, bit for bit; the seconds do not count."""
    return a.drop(columns="seconds", errors="ignore").equals(b.drop(columns="seconds", errors="ignore"))
