"""Train the six models under test of the ALT-MAS paper, and keep what they say about the test images.

    python -m altmas.experiments.alt_mas.paper_models --data DIR --out DIR/paper_models.npz

Models whose images are not there are left out, with a line that says why. The file is written after each model, and
models that are in it already are not trained again unless they are named with --models.

The three networks behind the models, and their training, are in Keras. Everything random comes from named streams: on
one thread the same seed gives the same weights, bit for bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from altmas.core.streams import stream
from altmas.experiments.bench.options import FILE, data_option, smoke_option
from altmas.experiments.bench.run import one_thread
from altmas.experiments.data.datasets import PARTS, SHAPES, Images, load_images
from altmas.experiments.data.paper_outputs import OUTPUTS_FILE, Outputs, accuracy, read_outputs, write_outputs
from altmas.experiments.data.paper_recipes import RECIPES, Recipe, recipe
from altmas.metrics.errors import InputError
from altmas.surrogates.backend import tensorflow

SMOKE_ITEMS = 300
CLASSES = 10
MOST_HELD_OUT = 2000
FARTHEST = 3
"""Pixels: the example moves images by up to a tenth of their 32."""

Load = Callable[[str, str], Images]
"""Data set and part -> its images."""


def train_outputs(one: Recipe, load: Load, *, seed: int, epochs: int | None, say: Callable[[str], None]) -> Outputs:
    """Train a model and put it to its test images."""
    shown, test = load(one.trained_on, "train"), load(one.put_to, "test")
    for name, part, images in ((one.trained_on, "train", shown), (one.put_to, "test", test)):
        say(f"{one.name}: {name}, {part} part: {images.content}, {images.source}")
    scores = softmax(train(one, shown, seed=seed, epochs=epochs, say=say), test.images)
    return Outputs(scores, accuracy(scores, test.labels))


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
        batches = np.split(rng.permutation(shown), range(recipe.batch, shown, recipe.batch))
        for step, rows in enumerate(batches, start=1):
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


def moved(images: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Each image mirrored or not, and shifted by a few pixels, its edge repeated.

    >>> bool((moved(np.full((2, 32, 32, 3), 7, np.uint8), np.random.default_rng(0)) == 7).all())
    True
    """
    far = FARTHEST
    height, width = images.shape[1:3]
    wide = np.pad(images, ((0, 0), (far, far), (far, far), (0, 0)), mode="edge")
    down, across = rng.integers(0, 2 * far + 1, size=(2, len(images)))
    mirrored = rng.random((len(images), 1)) < 0.5
    rows, columns = down[:, None] + np.arange(height), across[:, None] + np.arange(width)
    columns = np.where(mirrored, columns[:, ::-1], columns)
    return np.asarray(wide[np.arange(len(images))[:, None, None], rows[:, :, None], columns[:, None]])


def _optimiser(recipe: Recipe) -> Any:
    optimisers = tensorflow().keras.optimizers
    rate: Any = recipe.learning_rate
    if recipe.decay:
        rate = optimisers.schedules.InverseTimeDecay(rate, decay_steps=1, decay_rate=recipe.decay)
    return getattr(optimisers, recipe.optimiser)(learning_rate=rate)


