"""The image of each item, found in one folder and nowhere else."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from altmas.metrics.errors import InputError

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"})
"""Image files that are shown. SVG is a program, not a picture."""
_PATHS_SHOWN = 3


def images_by_id(folder: Path, ids: Sequence[str]) -> list[str]:
    """For each id the image whose name is the id, with or without its ending, in the folder or below."""
    root = folder.resolve()
    by_name: defaultdict[str, set[Path]] = defaultdict(set)
    for above, _, files in os.walk(root):  # does not follow links to folders
        for file in files:
            path = Path(above, file)
            if path.suffix.lower() in SUFFIXES:
                inside = path.relative_to(root)
                for name in (inside, inside.with_suffix(""), Path(file), Path(path.stem)):
                    by_name[name.as_posix()].add(path)
    _complete(folder, [one for one in ids if one not in by_name], len(ids))
    twice = [one for one in ids if len(by_name[one]) > 1]
    if twice:
        found = sorted(str(path.relative_to(root)) for path in by_name[twice[0]])[:_PATHS_SHOWN]
        raise InputError(f"images in {folder}", "be one per id", f"{', '.join(found)} for {twice[0]!r}")
    return [str(_inside(next(iter(by_name[one])), root, folder)) for one in ids]


def images_by_name(folder: Path, names: Sequence[str]) -> list[str | None]:
    """The images with these file names, all inside the folder; None where there is no name."""
    root = folder.resolve()
    paths = [root / name if name else None for name in names]
    missing = [name for name, path in zip(names, paths, strict=True) if path and not _is_file(path)]
    _complete(folder, missing, len(names))
    return [None if path is None else str(_inside(path, root, folder)) for path in paths]


def fingerprint(folder: Path, paths: Sequence[str | None]) -> str:
    """A SHA-256 of the images' names and sizes: reading every image would take long."""
    root = folder.resolve()
    lines = sorted(f"{os.path.relpath(p, root)}\t{Path(p).stat().st_size}\n" for p in set(paths) if p is not None)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with a NUL
        return False


def _inside(path: Path, root: Path, folder: Path) -> Path:
    """Where the file really is, if that is inside the folder."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError):
        raise InputError("images", "be files", f"{path.name!r}, a link that leads nowhere") from None
    if not real.is_relative_to(root):
        raise InputError("images", f"be inside {folder}", f"{path.name!r}, which leads outside")
    if real.suffix.lower() not in SUFFIXES or not real.is_file():
        raise InputError("images", f"be files ending in {', '.join(sorted(SUFFIXES))}", repr(path.name))
    return real


def _complete(folder: Path, missing: Sequence[str], count: int) -> None:
    if missing:
        shown = ", ".join(map(repr, missing[:_PATHS_SHOWN]))
        raise InputError(
            f"images in {folder}", "be there for every item", f"none for {len(missing):,} of {count:,}, e.g. {shown}"
        )
