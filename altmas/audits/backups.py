"""A backup: a live audit in one zip file, as it was at one moment. Unpacked anywhere, it is the audit."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from altmas.audits import witness
from altmas.audits.earlier_files import EARLIER_FILE
from altmas.audits.fits import FITS_FOLDER
from altmas.audits.pool_files import POOL_FOLDER
from altmas.audits.record import Record
from altmas.audits.store import STORE_FILE
from altmas.core.doing import doing
from altmas.core.files import FILE_MODE, FOLDER_MODE, write_whole
from altmas.metrics.errors import InputError

FOLDERS = (POOL_FOLDER, FITS_FOLDER)
"""All that an audit is beside its store and witness; keys, logins and leases are of this machine, and stay here."""

_THEN = (1980, 1, 1, 0, 0, 0)  # the earliest a zip file knows: equal audits make equal backups


def back_up(folder: Path, target: Path, *, replace: bool = False) -> int:
    """Write a backup, whole or not at all, while others may go on labelling; how many events are in it."""
    if target.exists() and not replace:
        raise InputError("backup", "be a new file", str(target), "--replace writes over it.")
    if target.resolve().is_relative_to(folder.resolve()):
        raise InputError("backup", "lie outside of the audit's own folder", str(target))
    with Record.open(folder) as audit, TemporaryDirectory(prefix="altmas-") as home:
        copy = Path(home)
        with doing("copying the store"):
            events, head = audit.store.copy_to(copy / STORE_FILE)
        witness.rewrite(copy, events, head)  # of this copy: the other goes on
        audit.refresh()  # fits that the copy knows of are on disk, and stay as they are
        audit.check_files()  # each is there and is what it was, also where it is a link to elsewhere
        named = [(folder / name, name) for name in _named(audit, events)]

        def write(file: IO[bytes]) -> None:
            with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as archive:
                home_name = folder.resolve().name
                for name in ("", *(f"{one}/" for one in FOLDERS)):
                    _add_folder(archive, f"{home_name}/{name}")
                copied = [(copy / name, name) for name in (STORE_FILE, witness.WITNESS_FILE)]
                for path, name in [*copied, *named]:
                    with doing(f"packing {name}"):
                        _add(archive, path, f"{home_name}/{name}")

        write_whole(target, write)
    return events


def _named(audit: Record, upto: int) -> Iterator[str]:
    """Files that the log names up to an event: those of the pool, of the refits, and of an earlier audit."""
    yield from (f"{POOL_FOLDER}/{name}" for name in sorted(audit.created.body["files"]))
    fitted = (event.body["file"] for event in audit.events() if event.kind == "fitted" and event.seq <= upto)
    yield from (f"{FITS_FOLDER}/{name}" for name in sorted(fitted))
    if any(event.kind == "renewed" and event.seq <= upto for event in audit.events()):
        yield f"{FITS_FOLDER}/{EARLIER_FILE}"


def _add_folder(archive: ZipFile, name: str) -> None:
    about = ZipInfo(name, _THEN)
    about.external_attr = (stat.S_IFDIR | FOLDER_MODE) << 16
    archive.writestr(about, b"")


def _add(archive: ZipFile, path: Path, name: str) -> None:
    about = ZipInfo(name, _THEN)
    about.compress_type = ZIP_DEFLATED
    about.external_attr = (stat.S_IFREG | FILE_MODE) << 16
    with path.open("rb") as source, archive.open(about, "w", force_zip64=True) as file:
        shutil.copyfileobj(source, file)
