"""The three networks behind the ALT-MAS paper's models under test, and their training, in Keras.

Everything random comes from named streams: on one thread the same seed gives the same weights, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.core.streams import stream
from altmas.experiments.data.datasets import Images
from altmas.experiments.data.paper_recipes import Recipe
from altmas.surrogates.backend import tensorflow

CLASSES = 10
MOST_HELD_OUT = 2000
FARTHEST = 3
"""Pixels: the example moves images by up to a tenth of their 32."""


def train(
    recipe: Recipe, images: Images, *, seed: int = 0, epochs: int | None = None, say: Callable[[str], None] = print
) -> Any:
    """A Keras network trained as the recipe says, for at most so many epochs."""
    network = build_network(recipe.network, images.images.shape[1:], stream(seed, recipe.name, "network"))
    network.compile(_optimiser(recipe), loss="sparse_categorical_crossentropy", jit_compile=False)
    size = len(images.labels)
    shown = size - (min(MOST_HELD_OUT, size // 5) if recipe.stop_accuracy is not None else 0)
    last = min(epochs or recipe.epochs, recipe.epochs)
    for epoch in range(1, last + 1):
        losses = []
        rng = stream(seed, recipe.name, "epoch", epoch)
        for step, rows in enumerate(batches(shown, recipe.batch, rng), start=1):
            x, y = images.images[rows], images.labels[rows]
            losses.append(float(network.train_on_batch(moved(x, rng) if recipe.moved else x, y)))
            if recipe.stop_accuracy is not None and step % recipe.look == 0:
                reached = accuracy(softmax(network, images.images[shown:]), images.labels[shown:])
                if reached >= recipe.stop_accuracy:
                    say(f"{recipe.name}: stopped at {reached:.4f} after {step} batches of epoch {epoch}")
                    return network
        say(f"{recipe.name}: epoch {epoch} of {last}, loss {np.mean(losses):.4f}")
    return network


def build_network(name: str, item: tuple[int, ...], rng: np.random.Generator) -> Any:
    """A network by its name, from images of bytes to probabilities, with weights of its own."""
    keras = tensorflow().keras
    layers = keras.layers

    def seed() -> int:
        return int(rng.integers(2**31))

    def conv(filters: int, padding: str = "valid") -> Any:
        start = keras.initializers.GlorotUniform(seed())
        return layers.Conv2D(filters, 3, padding=padding, activation="relu", kernel_initializer=start)

    def dense(units: int, activation: str = "relu") -> Any:
        return layers.Dense(units, activation, kernel_initializer=keras.initializers.GlorotUniform(seed()))

    def drop(rate: float) -> Any:
        return layers.Dropout(rate, seed=seed())

    bodies: dict[str, Callable[[], list[Any]]] = {
        "mnist_cnn": lambda: [
            conv(32), conv(64), layers.MaxPooling2D(), drop(0.25), layers.Flatten(), dense(128), drop(0.5),
        ],
        "dense_128": lambda: [layers.Flatten(), dense(128)],
        "cifar10_cnn": lambda: [
            conv(32, "same"), conv(32), layers.MaxPooling2D(), drop(0.25),
            conv(64, "same"), conv(64), layers.MaxPooling2D(), drop(0.25), layers.Flatten(), dense(512), drop(0.5),
        ],
    }  # fmt: skip
    image = item if len(item) == 3 else (*item, 1)
    front = [layers.Input(item, dtype="uint8"), layers.Reshape(image), layers.Rescaling(1 / 255)]
    return keras.Sequential([*front, *bodies[name](), dense(CLASSES, "softmax")])


def softmax(network: Any, images: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What a network says about images `[N, C]`."""
    return np.asarray(network.predict(images, batch_size=500, verbose=0), dtype=np.float32)


def accuracy(scores: NDArray[Any], labels: NDArray[np.int64]) -> float:
    """Share of the labels that have the highest score.

    >>> accuracy(np.eye(4), np.array([0, 1, 2, 0]))
    0.75
    """
    return float((scores.argmax(1) == labels).mean())


def batches(items: int, size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """All the items once, in random order, a batch at a time.

    >>> [len(rows) for rows in batches(10, 4, np.random.default_rng(0))]
    [4, 4, 2]
    """
    order = rng.permutation(items)
    for start in range(0, items, size):
        yield order[start : start + size]


def moved(images: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Each image mirrored or not, and shifted by a few pixels, its edge repeated.

    >>> bool((moved(np.full((2, 32, 32, 3), 7, np.uint8), np.random.default_rng(0)) == 7).all())
    True
    """
    far = FARTHEST
    height, width = images.shape[1:3]
    wide = np.pad(images, ((0, 0), (far, far), (far, far), (0, 0)), mode="edge")
    down, across = rng.integers(0, 2 * far + 1, size=(2, len(images)))
    mirrored = rng.random(len(images)) < 0.5
    out = np.empty_like(images)
    for i in range(len(images)):
        view = wide[i, down[i] : down[i] + height, across[i] : across[i] + width]
        out[i] = view[:, ::-1] if mirrored[i] else view
    return out


def _optimiser(recipe: Recipe) -> Any:
    optimisers = tensorflow().keras.optimizers
    rate: Any = recipe.learning_rate
    if recipe.decay:
        rate = optimisers.schedules.InverseTimeDecay(rate, decay_steps=1, decay_rate=recipe.decay)
    return getattr(optimisers, recipe.optimiser)(learning_rate=rate)
