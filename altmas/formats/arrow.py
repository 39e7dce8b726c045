"""Parquet files and Arrow tables, column by column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from altmas.formats.columns import as_objects, frame_of, sound, typed
from altmas.formats.files import fits, refusing
from altmas.metrics.errors import InputError


def read_parquet(path: Path) -> pd.DataFrame:
    """A Parquet file, if it declares no more than fits into memory."""
    return from_arrow(open_parquet(path), path.name)


def open_parquet(path: Path) -> Any:
    """The Arrow table of a Parquet file."""
    import pyarrow.parquet as pq

    with refusing(path.name, "be a Parquet file"), path.open("rb") as source:
        # Read through a Python file: with a memory map, a file cut short would end the process.
        file = pq.ParquetFile(source, page_checksum_verification=True)
        about = file.metadata
        declared = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        fits(path.name, max(declared, 8 * about.num_rows * about.num_columns))
        table = file.read()
        table.validate(full=True)
    return table


def from_arrow(table: Any, subject: str) -> pd.DataFrame:
    """An Arrow table as pandas: 64-bit numbers exactly, with or without gaps, text as Python text.

    >>> import pyarrow as pa
    >>> from_arrow(pa.table({"id": [2**62 + 1, None], "said": ["a", None]}), "a table")
                        id  said
    0  4611686018427387905     a
    1                 <NA>  None
    """
    names = table.column_names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"columns of {subject}", "have distinct names", f"{twice!r} twice")
    columns = {}
    for name, column in zip(names, table.columns, strict=True):
        what = f"column {name!r} of {subject}"
        with refusing(what, "be readable"):
            columns[sound(name, f"a column's name in {subject}")] = _column(column, what)
    return frame_of(columns, table.num_rows)


def _column(column: Any, subject: str) -> Any:
    import pyarrow as pa

    column = _unwrapped(column)
    kind = column.type
    if pa.types.is_integer(kind):
        whole = column.fill_null(0).to_numpy().copy()
        return pd.arrays.IntegerArray(whole, column.is_null().to_numpy().copy()) if column.null_count else whole
    if pa.types.is_floating(kind):
        return column.to_numpy().astype(np.float64)
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        return as_objects(column.cast(pa.string()).to_pylist())
    return typed(column.to_pylist(), subject)


def _unwrapped(column: Any) -> Any:
    """The plain values of a column of somebody's own type."""
    import pyarrow as pa

    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        stored = pa.chunked_array([chunk.storage for chunk in column.chunks], type=kind.storage_type)
        return _unwrapped(stored)
    return column
