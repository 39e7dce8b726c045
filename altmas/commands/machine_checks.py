"""What altmas asks of a machine: a folder to write in, a disk that keeps its word, locks, a port, a terminal."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import stat
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from altmas.core.health import Check, LackingError, Looked
from altmas.core.machine import cores, in_gib, memory_bytes, printing_browser
from altmas.words.language import sentence

LEAST_MEMORY, LEAST_DISK = 2 << 30, 1 << 30
"""Commands that load TensorFlow take up to 1 GiB of memory, and a page and its refits may run at once."""


def machine_checks(folder: Path) -> list[Check]:
    """Everything about this machine, and about a folder that audits would lie in."""
    elsewhere = sentence("Work in a folder on a disk of this machine where you may write.")
    try:
        trial = Path(tempfile.mkdtemp(prefix=".altmas-doctor-", dir=folder))
    except OSError as error:
        found = f"{folder}: {error.strerror or error}"
        return [Check("folder", False, found, sentence("audits and reports"), elsewhere), *_of_machine(folder)]
    try:
        looked = [
            Looked("folder", lambda: str(folder.resolve()), sentence("audits and reports"), elsewhere),
            Looked("store", lambda: _store(trial), sentence("every answer is on disk before it is acknowledged"),
                   elsewhere),
            Looked("readers beside a writer", lambda: _wal(trial), sentence("several people who label at once"),
                   sentence("Nothing is lost without it, but people wait for each other; a disk of this machine has "
                            "it."), needed=False),
            Looked("locks", lambda: _locks(trial), sentence("one refit and one page of an audit at a time"), elsewhere),
            Looked("private files", lambda: _private(trial), sentence("audits that other users cannot read"),
                   sentence("Keep audits where only you may look: this file system or system has no such "
                            "permissions."), needed=False),
        ]  # fmt: skip
        return [*(one.check() for one in looked), *_of_machine(folder)]
    finally:
        shutil.rmtree(trial, ignore_errors=True)


def _of_machine(folder: Path) -> list[Check]:
    open_by_hand = sentence("Open the link that altmas label prints, on this machine or through ssh -L.")
    looked = [
        Looked("temporary folder", _temporary, sentence("backups, and loading TensorFlow"),
               sentence("Set TMPDIR to a folder where you may write.")),
        Looked("memory", _memory, sentence("networks and large pools"),
               sentence("Close other programs, or give the container more."), needed=False),
        Looked("cores", lambda: str(cores()), sentence("refits behind the page"), ""),
        Looked("free disk", lambda: _disk(folder), sentence("audits of large pools"),
               sentence("Make room, or work on another disk."), needed=False),
        Looked("port of this machine", _port, sentence("the labelling page"),
               sentence("altmas label --tty, and altmas next with altmas import, need none."), needed=False),
        Looked("browser", _browser, sentence("altmas label --open"), open_by_hand, needed=False),
        Looked("browser that prints", _printing, sentence("reports as PDF"),
               sentence("Install Chromium, or print report.html from any browser."), needed=False),
        Looked("letters", _letters, sentence("names in any script on this terminal"),
               sentence("Set PYTHONUTF8=1; until then such letters are spelt out."), needed=False),
        Looked("record of audits", _registry, sentence("telling that the same predictions were audited before"),
               sentence("Set ALTMAS_HOME to a folder where you may write."), needed=False),
    ]  # fmt: skip
    return [one.check() for one in looked]


def _store(trial: Path) -> str:
    from altmas.audits.connections import connect
    from altmas.core.files import sync_folder, write_text

    with closing(connect(trial / "trial.db")) as store:
        store.execute("CREATE TABLE trial (n INTEGER)")
        begun = time.perf_counter()
        store.execute("INSERT INTO trial VALUES (1)")  # a commit, and on disk
        write_text(trial / "trial.head", "1\n")
        took = time.perf_counter() - begun
        sync_folder(trial)
        count = store.execute("SELECT count(*) FROM trial").fetchone()[0]
    if count != 1:
        raise LackingError(sentence("what was written is not there"))
    return sentence("SQLite {version}, an answer takes {time:.1f} ms", version=sqlite3.sqlite_version, time=1000 * took)


def _wal(trial: Path) -> str:
    from altmas.audits.connections import connect

    with closing(connect(trial / "wal.db")) as store:
        mode = str(store.execute("PRAGMA journal_mode").fetchone()[0])
    if mode != "wal":
        raise LackingError(sentence("the journal is of the kind {mode!r}, not 'wal'", mode=mode))
    return mode


def _locks(trial: Path) -> str:
    from altmas.core.files import locked

    with locked(trial / "trial.lock") as mine, locked(trial / "trial.lock", wait=0) as other:
        if not mine or other:
            raise LackingError(sentence("two hold the same lock"))
    return sentence("held by one at a time")


def _private(trial: Path) -> str:
    from altmas.core.files import write_text

    mode = stat.S_IMODE(write_text(trial / "private", "").stat().st_mode)
    if os.name == "nt" or mode & 0o077:
        raise LackingError(sentence("others may read what is written here"))
    return sentence("only their owner reads them")


def _temporary() -> str:
    with tempfile.TemporaryFile() as file:
        file.write(b"trial")
    return tempfile.gettempdir()


def _memory() -> str:
    size = memory_bytes()
    if size is None:
        return sentence("not known")
    if size < LEAST_MEMORY:
        raise LackingError(sentence("{size}; {least} are better", size=in_gib(size), least=in_gib(LEAST_MEMORY)))
    return in_gib(size)


def _disk(folder: Path) -> str:
    free = shutil.disk_usage(folder).free
    if free < LEAST_DISK:
        raise LackingError(sentence("{size}; {least} are better", size=in_gib(free), least=in_gib(LEAST_DISK)))
    return in_gib(free)


def _port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address, _ = listener.getsockname()
    return sentence("one of {address} can be had", address=address)


def _browser() -> str:
    import webbrowser

    try:
        found = webbrowser.get()
    except webbrowser.Error:
        raise LackingError(sentence("none found")) from None
    return str(getattr(found, "name", type(found).__name__))


def _printing() -> str:
    found = printing_browser()
    if found is None:
        raise LackingError(sentence("none found"))
    return found


def _letters() -> str:
    from altmas.commands.shared import holds_everything

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if not holds_everything(encoding):
        raise LackingError(encoding)
    return str(encoding)


def _registry() -> str:
    from altmas.audits import registry

    if not registry.ready():
        raise LackingError(str(registry.home()))
    return str(registry.home())
