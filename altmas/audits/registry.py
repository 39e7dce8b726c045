"""The registry: which audits this user has begun, so that a report can say when it is not the first of its pool.

Whoever audits the same pool again until the numbers please has numbers that no longer mean what they say. Each audit
leaves a small file in the user's own data folder (`ALTMAS_HOME`, else `~/.local/share/altmas`): what it was made from,
and how far its log has got, which also witnesses the log from outside of its folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from altmas.core.files import FOLDER_MODE, write_text
from altmas.core.pool import NO_CLASS, Pool

HOME = "ALTMAS_HOME"


@dataclass(frozen=True)
class Registered:
    """An audit as the registry knows it: the hash of its first event, and of the last one that was noted here."""

    first: str
    created: str
    folder: str
    sources: tuple[str, ...]
    labels: int
    seq: int
    head: str


def sources_of(pool: Pool, ids: str) -> tuple[str, ...]:
    """For each model under test a hash of what it said of which items, given the hash of their ids.

    By the classes' names and not by their order, so that it is the same whichever other classes are declared.

    >>> said = ["cat", "dog", "cat"]
    >>> sources_of(Pool.build(said), "0f") == sources_of(Pool.build(said, classes=["dog", "cow", "cat"]), "0f")
    True
    """
    names = [hashlib.sha256(str(one).encode()).digest()[:8] for one in (*pool.classes, NO_CLASS)]
    each = np.frombuffer(b"".join(names), dtype=np.uint64)
    return tuple(hashlib.sha256(ids.encode() + each[one.predictions].tobytes()).hexdigest() for one in pool.outputs)


def home() -> Path:
    """The folder of the registry."""
    if named := os.environ.get(HOME):
        return Path(named)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "altmas"


def note(audit: Registered) -> bool:
    """Keep what is known of an audit, in place of what was; False where the user's folder cannot be written."""
    try:
        folder = home() / "audits"
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        write_text(_file(audit.first, audit.folder), json.dumps(asdict(audit)))
    except (OSError, RuntimeError):  # no home, no room, no right: an audit does not fail for that
        return False
    return True


def known(first: str, folder: Path) -> Registered | None:
    """What was last noted of the audit in this folder whose first event has this hash; a copy elsewhere is another."""
    return _read(_file(first, _place(folder)))


def forget(first: str, folder: Path) -> None:
    """Take an audit out: a demo that is thrown away is no earlier audit."""
    _file(first, _place(folder)).unlink(missing_ok=True)


def others_of(sources: Collection[str]) -> list[Registered]:
    """Audits that were made from any of these sources, the earliest first; of copies, the one that has got furthest."""
    try:
        files = sorted((home() / "audits").glob("*.json"))
    except (OSError, RuntimeError):
        return []
    found = (_read(file) for file in files)
    shared = [one for one in found if one is not None and set(one.sources) & set(sources)]
    furthest = {one.first: one for one in sorted(shared, key=lambda one: one.seq)}
    return sorted(furthest.values(), key=lambda one: one.created)


def _place(folder: Path) -> str:
    return str(folder.absolute())


def _file(first: str, place: str) -> Path:
    name = hashlib.sha256(f"{first} {place}".encode(errors="surrogatepass")).hexdigest()
    return home() / "audits" / f"{name[:32]}.json"


def _read(file: Path) -> Registered | None:
    """One file of the registry; None for one that is gone or is none of ours."""
    try:
        held: dict[str, Any] = json.loads(file.read_text())
        return Registered(**{**held, "sources": tuple(held["sources"])})
    except (OSError, ValueError, TypeError, KeyError, RuntimeError):
        return None
