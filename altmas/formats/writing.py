"""Tables to files: all or nothing, readable by their owner alone, harmless in a spreadsheet."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from altmas.core.checks import is_blank, plain
from altmas.core.files import write_bytes
from altmas.core.limits import fits
from altmas.formats.columns import all_sound, cell_text, sound, texts, typed
from altmas.formats.files import refuse_suffix
from altmas.formats.spreadsheets import neutralise
from altmas.metrics.errors import InputError

KINDS = "CSV, TSV, Parquet, JSONL, JSON or npz"
"""What tables are written as."""


def write_table(frame: pd.DataFrame, path: str | Path) -> None:
    r"""Write a table as CSV, TSV, Parquet, JSONL, JSON or npz, by the ending of the path.

    The file appears whole or not at all, mode 0600. In CSV and TSV, text that a spreadsheet would run is neutralised
    (see `neutralise`), and a byte order mark tells Excel the encoding where there is more than ASCII. The index is left
    out.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(pd.DataFrame({"id": ["007", "=1"], "n": [-1, 2]}), f"{folder}/a.csv")
    ...     Path(f"{folder}/a.csv").read_text()
    "id,n\n007,-1\n'=1,2\n"
    """
    target = Path(path)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        raise refuse_suffix(target, KINDS)
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise InputError("columns", "have distinct names", names[:12])
    if not all(names):
        raise InputError("columns", "have names", names[:12])
    columns = {sound(name, "a column's name"): frame.iloc[:, i].tolist() for i, name in enumerate(names)}
    for name, cells in columns.items():
        all_sound(cells, f"column {name!r}")
    write_bytes(target, writer(columns, len(frame)))


Columns = dict[str, list[Any]]


def _delimited(delimiter: str) -> Callable[[Columns, int], bytes]:
    # Whatever could be taken for a delimiter is quoted, so that the right one is found in any file.
    special = re.compile(r'[,;\t"\r\n]|^\s|\s$')

    def cell(value: object) -> str:
        text = neutralise(value) if isinstance(value, str) else cell_text(value)
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    def line(values: Iterable[object]) -> str:
        # A lone empty cell would be an empty line, which is no row.
        return (delimiter.join(cell(v) for v in values) or '""') + "\n"

    def write(columns: Columns, rows: int) -> bytes:
        content = line(columns) + "".join(line(column[i] for column in columns.values()) for i in range(rows))
        return content.encode("utf-8" if content.isascii() else "utf-8-sig")

    return write


def _json_rows(columns: Columns, rows: int) -> list[str]:
    def cell(value: object) -> object:
        if is_blank(value):
            return None
        value = plain(value)
        return value if isinstance(value, str | bool | int | float) else str(value)

    records = ({name: cell(column[i]) for name, column in columns.items()} for i in range(rows))
    try:
        return [json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records]
    except ValueError:
        raise InputError("numbers in JSON", "be finite", "infinity") from None


def _jsonl(columns: Columns, rows: int) -> bytes:
    return "".join(line + "\n" for line in _json_rows(columns, rows)).encode()


def _json(columns: Columns, rows: int) -> bytes:
    return ("[" + ",\n ".join(_json_rows(columns, rows)) + "]\n").encode()


def _parquet(columns: Columns, rows: int) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table([_arrow(name, cells) for name, cells in columns.items()], names=list(columns))
    sink = io.BytesIO()
    pq.write_table(table, sink, write_page_checksum=True)
    return sink.getvalue()


def _arrow(name: str, cells: list[Any]) -> Any:
    import pyarrow as pa

    column = typed(cells, f"column {name!r}")
    if column.dtype != object:
        return pa.array(column)
    return pa.array([None if is_blank(v) else cell_text(v) for v in cells], pa.string())


def _npz(columns: Columns, rows: int) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, cells in columns.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, _array(name, cells), allow_pickle=False)
            # A fixed date: the same table is the same file.
            info = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.getvalue())
    return sink.getvalue()


def _array(name: str, cells: list[Any]) -> Any:
    column = typed(cells, f"column {name!r}")
    if isinstance(column, np.ndarray):
        return column
    words = texts(cells)  # numpy has no gaps but NaN
    fits(f"column {name!r} in npz", 4 * len(words) * max(map(len, words), default=0))
    return np.array(words, dtype=np.str_)


WRITERS: dict[str, Callable[[Columns, int], bytes]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".parquet": _parquet,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".npz": _npz,
}
