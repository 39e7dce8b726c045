"""Arrays from files: npy stays on disk, npz is measured first, tables of numbers become `[N, C]`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from altmas.features.lists import matrix_of
from altmas.formats.archives import read_npy, read_npz
from altmas.formats.arrow import from_arrow, objects_in
from altmas.formats.columns import numbers, texts
from altmas.formats.files import existing, refusing
from altmas.formats.parquet import open_parquet
from altmas.formats.tables import read_numbered
from altmas.metrics.errors import InputError


def read_array(path: str | Path, name: str | None = None) -> NDArray[Any]:
    """An array of numbers from an npy, npz or table file.

    An npz file has one array, or `name` says which. A table's columns are the array's; a Parquet file may instead
    have one column of lists, as embeddings are often kept.

    >>> read_array("nowhere.npy")
    Traceback (most recent call last):
    altmas.metrics.errors.InputError: nowhere.npy must be a file; got no file at that path.
    """
    found = existing(path)
    suffix = found.suffix.lower()
    if suffix == ".npy":
        array = read_npy(found)
    elif suffix == ".npz":
        array = _named(found, name)
    else:
        array = read_features(found)[0]
    return _checked(array, found.name)


def _checked(array: NDArray[Any], subject: str) -> NDArray[Any]:
    if array.dtype.kind not in "fiub":
        raise InputError(subject, "be numbers", f"dtype {array.dtype}")
    if array.ndim == 0:
        raise InputError(subject, "be [N, ...], a row per item", "a single number")
    return array


def _named(path: Path, name: str | None) -> NDArray[Any]:
    return _only(read_npz(path, name), path)


def _only(arrays: dict[str, NDArray[Any]], path: Path) -> NDArray[Any]:
    if len(arrays) != 1:
        hint = "Say which one by its name." if arrays else ""
        raise InputError(path.name, "hold one array", f"{len(arrays)}: {sorted(arrays)[:12]}", hint)
    return next(iter(arrays.values()))


def read_named_rows(path: str | Path, id: str) -> tuple[NDArray[Any], list[str] | None]:
    """The array of an npz file, and the ids of its rows if there is one array more that is named as ids are."""
    found = existing(path)
    arrays = read_npz(found)
    named = next((name for name in (id, "id", "ids") if name in arrays and arrays[name].ndim == 1), None)
    ids = texts(arrays.pop(named).tolist()) if named is not None and len(arrays) == 2 else None
    return _checked(_only(arrays, found), found.name), ids


def read_features(source: Any, id: str | None = None) -> tuple[NDArray[Any], list[str] | None]:
    """Rows of numbers from a table, and the ids of the rows if it has the column `id`.

    >>> import pandas as pd
    >>> read_features(pd.DataFrame({"id": ["a", "b"], "x": [1, 2]}), "id")
    (array([[1.],
           [2.]]), ['a', 'b'])
    """
    if isinstance(source, str | Path) and Path(source).suffix.lower() in {".parquet", ".pq"}:
        source = open_parquet(existing(source))
    elif hasattr(source, "__arrow_c_stream__") and not isinstance(source, pd.DataFrame):
        import pyarrow as pa

        with refusing("the features", "be a table"):
            source = pa.table(source)
    if (lists := _lists(source, id)) is not None:
        return lists
    if isinstance(source, pd.DataFrame) and (found := _lists_of_pandas(source, id)) is not None:
        return found
    table = read_numbered(source, text=id is not None)
    subject = Path(source).name if isinstance(source, str | Path) else "features"
    ids = texts(table.frame[id]) if id in table.frame.columns else None
    others = [name for name in table.frame.columns if name != id]
    if len(others) == 1 and (matrix := matrix_of(table.frame[others[0]])) is not None:
        return matrix, ids  # lists written as JSON
    columns = [numbers(table.frame[name], f"column {name!r} of {subject}", table.rows) for name in others]
    return np.column_stack(columns) if columns else np.empty((len(table.rows), 0)), ids


def _lists(table: Any, id: str | None) -> tuple[NDArray[Any], list[str] | None] | None:
    """The one column of lists of an Arrow table, if that is all it has beside ids."""
    if not hasattr(table, "column_names"):
        return None
    import pyarrow as pa

    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    names = [name for name in table.column_names if name != id]
    if len(names) != 1 or not any(is_kind(table.schema.field(names[0]).type) for is_kind in kinds):
        return None
    with refusing(f"column {names[0]!r}", "hold lists of numbers, all of one length"):
        array = _matrix(table.column(names[0]), f"column {names[0]!r}")
    ids = texts(from_arrow(table.select([id]), "features")[id]) if id in table.column_names else None
    return array, ids


def _lists_of_pandas(table: pd.DataFrame, id: str | None) -> tuple[NDArray[Any], list[str] | None] | None:
    """The one column of lists of a pandas table, if that is all it has beside ids."""
    if id is not None and id in table.index.names:
        table = table.reset_index()
    names = [name for name in table.columns if name != id]
    matrix = matrix_of(table[names[0]]) if len(names) == 1 and table.columns.is_unique else None
    return None if matrix is None else (matrix, texts(table[id].tolist()) if id in table.columns else None)


def _matrix(column: Any, subject: str) -> NDArray[Any]:
    """A column of lists as `[N, D]`; numbers never become Python objects, which would be six times as large."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.unique(pc.list_value_length(column))
    if len(lengths) > 1 or column.null_count or pa.types.is_nested(column.type.value_type):
        return np.array(objects_in(column, subject), dtype=np.float64)  # which may be lists of lists
    values = np.concatenate([np.asarray(chunk.flatten()) for chunk in column.chunks] or [np.empty(0)])
    return values.astype(np.float64).reshape(len(column), -1)
