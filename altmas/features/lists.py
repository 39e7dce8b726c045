"""A column whose cells are lists of numbers, as embeddings are often kept."""

from __future__ import annotations

import json
from collections.abc import Sized
from typing import Any

import numpy as np

from altmas.core.checks import is_blank
from altmas.metrics.types import Float32Array


def matrix_of(column: Any) -> Float32Array | None:
    """The lists of a column as `[N, D]`, written out as JSON or not; None if its cells are no lists of one length.

    >>> matrix_of([[1, 2], [3, 4]]).tolist(), matrix_of(["[1, 2]", "[3, 4]"]).tolist(), matrix_of(["a", "b"])
    ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]], None)
    """
    cells = column.tolist() if hasattr(column, "tolist") else list(column)
    if not cells or not all(map(_may_be_list, cells[:100])):
        return None
    rows: list[Any] = []
    for cell in cells:
        row = _read(cell)
        if row is None or (rows and len(row) != len(rows[0])):
            return None
        rows.append(row)
    found: Float32Array = np.stack(rows)
    return found if found.shape[1] and np.isfinite(found).all() else None


def _may_be_list(cell: Any) -> bool:
    if isinstance(cell, str):
        return cell.lstrip().startswith("[")
    return isinstance(cell, Sized) and not is_blank(cell) and not isinstance(cell, bytes | dict | set)


def _read(cell: Any) -> Float32Array | None:
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            return None
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and no feature
            row = np.asarray(cell, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        return None
    return row if row.ndim == 1 else None
