"""The registry: which audits this user has begun, and how far each had got, noted outside of their folders.

Whoever audits the same predictions again until the numbers please has numbers that no longer mean what they say, and
whoever rewrites a log in its folder does not think of what lies elsewhere. So each audit leaves a small file in the
user's own data folder (`ALTMAS_HOME`, else `~/.local/share/altmas`, on Windows `altmas` in `%LOCALAPPDATA%`): a sketch
of what it was made from, and the number and hash of its last event at every refit and look.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from altmas.core.files import FOLDER_MODE, write_text
from altmas.core.pool import NO_CLASS, Pool

HOME = "ALTMAS_HOME"
SKETCH, ALIKE = 64, 0.5
"""Of this many numbers is the sketch of a model's predictions; from this share in common on, they are the same ones."""

MOST_BYTES = 1 << 16
_AT_ONCE = 1 << 16
_HASH = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Registered:
    """An audit as the registry knows it: the hash of its first event, and of the last one that was noted here.

    `sketches` are of the predictions of each model under test; `folder` is '' once another audit took its place.
    """

    first: str
    created: str
    folder: str
    sketches: tuple[tuple[int, ...], ...]
    labels: int
    seq: int
    head: str


def sketches_of(pool: Pool) -> tuple[tuple[int, ...], ...]:
    """For each model under test the smallest hashes of what it said of which item.

    They stay mostly the same when rows are put in another order, are left out, or a few predictions change.

    >>> said = ["cat", "dog", "cat", "dog"] * 50
    >>> one, other = (sketches_of(Pool.build(said, ids=range(n, n + 200)))[0] for n in (0, 20))
    >>> in_common(one, one), 0.5 < in_common(one, other) < 1
    (1.0, True)
    """
    from pandas.util import hash_array

    names = [str(one).strip() for one in (*pool.classes, NO_CLASS)]
    found = []
    for one in pool.outputs:
        lowest = np.zeros(0, dtype=np.uint64)
        for start in range(0, pool.size, _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            pairs = [f"{id}\t{names[k]}" for id, k in zip(pool.ids[some], one.predictions[some].tolist(), strict=True)]
            hashes = hash_array(np.array(pairs, dtype=object), categorize=False)
            lowest = np.unique(np.concatenate([lowest, hashes]))[:SKETCH]
        found.append(tuple(int(h) for h in lowest))
    return tuple(found)


def in_common(one: Sequence[int], other: Sequence[int]) -> float:
    """About the share of predictions that two models have in common, from their sketches (Broder 1997)."""
    lowest = sorted({*one, *other})[:SKETCH]
    return len({*one} & {*other} & {*lowest}) / len(lowest) if lowest else 0.0


def home() -> Path:
    """The folder of the registry."""
    if named := os.environ.get(HOME):
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    return Path(data or Path.home() / ".local" / "share") / "altmas"


def place_of(folder: Path) -> str:
    """Where a folder really lies, whatever it is called by."""
    return str(folder.resolve()).encode(errors="replace").decode()


def ready() -> bool:
    """Whether anything can be noted."""
    try:
        folder = home() / "audits"
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        return os.access(folder, os.W_OK)
    except (OSError, RuntimeError):  # no home, no room, no right: an audit does not fail for that
        return False


def note(audit: Registered) -> None:
    """Keep what is known of an audit, in place of what was."""
    if ready():
        try:
            write_text(_file(audit), json.dumps(asdict(audit)))
        except OSError:
            return


def settle(first: str, folder: Path) -> None:
    """What was noted of other audits in this folder, and of this one elsewhere, is over: it was said in the log."""
    place = place_of(folder)
    for one in entries():
        if one.folder == place and one.first != first:
            note_gone(one)
        elif one.first == first and one.folder != place and not _lies_in(one.folder):
            _file(one).unlink(missing_ok=True)


def note_gone(one: Registered) -> None:
    """An audit is no longer where it was; that there was one is still known."""
    _file(one).unlink(missing_ok=True)
    note(replace(one, folder=""))


def forget(first: str) -> None:
    """Take an audit out: a demo that is thrown away is no earlier audit."""
    for one in entries():
        if one.first == first:
            _file(one).unlink(missing_ok=True)


def problems_of(first: str, folder: Path, hashes: Sequence[str]) -> list[str]:
    """What is known here of the audit in a folder that its log, given by its events' hashes, does not have.

    A folder that is not known is one that was moved, or a copy: then it must have what is known of some other folder,
    unless one of those is still there to be looked at.
    """
    place, all_known = place_of(folder), entries()
    known = [one for one in all_known if one.first == first]
    here = [one for one in known if one.folder == place]
    missed = [one for one in here or known if hashes[one.seq - 1 : one.seq] != [one.head]]
    found = [f"another audit, begun {one.created[:10]}, was noted for this folder in {home()}"
             for one in all_known if one.folder == place and one.first != first]  # fmt: skip
    if not missed or (not here and (len(missed) < len(known) or any(_lies_in(one.folder) for one in known))):
        return found
    last = max(missed, key=lambda one: one.seq)
    if last.seq > len(hashes):
        return [
            *found,
            f"the log ends {last.seq - len(hashes):,} events before the last one that was noted in {home()}",
        ]
    return [*found, f"event {last.seq} is not the one that was noted in {home()}"]


def earlier_than(sketches: Iterable[Sequence[int]]) -> list[Registered]:
    """Audits with labels whose predictions were mostly the same, the earliest first; of copies the one furthest on."""
    wanted = list(sketches)
    shared = [
        one for one in entries() if one.labels and any(in_common(a, b) >= ALIKE for a in one.sketches for b in wanted)
    ]
    furthest = {one.first: one for one in sorted(shared, key=lambda one: one.seq)}
    return sorted(furthest.values(), key=lambda one: one.created)


def entries() -> list[Registered]:
    """Everything that is known; files that are none of ours are passed over."""
    try:
        files = sorted((home() / "audits").glob("*.json"))
    except (OSError, RuntimeError):
        return []
    return [one for file in files if (one := _read(file)) is not None]


def _lies_in(folder: str) -> bool:
    return bool(folder) and (Path(folder) / "audit.db").is_file()


def _file(one: Registered) -> Path:
    name = hashlib.sha256(f"{one.first} {one.folder}".encode()).hexdigest()
    return home() / "audits" / f"{name[:32]}.json"


def _read(file: Path) -> Registered | None:
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return None
        held: dict[str, Any] = json.loads(file.read_text("utf-8"))
        one = Registered(**{**held, "sketches": tuple(tuple(map(int, some)) for some in held["sketches"])})
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, RecursionError):
        return None
    texts = all(isinstance(text, str) and text.isprintable() for text in (one.created, one.folder))
    hashes = all(isinstance(text, str) and _HASH.fullmatch(text) for text in (one.first, one.head))
    counts = all(type(count) is int and count >= 0 for count in (one.labels, one.seq)) and one.seq > 0
    return one if texts and hashes and counts else None
