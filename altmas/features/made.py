"""What features were made, and how components become columns that may be standardised without harm."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from altmas.metrics.types import Float32Array, FloatArray, IntArray

ROWS_AT_ONCE = 1 << 13


@dataclass(frozen=True, eq=False)
class MadeFeatures:
    """Numbers per item `[N, D]`, and what they were made of, in words."""

    array: Float32Array
    used: str


def balanced(components: FloatArray | Float32Array) -> Float32Array:
    """Components, the first ones large and the last ones small, turned so that all columns vary alike.

    Whoever learns from features standardises their columns first. That would blow up the last components, which are
    mostly noise: a kernel on 128 components of 20 Newsgroups then has .58 right from 400 labels instead of .74. A
    Hadamard matrix has entries of one size, so that every column gets the same share of each component; distances stay
    what they were, and the components can be found again. Zeros fill up to a power of two.

    >>> balanced(np.array([[4.0, 0.0], [-4.0, 0.0], [0.0, 1.0], [0.0, -1.0]])).std(0)
    array([1., 1.], dtype=float32)
    """
    from scipy.linalg import hadamard

    rows, width = components.shape
    wide = 1 << max(width - 1, 0).bit_length()
    mean = components.mean(0, dtype=np.float64)
    total = float(((components - mean) ** 2).mean(0, dtype=np.float64).sum())
    turn = hadamard(wide)[:width] / np.sqrt(total) if total > 0 else np.zeros((width, wide))
    found = np.empty((rows, wide), np.float32)
    for start in range(0, rows, ROWS_AT_ONCE):
        found[start : start + ROWS_AT_ONCE] = (components[start : start + ROWS_AT_ONCE] - mean) @ turn
    return found


def typical(contents: Iterable[bytes], most: int) -> IntArray:
    """At most `most` rows to learn from, and their order: both follow from what the rows hold, not from where they are.

    >>> typical([b"b", b"a", b"c"], 2), typical([b"c", b"b", b"a"], 2)
    (array([1, 2]), array([2, 0]))
    """
    places = np.array([int.from_bytes(hashlib.blake2b(one, digest_size=7).digest()) for one in contents], np.int64)
    return np.argsort(places, kind="stable")[:most]
