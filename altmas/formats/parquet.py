"""Parquet files, measured before and while they are unpacked: a megabyte can hold a text a hundred thousand times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from altmas.core.limits import few_columns, fits
from altmas.formats.files import refusing

SPLIT = "Split the file, or leave out columns that are not needed."
_ROWS_AT_ONCE = 1 << 13
_USUAL_WIDTH = 8


def open_parquet(path: Path) -> Any:
    """The Arrow table of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with refusing(path.name, "be a Parquet file"), path.open("rb") as source:
        # Read through a Python file: with a memory map, a file cut short would end the process.
        about = pq.read_metadata(source)
        few_columns(path.name, about.num_columns)
        source.seek(0)
        leaves = [about.schema.column(i) for i in range(about.num_columns)]
        file = pq.ParquetFile(
            source,
            page_checksum_verification=True,
            # Repeated texts stay references until their real size is known.
            read_dictionary=[leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"],
        )
        packed = path.stat().st_size
        fits(path.name, _claimed(file, leaves), packed, SPLIT)
        batches, size = [], 0
        for batch in file.iter_batches(_ROWS_AT_ONCE, use_threads=False):
            size += sum(map(_text_bytes, batch.columns))
            fits(path.name, size, packed, SPLIT)
            batches.append([_plain(column) for column in batch.columns])
        schema = file.schema_arrow
        kinds = [column.type for column in batches[0]] if batches else schema.types
        columns = [pa.chunked_array([one[i] for one in batches], kind) for i, kind in enumerate(kinds)]
        table = pa.table(columns, names=schema.names)
        table.validate(full=True)
    return table


def _claimed(file: Any, leaves: Sequence[Any]) -> int:
    """What the file says it unpacks to: bytes of its pages, or values times the width of their kind."""
    about = file.metadata
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    pages = sum(max(group.total_byte_size, 0) for group in groups)
    rows = max(about.num_rows, sum(max(group.num_rows, 0) for group in groups))
    flat = [leaf for leaf in leaves if not leaf.max_repetition_level]
    values = rows * sum(map(_width, flat))
    if len(flat) < len(leaves):  # lists: a row may hold any number of values
        for i, group in enumerate(groups):
            # Asked for a column of a broken group, the library ends the process, unless it was to read the group first.
            next(file.reader.iter_batches(0, [i], list(range(len(leaves))), use_threads=False), None)
            for j, leaf in enumerate(leaves):
                if leaf.max_repetition_level:
                    values += _width(leaf) * max(group.column(j).num_values, 0)
    return int(max(pages, values))


def _width(leaf: Any) -> int:
    """Bytes of one value; of a text, the reference to it."""
    if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY":
        return max(int(leaf.length), _USUAL_WIDTH)
    return _USUAL_WIDTH


def _text_bytes(array: Any) -> int:
    """What the texts of an array take once each stands for itself."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        if not pa.types.is_binary(array.type.value_type) and not pa.types.is_string(array.type.value_type):
            return 0
        lengths = pc.cast(pc.binary_length(array.dictionary), pa.int64())
        return int(pc.sum(lengths.take(array.indices)).as_py() or 0)
    return sum(_text_bytes(part) for part in _parts(array))


def values_in(array: Any) -> int:
    """Values inside of all the lists and structures of an array.

    >>> import pyarrow as pa
    >>> values_in(pa.array([[[1, 2]], [[3], []]])), values_in(pa.array([1, 2]))
    (3, 2)
    """
    parts = list(_parts(array))
    return sum(map(values_in, parts)) if parts else len(array)


def _parts(array: Any) -> Iterator[Any]:
    import pyarrow as pa

    if pa.types.is_struct(array.type):
        yield from array.flatten()
    elif pa.types.is_map(array.type):
        yield from (array.keys, array.items)
    elif pa.types.is_nested(array.type):
        yield array.flatten()
    elif isinstance(array, pa.ExtensionArray):
        yield array.storage


def _plain(array: Any) -> Any:
    """The texts themselves, with offsets wide enough for any number of them."""
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type):
        return array
    kind = array.type.value_type
    wide = pa.large_string() if pa.types.is_string(kind) else pa.large_binary() if pa.types.is_binary(kind) else kind
    return array.dictionary.cast(wide).take(array.indices)
