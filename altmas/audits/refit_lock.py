"""One refit at a time, whichever process makes it; the lock goes when its holder does, however that ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "refit.lock"


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait for any other refit of this audit, then keep others waiting."""
    handle = os.open(folder / NAME, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def under_way(folder: Path) -> bool:
    """Whether some process is refitting: it holds the lock."""
    path = folder / NAME
    if not path.exists():
        return False
    handle = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
