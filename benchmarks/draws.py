"""50 draws of 10,000 x 784 through 2 x 256: ours against 50 compiled Keras stochastic passes, with the same weights.

The Keras passes draw a mask per item, which is not a posterior draw; they are what the quantity usually costs.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from workload import make_pool

from altmas.surrogates import MCDropoutMLP
from altmas.surrogates.backend import tensorflow


def keras_passes(weights, x, draws, dropout):
    tf = tensorflow()
    layers = tf.keras.layers
    net = tf.keras.Sequential(
        [
            layers.Input(x.shape[1:]),
            layers.Dense(256, activation="relu"),
            layers.Dropout(dropout),
            layers.Dense(256, activation="relu"),
            layers.Dropout(dropout),
            layers.Dense(weights[-1].size, activation="softmax"),
        ]
    )
    net.set_weights(weights)
    one_pass = tf.function(lambda batch: net(batch, training=True))
    data = tf.constant(x)
    one_pass(data)  # compiled before the clock starts
    start = time.perf_counter()
    out = np.stack([one_pass(data).numpy() for _ in range(draws)])
    return out, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a small pool, to see that it runs")
    smoke = parser.parse_args().smoke
    items, draws = (500, 5) if smoke else (10_000, 50)
    x, labels, _ = make_pool(items, 784)
    net = MCDropoutMLP(epochs=5).fit(x[:300], labels[:300], n_classes=10)
    ours = []
    for _ in range(3):
        start = time.perf_counter()
        p = net.draw(x, draws=draws, rng=np.random.default_rng(0))
        ours.append(time.perf_counter() - start)
    q, keras = keras_passes(net._network.weights, x, draws, net.dropout)
    gap = np.abs(p.mean(0) - q.mean(0)).mean()
    print(f"{draws} draws of {items:,} x 784 through 2 x 256 (best of 3): {min(ours):.2f} s")
    print(f"{draws} compiled Keras stochastic passes: {keras:.2f} s")
    print(f"mean gap between the two mean predictions: {gap:.3f}")
    print(f"ratio: {keras / min(ours):.1f} times faster")


if __name__ == "__main__":
    main()
