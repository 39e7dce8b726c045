"""Where each item of a pool stands, by the text of its id: of millions of items, in an eighth of a dict's memory."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import eq

import numpy as np

from altmas.metrics.types import IntArray


class Places(Mapping[str, int]):
    """Positions by the texts of ids, which all read differently. What finds them is made at the first look.

    >>> places = Places(("a", 7))
    >>> places["7"], "b" in places, dict(places)
    (1, False, {'a': 0, '7': 1})
    """

    def __init__(self, ids: Sequence[Hashable]) -> None:
        self._ids = ids

    def __getitem__(self, text: str) -> int:
        hashes, order = self._sorted
        wanted = hash(text)
        for place in range(int(np.searchsorted(hashes, wanted)), len(hashes)):
            if hashes[place] != wanted:
                break
            if str(self._ids[position := int(order[place])]) == text:
                return position
        raise KeyError(text)

    def __iter__(self) -> Iterator[str]:
        return map(str, self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def positions(self, texts: Sequence[str]) -> IntArray:
        """The position of each of these texts, -1 where it is no id.

        >>> Places(("a", "b")).positions(["b", "c", "a"]).tolist()
        [1, -1, 0]
        """
        if len(texts) == len(self) and all(map(eq, texts, self)):  # files are often in the pool's own order
            return np.arange(len(self))
        if len(self) == 0:
            return np.full(len(texts), -1)
        hashes, order = self._sorted
        wanted = _hashes(texts)
        by_hash = np.argsort(wanted)  # looking up what is sorted is several times as quick
        place = np.empty(len(wanted), dtype=np.int64)
        place[by_hash] = np.searchsorted(hashes, wanted[by_hash])
        place = np.minimum(place, len(hashes) - 1)
        found = np.where(hashes[place] == wanted, order[place], -1)
        for row in np.flatnonzero(found >= 0).tolist():
            if str(self._ids[found[row]]) != texts[row]:  # two texts of one hash
                found[row] = self.get(texts[row], -1)
        return found

    @cached_property
    def _sorted(self) -> tuple[IntArray, IntArray]:
        """The texts' hashes in order, and the position of each."""
        hashes = _hashes(self)
        order = np.argsort(hashes)
        return hashes[order], order


def _hashes(texts: Sequence[str] | Places) -> IntArray:
    return np.fromiter(map(hash, texts), dtype=np.int64, count=len(texts))
