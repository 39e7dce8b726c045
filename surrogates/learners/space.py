"""The items' features as learners see them: rows as they are, or a few principal components of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from altmas.metrics.types import Float32Array, IntArray

COMPONENTS = 60
"""Principal components kept; features that are hardly more are centred and kept whole."""

_AS_THEY_ARE = 64
_NUMBERS_FOR_COMPONENTS = 1 << 26
_MOST_ROWS_FOR_COMPONENTS = 20_000
_NUMBERS_AT_ONCE = 1 << 23


class Rows(Protocol):
    """Features by item, scaled as they are read."""

    def rows(self, items: IntArray) -> Float32Array:
        """Of these items `[n, ...]`."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one item."""
        ...


@dataclass(frozen=True, eq=False)
class Space:
    """The features of a pool of `size` items; what is costly is made when it is first asked for.

    >>> from altmas.surrogates.learners.testing import ArrayRows
    >>> Space(ArrayRows(np.eye(100)), 100).components.shape
    (100, 60)
    """

    source: Rows
    size: int

    @cached_property
    def components(self) -> Float32Array:
        """The first principal components of every item `[N, d]`, read a block at a time."""
        wide = int(np.prod(self.source.shape))
        items = np.arange(self.size)
        if wide <= _AS_THEY_ARE:
            found = np.concatenate([self.flat(items[block]) for block in self.blocks(self.size)])
            found -= found.mean(0, dtype=np.float64).astype(np.float32)
            return found
        from sklearn.decomposition import PCA

        most = int(np.clip(_NUMBERS_FOR_COMPONENTS // wide, 2, _MOST_ROWS_FOR_COMPONENTS))
        some = np.arange(self.size)
        if self.size > most:
            some = np.sort(np.random.default_rng(0).choice(self.size, most, replace=False))
        kept = min(COMPONENTS, len(some), wide)
        found = PCA(kept, svd_solver="auto", random_state=0).fit(self.flat(some))
        parts = [found.transform(self.flat(items[block])) for block in self.blocks(self.size)]
        return np.concatenate(parts).astype(np.float32)

    @cached_property
    def typical_distance(self) -> float:
        """The median squared distance between two items, from a thousand pairs."""
        rng = np.random.default_rng(0)
        one, other = (self.components[rng.integers(self.size, size=1000)].astype(np.float64) for _ in range(2))
        squares = np.square(one - other).sum(1)
        found = float(np.median(squares[squares > 0])) if (squares > 0).any() else 0.0
        return found or 1.0

    @cached_property
    def mean_square(self) -> float:
        """The mean squared length of an item's components."""
        z = self.components
        squares = sum(float(np.square(z[block], dtype=np.float64).sum()) for block in self.blocks(self.size))
        return squares / self.size or 1.0

    def blocks(self, count: int) -> Iterator[slice]:
        """So many rows in portions that fit in memory."""
        step = max(_NUMBERS_AT_ONCE // max(int(np.prod(self.source.shape)), 1), 1)
        return (slice(start, min(start + step, count)) for start in range(0, count, step))

    def flat(self, items: IntArray) -> Float32Array:
        """Features of some items, a row each `[n, D]`."""
        rows = self.source.rows(items)
        return np.asarray(rows.reshape(len(rows), -1), dtype=np.float32)


def squared_distances(one: Float32Array, other: Float32Array) -> Float32Array:
    """Between all rows of two arrays `[a, b]`.

    >>> squared_distances(np.array([[0.0, 3.0]], np.float32), np.array([[4.0, 0.0]], np.float32)).tolist()
    [[25.0]]
    """
    across = one @ other.T
    across *= -2
    across += np.einsum("ij,ij->i", one, one)[:, None]
    across += np.einsum("ij,ij->i", other, other)
    return np.asarray(np.maximum(across, 0, out=across))
