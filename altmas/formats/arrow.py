"""Parquet files and Arrow tables, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from altmas.core.limits import NESTED_BYTES, fits
from altmas.formats.columns import all_sound, as_objects, frame_of, sound, typed
from altmas.formats.files import refusing
from altmas.formats.parquet import SPLIT, open_parquet, values_in
from altmas.metrics.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def read_parquet(path: Path) -> pd.DataFrame:
    """A Parquet file, if no more is in it than fits into memory."""
    return from_arrow(open_parquet(path), path.name)


def from_arrow(table: Any, subject: str) -> pd.DataFrame:
    """An Arrow table as pandas: 64-bit numbers exactly, with or without gaps, text as Python text.

    >>> import pyarrow as pa
    >>> from_arrow(pa.table({"id": [2**62 + 1, None], "said": ["a", None]}), "a table")
                        id  said
    0  4611686018427387905     a
    1                 <NA>  None
    """
    names: set[str] = set()
    for name in table.column_names:
        if name in names:
            raise InputError(f"columns of {subject}", "have distinct names", f"{name!r} twice")
        names.add(name)
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
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
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _texts(column, subject)
    if pa.types.is_nested(kind):
        return typed(objects_in(column, subject), subject)
    return typed(column.to_pylist(), subject)


def objects_in(column: Any, subject: str) -> list[Any]:
    """A nested column as Python objects, if they fit into memory, where each is six times as large."""
    fits(subject, NESTED_BYTES * sum(map(values_in, column.chunks)), hint=SPLIT)
    found: list[Any] = column.to_pylist()
    return found


def _texts(column: Any, subject: str) -> Any:
    """A column of text in which equal texts are one object: a class that is said a million times is kept once."""
    encoded = column.dictionary_encode()
    if not encoded.num_chunks:
        return as_objects([])
    words = as_objects([*all_sound(encoded.chunk(0).dictionary.to_pylist(), subject), None]).to_numpy()
    places = [chunk.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    return pd.Series(words[np.concatenate(places)], dtype=object)


def _unwrapped(column: Any) -> Any:
    """The plain values of a column of somebody's own type."""
    import pyarrow as pa

    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        stored = pa.chunked_array([chunk.storage for chunk in column.chunks], type=kind.storage_type)
        return _unwrapped(stored)
    return column
