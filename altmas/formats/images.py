"""The image of each item, found in one folder and nowhere else. Some may be missing; most may not."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from altmas.core.image_files import IMAGE_KINDS, is_image
from altmas.metrics.errors import InputError

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"})
"""Image files that are shown. SVG is a program, not a picture."""
_SHOWN = 3
_LEAST_FOUND = 0.5
"""Where fewer of the images that should be there are, it is most likely the wrong folder or column."""


@dataclass(frozen=True)
class Images:
    """The path of each item's image, None where there is none; which items lack one, and whose file is no image."""

    paths: list[str | None]
    missing: tuple[int, ...] = ()
    unreadable: tuple[int, ...] = ()

    def notes(self, ids: Sequence[str]) -> list[str]:
        """What is worth knowing of items that annotators cannot be shown an image of.

        >>> print(*Images(["/a.png", None, None], missing=(1,), unreadable=(2,)).notes(["a", "b", "c"]), sep=" / ")
        2 of 3 items have no image; annotators see only the id and columns: 'b', 'c' / 1 file is no image that can be \
shown, or empty: that of 'c'
        """
        lacking = [ids[at] for at in sorted((*self.missing, *self.unreadable))]
        no_image = [ids[at] for at in self.unreadable]
        out = [without_image(len(lacking), len(self.paths), lacking)] if lacking else []
        if no_image:
            count = "1 file is no image" if len(no_image) == 1 else f"{len(no_image):,} files are no images"
            whose = "that" if len(no_image) == 1 else "those"
            out.append(f"{count} that can be shown, or empty: {whose} of {_few(no_image, len(no_image))}")
        return out


def without_image(count: int, items: int, ids: Sequence[str]) -> str:
    """How many items have no image, and the first of them.

    >>> without_image(5, 400, ["a", "b", "c", "d"])
    "5 of 400 items have no image; annotators see only the id and columns: 'a', 'b', 'c' and 2 more"
    """
    said = f"{count:,} of {items:,} items {'has' if count == 1 else 'have'} no image"
    return f"{said}; annotators see only the id and columns: {_few(ids, count)}"


def _few(ids: Sequence[str], count: int) -> str:
    more = f" and {count - _SHOWN:,} more" if count > _SHOWN else ""
    return ", ".join(map(repr, ids[:_SHOWN])) + more


def images_by_id(folder: Path, ids: Sequence[str]) -> Images:
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
    twice = [one for one in ids if len(by_name.get(one, ())) > 1]
    if twice:
        found = sorted(str(path.relative_to(root)) for path in by_name[twice[0]])[:_SHOWN]
        raise InputError(f"images in {folder}", "be one per id", f"{', '.join(found)} for {twice[0]!r}")
    hint = "--items names the folder; where images are not named by id, --image names the column with their names."
    return _found(folder, [next(iter(by_name.get(one, ())), None) for one in ids], ids, ids, hint)


def images_by_name(folder: Path, names: Sequence[str], ids: Sequence[str]) -> Images:
    """The images with these file names, all inside the folder; an item whose name is empty has none."""
    root = folder.resolve()
    hint = "--image names the column with the names of the files, --items the folder they lie in."
    if not any(names):
        raise InputError("image", "be a column with the names of image files", "nothing in any row", hint)
    return _found(folder, [root / name if name else None for name in names], ids, names, hint)


def _found(folder: Path, paths: Sequence[Path | None], ids: Sequence[str], names: Sequence[str], hint: str) -> Images:
    """The images that are there and are images; refused where that is fewer than half of those named."""
    root = folder.resolve()
    real = [None if path is None else _inside(path, root, folder) for path in paths]
    known = {path: is_image(path) for path in {one for one in real if one is not None}}
    missing = tuple(i for i, path in enumerate(real) if path is None)
    unreadable = tuple(i for i, path in enumerate(real) if path is not None and not known[path])
    wanted = [i for i, name in enumerate(names) if name]
    lacking = [i for i in wanted if real[i] is None or not known[real[i]]]  # type: ignore[index]
    if len(lacking) > (1 - _LEAST_FOUND) * len(wanted):
        none = sum(real[i] is None for i in lacking)
        got = f"none for {none:,} of {len(wanted):,}" if none else f"{len(lacking):,} of {len(wanted):,} that are not"
        rule = "be there for most items" if none else f"be {IMAGE_KINDS} files for most items"
        shown = ", ".join(repr(names[i]) for i in lacking[:_SHOWN])
        raise InputError(f"images in {folder}", rule, f"{got}, e.g. {shown}", hint)
    return Images([None if p is None or not known[p] else str(p) for p in real], missing, unreadable)


def fingerprint(folder: Path, paths: Sequence[str | None]) -> str:
    """A SHA-256 of the images' names and sizes: reading every image would take long."""
    root = folder.resolve()
    lines = sorted(f"{os.path.relpath(p, root)}\t{Path(p).stat().st_size}\n" for p in set(paths) if p is not None)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _inside(path: Path, root: Path, folder: Path) -> Path | None:
    """Where the file really is, if that is inside the folder; None if there is none."""
    try:
        real = path.resolve()
        there = real.is_file()
    except (OSError, RuntimeError, ValueError):  # a link that leads nowhere, a name too long or with a NUL
        return None
    if there and not real.is_relative_to(root):
        raise InputError("images", f"be inside {folder}", f"{path.name!r}, which leads outside")
    return real if there else None
