"""Files: private to their owner, written whole or not at all, known by their hash, and locked by one at a time."""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.errors import AltmasError, InputError

FOLDER_MODE, FILE_MODE = 0o700, 0o600
LEFT_BEHIND_SECONDS = 3600.0
"""A file half written that nobody has touched for so long is of a writer that was killed."""

_BYTES_AT_ONCE = 1 << 20
AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""Flags to open a file of ours: itself and no link to another, its bytes and no others in place of newlines.

Each system has one of the two: Windows has no such links, the others leave newlines alone.
"""

_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | AS_IT_IS


class FileError(AltmasError, OSError):
    """A file cannot be written: the disk is full, or the folder may only be read."""


def sha256_of(path: Path) -> str:
    """The hash of a file's bytes."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BYTES_AT_ONCE):
            found.update(block)
    return found.hexdigest()


def new_part(path: Path) -> tuple[Path, int]:
    """A new file beside the one it will become, and its handle; its name cannot be guessed, nor be there already."""
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.part")
    return part, os.open(part, _NEW, FILE_MODE)


def write_whole(path: Path, write: Callable[[IO[bytes]], Any]) -> Path:
    """Write a file under another name, force it to disk, then give it its own: a reader sees all of it or none."""
    if not path.parent.is_dir():
        raise InputError("file", "lie in a folder that exists", str(path.parent))
    try:
        part, handle = new_part(path)
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                to_disk(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise FileError(f"file must be writable; got {path}: {error.strerror or error}.") from error
    return path


def to_disk(handle: int, *, only_data: bool = False) -> None:
    """Wait until what was written to an open file is on disk; `only_data` and its length, which is quicker, if need be.

    macOS calls it done when the drive has the data, which a loss of power takes from the drive; there the drive itself
    is waited for, where it can be asked.
    """
    if (drive := getattr(_fcntl(), "F_FULLFSYNC", None)) is not None:
        with suppress(OSError):  # of a network, say
            _fcntl().fcntl(handle, drive)
            return
    sync = getattr(os, "fdatasync", os.fsync) if only_data else os.fsync
    sync(handle)


def _fcntl() -> Any:
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    return fcntl


def remove_left_behind(folder: Path) -> None:
    """Remove what killed writers left half written; a file that another is writing just now is young, and stays."""
    for part in folder.glob(".*.part"):
        with suppress(FileNotFoundError):  # another tidies up as well
            if time.time() - part.stat().st_mtime > LEFT_BEHIND_SECONDS:
                part.unlink()


def write_bytes(path: Path, data: bytes) -> Path:
    """Write bytes whole."""
    return write_whole(path, lambda file: file.write(data))


def write_text(path: Path, text: str) -> Path:
    """Write text whole."""
    return write_bytes(path, text.encode(errors="replace"))


def write_array(path: Path, array: NDArray[Any]) -> Path:
    """Write an array whole, a part at a time: it may be larger than memory."""

    def write(file: IO[bytes]) -> None:
        header = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": array.shape}
        np.lib.format.write_array_header_1_0(file, header)
        step = max(_BYTES_AT_ONCE // max(array[:1].nbytes, 1), 1)
        for start in range(0, len(array), step):
            file.write(np.ascontiguousarray(array[start : start + step]).tobytes())

    return write_whole(path, write)


def sync_folder(folder: Path) -> None:
    """Force a folder's names to disk; nothing is done on Windows, where a folder cannot be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path, *, wait: float = -1) -> Iterator[bool]:
    """Hold a lock file alone; yields whether it is held, which is False where another held it for `wait` seconds.

    Without `wait` it waits for as long as it takes. The system lets go of the lock when its holder ends, however that
    happens. Nothing is kept in the file: some systems do not let others read it.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "some.lock"
    >>> with locked(file) as mine, locked(file, wait=0) as also_mine:
    ...     mine, also_mine
    (True, False)
    """
    from filelock import FileLock, Timeout  # late: it imports asyncio

    lock = FileLock(path, mode=FILE_MODE, poll_interval=0.01)
    try:
        lock.acquire(timeout=wait)
    except Timeout:
        yield False
        return
    except OSError as error:
        hint = "Work on a copy of the folder where you may write."
        raise FileError(f"folder must be writable; got {path.parent}: {error.strerror or error}. {hint}") from error
    try:
        yield True
    finally:
        lock.release()
