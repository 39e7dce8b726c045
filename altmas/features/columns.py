"""What a column of a table is: numbers, categories, text, or nothing that tells items apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from altmas.features.cells import BLANKS, cell_texts, dates_in, days_of, numbers_in
from altmas.features.lists import matrix_of
from altmas.metrics.types import Float32Array, FloatArray

MOST_CATEGORIES = 32
_MOSTLY = 0.9
"""The share of cells that must be numbers, or dates, for their column to be one: the rest count as blank."""

_NAMES_OF_IDS = re.compile(r"(.*[_\W])?(id|ids|uuid|guid|key|index|idx|row|rownum|unnamed: ?\d+)", re.IGNORECASE)
_UNPARTED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of languages that write without blanks between words."""


@dataclass(frozen=True, eq=False)
class Studied:
    """A column, understood: `numbers` `[N, D]`, or `codes` of `categories`, or `texts`; or `why` it is left out."""

    name: str
    why: str = ""
    numbers: Float32Array | None = None
    codes: NDArray[np.int32] | None = None
    categories: int = 0
    texts: list[str] | None = None

    @property
    def width(self) -> int:
        """How many columns it becomes."""
        return self.categories if self.numbers is None else self.numbers.shape[1]

    def fill(self, out: Float32Array) -> None:
        """Write the numbers, or a one for each item's category, into `out` `[N, width]`."""
        if self.numbers is not None:
            out[:] = self.numbers
        elif self.codes is not None:
            known = np.flatnonzero(self.codes >= 0)
            out[known, self.codes[known]] = 1.0


def studied(name: str, column: pd.Series[Any]) -> Studied:
    """Find out what a column is.

    >>> [studied("x", pd.Series(one)).why for one in ([1, 1], [None, ""], ["a1", "b2"] * 3)]
    ['constant', 'blank', '']
    """
    kind = column.dtype
    if getattr(kind, "kind", "O") in "Mm":
        return _numbers(name, days_of(column), may_be_ids=False)
    if getattr(kind, "kind", "O") in "iufb" and not isinstance(kind, pd.CategoricalDtype):
        return _numbers(name, column.to_numpy(dtype=np.float64, na_value=np.nan))
    if (matrix := matrix_of(column)) is not None:
        return Studied(name, numbers=matrix)
    cells = cell_texts(column)
    codes, found = pd.factorize(np.array(cells, dtype=object))
    return _of_texts(name, cells, codes, [str(one) for one in found])


def _of_texts(name: str, cells: list[str], codes: NDArray[Any], words: list[str]) -> Studied:
    counts = np.bincount(codes, minlength=len(words))
    told = np.array([word.casefold() not in BLANKS for word in words])
    there = int(counts[told].sum())
    if there == 0:
        return Studied(name, "blank")
    for read in (numbers_in, dates_in):
        values = read(words)
        if counts[told & np.isfinite(values)].sum() >= _MOSTLY * there:
            return _numbers(name, values[codes], may_be_ids=read is numbers_in)
    if len(words) == 1:
        return Studied(name, "constant")
    several = len(words) > max(50, there / 5) or (len(words) > 10 and len(words) > there / 2)
    if several and is_text(words):
        return Studied(name, texts=cells)
    if len(words) > 0.9 * there and there > 2:
        return Studied(name, "another value in every row")
    return _categories(name, codes, counts, words)


def is_text(words: list[str]) -> bool:
    """Whether cells read like sentences: two words or more, or letters of a language that writes without blanks.

    >>> is_text(["a red shoe", "two blue hats"]), is_text(["9f2c", "images/1.png"]), is_text(["這個很好", "不太喜歡它"])
    (True, False, True)
    """
    some = words[:2_000]
    parted = sum(sum(any(map(str.isalpha, word)) for word in one[:200].split()) for one in some)
    return parted >= 2 * len(some) or sum(len(_UNPARTED.findall(one[:200])) for one in some) >= 3 * len(some)


def _numbers(name: str, values: FloatArray, *, may_be_ids: bool = True) -> Studied:
    """A column scaled, blanks at its mean; and one that says where the blanks are, if there are several."""
    values = np.where(np.isfinite(values), values, np.nan)
    there = np.isfinite(values)
    known = values[there]
    if not len(known):
        return Studied(name, "blank")
    if may_be_ids and _are_ids(name, known, len(values)):
        return Studied(name, "another value in every row")
    parts = [] if np.ptp(known / 2) == 0 else [_scaled(values, known)]
    if (~there).sum() >= max(3, len(values) / 500):
        parts.append((~there).astype(np.float32))
    return Studied(name, numbers=np.column_stack(parts)) if parts else Studied(name, "constant")


def _scaled(values: FloatArray, known: FloatArray) -> Float32Array:
    """Linear in the middle and logarithmic far out, so that one cell of 1e300 leaves the others their differences."""
    low, middle, high = np.quantile(known / 4, [0.1, 0.5, 0.9])  # quarters: the ends of all floats are too far apart
    spread = (high - low) or np.abs(known / 4 - middle).mean() or 1.0
    bent = np.arcsinh(np.clip((values / 4 - middle) / spread, -1e30, 1e30))
    bent -= np.nanmean(bent)
    deviation = float(np.nanstd(bent))
    return np.asarray(np.nan_to_num(bent / (deviation or 1.0)), dtype=np.float32)


def _are_ids(name: str, known: FloatArray, rows: int) -> bool:
    """Whether numbers only count the rows, or are called ids: each different from all others."""
    if len(known) < rows or (known != np.floor(known)).any() or len(np.unique(known)) < rows:
        return False
    return bool(_NAMES_OF_IDS.fullmatch(name.strip())) or (rows > 20 and known.max() - known.min() == rows - 1)


def _categories(name: str, codes: NDArray[Any], counts: NDArray[Any], words: list[str]) -> Studied:
    """The categories that several items have, the most frequent first; the rare ones are one category together."""
    enough = max(3, len(codes) / 500) if len(codes) > 20 else 1
    order = sorted(range(len(words)), key=lambda i: (-counts[i], words[i]))
    kept = [i for i in order if counts[i] >= enough][:MOST_CATEGORIES]
    rest = len(codes) - int(counts[kept].sum())
    if not kept:
        return Studied(name, "only rare values")
    places = np.full(len(words), len(kept) if rest >= enough else -1, np.int32)
    places[kept] = np.arange(len(kept))
    categories = len(kept) + (rest >= enough)
    if categories == 1:
        return Studied(name, "constant")
    if categories == 2 and (places >= 0).all():  # the one is where the other is not
        places[places == 1], categories = -1, 1
    return Studied(name, codes=places[codes], categories=int(categories))
