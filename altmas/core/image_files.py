"""Image files that others made: known by their first bytes, of bounded size, and no link or pipe is followed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from altmas.metrics.errors import AltmasError

LARGEST_IMAGE = 64 << 20
IMAGE_KINDS = "PNG, JPEG, GIF, WebP or BMP"
_BMP_HEADERS = (12, 40, 52, 56, 64, 108, 124)

# Windows has neither flag.
NO_LINK_NO_PIPE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class NotAnImageError(AltmasError):
    """A file that is no image, or too large for one."""


def image_type(head: bytes) -> str | None:
    r"""The content type of an image from its first bytes; None for anything else, SVG and HTML above all.

    >>> image_type(b"\x89PNG\r\n\x1a\n"), image_type(b"<svg xmlns=")
    ('image/png', None)
    """
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    # Two letters are a weak sign, so the length of the header that follows is looked at as well.
    if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADERS:
        return "image/bmp"
    return None


def is_image(path: str | Path) -> bool:
    """Whether a file is there that begins like an image; one that is empty, cannot be read or is too large is none.

    >>> is_image("/nowhere.png")
    False
    """
    try:
        with open(os.open(path, os.O_RDONLY | NO_LINK_NO_PIPE), "rb") as file:
            about = os.fstat(file.fileno())
            fits = stat.S_ISREG(about.st_mode) and about.st_size <= LARGEST_IMAGE
            return fits and image_type(file.read(32)) is not None
    except (OSError, ValueError):
        return False


def image_bytes(path: str | Path) -> bytes:
    """All of an image file; links must have been resolved before."""
    with open(os.open(path, os.O_RDONLY | NO_LINK_NO_PIPE), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST_IMAGE:
            raise NotAnImageError(f"{path} is no file of at most {LARGEST_IMAGE >> 20} MiB.")
        data = file.read(LARGEST_IMAGE + 1)
    if len(data) > LARGEST_IMAGE or image_type(data[:32]) is None:
        raise NotAnImageError(f"{path} is no {IMAGE_KINDS} image.")
    return data
