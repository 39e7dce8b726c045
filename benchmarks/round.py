"""One ALT-MAS round at 10,000 x 784 for `alt_mas_21`: ours against the straightforward version.

The straightforward version builds new Keras models, calls `model.fit`, makes 50 stochastic passes, and recounts the
confusion of every item for each draw and class with numpy. Both take the same number of training steps.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from workload import make_pool

from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.methods.alt_mas import AltMas
from altmas.metrics import metrics_named, tally
from altmas.surrogates.backend import tensorflow
from altmas.surrogates.networks.agreement import VALIDATION, best_threshold, most_probable, oversampled, split

BATCH, EPOCHS, MOST_STEPS, DROPOUT = 64, 100, 1000, 0.5  # the defaults of MCDropoutMLP


def keras_net(features, outputs):
    tf = tensorflow()
    layers = tf.keras.layers
    net = tf.keras.Sequential(
        [
            layers.Input((features,)),
            layers.Dense(256, activation="relu"),
            layers.Dropout(DROPOUT),
            layers.Dense(256, activation="relu"),
            layers.Dropout(DROPOUT),
            layers.Dense(outputs, activation="softmax"),
        ]
    )
    net.compile(tf.keras.optimizers.Adam(1e-3), "sparse_categorical_crossentropy")
    return net


def keras_fit(net, x, y):
    steps_each = -(-len(x) // BATCH)
    epochs = max(1, min(EPOCHS * len(x) // BATCH, MOST_STEPS) // steps_each)
    net.fit(x, y, epochs=epochs, batch_size=BATCH, verbose=0)


def keras_passes(net, x, draws):
    tf = tensorflow()
    one_pass = tf.function(lambda batch: net(batch, training=True))
    return np.stack([one_pass(x).numpy() for _ in range(draws)])


def recounted(metrics, drawn, said, answered, classes):
    """Mean over draws of each metric with each item's label set to each class `[N, K, C]`."""
    items, draws = len(said), len(drawn)
    total = np.zeros((items, len(metrics), classes))
    for labels in drawn:
        base = tally(labels, said, classes) + answered
        for c in range(classes):
            each = np.repeat(base[None], items, axis=0)
            each[np.arange(items), labels, said] -= 1
            each[np.arange(items), c, said] += 1
            for k, one in enumerate(metrics):
                total[:, k, c] += one.value(each) / draws
    return total


def straightforward(x, said, answers, labels, metrics, draws, rng):
    """Algorithm 1, one round, as one would first write it."""
    classes = 10
    agrees = labels == said[answers]
    train, validate = split(agrees, VALIDATION, rng)
    rows = train[oversampled(agrees[train], rng)]
    agreement = keras_net(x.shape[1], 2)
    keras_fit(agreement, x[answers][rows], agrees[rows].astype(int))
    chance = keras_passes(agreement, x, draws)[:, :, 1].mean(0)
    open_items = np.setdiff1d(np.arange(len(x)), answers)
    threshold, precision = best_threshold(chance[answers[validate]], agrees[validate])
    pseudo = open_items[most_probable(chance[open_items], threshold, precision, rng)]
    surrogate = keras_net(x.shape[1], classes)
    items = np.concatenate([answers, pseudo])
    keras_fit(surrogate, x[items], np.concatenate([labels, said[pseudo]]))
    p = keras_passes(surrogate, x, draws)[:, open_items]
    drawn = p.argmax(-1)
    answered = tally(labels, said[answers], classes)
    confusions = np.stack([tally(row, said[open_items], classes) for row in drawn]) + answered
    estimates = [one.value(confusions).mean() for one in metrics]
    values = recounted(metrics, drawn, said[open_items], answered, classes)
    worth = np.zeros(len(open_items))
    for i in range(len(open_items)):
        for k in range(len(metrics)):
            kinds = np.unique(np.round(values[i, k], 10), return_inverse=True)[1]
            q = np.stack([p[:, i, kinds == o].sum(-1) for o in range(kinds.max() + 1)], -1)
            q = np.maximum(q, 1e-12)
            mean = q.mean(0)
            worth[i] += -(mean * np.log(mean)).sum() + (q * np.log(q)).sum(-1).mean()
    return estimates, open_items[worth.argmax()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a small pool, to see that it runs")
    smoke = parser.parse_args().smoke
    items, draws, answered = (300, 4, 60) if smoke else (10_000, 50, 200)
    x, labels, said = make_pool(items, 784)
    rng = np.random.default_rng(0)
    chosen = rng.choice(items, answered, replace=False)
    answers = Answers().extended(chosen, labels[chosen], 0, np.ones(answered))
    metrics = tuple(metrics_named(["alt_mas_21"], range(10)))
    run = AltMas(draws=draws).begin(Job(Pool.build(said, features=x), metrics))
    run.update(answers, 1)  # the first round of a run also compiles
    run.choose(10)
    ours = []
    for number in (2, 3):
        start = time.perf_counter()
        run.update(answers, number)
        run.estimate(0.95)
        run.choose(10)
        ours.append(time.perf_counter() - start)
    start = time.perf_counter()
    straightforward(x, said, chosen, labels[chosen], metrics, draws, rng)
    plain = time.perf_counter() - start
    print(f"one ALT-MAS round, {items:,} x 784, {draws} draws, 21 metrics (best of 2): {min(ours):.2f} s")
    print(f"the straightforward version: {plain:.2f} s")
    print(f"ratio: {plain / min(ours):.1f} times faster")


if __name__ == "__main__":
    main()
