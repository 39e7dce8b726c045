"""The store: one SQLite file of events. What `append` returned for is on disk, through kill -9 and loss of power."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from altmas.audits import schema
from altmas.audits.events import GENESIS, Event, EventRow, canonical, faults, link, now
from altmas.metrics.errors import AltmasError, InputError

STORE_FILE = "audit.db"
BUSY_SECONDS = 30.0
"""A writer waits this long for another; no writer holds the store for more than a fraction of a second."""

_EVENT, _ITEM = "seq, at, kind, body, client, previous, hash", "position, id, content, media"


class StoreError(AltmasError):
    """The store cannot be read or written."""


class Store:
    """Events and items of one audit. Several processes may have it open; one writes at a time."""

    read_only = False

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        self.lock = threading.RLock()

    @classmethod
    def create(cls, folder: Path, items: Iterable[tuple[int, str, str, str | None]]) -> Store:
        """A new store, with rows (position, id, content as JSON, path of its image)."""
        path = folder / STORE_FILE
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection = _connect(path)
        schema.lay_out(connection)
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(f"INSERT INTO items ({_ITEM}) VALUES (?, ?, ?, ?)", items)
        connection.execute("COMMIT")
        return cls(path, connection)

    @classmethod
    def open(cls, folder: Path, *, migrate: bool = True) -> Store:
        """An existing store, brought up to date if an older version wrote it."""
        path = folder / STORE_FILE
        if not path.is_file():
            raise InputError(
                "audit", "be a folder made by `altmas init` or Audit.create", f"no {STORE_FILE} in {folder}"
            )
        try:
            connection = _connect(path)
            store = cls(path, connection)
            if migrate:
                store._migrate()
        except sqlite3.DatabaseError as error:
            raise StoreError(f"store must be readable; got {path}: {error}.") from error
        return store

    def _migrate(self) -> None:
        version = schema.version_of(self._connection)
        newest = len(schema.MIGRATIONS) + 1
        if version == 0:
            raise StoreError(f"store must have been made by altmas; got {self.path}, which is empty or something else.")
        if not 1 <= version <= newest:
            raise StoreError(f"store must be of version 1 to {newest}; got version {version} in {self.path}.")
        if version == newest:
            return
        with self._transaction():
            version = schema.version_of(self._connection)  # another process may have been quicker
            if version == newest:
                return
            self._back_up(version)
            for step in schema.steps_from(version, schema.MIGRATIONS):
                self._connection.execute(step)
            self._connection.execute(f"PRAGMA user_version = {newest}")
            self._insert("migrated", {"from": version, "to": newest}, None)

    def _back_up(self, version: int) -> None:
        """A copy of the store as it was last committed, whole or not at all."""
        copy, part = (self.path.with_name(f"{STORE_FILE}.version-{version}{end}") for end in ("", ".part"))
        os.close(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        here, there = sqlite3.connect(self.path), sqlite3.connect(part)
        try:
            here.backup(there)
        finally:
            here.close()
            there.close()
        part.replace(copy)

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """One transaction: everything appended inside is kept, or nothing is."""
        with self.lock:
            try:
                with self._transaction():
                    yield self
            except (sqlite3.OperationalError, sqlite3.ProgrammingError) as error:
                raise StoreError(f"store must be writable; got {self.path}: {error}.") from error

    @property
    def under_way(self) -> bool:
        """Whether a transaction has begun and not ended."""
        with self._reading():
            return self._connection.in_transaction

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self.lock:
            try:
                yield
            except (sqlite3.OperationalError, sqlite3.ProgrammingError) as error:
                raise StoreError(f"store must be open and readable; got {self.path}: {error}.") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def append(self, kind: str, body: dict[str, Any], client: str | None = None) -> Event:
        """Add an event; only inside `writing`. A client's id that is known gives the event it came with."""
        _check_text(canonical([kind, body, client]))
        if client is not None and (known := self.by_client(client)) is not None:
            if known.kind != kind or known.body != body:
                raise InputError("client id", "be new, or come with the same content", repr(client))
            return known
        return self._insert(kind, body, client)

    def _insert(self, kind: str, body: dict[str, Any], client: str | None) -> Event:
        last = self._connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        seq, previous = (last[0] + 1, last[1]) if last else (1, GENESIS)
        at, text = now(), canonical(body)
        found = link(seq, at, kind, text, client, previous)
        row = (seq, at, kind, text, client, previous, found)
        self._connection.execute(f"INSERT INTO events ({_EVENT}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return Event(seq, at, kind, body, client, previous, found)

    def by_client(self, client: str) -> Event | None:
        """The event that came with a client's id."""
        rows = self._rows("WHERE client = ?", (client,))
        self._refuse(fault for row in rows for fault in faults([row], row[0] - 1, row[5]))
        return _event(rows[0]) if rows else None

    def events(self, after: int = 0, head: str = GENESIS) -> list[Event]:
        """Events after one that is known by its number and hash, in order; refused if they do not follow from it.

        No event is believed before its hash was checked: whatever is made of the events rests on the chain.
        """
        rows = self._rows("WHERE seq > ? ORDER BY seq", (after,))
        self._refuse(faults(rows, after, head))
        return [_event(row) for row in rows]

    def _rows(self, where: str, arguments: Sequence[Any]) -> list[EventRow]:
        with self._reading():
            return self._connection.execute(f"SELECT {_EVENT} FROM events {where}", arguments).fetchall()

    def _refuse(self, problems: Iterable[str]) -> None:
        if few := list(islice(problems, 3)):
            hint = "altmas log --verify names every one."
            raise StoreError(f"audit must be whole; got {self.path.parent}: {'; '.join(few)}. {hint}")

    def item(self, position: int) -> tuple[dict[str, str], str | None]:
        """What an item shows: its own columns, and the path of its image."""
        with self._reading():
            found = self._connection.execute("SELECT content, media FROM items WHERE position = ?", (position,))
            content, media = found.fetchone()
        return json.loads(content), media

    def items(self) -> Iterator[tuple[int, str, str, str | None]]:
        """All rows of items, in the pool's order."""
        with self._reading():
            yield from self._connection.execute(f"SELECT {_ITEM} FROM items ORDER BY position")

    def faults(self) -> list[str]:
        """What is wrong with the file or the chain of events; nothing in it is believed before it was checked."""
        try:
            with self.lock:
                checks = [row[0] for row in self._connection.execute("PRAGMA integrity_check")]
                rows = self._connection.execute(f"SELECT {_EVENT} FROM events ORDER BY seq").fetchall()
        except sqlite3.DatabaseError as error:
            return [f"the file {STORE_FILE} is damaged: {error}"]
        return [*(f"the file {STORE_FILE} is damaged: {c}" for c in checks if c != "ok"), *faults(rows)]

    def close(self) -> None:
        """Let go of the file."""
        with self.lock:
            self._connection.close()


def _event(row: EventRow) -> Event:
    seq, at, kind, body, client, previous, found = row
    return Event(seq, at, kind, json.loads(body), client, previous, found)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # a commit is on disk before it is acknowledged
    return connection


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("text", "be Unicode that can be written", "half of a surrogate pair") from None
