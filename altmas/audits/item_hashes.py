"""The hash of all items' rows, and a short one of every row: what annotators are shown is what it was at the start."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from json import encoder
from pathlib import Path

import numpy as np

from altmas.audits.events import canonical
from altmas.audits.pool_files import POOL_FOLDER
from altmas.core.files import sha256_of, write_array
from altmas.metrics.types import IntArray

HASHES_FILE = "item-hashes.npy"

as_json = encoder.encode_basestring
"""A text as JSON has it, in C."""

ItemRow = tuple[int, str, str, str | None]
"""A row of the store: position, id, content as JSON, path of its image."""

_SHORT = 8


class Hashed:
    """Rows on their way to or from the store, hashed as they pass: there is no list of all of them.

    >>> rows = Hashed([(0, "a", "{}", None)])
    >>> list(rows), rows.all[:8], rows.each().tolist() == [row_hash((0, "a", "{}", None))]
    ([(0, 'a', '{}', None)], '764970cc', True)
    """

    def __init__(self, rows: Iterable[ItemRow]) -> None:
        self._rows = rows
        self._all, self._each = hashlib.sha256(), bytearray()

    def __iter__(self) -> Iterator[ItemRow]:
        for row in self._rows:
            text = _text(row).encode()
            self._all.update(text)
            self._each += hashlib.sha256(text).digest()[:_SHORT]
            yield row

    @property
    def all(self) -> str:
        """The hash of all rows that passed."""
        return self._all.hexdigest()

    def each(self) -> IntArray:
        """The short hash of each of them."""
        return np.frombuffer(bytes(self._each), dtype=">i8").astype(np.int64)


def digest(rows: Iterable[ItemRow]) -> str:
    """The hash of the items' rows."""
    return digest_of_texts(map(_text, rows))


def digest_of_texts(texts: Iterable[str]) -> str:
    """The same of rows that are texts already, as `Store.items_as_json` has them."""
    found = hashlib.sha256()
    for text in texts:
        found.update(text.encode())
    return found.hexdigest()


def row_hash(row: ItemRow) -> int:
    """Eight bytes of a row's hash: enough to see damage; whoever forges is found by the hash of all rows.

    >>> row_hash((0, "a", "{}", None)) == row_hash((0, "a", "{ }", None))
    False
    """
    return int.from_bytes(hashlib.sha256(_text(row).encode()).digest()[:_SHORT], signed=True)


def _text(row: ItemRow) -> str:
    """What `canonical` makes of a row, in a fifth of the time: there may be millions."""
    try:
        position, id, content, media = row
        return f"[{position},{as_json(id)},{as_json(content)},{'null' if media is None else as_json(media)}]"
    except TypeError:  # somebody put something else where text was
        return canonical(list(row))


def save_item_hashes(folder: Path, hashes: IntArray, files: Mapping[str, str]) -> dict[str, str]:
    """Write the hashes beside the files of the pool; all these files' hashes."""
    return {**files, HASHES_FILE: sha256_of(write_array(folder / POOL_FOLDER / HASHES_FILE, hashes))}


def load_item_hashes(folder: Path, files: Iterable[str]) -> IntArray | None:
    """The hashes; None for an audit of an earlier version, which has none."""
    path = folder / POOL_FOLDER / HASHES_FILE
    return np.load(path, mmap_mode="r", allow_pickle=False) if HASHES_FILE in files else None
