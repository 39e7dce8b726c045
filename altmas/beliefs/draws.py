"""Draws over many items, a block at a time: `[M, N, C]` is never in memory for a large pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.types import IntArray, Probabilities

_KEPT_BYTES = 256 << 20
_BLOCK_NUMBERS = 1 << 22


class Draws:
    """M coherent draws of some items: every pass over the blocks sees the same worlds.

    `source(items)` must depend on the items asked for only row by row. Blocks are kept when all of them are small,
    and made again otherwise.

    >>> two = Draws(lambda items: np.full((5, len(items), 2), 0.5, np.float32), np.arange(3), draws=5, classes=2)
    >>> [p.shape for _, p in two.blocks()]
    [(5, 3, 2)]
    """

    def __init__(
        self,
        source: Callable[[IntArray], Probabilities],
        items: IntArray,
        *,
        draws: int,
        classes: int,
        chunk: int | None = None,
    ) -> None:
        self.items, self.draws, self.classes = items, draws, classes
        self._source = source
        self._chunk = chunk or int(np.clip(_BLOCK_NUMBERS // (draws * classes), 64, 8192))
        self._kept: dict[int, Probabilities] | None = {} if draws * len(items) * classes * 4 <= _KEPT_BYTES else None

    def blocks(self) -> Iterator[tuple[slice, Probabilities]]:
        """Consecutive parts of `items` with their probabilities."""
        for start in range(0, len(self.items), self._chunk):
            part = slice(start, min(start + self._chunk, len(self.items)))
            known = self._kept.get(start) if self._kept is not None else None
            if known is None:
                known = self._source(self.items[part])
                if self._kept is not None:
                    self._kept[start] = known
            yield part, known

    def labels(self) -> NDArray[np.int16]:
        """The most probable label of each item under each draw `[M, n]`."""
        out = np.empty((self.draws, len(self.items)), dtype=np.int16)
        for part, p in self.blocks():
            out[:, part] = p.argmax(-1)
        return out
