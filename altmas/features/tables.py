"""Tables of mixed columns as numbers: numbers scaled, dates in days, categories as a column each, texts apart."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from altmas.features.cells import cell_texts
from altmas.features.columns import Studied, studied
from altmas.features.made import balanced, typical
from altmas.metrics.types import Float32Array

WIDEST, COMPONENTS, LEARNT_FROM = 512, 256, 10_000
"""A wider table is made narrower by its principal components."""


@dataclass(frozen=True, eq=False)
class TableFeatures:
    """Numbers of a table, None if it has none; the columns used; its texts, joined; what was left out, and why."""

    array: Float32Array | None
    columns: list[str]
    texts: list[str] | None
    text_columns: list[str]
    left_out: dict[str, str]
    components: bool = False


def table_features(frame: pd.DataFrame, text: Collection[str] = ()) -> TableFeatures:
    """Each column of a table by what it holds; those named in `text` are texts whatever they look like."""
    found = []
    for place, name in enumerate(map(str, frame.columns)):
        column = frame.iloc[:, place]
        found.append(Studied(name, texts=cell_texts(column)) if name in text else studied(name, column))
    numeric = [one for one in found if one.width]
    texts = [one for one in found if one.texts is not None]
    array, components = _filled(numeric, len(frame))
    joined = ["\n".join(cells) for cells in zip(*(one.texts or () for one in texts), strict=True)] if texts else None
    return TableFeatures(
        array, [one.name for one in numeric], joined, [one.name for one in texts],
        {one.name: one.why for one in found if one.why}, components,
    )  # fmt: skip


def _filled(columns: list[Studied], rows: int) -> tuple[Float32Array | None, bool]:
    """All columns beside each other, in one array from the start; and whether these are their components."""
    width = sum(one.width for one in columns)
    if not width:
        return None, False
    array = np.zeros((rows, width), np.float32)
    start = 0
    for one in columns:
        one.fill(array[:, start : start + one.width])
        start += one.width
    return (array, False) if width <= WIDEST else (_narrowed(array), True)


def _narrowed(array: Float32Array) -> Float32Array:
    from sklearn.decomposition import PCA

    deviation = array.std(0)
    array /= np.where(deviation > 0, deviation, 1.0)
    sample = array[typical((row.tobytes() for row in array), LEARNT_FROM)]
    pca = PCA(min(COMPONENTS, *sample.shape), svd_solver="randomized", random_state=0, iterated_power=5).fit(sample)
    return balanced(pca.transform(array).astype(np.float32))
