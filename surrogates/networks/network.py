"""A network whose training step is compiled once: each fit re-initialises the weights in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from altmas.metrics.types import Float32Array, IntArray
from altmas.surrogates.backend import repeated, tensorflow
from altmas.surrogates.networks.architectures import Architecture, Shape, initial_weights

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-7  # Adam, as Keras sets it

_IMAGES_AT_ONCE = 1024


class Network:
    """Weights as TensorFlow variables, with one compiled training loop for any data, rate and dropout."""

    def __init__(self, architecture: Architecture, item: Shape, outputs: int) -> None:
        tf = tensorflow()

        self.architecture, self.item, self.outputs = architecture, item, outputs
        self._shapes = architecture.weight_shapes(item, outputs)
        self._masks = architecture.mask_shapes(item)
        self._weights = [tf.Variable(tf.zeros(shape)) for shape in self._shapes]
        self._moments = [[tf.Variable(tf.zeros(shape)) for shape in self._shapes] for _ in range(2)]
        self._train = _compiled_training(self)
        self._head = tf.function(
            lambda z, masks: tf.nn.softmax(architecture.head(z, self._weights, masks)), reduce_retracing=True
        )

    @property
    def weights(self) -> list[Float32Array]:
        """The current weights."""
        return [w.numpy() for w in self._weights]

    def train(
        self,
        x: Float32Array,
        y: IntArray,
        order: IntArray,
        *,
        learning_rate: float,
        keep: float,
        rng: np.random.Generator,
    ) -> float:
        """Start from new weights and take one Adam step per row of `order`, the items of a batch; the last loss."""
        tf = tensorflow()

        for variable, value in zip(self._weights, initial_weights(self._shapes, rng), strict=True):
            variable.assign(value)
        for moments in self._moments:
            for variable in moments:
                variable.assign(tf.zeros_like(variable))
        seed = rng.integers(0, 2**31 - 1, dtype=np.int32)
        loss = self._train(
            tf.constant(x),
            tf.constant(y, tf.int32),
            tf.constant(order, tf.int32),
            tf.constant(learning_rate, tf.float32),
            tf.constant(keep, tf.float32),
            tf.constant(seed),
        )
        return float(loss)

    def masks(self, keep: float, draws: int, rng: np.random.Generator) -> list[Float32Array]:
        """Dropout masks of M draws, one array `[M, ...]` per layer."""
        return [
            (rng.random((draws, *shape), dtype=np.float32) < keep).astype(np.float32) / np.float32(keep)
            for shape in self._masks
        ]

    def probabilities(self, x: Float32Array, masks: list[Float32Array]) -> Float32Array:
        """Class probabilities `[M, n, C]` under each draw's masks, the stem run once."""
        tf = tensorflow()

        draws = len(masks[0])
        out = np.empty((draws, len(x), self.outputs), np.float32)
        for start in range(0, len(x), _IMAGES_AT_ONCE):
            rows = slice(start, start + _IMAGES_AT_ONCE)
            z = self.architecture.stem(tf.constant(x[rows]), self._weights)
            for j in range(draws):
                out[j, rows] = self._head(z, [tf.constant(m[j : j + 1]) for m in masks]).numpy()
        return out


def _compiled_training(net: Network) -> Any:
    tf = tensorflow()

    weights, first, second = net._weights, *net._moments
    spec = tf.TensorSpec

    def train(x: Any, y: Any, order: Any, learning_rate: Any, keep: Any, seed: Any) -> Any:
        def one_step(step: Any, loss: Any, power_1: Any, power_2: Any) -> Sequence[Any]:
            batch = order[step]
            with tf.GradientTape() as tape:
                masks = [
                    tf.cast(
                        tf.random.stateless_uniform(
                            [tf.shape(batch)[0], *shape], tf.stack([seed, step * len(net._masks) + layer])
                        )
                        < keep,
                        tf.float32,
                    )
                    / keep
                    for layer, shape in enumerate(net._masks)
                ]
                logits = net.architecture.head(net.architecture.stem(tf.gather(x, batch), weights), weights, masks)
                loss = tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.gather(y, batch), logits=logits)
                )
            slopes = tape.gradient(loss, weights)
            power_1, power_2 = power_1 * BETA_1, power_2 * BETA_2
            for w, m, v, g in zip(weights, first, second, slopes, strict=True):
                # The fused Adam kernel: one pass over the memory of each variable.
                tf.raw_ops.ResourceApplyAdam(
                    var=w.handle, m=m.handle, v=v.handle, beta1_power=power_1, beta2_power=power_2,
                    lr=learning_rate, beta1=BETA_1, beta2=BETA_2, epsilon=EPSILON, grad=g,
                )  # fmt: skip
            return loss, power_1, power_2

        return repeated(tf.shape(order)[0], one_step, tf.constant(0.0), tf.constant(1.0), tf.constant(1.0))[0]

    # Open in the number of items and steps, so that one trace serves every fit.
    data = [spec([None, *net.item]), spec([None], tf.int32), spec([None, None], tf.int32)]
    return tf.function(train, input_signature=[*data, spec([]), spec([]), spec([], tf.int32)], autograph=False)
