"""Which rows of a whole are drawn in its first phase: those with the lowest keys, in whatever order they are read.

Every row has a key that follows from a seed and from where the row lies. Half of the sample are the rows with the
lowest keys of each stratum, as many of each as that gives; the rest are the lowest keys of all other rows. So a rare
stratum is there whole, a frequent one in proportion, and given how many rows of a stratum were drawn every subset of
that size was as likely. What part of the whole may still matter is known at any time, and parts come together in any
order: the sample depends on the rows alone.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.types import BoolArray, IntArray

Keys = NDArray[np.uint64]

SURE = 6.0
"""Standard errors by which a number that is likely is made all but certain."""

_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


def row_keys(seed: int, file: str, first: int, count: int) -> Keys:
    """The keys of `count` rows of a file from row `first` on, each as good as drawn from all 64-bit numbers.

    >>> bool((row_keys(7, "a.parquet", 0, 5)[3:] == row_keys(7, "a.parquet", 3, 2)).all())
    True
    """
    digest = hashlib.blake2b(f"{seed}\0{file}".encode(), digest_size=16).digest()
    start, other = np.frombuffer(digest, dtype="<u8").astype(np.uint64)
    found = np.arange(first, first + count, dtype=np.uint64)
    found += start
    _mix(found)
    found ^= other
    _mix(found)
    return found


def _mix(keys: Keys) -> None:
    """Splitmix64's finalizer, in place: every bit of a number changes every bit of what comes of it."""
    for shift, factor in zip(_SHIFTS, (_FIRST, _SECOND, None), strict=True):
        keys ^= keys >> shift
        if factor is not None:
            keys *= factor


def level(rows: IntArray, most: int) -> int:
    """How many rows each stratum may give, or all it has, for these to be at most so many together.

    >>> level(np.array([1_000, 500, 3]), 103)
    50
    """
    ascending = np.sort(rows)
    below = np.concatenate([[0], np.cumsum(ascending)[:-1]])
    left = np.arange(len(rows), 0, -1)
    fits = (most - below) // left  # were it between the row before and this one
    place = int(np.argmax(np.append(ascending > fits, True)))
    return int(fits[place]) if place < len(rows) else int(ascending[-1]) if len(rows) else 0


EVERY = np.uint64(2**64 - 1)
"""No key is above this one."""


def most_likely(sample: int, rows: int) -> int:
    """Up to which key there are so many of that number of rows, but once in a thousand million times.

    >>> round(most_likely(1_000_000, 50_000_000) / int(EVERY), 4)
    0.0201
    """
    share = (sample + SURE * sample**0.5 + SURE**2) / max(rows, 1)
    return min(int(share * 2.0**64), int(EVERY))


def limits(keys: Keys, stratum: IntArray, rows: IntArray, sample: int, most: int = int(EVERY)) -> Keys:
    """Up to which key a row of each stratum may be in a sample of that size `[H]`.

    `keys` are those of the rows that may be in it by now, `rows [H]` how many rows each stratum has so far: with more
    of them limits only fall. `most` is up to which key there are as many rows as the sample, where that is known.

    >>> keys, stratum = row_keys(0, "a", 0, 100), np.arange(100) % 2
    >>> bool((limits(keys, stratum, np.array([50, 50]), 10) < EVERY).all())
    True
    """
    found = np.full(len(rows), EVERY)
    if len(keys) > sample:
        most = min(most, int(np.partition(keys, sample - 1)[sample - 1]))
    if most == EVERY:
        return found
    each = level(rows, sample // 2)
    bits = np.uint64(max(len(rows) - 1, 1).bit_length())
    left = np.uint64(64) - bits
    together = np.sort((stratum.astype(np.uint64) << left) | (keys >> bits))  # by stratum, then by key: quick
    count = np.bincount(stratum, minlength=len(rows))
    many = np.flatnonzero(count > each)
    last = together[(np.cumsum(count) - count)[many] + max(each, 1) - 1]
    rest = (np.uint64(1) << bits) - np.uint64(1)
    found[many] = (last << bits) | rest if each else 0
    return np.maximum(found, np.uint64(most))


def _lowest_of_each(keys: Keys, stratum: IntArray, each: int) -> BoolArray:
    """Whether a key is among so many lowest of its stratum."""
    order = np.lexsort((keys, stratum))
    sorted_strata = stratum[order]
    begins = np.flatnonzero(np.append(True, sorted_strata[1:] != sorted_strata[:-1]))
    found = np.empty(len(keys), dtype=bool)
    found[order] = np.arange(len(keys)) - np.repeat(begins, np.diff(np.append(begins, len(keys)))) < each
    return found


def drawn(keys: Keys, stratum: IntArray, rows: IntArray, sample: int) -> BoolArray:
    """Which of these rows are in the sample, given how many `rows [H]` each stratum has in all.

    >>> keys = row_keys(0, "a", 0, 1_000)
    >>> stratum = np.where(np.arange(1_000) < 4, 1, 0)
    >>> np.bincount(stratum[drawn(keys, stratum, np.bincount(stratum), 100)]).tolist()
    [96, 4]
    """
    if len(keys) <= sample:
        return np.ones(len(keys), dtype=bool)
    chosen = _lowest_of_each(keys, stratum, level(rows, sample // 2))
    rest = np.flatnonzero(~chosen)
    more = sample - int(chosen.sum())
    chosen[rest[np.argsort(keys[rest], kind="stable")[:more]]] = True
    return chosen
