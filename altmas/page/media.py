"""Images of items: found through the store, known by their first bytes, and nothing else is ever sent."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from altmas.page.wire import RefusedError

LARGEST_IMAGE = 64 << 20
IMAGE_KINDS = "PNG, JPEG, GIF, WebP or BMP"
_BMP_HEADERS = (12, 40, 52, 56, 64, 108, 124)

# Windows has neither flag.
_NO_LINK_NO_PIPE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


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


def real_path(registered: Path) -> Path:
    """Where the file lies: what was registered, or a refusal if a link leads elsewhere by now."""
    try:
        real = registered.resolve(strict=True)
    except (OSError, RuntimeError):
        raise RefusedError(404, "The image of this item is not where it was when the audit was made.") from None
    if real != registered:
        raise RefusedError(404, "The image of this item has become a link to another file; it is not shown.")
    return real


def read_image(registered: Path) -> tuple[bytes, str]:
    """The bytes of an item's image and their content type."""
    path = real_path(registered)
    try:
        with open(os.open(path, os.O_RDONLY | _NO_LINK_NO_PIPE), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise RefusedError(404, "The image of this item is not a file.")
            if about.st_size > LARGEST_IMAGE:
                raise RefusedError(415, f"The image of this item is larger than {LARGEST_IMAGE >> 20} MiB.")
            data = file.read(LARGEST_IMAGE + 1)
    except OSError:
        raise RefusedError(404, "The image of this item cannot be read.") from None
    kind = image_type(data[:32])
    if kind is None:
        raise RefusedError(415, f"The file of this item is no {IMAGE_KINDS} image; nothing else is shown.")
    return data, kind
