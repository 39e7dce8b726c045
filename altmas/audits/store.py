"""The store: one SQLite file of events. What `append` returned for is on disk, through kill -9 and loss of power."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from altmas.audits import schema, witness
from altmas.audits.connections import DAMAGED, can_write, connect, connect_to_read
from altmas.audits.events import GENESIS, Event, Row, canonical, faults, link, now
from altmas.core.files import new_part, remove_left_behind
from altmas.metrics.errors import AltmasError, InputError

STORE_FILE = "audit.db"
COMMITS_IN_WAL = 50
"""After so many commits they are copied from the WAL into the store's own file."""

_KIB_TO_FILL = 1 << 16
_EVENT, _ITEM = "seq, at, kind, body, client, previous, hash", "position, id, content, media"


class StoreError(AltmasError):
    """The store cannot be read or written."""


class Store:
    """Events and items of one audit. Several processes may have it open; one writes at a time."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        *,
        read_only: str = "",
        copy: TemporaryDirectory[str] | None = None,
    ) -> None:
        self.path, self._connection = path, connection
        self.lock = threading.RLock()
        self._read_only, self._copy = read_only, copy
        self._commits = 0
        self._to_witness: tuple[int, str] | None = None
        self._caught_up = False

    @property
    def read_only(self) -> bool:
        """Whether nothing can be appended, because the folder cannot be written to."""
        return bool(self._read_only)

    @classmethod
    def create(cls, folder: Path, items: Iterable[tuple[int, str, str, str | None]]) -> Store:
        """A new store, with rows (position, id, content as JSON, path of its image)."""
        path = folder / STORE_FILE
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            connection = connect(path)
            schema.lay_out(connection)
            connection.execute(f"PRAGMA cache_size = -{_KIB_TO_FILL}")  # ids come in any order
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(f"INSERT INTO items ({_ITEM}) VALUES (?, ?, ?, ?)", items)
            connection.execute("COMMIT")
        except DAMAGED as error:
            raise StoreError(f"store must be writable; got {path}: {error}.") from error
        return cls(path, connection)

    @classmethod
    def open(cls, folder: Path, *, migrate: bool = True) -> Store:
        """An existing store, brought up to date if an older version wrote it; only read where it cannot be written."""
        path = folder / STORE_FILE
        if not path.is_file():
            raise InputError(
                "audit", "be a folder made by `altmas init` or Audit.create", f"no {STORE_FILE} in {folder}"
            )
        try:
            store = cls._opened(path)
        except DAMAGED as error:
            raise StoreError(f"store must be readable; got {path}: {error}.") from error
        try:
            if migrate:
                store._migrate()
        except DAMAGED as error:
            store.close()
            raise StoreError(f"store must be readable; got {path}: {error}.") from error
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _opened(cls, path: Path) -> Store:
        why = "a folder that can only be read"
        if can_write(path):
            try:
                return cls(path, connect(path))
            except sqlite3.OperationalError as error:  # on a full disk what is there can still be read
                why = str(error)
        connection, copy = connect_to_read(path)
        return cls(path, connection, read_only=why, copy=copy)

    def _migrate(self) -> None:
        version = schema.version_of(self._connection)
        newest = len(schema.MIGRATIONS) + 1
        if version == 0:
            raise StoreError(f"store must have been made by altmas; got {self.path}, which is empty or something else.")
        if not 1 <= version <= newest:
            raise StoreError(f"store must be of version 1 to {newest}; got version {version} in {self.path}.")
        if version == newest:
            return
        self._refuse_where_read_only()
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
        copy = self.path.with_name(f"{STORE_FILE}.version-{version}")
        part, handle = new_part(copy)
        os.close(handle)
        here = sqlite3.connect(self.path)
        try:
            _copy(here, part)
            part.replace(copy)
        finally:
            here.close()
            part.unlink(missing_ok=True)

    def copy_to(self, path: Path) -> tuple[int, str]:
        """Copy everything committed so far to a file, whoever may be writing; the last event and its hash."""
        with self._reading():
            return _copy(self._connection, path)

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """One transaction: everything appended inside is kept, or nothing is."""
        with self.lock:
            self._refuse_where_read_only()
            try:
                with self._transaction():
                    yield self
            except DAMAGED as error:
                raise StoreError(f"store must be writable; got {self.path}: {error}.") from error

    def _refuse_where_read_only(self) -> None:
        if self.read_only:
            hint = "Work on a copy of the folder where you may write and the disk has room."
            raise StoreError(f"store must be writable; got {self._read_only}: {self.path.parent}. {hint}")

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
            except DAMAGED as error:
                raise StoreError(f"store must be open and readable; got {self.path}: {error}.") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        before = self._to_witness
        try:
            if not self._caught_up:  # whoever wrote last may have been killed before the witness saw it
                self._to_witness = _last(self._connection)
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            self._to_witness = before
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._have_witnessed()
        self._commits += 1
        if self._commits >= COMMITS_IN_WAL:
            self.checkpoint()

    def _have_witnessed(self) -> None:
        """Let the witness see the last commit: only after that is it acknowledged."""
        if self._to_witness is not None:
            try:
                witness.note(self.path.parent, *self._to_witness)
            except OSError as error:  # it stays to be done with the next commit
                raise StoreError(f"store must be writable; got {self.path.parent}: {error.strerror}.") from error
        if not self._caught_up:
            remove_left_behind(self.path.parent)
        self._to_witness, self._caught_up = None, True

    def checkpoint(self) -> None:
        """Copy commits from the WAL into the store's own file, as far as nobody else is reading there."""
        with self.lock, suppress(*DAMAGED):  # nothing is lost by a failure: the WAL has it all
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._commits = 0

    def append(self, kind: str, body: dict[str, Any], client: str | None = None) -> Event:
        """Add an event; only inside `writing`. A client's id that is known gives the event it came with."""
        _check_text(canonical([kind, body, client]))
        if client is not None and (known := self.by_client(client)) is not None:
            if known.kind != kind or known.body != body:
                raise InputError("client id", "be new, or come with the same content", repr(client))
            return known
        return self._insert(kind, body, client)

    def _insert(self, kind: str, body: dict[str, Any], client: str | None) -> Event:
        last, previous = _last(self._connection) or (0, GENESIS)
        seq = last + 1
        at, text = now(), canonical(body)
        found = link(seq, at, kind, text, client, previous)
        row = (seq, at, kind, text, client, previous, found)
        self._connection.execute(f"INSERT INTO events ({_EVENT}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        self._to_witness = (seq, found)
        return Event(seq, at, kind, body, client, previous, found)

    def by_client(self, client: str) -> Event | None:
        """The event that came with a client's id."""
        rows = self._rows("WHERE client = ?", (client,))
        return self._checked(rows, faults(rows, rows[0][0], None))[0] if rows else None

    def events(self, after: int = 0, head: str = GENESIS) -> list[Event]:
        """Events after one that is known by its number and hash, in order; refused if they do not follow from it.

        No event is believed before its hash was checked: whatever is made of the events rests on the chain.
        """
        rows = self._rows("WHERE seq > ? ORDER BY seq", (after,))
        return self._checked(rows, faults(rows, after + 1, head))

    def _rows(self, where: str, arguments: Sequence[Any]) -> list[Row]:
        with self._reading():
            return self._connection.execute(f"SELECT {_EVENT} FROM events {where}", arguments).fetchall()

    def _checked(self, rows: list[Row], problems: list[str]) -> list[Event]:
        """Nothing that was changed is ever counted."""
        try:
            found = [] if problems else [Event(s, at, k, json.loads(b), c, p, h) for s, at, k, b, c, p, h in rows]
        except (ValueError, RecursionError):
            problems = ["an event holds no JSON"]
        if not problems and not all(isinstance(one.body, dict) for one in found):
            problems = ["an event holds something else than names and values"]
        if problems:
            raise StoreError(
                f"audit must be whole; got {self.path.parent}: {problems[0]}. altmas log --verify says more."
            )
        return found

    def loss(self) -> witness.Loss | None:
        """What was acknowledged and is gone. If anything is, what lies in the WAL is put aside: it may be of use."""
        said = witness.seen(self.path.parent)  # before the store is read, which others may be writing to
        rows = self._rows("WHERE seq = 1", ())
        promised = bool(rows) and self._checked(rows, faults(rows))[0].body.get("witness") is True
        with self._reading():
            head, _ = _last(self._connection) or (0, GENESIS)
        found = witness.loss(said, head, self._hash_at, promised=promised)
        wal = self.path.with_name(f"{STORE_FILE}-wal")
        if found is not None and not self.read_only and wal.is_file() and wal.stat().st_size:
            with suppress(OSError):
                shutil.copyfile(wal, self.path.with_name(f"{STORE_FILE}-wal.put-aside"))
        return found

    def _hash_at(self, seq: int) -> str | None:
        with self._reading():
            found = self._connection.execute("SELECT hash FROM events WHERE seq = ?", (seq,)).fetchone()
        return None if found is None else found[0]

    def item(self, position: int) -> tuple[int, str, str, str | None] | None:
        """The row of one item."""
        with self._reading():
            found = self._connection.execute(f"SELECT {_ITEM} FROM items WHERE position = ?", (position,)).fetchone()
        return None if found is None else (found[0], found[1], found[2], found[3])

    def items(self, *, with_images: bool = False) -> Iterator[tuple[int, str, str, str | None]]:
        """All rows of items, in the pool's order; or those that have an image."""
        some = "WHERE media IS NOT NULL " if with_images else ""
        with self._reading():
            yield from self._connection.execute(f"SELECT {_ITEM} FROM items {some}ORDER BY position")

    def items_as_json(self) -> Iterator[str]:
        """The rows of items as JSON in one form, as SQLite writes it: some thousand in each text, for speed."""
        rows = "SELECT position / 4096 AS part, json_array(position, id, content, media) AS row FROM items"
        with self._reading():
            found = self._connection.execute(
                f"SELECT group_concat(row, '') FROM ({rows} ORDER BY position) GROUP BY part"
            )
            yield from (text for (text,) in found)

    def without_media(self, most: int) -> tuple[int, list[str]]:
        """How many items have no image, and the ids of the first of them."""
        with self._reading():
            count = self._connection.execute("SELECT count(*) FROM items WHERE media IS NULL").fetchone()[0]
            rows = self._connection.execute(
                "SELECT id FROM items WHERE media IS NULL ORDER BY position LIMIT ?", (most,)
            ).fetchall()
        return int(count), [str(one) for (one,) in rows]

    def faults(self) -> list[str]:
        """What is wrong with the file or the chain of events; nothing in it is believed before it was checked."""
        try:
            with self.lock:
                checks = [row[0] for row in self._connection.execute("PRAGMA integrity_check")]
                rows = self._connection.execute(f"SELECT {_EVENT} FROM events ORDER BY seq").fetchall()
        except DAMAGED as error:
            return [f"the file {STORE_FILE} is damaged: {error}"]
        return [*(f"the file {STORE_FILE} is damaged: {c}" for c in checks if c != "ok"), *faults(rows)]

    def close(self) -> None:
        """Let go of the file; what was committed is in it, not in the WAL alone."""
        with self.lock:
            if not self.read_only:
                self.checkpoint()
            self._connection.close()
            if self._copy is not None:
                self._copy.cleanup()


def _copy(here: sqlite3.Connection, path: Path) -> tuple[int, str]:
    there = sqlite3.connect(path)
    try:
        here.backup(there)
        there.execute("PRAGMA journal_mode = DELETE")  # one file, which needs no other to be read
        return _last(there) or (0, GENESIS)
    finally:
        there.close()


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("text", "be Unicode that can be written", "half of a surrogate pair") from None


def _last(connection: sqlite3.Connection) -> tuple[int, str] | None:
    found = connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
    return None if found is None else (found[0], found[1])
