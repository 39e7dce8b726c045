"""A short hash of every item's row: what annotators are shown is what it was when the audit was made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from altmas.audits.events import canonical
from altmas.audits.pool_files import POOL_FOLDER
from altmas.core.files import sha256_of, write_array
from altmas.metrics.types import IntArray

HASHES_FILE = "item-hashes.npy"


def row_hash(row: Iterable[Any]) -> int:
    """Eight bytes of a row's hash: enough to see damage; whoever forges is found by the hash of all rows.

    >>> row_hash([0, "a", "{}", None]) == row_hash([0, "a", "{ }", None])
    False
    """
    return int.from_bytes(hashlib.sha256(canonical(list(row)).encode()).digest()[:8], signed=True)


def save_item_hashes(folder: Path, rows: Iterable[Iterable[Any]], files: Mapping[str, str]) -> dict[str, str]:
    """Write the hashes beside the files of the pool; all these files' hashes."""
    hashes = np.array([row_hash(row) for row in rows], dtype=np.int64)
    return {**files, HASHES_FILE: sha256_of(write_array(folder / POOL_FOLDER / HASHES_FILE, hashes))}


def load_item_hashes(folder: Path, files: Iterable[str]) -> IntArray | None:
    """The hashes; None for an audit of an earlier version, which has none."""
    path = folder / POOL_FOLDER / HASHES_FILE
    return np.load(path, mmap_mode="r", allow_pickle=False) if HASHES_FILE in files else None
