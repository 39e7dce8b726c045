"""Dropout as Keras draws it, a mask per item: not a draw of one world, and here only to measure the difference."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from altmas.metrics.types import Float32Array
from altmas.surrogates import MCDropoutMLP

_ITEMS_AT_ONCE = 512


class PerItemMLP(MCDropoutMLP):
    """The surrogate of ALT-MAS with its masks drawn anew for every item.

    >>> x = np.repeat(np.eye(2, dtype=np.float32), 20, axis=0)
    >>> net = PerItemMLP(hidden=(16,), epochs=60).fit(x, [0] * 20 + [1] * 20)
    >>> alike = net.draw(np.ones((5, 2)), draws=1, rng=np.random.default_rng(0))[0]
    >>> len(np.unique(alike[:, 0])) > 1
    True
    """

    def draw(self, X: object, *, draws: int, rng: np.random.Generator) -> Float32Array:
        """Class probabilities `[M, n, C]`, each item of each draw under masks of its own."""
        x = np.asarray(X, dtype=np.float32)
        weights, keep = self._network.weights, np.float32(1 - self.dropout)
        flat = x.reshape(len(x), -1)
        out = np.empty((draws, len(x), weights[-1].size), np.float32)
        for start in range(0, len(x), _ITEMS_AT_ONCE):
            rows = slice(start, start + _ITEMS_AT_ONCE)
            first = np.maximum(flat[rows] @ weights[0] + weights[1], 0)
            for j in range(draws):
                z = first
                for kernel, bias in zip(weights[2::2], weights[3::2], strict=True):
                    kept = rng.random(z.shape, dtype=np.float32) < keep
                    z = np.maximum(z, 0) * kept / keep @ kernel + bias
                out[j, rows] = z
        return np.asarray(softmax(out, axis=-1), dtype=np.float32)
