"""Draws of a multi-layer perceptron by small matrix products: a dropped unit is left out, not multiplied by zero."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from altmas.metrics.types import Float32Array

_ITEMS_AT_ONCE = 2048  # a block's activations stay in the cache


def draw_probabilities(x: Float32Array, weights: Sequence[Float32Array], masks: Sequence[Float32Array]) -> Float32Array:
    """Class probabilities `[M, n, C]` of an MLP with dropout masks `[M, units]` after each hidden layer.

    The first layer lies before every dropout, so it runs once for all draws. Of the others only kept rows and columns
    take part: at a dropout of one half that is a quarter of the work.

    >>> x, w = np.ones((1, 2), np.float32), [np.eye(2, dtype=np.float32), np.zeros(2, np.float32)] * 2
    >>> draw_probabilities(x, w, [np.array([[2.0, 0.0]], np.float32)]).round(2)
    array([[[0.88, 0.12]]], dtype=float32)
    """
    kernels, biases = weights[0::2], weights[1::2]
    draws, depth = len(masks[0]), len(masks)
    kept = [[np.flatnonzero(mask[j]) for mask in masks] for j in range(draws)]
    small = [_small_layers(kernels, biases, masks, kept[j], j) for j in range(draws)]
    out = np.empty((draws, len(x), biases[-1].size), np.float32)
    flat = x.reshape(len(x), -1)
    for start in range(0, len(x), _ITEMS_AT_ONCE):
        rows = slice(start, start + _ITEMS_AT_ONCE)
        # Units first: leaving units out is then a copy of whole rows.
        first = np.maximum(kernels[0].T @ flat[rows].T + biases[0][:, None], 0)
        for j in range(draws):
            z = first[kept[j][0]]
            for layer, (kernel, bias) in enumerate(small[j], start=1):
                z = kernel @ z + bias
                if layer < depth:
                    np.maximum(z, 0, out=z)
            out[j, rows] = z.T
    return np.asarray(softmax(out, axis=-1))


def _small_layers(
    kernels: Sequence[Float32Array],
    biases: Sequence[Float32Array],
    masks: Sequence[Float32Array],
    kept: Sequence[NDArray[np.int64]],
    j: int,
) -> list[tuple[Float32Array, Float32Array]]:
    """Layers after the first under draw j: transposed, cut to the kept units, scaled by the mask."""
    layers = []
    for i, (rows, mask) in enumerate(zip(kept, masks, strict=True), start=1):
        columns = kept[i] if i < len(kept) else slice(None)
        kernel = kernels[i][rows] * mask[j, rows, None]
        layers.append((np.ascontiguousarray(kernel[:, columns].T), biases[i][columns][:, None]))
    return layers
