"""Features from whatever there is of the items: their texts, their images, their columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from altmas.features.made import MadeFeatures
from altmas.features.pictures import picture_features
from altmas.features.tables import table_features
from altmas.features.text import text_features
from altmas.metrics.errors import InputError
from altmas.metrics.types import Float32Array

NAMES_SHOWN = 8


def make_features(
    table: pd.DataFrame | None = None,
    *,
    text: Collection[str] = (),
    texts: Sequence[str] | None = None,
    images: Sequence[str | None] | None = None,
    left_out: Mapping[str, str] | None = None,
) -> MadeFeatures:
    """Numbers from a table's columns, of which `text` are surely texts; from `texts`; from `images`, paths of files.

    `left_out` are columns that were not to be used, and why: the note says so.

    >>> make_features(pd.DataFrame({"age": [3, 5, 4], "sex": ["f", "m", "f"], "n": [1, 1, 1]})).used
    "2 numbers per item from the columns 'age', 'sex'; left out: 'n' (constant)"
    """
    parts: list[tuple[Float32Array, str]] = []
    said: list[str] = []
    why = dict(left_out or {})
    if texts is not None:
        _add(parts, text_features(texts), "from texts (TF-IDF, SVD)")
    if table is not None:
        found = table_features(table, text)
        why |= found.left_out
        if found.texts is not None:
            made = text_features(found.texts)
            why |= dict.fromkeys(found.text_columns, "no words that differ") if made is None else {}
            _add(parts, made, f"from the text {_columns(found.text_columns)} (TF-IDF, SVD)")
        _add(parts, found.array, f"from the {_columns(found.columns)}{' (PCA)' if found.components else ''}")
    if images is not None:
        shown = picture_features(images)
        _add(parts, shown.array, f"from {_counted(shown.read)} ({shown.side} x {shown.side}, PCA)")
        said += [f"{_counted(shown.unreadable)} could not be read"] if shown.unreadable else []
        if shown.missing:
            said.append("1 item has no image" if shown.missing == 1 else f"{shown.missing:,} items have no image")
    if not parts:
        got = "; ".join([*said, *([f"only {_listed(why)}"] if why else [])]) or "texts or images that are all alike"
        raise InputError("features", "be made of something that tells items apart", got)
    counts = [f"{array.shape[1]:,} {'' if i else _numbers(array)}{how}" for i, (array, how) in enumerate(parts)]
    used = "; ".join([*counts, *said, *([f"left out: {_listed(why)}"] if why else [])])
    arrays = [array for array, _ in parts]
    return MadeFeatures(arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=1), used)


def _add(parts: list[tuple[Float32Array, str]], array: Float32Array | None, how: str) -> None:
    if array is not None:
        parts.append((array, how))


def _numbers(array: Float32Array) -> str:
    return "number per item " if array.shape[1] == 1 else "numbers per item "


def _counted(images: int) -> str:
    return "1 image" if images == 1 else f"{images:,} images"


def _columns(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:NAMES_SHOWN])
    more = f" and {len(names) - NAMES_SHOWN:,} more" if len(names) > NAMES_SHOWN else ""
    return f"{'column' if len(names) == 1 else 'columns'} {shown}{more}"


def _listed(why: Mapping[str, str]) -> str:
    shown = ", ".join(f"{name!r} ({reason})" for name, reason in list(why.items())[:NAMES_SHOWN])
    return shown + (f" and {len(why) - NAMES_SHOWN:,} more" if len(why) > NAMES_SHOWN else "")
