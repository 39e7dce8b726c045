"""Image files as numbers: small pictures and their principal components."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.core.image_files import NotAnImageError, image_bytes
from altmas.features.made import ROWS_AT_ONCE, balanced, typical
from altmas.metrics.types import Float32Array

COMPONENTS = 64
LEARNT_FROM = 10_000
SIDE, SMALL_SIDE, MANY = 32, 16, 200_000
"""Pixels of a side; of very many images, fewer: they are held in memory as bytes."""

MOST_PIXELS = 64_000_000
"""An image of more is not unpacked: 64 MiB of PNG can hold a terabyte of nothing."""

_KINDS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


@dataclass(frozen=True, eq=False)
class Pictures:
    """At most 64 numbers for each image, None if all look alike; how many were read, could not be, or were not there.

    Those that were not read have the mean of the others.
    """

    array: Float32Array | None
    read: int
    unreadable: int
    side: int
    missing: int = 0


def picture_features(paths: Sequence[str | None]) -> Pictures:
    """Numbers for the images at these paths, opened one at a time; the mean where there is none to be read."""
    side = SIDE if len(paths) <= MANY else SMALL_SIDE
    pixels = np.zeros((len(paths), side, side, 3), np.uint8)
    there = np.zeros(len(paths), bool)
    for row, path in enumerate(paths):
        if path and (small := thumbnail(path, side)) is not None:
            pixels[row], there[row] = small, True
    unreadable = sum(1 for path, read in zip(paths, there, strict=True) if path and not read)
    rows = np.flatnonzero(there)
    found = _components(_without_colour(pixels, rows), rows) if len(rows) else None
    return Pictures(found, len(rows), unreadable, side, sum(not path for path in paths))


def thumbnail(path: str, side: int) -> NDArray[np.uint8] | None:
    """A small square picture `[side, side, 3]`, transparent parts white; None for what is no image, or too large."""
    from PIL import Image, ImageOps

    try:
        data = image_bytes(path)
    except (NotAnImageError, OSError, ValueError):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Pillow's, on odd files; what is too large is refused below
            with Image.open(io.BytesIO(data), formats=_KINDS) as image:
                if image.width * image.height > MOST_PIXELS:
                    return None
                image.draft("RGB", (2 * side, 2 * side))  # JPEG can be unpacked at an eighth of its size
                upright = _plain(ImageOps.exif_transpose(image))
                small = upright.resize((side, side), Image.Resampling.BOX, reducing_gap=4.0).convert("RGBA")
                flat = Image.new("RGB", small.size, "white")
                flat.paste(small, mask=small.getchannel("A"))
                return np.asarray(flat, dtype=np.uint8)
    except Exception:  # Pillow's decoders document no complete list of what a broken file raises
        return None


def _plain(image: Any) -> Any:
    """An image of eight bits that can be made smaller; of deeper ones, the upper bits."""
    from PIL import Image

    if image.mode in ("L", "RGB", "RGBA"):
        return image
    if image.mode.startswith(("I", "F")):
        deep = np.nan_to_num(np.asarray(image, dtype=np.float64))
        top = 65535.0 if image.mode.startswith("I") else max(float(deep.max()), 1e-12)
        return Image.fromarray(np.clip(deep * (255 / top), 0, 255).astype(np.uint8))
    return image.convert("RGBA")


def _without_colour(pixels: NDArray[np.uint8], rows: NDArray[Any]) -> NDArray[np.uint8]:
    """One channel, if every image is grey: `[N, pixels]`."""
    grey = all(
        (part[..., :1] == part).all()
        for part in (pixels[rows[i : i + ROWS_AT_ONCE]] for i in range(0, len(rows), ROWS_AT_ONCE))
    )
    return (pixels[..., 0] if grey else pixels).reshape(len(pixels), -1)


def _components(pixels: NDArray[np.uint8], rows: NDArray[Any]) -> Float32Array | None:
    from sklearn.decomposition import PCA

    chosen = rows[typical((pixels[row].tobytes() for row in rows), LEARNT_FROM)]
    sample = pixels[chosen].astype(np.float32) / 255
    if np.ptp(sample, axis=0).max() == 0:
        return None
    width = min(COMPONENTS, *sample.shape)
    pca = PCA(width, svd_solver="randomized", random_state=0, iterated_power=5).fit(sample)
    real = int((pca.singular_values_ > 1e-6 * pca.singular_values_[0]).sum())
    mean, turn = pca.mean_.astype(np.float64), pca.components_[:real].T.astype(np.float64)
    found = np.zeros((len(pixels), real), np.float32)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        # In double precision: in single, what a product rounds to depends on a row's place among the others.
        found[part] = (pixels[part] / 255.0 - mean) @ turn
    blank = np.ones(len(pixels), bool)
    blank[rows] = False
    found[blank] = found[rows].mean(0, dtype=np.float64)
    return balanced(found)
