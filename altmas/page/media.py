"""Images of items: found through the store, known by their first bytes, and nothing else is ever sent."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from altmas.core.image_files import IMAGE_KINDS, LARGEST_IMAGE, NO_LINK_NO_PIPE, image_type
from altmas.page.wire import RefusedError


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
        with open(os.open(path, os.O_RDONLY | NO_LINK_NO_PIPE), "rb") as file:
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
