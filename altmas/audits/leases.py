"""Leases: what was handed to one annotator is not handed to the next, for a while, whichever process they sit at."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from altmas.core.files import FILE_MODE

LEASES_FILE = "leases.db"
SECONDS = 600.0
"""After this long without an answer, others may have the question."""

_WAIT_SECONDS = 10.0
_TABLE = """
CREATE TABLE IF NOT EXISTS leases (
    position INTEGER, annotator TEXT, until REAL, PRIMARY KEY (position, annotator)
) WITHOUT ROWID
"""

Held = Mapping[int, set[str]]
"""Who holds a position."""


class Leases:
    """Who holds which positions just now, in a small file beside the store.

    The file is made when the first question is handed out. Losing it costs nothing but a second answer, so whatever is
    wrong with it never keeps anybody from a question.

    >>> import tempfile
    >>> leases = Leases(Path(tempfile.mkdtemp()))
    >>> leases.take("mk", lambda held: [4, 7]), leases.take("ab", lambda held: [p for p in (7, 8) if p not in held])
    ([4, 7], [8])
    """

    def __init__(self, folder: Path, seconds: float = SECONDS, clock: Callable[[], float] = time.time) -> None:
        self._path, self._seconds, self.clock = folder / LEASES_FILE, seconds, clock
        self._connection: sqlite3.Connection | None = None

    def take(self, annotator: str, choose: Callable[[Held], list[int]]) -> list[int]:
        """Hand positions to an annotator, in place of what they held.

        `choose` is told what others hold, and nobody else takes anything until it has chosen. It must look at the
        answers itself: whoever gave one has let go of the question by now.
        """
        chosen = None
        with suppress(OSError, sqlite3.Error), self._alone() as connection:
            now = self.clock()
            chosen = choose(self._others(connection, annotator))
            connection.execute("DELETE FROM leases WHERE annotator = ? OR until <= ?", (annotator, now))
            rows = [(position, annotator, now + self._seconds) for position in chosen]
            connection.executemany("INSERT INTO leases VALUES (?, ?, ?)", rows)
        return choose({}) if chosen is None else chosen

    def add(self, annotator: str, position: int) -> None:
        """Hand one position more to an annotator."""
        with suppress(OSError, sqlite3.Error), self._alone() as connection:
            row = (position, annotator, self.clock() + self._seconds)
            connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?)", row)

    def drop(self, annotator: str, position: int) -> None:
        """An annotator has answered: others may be asked the question once more."""
        if self._path.exists():
            with suppress(OSError, sqlite3.Error), self._alone() as connection:
                connection.execute("DELETE FROM leases WHERE annotator = ? AND position = ?", (annotator, position))

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _others(self, connection: sqlite3.Connection, annotator: str) -> Held:
        now = self.clock()
        # A lease that lasts longer than leases do was written before the clock was set back.
        rows = connection.execute(
            "SELECT position, annotator FROM leases WHERE annotator <> ? AND until > ? AND until <= ?",
            (annotator, now, now + self._seconds),
        )
        held: dict[int, set[str]] = {}
        for position, holder in rows:
            held.setdefault(position, set()).add(holder)
        return held

    @contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        connection = self._opened()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._connection = _connect(self._path)
            except sqlite3.OperationalError:  # it cannot be written, or somebody else writes for too long
                raise
            except sqlite3.DatabaseError:  # damaged
                self._path.unlink()
                self._connection = _connect(self._path)
        return self._connection


def _connect(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, FILE_MODE))
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # no wait for the disk: what power loss takes is not missed
        connection.execute(_TABLE)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
