"""Drafts: an audit's folder while it is made has a hidden name beside its own, and is held by a lock."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from altmas.core.files import FOLDER_MODE, FileError, locked, sync_folder

LOCK = "draft.lock"


@contextmanager
def draft_of(target: Path) -> Iterator[Path]:
    """A new folder that gets its name when all went well, and is gone if not. Drafts of killed ones are removed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(target)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise FileError(f"audit folder must lie where you may write; got {target}: {error.strerror}.") from error
    try:
        os.chmod(draft, FOLDER_MODE)
        with locked(draft / LOCK):
            yield draft
        (draft / LOCK).unlink(missing_ok=True)
        if target.exists():
            target.rmdir()
        draft.rename(target)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise (
            error
            if isinstance(error, FileError)
            else FileError(f"audit folder must be writable; got {target}: {error.strerror or error}.")
        ) from error
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    sync_folder(target.parent)


def _remove_abandoned(target: Path) -> None:
    """The system lets go of a lock when its holder ends, however it ends: a draft that nobody holds is nobody's."""
    for draft in target.parent.glob(f".{_literal(target.name)}.*"):
        if (draft / LOCK).is_file() and not draft.is_symlink():
            with locked(draft / LOCK, wait=0) as abandoned:
                pass
            if abandoned:
                shutil.rmtree(draft, ignore_errors=True)


def _literal(name: str) -> str:
    """A name for a pattern that means itself.

    >>> _literal("a[1]")
    'a[[]1]'
    """
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