def smoke_images(name: str, part: str) -> Images:
    """A few hundred of scikit-learn's digits, blown up to the shape of the images of a data set.

    >>> smoke_images("cifar10", "train").images.shape
    (300, 32, 32, 3)
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    rows = slice(0, SMOKE_ITEMS) if part == "train" else slice(SMOKE_ITEMS, 2 * SMOKE_ITEMS)
    large = np.kron(digits.images[rows] * (255 / 16), np.ones((1, 3, 3))).astype(np.uint8)
    shape = SHAPES[name]
    edge = (shape[0] - large.shape[1]) // 2
    framed = np.pad(large, ((0, 0), (edge, edge), (edge, edge)))
    images = np.repeat(framed[..., None], 3, -1) if len(shape) == 3 else framed
    return Images(images, digits.target[rows].astype(np.int64), "scikit-learn's digits")


def check(data: Path | None) -> Iterable[str]:
    """A line for each data set and each stored model: what it is, or that it is not there."""
    for name in SHAPES:
        for part in PARTS:
            try:
                images = load_images(name, data, part, download=False)
                found = f"{images.content}, {images.source}, SHA-256 {images.checksum}"
            except InputError as error:
                found = str(error)
            yield f"{name}, {part} part: {found}"
    for name, outputs in (read_outputs(data / OUTPUTS_FILE) if data is not None else {}).items():
        found = _agrees(RECIPES[name].put_to, data, outputs) if name in RECIPES else "none of the paper's"
        yield f"{name}: {found}"


def _agrees(put_to: str, data: Path | None, outputs: Outputs) -> str:
    """The accuracy of stored outputs beside the stored one: not the same where the images are others, or reordered."""
    try:
        labels = load_images(put_to, data, download=False).labels
    except InputError as error:
        return str(error)
    if len(labels) != len(outputs.scores):
        return f"{len(outputs.scores):,} outputs for {len(labels):,} images of {put_to}"
    return f"accuracy {accuracy(outputs.scores, labels):.4f} on {put_to}, stored {outputs.accuracy:.4f}"


def _say(line: str) -> None:
    click.echo(line, err=True)


def _train_all(
    recipes: Sequence[Recipe], load: Load, out: Path, kept: dict[str, Outputs], seed: int, epochs: int | None
) -> None:
    for one in recipes:
        try:
            kept[one.name] = train_outputs(one, load, seed=seed, epochs=epochs, say=_say)
        except InputError as error:
            _say(f"{one.name} is left out: {error}")
            continue
        write_outputs(out, kept)
        _say(f"{one.name}: accuracy {kept[one.name].accuracy:.4f}, the paper's {one.paper_accuracy:.4f}")


@click.command()
@data_option
@click.option("--out", type=FILE, default=OUTPUTS_FILE, show_default=True, help="File.")
@click.option("--models", multiple=True, help="Names; may be repeated. [default: those not in the file yet]")
@click.option("--epochs", type=click.IntRange(1), help="At most so many. [default: the recipe's]")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of everything random.")
@click.option("--no-download", is_flag=True, help="Only what is on this machine.")
@smoke_option
@click.option("--check", "only_check", is_flag=True, help="Say what is there and whether it is known; train nothing.")
def main(
    data: Path | None, out: Path, models: tuple[str, ...], epochs: int | None, seed: int, no_download: bool,
    smoke: bool, only_check: bool,
) -> None:  # fmt: skip
    """Train models under test and write their outputs; a line for each in the file, with its SHA-256."""
    try:
        if only_check:
            click.echo("\n".join(check(data)))
            return
        kept = read_outputs(out)
        items = {len(one.scores) for one in kept.values()}
        if items and (items == {SMOKE_ITEMS}) != smoke:
            raise InputError("file of outputs", "not mix --smoke with real images", str(out))
        if not os.access(out.resolve().parent, os.W_OK):  # said now, and not after an hour of training
            raise InputError("file of outputs", "lie in a folder that can be written", str(out))
        wanted = [recipe(name) for name in dict.fromkeys(models)] or [
            one for one in RECIPES.values() if one.name not in kept
        ]

        def load(name: str, part: str) -> Images:
            return smoke_images(name, part) if smoke else load_images(name, data, part, download=not no_download)

        with one_thread():
            _train_all(wanted, load, out, kept, seed, 1 if smoke else epochs)
    except InputError as error:
        raise click.ClickException(str(error)) from None
    if not kept:
        raise click.ClickException("No model could be trained.")
    for name, one in read_outputs(out).items():
        paper = f" (paper {RECIPES[name].paper_accuracy:.4f})" if name in RECIPES else ""
        click.echo(f"{name:15s} accuracy {one.accuracy:.4f}{paper}  SHA-256 {one.checksum}")


if __name__ == "__main__":
    main()
