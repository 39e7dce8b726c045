"""The two networks of the ALT-MAS paper, as pure functions of weights and dropout masks.

A network is a stem, run once for all draws because it lies before the first dropout, and a head, run with masks.
Masks are 0 or 1 / keep; their shape is that of the layer for one item, with a leading axis that is the number of
items in training (a mask each) and 1 in a draw (one mask for all items).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from scipy.special import softmax

from altmas.metrics.errors import InputError
from altmas.metrics.types import Float32Array, IntArray
from altmas.surrogates.backend import tensorflow

Shape = tuple[int, ...]

_ITEMS_AT_ONCE = 2048  # a block's activations stay in the cache


class Architecture(Protocol):
    """Shapes of the weights and masks, and the two halves of the forward pass in TensorFlow."""

    def weight_shapes(self, item: Shape, outputs: int) -> list[Shape]: ...
    def mask_shapes(self, item: Shape) -> list[Shape]: ...
    def stem(self, x: Any, weights: Sequence[Any]) -> Any: ...
    def head(self, z: Any, weights: Sequence[Any], masks: Sequence[Any]) -> Any: ...


def initial_weights(shapes: Sequence[Shape], rng: np.random.Generator) -> list[Float32Array]:
    """Glorot uniform kernels and zero biases.

    >>> [w.shape for w in initial_weights([(3, 2), (2,)], np.random.default_rng(0))]
    [(3, 2), (2,)]
    """
    return [_glorot(shape, rng) if len(shape) > 1 else np.zeros(shape, np.float32) for shape in shapes]


def _glorot(shape: Shape, rng: np.random.Generator) -> Float32Array:
    receptive = math.prod(shape[:-2])
    limit = math.sqrt(6.0 / (receptive * (shape[-2] + shape[-1])))
    return rng.uniform(-limit, limit, shape).astype(np.float32)


@dataclass(frozen=True)
class MLP:
    """Hidden layers of rectified units, dropout after each."""

    hidden: tuple[int, ...] = (256, 256)

    def weight_shapes(self, item: Shape, outputs: int) -> list[Shape]:
        """Kernel and bias of each layer, in order."""
        sizes = [math.prod(item), *self.hidden, outputs]
        return [shape for a, b in pairwise(sizes) for shape in ((a, b), (b,))]

    def mask_shapes(self, item: Shape) -> list[Shape]:
        """One mask per hidden layer."""
        return [(size,) for size in self.hidden]

    def stem(self, x: Any, weights: Sequence[Any]) -> Any:
        """The first hidden layer."""
        tf = tensorflow()

        flat = tf.reshape(x, [tf.shape(x)[0], -1])
        return tf.nn.relu(flat @ weights[0] + weights[1])

    def head(self, z: Any, weights: Sequence[Any], masks: Sequence[Any]) -> Any:
        """The other layers, to logits."""
        tf = tensorflow()

        for i, mask in enumerate(masks, start=1):
            z = (z * mask) @ weights[2 * i] + weights[2 * i + 1]
            if i < len(masks):
                z = tf.nn.relu(z)
        return z


@dataclass(frozen=True)
class LeNet:
    """LeNet-5 (LeCun 1998) with rectified units, max pooling, and dropout before each ReLU.

    Images `[height, width]` or `[height, width, channels]`, at least 16 pixels each way. Images of 32 pixels are taken
    as they are; smaller ones are padded by two pixels, as LeNet-5 did with digits of 28.
    """

    def weight_shapes(self, item: Shape, outputs: int) -> list[Shape]:
        """Two convolutions, then 120, 84 and the outputs."""
        after, across, _ = self.mask_shapes(item)[1]
        channels = item[2] if len(item) == 3 else 1
        flat = (after // 2) * (across // 2) * 16
        kernels: list[Shape] = [(5, 5, channels, 6), (5, 5, 6, 16), (flat, 120), (120, 84), (84, outputs)]
        return [shape for kernel in kernels for shape in (kernel, kernel[-1:])]

    def mask_shapes(self, item: Shape) -> list[Shape]:
        """Both feature maps and both hidden layers."""
        if len(item) not in (2, 3) or min(item[:2]) < 16:
            raise InputError("LeNet's items", "be images of at least 16 x 16 pixels", f"shape {item}")
        lost = 0 if _padded(item) else 4
        height, width = item[0] - lost, item[1] - lost
        return [(height, width, 6), (height // 2 - 4, width // 2 - 4, 16), (120,), (84,)]

    def stem(self, x: Any, weights: Sequence[Any]) -> Any:
        """The first convolution. A mask is not negative, so relu(mask * z) = mask * relu(z) and the ReLU comes here."""
        tf = tensorflow()

        image = x if x.shape.rank == 4 else x[..., None]
        padding = "SAME" if _padded(tuple(image.shape[1:])) else "VALID"
        return tf.nn.relu(tf.nn.conv2d(image, weights[0], 1, padding) + weights[1])

    def head(self, z: Any, weights: Sequence[Any], masks: Sequence[Any]) -> Any:
        """Everything after the first ReLU, to logits."""
        tf = tensorflow()

        z = tf.nn.max_pool2d(z * masks[0], 2, 2, "VALID")
        z = tf.nn.relu(tf.nn.conv2d(z, weights[2], 1, "VALID") + weights[3]) * masks[1]
        z = tf.nn.max_pool2d(z, 2, 2, "VALID")
        z = tf.reshape(z, [tf.shape(z)[0], weights[4].shape[0]])
        z = tf.nn.relu(z @ weights[4] + weights[5]) * masks[2]
        z = tf.nn.relu(z @ weights[6] + weights[7]) * masks[3]
        return z @ weights[8] + weights[9]


def _padded(item: Shape) -> bool:
    return min(item[:2]) < 32


def draw_probabilities(x: Float32Array, weights: Sequence[Float32Array], masks: Sequence[Float32Array]) -> Float32Array:
    """Class probabilities `[M, n, C]` of an MLP with dropout masks `[M, units]` after each hidden layer, by NumPy.

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
    kept: Sequence[IntArray],
    j: int,
) -> list[tuple[Float32Array, Float32Array]]:
    """Layers after the first under draw j: transposed, cut to the kept units, scaled by the mask."""
    layers = []
    for i, (rows, mask) in enumerate(zip(kept, masks, strict=True), start=1):
        columns = kept[i] if i < len(kept) else slice(None)
        kernel = kernels[i][rows] * mask[j, rows, None]
        layers.append((np.ascontiguousarray(kernel[:, columns].T), biases[i][columns][:, None]))
    return layers
