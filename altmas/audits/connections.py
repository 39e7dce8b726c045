"""Connections to a store's file: to write, or only to read it where it lies in a folder that cannot be written to."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

BUSY_SECONDS = 30.0
"""A writer waits this long for another; no writer holds the store for more than a fraction of a second."""

DAMAGED = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file raises; the second where SQLite quotes what it could not understand."""

UNFINISHED = ("-wal", "-journal")
"""Endings of the files that hold what SQLite has not yet copied into the store's own."""


def can_write(path: Path) -> bool:
    """Whether a store's file, its folder, and what lies beside it may be written to."""
    beside = [path.with_name(path.name + end) for end in (*UNFINISHED, "-shm")]
    return all(os.access(one, os.W_OK) for one in (path.parent, path, *(one for one in beside if one.exists())))


def connect(path: Path) -> sqlite3.Connection:
    """A connection that writes: a commit is on disk before it is acknowledged.

    Some file systems, above all those of a network, have no shared memory, which WAL needs. SQLite then answers with
    the journal it uses instead; that is as safe, only slower, and readers wait for writers.
    """
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # of macOS alone: see `to_disk`
    except DAMAGED:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> tuple[sqlite3.Connection, TemporaryDirectory[str] | None]:
    """A connection that only reads, and the folder of the copy that it reads, where it needs one.

    SQLite cannot read what is unfinished in a folder that it cannot write to, and would leave it out if told that
    nothing there changes: the newest answers would be missing without a word. So these files are copied.
    """
    try:
        return _reading(path, "mode=ro"), None
    except sqlite3.OperationalError:
        unfinished = [one for end in UNFINISHED if _holds_something(one := path.with_name(path.name + end))]
        if not unfinished:
            return _reading(path, "mode=ro&immutable=1"), None
    home = TemporaryDirectory(prefix="altmas-")
    try:
        for one in (path, *unfinished):
            shutil.copyfile(one, Path(home.name) / one.name)
        return connect(Path(home.name) / path.name), home
    except BaseException:
        home.cleanup()
        raise


def _reading(path: Path, how: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{how}"
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()  # or it fails only later
    except DAMAGED:
        connection.close()
        raise
    return connection


def _holds_something(path: Path) -> bool:
    with suppress(FileNotFoundError):
        return path.stat().st_size > 0
    return False
