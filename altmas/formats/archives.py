"""npz and npy files, never unpickled, and measured before they are unpacked."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from altmas.core.limits import few_columns, fits
from altmas.formats.columns import as_objects, frame_of, sound, typed
from altmas.formats.files import refusing
from altmas.metrics.errors import InputError

_SUFFIX = ".npy"
STAYS_ON_DISK = "Save it as .npy, which stays on disk and may be of any size."


def read_npz(path: Path, only: str | None = None) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file by name, or `only` that one."""
    arrays: dict[str, NDArray[Any]] = {}
    with refusing(path.name, "be an npz file"), zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        names = [member.filename.removesuffix(_SUFFIX) for member in members]
        if len(set(names)) < len(names):
            raise InputError(f"arrays of {path.name}", "have distinct names", sorted(names)[:12])
        if only is not None and only not in names:
            raise InputError(path.name, f"hold an array {only!r}", f"{sorted(names)[:12]}")
        asked = [member for name, member in zip(names, members, strict=True) if only in (None, name)]
        fits(path.name, sum(member.file_size for member in asked), path.stat().st_size, STAYS_ON_DISK)
        for name, member in zip(names, members, strict=True):
            if only in (None, name):
                arrays[name] = _member(archive, member, f"array {name!r} of {path.name}")
    return arrays


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, subject: str) -> NDArray[Any]:
    with refusing(subject, "be a numpy array"):
        with archive.open(member) as file:
            version = np.lib.format.read_magic(file)
            if version not in ((1, 0), (2, 0)):
                # Version 3 only differs in letting a structured type have names beyond Latin-1.
                raise InputError(subject, "be a numpy array of version 1 or 2", f"version {version}")
            header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, kind = header(file)
            _no_objects(kind, subject)
            # What the header claims is allocated before a byte is read.
            if any(n < 0 for n in shape) or math.prod(shape) * kind.itemsize != member.file_size - file.tell():
                raise InputError(subject, f"hold what its header claims, shape {shape}", f"{member.file_size:,} bytes")
        with archive.open(member) as file:
            return native(np.lib.format.read_array(file, allow_pickle=False))


def read_npy(path: Path) -> NDArray[Any]:
    """The array of an npy file, memory-mapped: it stays on disk."""
    with refusing(path.name, "be a numpy array"):
        try:
            array = np.lib.format.open_memmap(path, mode="r")
        except ValueError as error:
            if "object" in str(error).lower():
                raise _objects(path.name) from None
            raise
        _no_objects(array.dtype, path.name)
        return array if array.dtype.isnative else native(array)


def table_of_arrays(arrays: dict[str, NDArray[Any]], subject: str) -> pd.DataFrame:
    """A table from arrays of one length: `[N]` is a column, `[N, C]` are columns `name_0`, `name_1`, ...

    >>> table_of_arrays({"id": np.array(["a", "b"]), "p": np.eye(2)}, "a.npz")
      id  p_0  p_1
    0  a  1.0  0.0
    1  b  0.0  1.0
    """
    if not arrays:
        raise InputError(subject, "hold at least one array", "none")
    for name, array in arrays.items():
        if array.ndim not in (1, 2):
            raise InputError(f"array {name!r} of {subject}", "be [N] or [N, C], a row per item", f"shape {array.shape}")
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"arrays of {subject}", "be of one length", f"{dict(list(lengths.items())[:12])}")
    few_columns(subject, sum(1 if array.ndim == 1 else array.shape[1] for array in arrays.values()))
    columns: dict[str, Any] = {}
    for name, array in arrays.items():
        wide = {name: array} if array.ndim == 1 else {f"{name}_{i}": array[:, i] for i in range(array.shape[1])}
        for one, column in wide.items():
            if one in columns:
                raise InputError(f"columns of {subject}", "have distinct names", f"{one!r} twice")
            columns[sound(one, f"an array's name in {subject}")] = _column(column, f"array {name!r} of {subject}")
    return frame_of(columns, next(iter(lengths.values())))


def native(array: NDArray[Any]) -> NDArray[Any]:
    """The array in this machine's byte order."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _column(column: NDArray[Any], subject: str) -> Any:
    if column.dtype.kind in "iub":
        return column
    if column.dtype.kind == "f":
        return column.astype(np.float64)
    if column.dtype.kind == "M":
        return as_objects([None if np.isnat(v) else str(v) for v in column])
    if column.dtype.kind not in "US":
        raise InputError(subject, "be numbers or text", f"dtype {column.dtype}")
    with refusing(subject, "be text"):
        return typed(column.tolist(), subject)


def _no_objects(kind: np.dtype[Any], subject: str) -> None:
    if kind.hasobject:
        raise _objects(subject)


def _objects(subject: str) -> InputError:
    hint = "Opening it would run whatever program is in it: save plain numbers or text."
    return InputError(subject, "be an array of numbers or text", "pickled Python objects", hint)
