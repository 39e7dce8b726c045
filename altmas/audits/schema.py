"""The store's tables, their version, and how an older store is brought up to date."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

VERSION = 1

TABLES = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    client TEXT UNIQUE,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;
CREATE TABLE items (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, content TEXT NOT NULL, media TEXT) STRICT;
"""

# What was written stays: a mistake in a program cannot take an answer away.
GUARDS = "".join(
    f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
    f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END;\n"
    for table in ("events", "items")
    for verb in ("UPDATE", "DELETE")
)

MIGRATIONS: Sequence[str] = ()
"""Step k (from 1) takes a store of version k to version k + 1."""


def version_of(connection: sqlite3.Connection) -> int:
    """The version a store was written with."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables of a new store."""
    connection.executescript(f"BEGIN; {TABLES} {GUARDS} PRAGMA user_version = {VERSION}; COMMIT;")


def steps_from(version: int, migrations: Sequence[str] = MIGRATIONS) -> list[str]:
    """What has to be run, one after the other, to bring a store of this version up to date.

    >>> steps_from(1, ["ALTER ...", "CREATE ..."])
    ['ALTER ...', 'CREATE ...']
    """
    return list(migrations[version - 1 :])
