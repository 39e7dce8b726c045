"""The witness: a text file beside the store that says how far it had come, a line for every commit.

SQLite keeps the newest commits in a file of their own, `audit.db-wal`, until they are copied into `audit.db`. Without
that file the store is whole, only older, and nothing in it can tell. The witness can: every line has the number and the
hash of the last event of a commit, and is on disk before that commit is acknowledged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from altmas.core.files import AS_IT_IS, FILE_MODE, sync_folder, to_disk, write_text

WITNESS_FILE = "audit.head"
_LINE = re.compile(r"([1-9][0-9]{0,17}) ([0-9a-f]{64})")


@dataclass(frozen=True, order=True)
class Seen:
    """An event that was committed: its number and its hash."""

    seq: int
    hash: str


def note(folder: Path, seq: int, hash: str) -> None:
    """Add a line, and wait until it is on disk."""
    path = folder / WITNESS_FILE
    new = not path.exists()
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND | AS_IT_IS, FILE_MODE)
    try:
        line = f"{seq} {hash}\n".encode()
        if not _ends_a_line(handle):  # a loss of power cut the last one short
            line = b"\n" + line
        if os.write(handle, line) < len(line):
            raise OSError(28, "No space left on device", str(path))
        to_disk(handle, only_data=True)
    finally:
        os.close(handle)
    if new:
        sync_folder(folder)


def _ends_a_line(handle: int) -> bool:
    size = os.fstat(handle).st_size
    if size == 0:
        return True
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) == b"\n"


def put_aside(folder: Path) -> None:
    """Give a pipe or a folder that has the witness's name another one, so that there can be a witness again."""
    path = folder / WITNESS_FILE
    if path.exists() and not path.is_file():
        path.rename(path.with_name(f"{WITNESS_FILE}.put-aside"))


def rewrite(folder: Path, seq: int, hash: str) -> None:
    """Begin the file anew, with one line."""
    write_text(folder / WITNESS_FILE, f"{seq} {hash}\n")


def seen(folder: Path) -> list[Seen] | None:
    """What the witness saw, the latest first; None where there is no witness. Lines cut short say nothing.

    Two that write at once may have their lines in either order, so it is the number that counts. A pipe or a folder of
    that name is no witness: reading a pipe would wait for ever.
    """
    path = folder / WITNESS_FILE
    try:
        if not path.is_file():
            return None
        text = path.read_bytes().decode("ascii", "replace")
    except FileNotFoundError:  # gone just now
        return None
    found = (_LINE.fullmatch(line) for line in text.split("\n")[:-1])
    return sorted((Seen(int(one[1]), one[2]) for one in found if one), reverse=True)


@dataclass(frozen=True)
class Loss:
    """Events that were acknowledged and are not in the store: those after `kept`, as far as the witness saw."""

    kept: int
    last: Seen | None  # None: the witness itself is gone, and nobody knows
    head: int  # of the store; above `kept` where it went another way since

    @property
    def count(self) -> int | None:
        """How many; None where nobody knows."""
        return None if self.last is None else self.last.seq - self.kept


def loss(said: list[Seen] | None, head: int, hash_at: Callable[[int], str | None], *, promised: bool) -> Loss | None:
    """What is lost. Read the witness first, the store after it: one that is written to only ever grows.

    `hash_at` gives the hash of an event in the store, None for one that is not there. `promised` is whether the audit
    was made with a witness; older ones get theirs with the next event.

    >>> hashes = {1: "a" * 64, 2: "b" * 64}
    >>> said = [Seen(4, "d" * 64), Seen(2, "b" * 64), Seen(1, "a" * 64)]
    >>> loss(said, 2, hashes.get, promised=True).count, loss(said[1:], 2, hashes.get, promised=True)
    (2, None)
    """
    if not said:
        return Loss(head, None, head) if promised else None
    if hash_at(said[0].seq) == said[0].hash:
        return None
    known = (one.seq for one in said if hash_at(one.seq) == one.hash)
    return Loss(max(known, default=0) if said[0].seq <= head else head, said[0], head)


def in_words(found: Loss) -> str:
    """What was lost, and probably how."""
    if found.last is None:
        return f"the file {WITNESS_FILE}, which says how far the log had come, is missing or cannot be read"
    if found.last.seq <= found.head:
        return (
            f"event {found.last.seq} is another than the one that was acknowledged: the log went another way after "
            f"event {found.kept}; probably audit.db was put back from a copy, and written to"
        )
    lost = "1 acknowledged event is lost" if found.count == 1 else f"{found.count} acknowledged events are lost"
    return (
        f"{lost}: the log ends at event {found.head}, and {found.last.seq} were on disk; probably audit.db was copied "
        "without audit.db-wal, or audit.db-wal was deleted"
    )


def how_to_mend(found: Loss) -> str:
    """What brings back what was lost: the file that is gone."""
    file = WITNESS_FILE if found.last is None else "audit.db-wal"
    return f"Put {file} back if you have it, or restore a backup"


def faults(said: list[Seen] | None, head: int, hash_at: Callable[[int], str | None], *, promised: bool) -> list[str]:
    """What the witness has against a store, in words; empty if nothing. Arguments as for `loss`."""
    found = loss(said, head, hash_at, promised=promised)
    return [] if found is None else [in_words(found)]
