"""One labelling page per audit: a lock that the system lets go of when the process ends, however it ends."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from altmas.core.files import FILE_MODE
from altmas.metrics.errors import InputError

LOCK_FILE = "server.lock"


class Instance:
    """A process's hold on an audit's page; says in the lock file who it is."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def announce(self, host: str, port: int) -> None:
        """Leave the address for those who come second, and for the next start, which takes the same port."""
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, json.dumps({"pid": os.getpid(), "host": host, "port": port}).encode(), 0)


@contextmanager
def only_instance(folder: Path) -> Iterator[Instance]:
    """Hold the audit's page, or say who does."""
    handle = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = last_instance(folder)
            where = f"http://{other['host']}:{other['port']}" if other else "an address not known yet"
            raise InputError(
                "audit",
                "have one labelling page at a time",
                f"another in process {other.get('pid', 'unknown')} at {where}",
                "It serves several annotators: start it once, with --annotator for each.",
            ) from None
        yield Instance(handle)
    finally:
        os.close(handle)


def last_instance(folder: Path) -> dict[str, Any]:
    """What the last page that was served said about itself; empty if there was none."""
    try:
        said = json.loads((folder / LOCK_FILE).read_text())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) and {"pid", "host", "port"} <= said.keys() else {}
