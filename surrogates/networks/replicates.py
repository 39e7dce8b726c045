"""Copies of one MC-dropout network trained side by side, each on rows of its own: one compiled step for all of them.

Every array of weights has a leading axis of copies, so that a step is a few batched products. A copy is judged, and
stops, by rows of its own that it does not train on: what one copy learns never depends on what another may see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from altmas.metrics.types import BoolArray, Float32Array, FloatArray, IntArray
from altmas.surrogates.backend import repeated, tensorflow
from altmas.surrogates.networks.architectures import MLP, draw_probabilities, initial_weights
from altmas.surrogates.networks.network import BETA_1, BETA_2, EPSILON

BATCH = 64
STEPS_AT_ONCE = 20
PATIENCE = 3
"""A copy stops when so many looks in a row, one every `STEPS_AT_ONCE` steps, found its held-out loss no lower."""

DRAWS = 20
Weights = list[Float32Array]


class Replicates:
    """The compiled network; weights go in and come out, so that a fit is a function of what it is given."""

    def __init__(self, inputs: int, outputs: int, hidden: tuple[int, ...], copies: int) -> None:
        self.architecture, self.copies, self.outputs = MLP(hidden), copies, outputs
        self.shapes = self.architecture.weight_shapes((inputs,), outputs)
        self._train = _compiled_steps(self)
        self._losses = _compiled_losses(self)

    def fresh(self, rng: np.random.Generator) -> Weights:
        """New weights `[R, ...]`."""
        each = [initial_weights(self.shapes, rng) for _ in range(self.copies)]
        return [np.stack(layer) for layer in zip(*each, strict=True)]

    def fit(
        self,
        x: Float32Array,
        y: IntArray,
        rows: Sequence[IntArray],
        start: Weights,
        *,
        held: BoolArray,
        dropout: float,
        learning_rate: float,
        most_steps: int,
        rng: np.random.Generator,
    ) -> Weights:
        """Weights `[R, ...]` after training copy r on `rows[r]` of `x`, from `start`; its best by the `held` of them.

        Whoever starts from earlier weights must have held out the same rows then.
        """
        tf = tensorflow()

        # A copy that may see nothing trains on nothing: its loss is nowhere lower than at the start.
        parts = [_held_out(one, held) for one in rows]
        judged, counts = _padded([held for _, held in parts])
        weights = [tf.Variable(w) for w in start]
        moments = [[tf.Variable(tf.zeros_like(w)) for w in weights] for _ in range(2)]
        features, labels = tf.constant(x), tf.constant(y, tf.int32)
        best = [w.copy() for w in start]
        lowest = self._judge(features, labels, judged, counts, weights)
        waited = np.zeros(self.copies, int)
        seed = int(rng.integers(1 << 31))
        for done in range(0, most_steps, STEPS_AT_ONCE):
            order = np.stack([rng.choice(seen, (STEPS_AT_ONCE, BATCH)) for seen, _ in parts], axis=1)
            self._train(
                features, labels, tf.constant(order, tf.int32), weights, *moments,
                tf.constant(learning_rate, tf.float32), tf.constant(1 - dropout, tf.float32),
                tf.constant([seed, done], tf.int32), tf.constant(float(done), tf.float32),
            )  # fmt: skip
            now = self._judge(features, labels, judged, counts, weights)
            better = (now < lowest) & (waited < PATIENCE)
            for kept, w in zip(best, weights, strict=True):
                kept[better] = w.numpy()[better]
            lowest = np.where(better, now, lowest)
            waited = _waited(waited, better)
            if (waited >= PATIENCE).all():
                break
        return best

    def _judge(self, x: Any, y: Any, rows: IntArray, counts: IntArray, weights: Any) -> FloatArray:
        tf = tensorflow()

        each = self._losses(x, y, tf.constant(rows, tf.int32), weights).numpy()
        real = np.arange(rows.shape[1]) < counts[:, None]
        return np.asarray((each * real).sum(1) / np.maximum(counts, 1))

    def probabilities(self, x: Float32Array, weights: Weights, copy: int, dropout: float, seed: int) -> FloatArray:
        """The mean over draws of one copy's probabilities `[n, C]`; a draw is one mask per layer for all items."""
        keep, rng = np.float32(1 - dropout), np.random.default_rng([seed, copy])
        masks = [
            (rng.random((DRAWS, size), dtype=np.float32) < keep).astype(np.float32) / keep
            for size in self.architecture.hidden
        ]
        draws = draw_probabilities(x, [w[copy] for w in weights], masks)
        return np.asarray(draws.mean(0), dtype=np.float64)


