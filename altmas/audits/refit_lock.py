"""One refit at a time, whichever process makes it; the lock goes when its holder does, however that ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from altmas.core.files import locked

REFIT_LOCK = "refit.lock"


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait for any other refit of this audit, then keep others waiting."""
    with locked(folder / REFIT_LOCK):
        yield


def under_way(folder: Path) -> bool:
    """Whether some process is refitting: it holds the lock."""
    path = folder / REFIT_LOCK
    if not path.exists():
        return False
    with locked(path, wait=0.01) as free:  # another who asks holds it too, for less time than this
        return not free
