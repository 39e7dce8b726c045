"""Train the six models under test of the ALT-MAS paper, and keep what they say about the test images.

    python -m altmas.experiments.alt_mas.paper_models --data DIR --out DIR/paper_models.npz

Models whose images are not there are left out, with a line that says why. The file is written after each model, and
models that are in it already are not trained again unless they are named with --models.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click
import numpy as np

from altmas.experiments.bench.options import FILE, data_option, smoke_option
from altmas.experiments.bench.run import one_thread
from altmas.experiments.data.datasets import PARTS, SHAPES, Images, load_images
from altmas.experiments.data.paper_outputs import OUTPUTS_FILE, Outputs, read_outputs, write_outputs
from altmas.experiments.data.paper_recipes import RECIPES, Recipe, recipe
from altmas.metrics.errors import InputError

SMOKE_ITEMS = 300

Load = Callable[[str, str], Images]
"""Data set and part -> its images."""


def train_outputs(one: Recipe, load: Load, *, seed: int, epochs: int | None, say: Callable[[str], None]) -> Outputs:
    """Train a model and put it to its test images."""
    from altmas.experiments.alt_mas.paper_networks import accuracy, softmax, train

    shown, test = load(one.trained_on, "train"), load(one.put_to, "test")
    for name, part, images in ((one.trained_on, "train", shown), (one.put_to, "test", test)):
        say(f"{one.name}: {name}, {part} part: {images.content}, {images.source}")
    scores = softmax(train(one, shown, seed=seed, epochs=epochs, say=say), test.images)
    return Outputs(scores, accuracy(scores, test.labels))


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
    from altmas.experiments.alt_mas.paper_networks import accuracy

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