def _waited(waited: IntArray, better: BoolArray) -> IntArray:
    """Looks since the last improvement; who has waited long enough stays where it is.

    >>> _waited(np.array([2, 1, 3]), np.array([True, False, False])).tolist()
    [0, 2, 3]
    """
    return np.where(waited >= PATIENCE, waited, np.where(better, 0, waited + 1))


def _held_out(rows: IntArray, held: BoolArray) -> tuple[IntArray, IntArray]:
    """Rows to train on, and rows to be judged by; few rows are both."""
    if len(rows) == 0:
        return np.zeros(1, np.int64), rows
    judged = rows[held[rows]]
    return (rows[~held[rows]], judged) if 2 <= len(judged) < len(rows) else (rows, rows)


def _padded(rows: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Rows of different length as one array `[R, most]`, and how many of each are real.

    >>> _padded([np.array([5]), np.array([6, 7])])[0].tolist()
    [[5, 0], [6, 7]]
    """
    counts = np.array([len(one) for one in rows])
    out = np.zeros((len(rows), max(int(counts.max()), 1)), np.int64)
    for place, one in enumerate(rows):
        out[place, : len(one)] = one
    return out, counts


def _forward(x: Any, weights: Sequence[Any], masks: Sequence[Any] | None) -> Any:
    """Logits `[R, B, C]` of rows `[R, B, D]`."""
    tf = tensorflow()

    depth = len(weights) // 2
    for layer in range(depth):
        x = tf.matmul(x, weights[2 * layer]) + weights[2 * layer + 1][:, None, :]
        if layer < depth - 1:
            x = tf.nn.relu(x)
            x = x if masks is None else x * masks[layer]
    return x


def _compiled_steps(net: Replicates) -> Any:
    tf = tensorflow()

    def steps(x: Any, y: Any, order: Any, weights: Any, first: Any, second: Any, rate: Any, keep: Any, seed: Any,
              done: Any) -> None:  # fmt: skip
        def one_step(step: Any, power_1: Any, power_2: Any) -> Sequence[Any]:
            batch = order[step]  # [R, B]
            with tf.GradientTape() as tape:
                masks = [
                    tf.cast(
                        tf.random.stateless_uniform([net.copies, BATCH, size], seed + tf.stack([layer, step])) < keep,
                        tf.float32,
                    )
                    / keep
                    for layer, size in enumerate(net.architecture.hidden)
                ]
                logits = _forward(tf.gather(x, batch), weights, masks)
                each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.gather(y, batch), logits=logits)
                loss = tf.reduce_sum(tf.reduce_mean(each, axis=1))  # a sum over copies: each has a slope of its own
            slopes = tape.gradient(loss, weights)
            power_1, power_2 = power_1 * BETA_1, power_2 * BETA_2
            for w, m, v, g in zip(weights, first, second, slopes, strict=True):
                tf.raw_ops.ResourceApplyAdam(
                    var=w.handle, m=m.handle, v=v.handle, beta1_power=power_1, beta2_power=power_2,
                    lr=rate, beta1=BETA_1, beta2=BETA_2, epsilon=EPSILON, grad=g,
                )  # fmt: skip
            return power_1, power_2

        repeated(tf.shape(order)[0], one_step, tf.pow(BETA_1, done), tf.pow(BETA_2, done))

    return tf.function(steps, reduce_retracing=True, autograph=False)


def _compiled_losses(net: Replicates) -> Any:
    tf = tensorflow()

    def losses(x: Any, y: Any, rows: Any, weights: Any) -> Any:
        logits = _forward(tf.gather(x, rows), weights, None)
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.gather(y, rows), logits=logits)

    return tf.function(losses, reduce_retracing=True)
