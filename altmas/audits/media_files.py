"""The images of an audit: they stay where they are, and are known by the hashes of their contents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from altmas.audits.pool_files import POOL_FOLDER
from altmas.core.doing import so_far
from altmas.core.files import sha256_of, write_text

MEDIA_FILE = "media.json"
MOST_FILES, MOST_BYTES = 20_000, 2 << 30
"""Of more or larger files a part is hashed: reading takes a second or two per GiB, and longer from a slow disk."""


def hash_media(paths: Sequence[str | None]) -> dict[str, str | None]:
    """The hash of every image by its path, or of as many as the bounds allow; None for one that cannot be read.

    Which ones depends on the paths alone, so that nobody can choose an image that is left out by its place.
    """
    found: dict[str, str | None] = {}
    size = 0
    for path in sorted({one for one in paths if one}, key=_place):
        try:
            size += Path(path).stat().st_size
            if found and (size > MOST_BYTES or len(found) >= MOST_FILES):
                break
            found[path] = sha256_of(Path(path))
        except OSError:
            found[path] = None
        so_far(f"{len(found):,}")
    return found


def _place(path: str) -> bytes:
    return hashlib.sha256(path.encode(errors="surrogatepass")).digest()


def save_media(
    folder: Path, paths: Sequence[str | None], files: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, int]]:
    """Write the images' hashes beside the files of the pool; all these files' hashes, and how many images it has."""
    different = {one for one in paths if one}
    if not different:
        return dict(files), {"files": 0, "hashed": 0}
    hashes = hash_media(paths)
    path = write_text(folder / POOL_FOLDER / MEDIA_FILE, json.dumps(hashes))
    return {**files, MEDIA_FILE: sha256_of(path)}, {"files": len(different), "hashed": len(hashes)}


def faults(folder: Path, files: Iterable[str], images: Iterable[tuple[int, str, Any, str | None]]) -> list[str]:
    """Images that are missing, or are not what they were when the audit was made."""
    hashes: dict[str, str | None] = {}
    if MEDIA_FILE in files:
        hashes = json.loads((folder / POOL_FOLDER / MEDIA_FILE).read_text("utf-8"))
    missing, changed = [], []
    known: dict[str, bool] = {}  # several items may share one
    for _, id, _, path in images:
        if path is None:
            continue
        if not Path(path).is_file():
            missing.append(id)
        elif hashes.get(path) is not None:
            if path not in known:
                known[path] = _hash(path) == hashes[path]
            if not known[path]:
                changed.append(id)
    return [
        *_said(missing, "images are missing for"),
        *_said(changed, "images were changed after the audit was made, those of"),
    ]


def _hash(path: str) -> str | None:
    try:
        return sha256_of(Path(path))
    except OSError:
        return None


def _said(ids: list[str], what: str) -> list[str]:
    if not ids:
        return []
    count = "1 item" if len(ids) == 1 else f"{len(ids):,} items"
    return [f"{what} {count}, such as {ids[0]!r}"]
