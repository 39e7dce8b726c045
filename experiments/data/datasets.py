"""Images with labels: MNIST, Fashion-MNIST, CIFAR-10 and SVHN, and whether they are what they are taken for.

Looked for in a data directory, in Debian's `dataset-fashion-mnist`, and by `keras.datasets`, which downloads and keeps.
"""

from __future__ import annotations

import gzip
import hashlib
import sys
import zipfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.errors import InputError

SHAPES: dict[str, tuple[int, ...]] = {
    "mnist": (28, 28), "fashion_mnist": (28, 28), "cifar10": (32, 32, 3), "svhn": (32, 32, 3),
}  # fmt: skip
"""Data set -> shape of an image. All have ten classes."""

PARTS = ("test", "train")
DEBIAN_FASHION = Path("/usr/share/dataset-fashion-mnist")

WHERE = {
    "mnist": "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz is such a file.",
    "fashion_mnist": "Debian's package dataset-fashion-mnist has it, too.",
    "cifar10": "keras.datasets.cifar10.load_data() gets it where there is a network.",
    "svhn": "Or its original .mat file, from http://ufldl.stanford.edu/housenumbers/.",
}

KNOWN = {
    # With the headers of idx files put before them, these give the MD5 that the original files are known by.
    "f8929b622212d12b9c2c318472b69865d0f40d179e819469b9ec160bacb92c54": "MNIST, test part",
    "29581b3a9f3e2f787c6da5bed0badd867d96f802ec3f7c46051a7aa76ff2664b": "MNIST, train part",
    "354fa1e3cd65b4f130f48acac3c4511a4bad53f9d19187d4cc8308c77e048609": "Fashion-MNIST, test part",
    "b37307470fcbd9926f611ecb36116b7886c67297a4b952161f58c9111dd443e6": "Fashion-MNIST, train part",
    # From a collection of the images as JPEG files: nearly, but not quite, what was published.
    "9548b55250cedc0ede7728182e90a57fb32843ea3a8196833c1e79d941e88a1f": "CIFAR-10, test part, re-encoded as JPEG",
}
"""Checksum -> what it is of. CIFAR-10 and SVHN as they were published are not among them: none was at hand."""


@dataclass(frozen=True, eq=False)
class Images:
    """One part of a data set: images `[N, H, W]` or `[N, H, W, 3]`, their labels, and where they come from."""

    images: NDArray[np.uint8]
    labels: NDArray[np.int64]
    source: str = ""

    def __post_init__(self) -> None:
        if len(self.images) != len(self.labels):
            raise InputError("labels", f"be one per image of {len(self.images):,}", f"{len(self.labels):,}")
        if not len(self.labels):
            raise InputError("images", "be at least one", "none")
        if self.labels.min() < 0 or self.labels.max() > 9:
            raise InputError("labels", "be 0 to 9", f"{self.labels.min()} to {self.labels.max()}")

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the arrays' content: the same however a file packs them."""
        digest = hashlib.sha256(f"{self.images.shape} ".encode())
        digest.update(self.images.tobytes())
        digest.update(self.labels.astype(np.uint8).tobytes())
        return digest.hexdigest()

    @property
    def content(self) -> str:
        """What the checksum says these are.

        >>> Images(np.zeros((2, 28, 28), np.uint8), np.array([3, 4])).content
        'unknown content'
        """
        return KNOWN.get(self.checksum, "unknown content")


def load_images(name: str, data: Path | None = None, part: str = "test", *, download: bool = True) -> Images:
    """One part of a data set, from the first place that has it.

    A data directory has it as `NAME_PART.npz` or `NAME.npz` with `x_PART` and `y_PART`; SVHN also as `PART_32x32.mat`.
    """
    _one_of("data set", name, tuple(SHAPES))
    _one_of("part", part, PARTS)
    found = _in_folder(name, data, part) if data is not None else None
    found = found or _in_debian(name, part)
    if found is None and download:
        found = _from_keras(name, part)
    if found is None:
        raise _missing(name, part, "none" if data is None else f"none in {data}")
    return found


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Every array of a file, never unpickling."""
    if not path.is_file():
        raise InputError("data file", "exist", str(path), "Give the folder that holds it with --data.")
    return _arrays(path)


def _in_folder(name: str, data: Path, part: str) -> Images | None:
    for path in (data / f"{name}_{part}.npz", data / f"{name}.npz"):
        arrays = _arrays(path, (f"x_{part}", f"y_{part}")) if path.is_file() else {}
        if len(arrays) == 2:
            return _images(name, arrays[f"x_{part}"], arrays[f"y_{part}"], str(path))
    path = data / f"{part}_32x32.mat"
    return _from_mat(path) if name == "svhn" and path.is_file() else None


def _arrays(path: Path, only: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
    try:
        # Opened here, because numpy leaves a file that it cannot read open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files if only is None or key in only}
    except (ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:  # TypeError: one array, not an archive
        raise InputError("data file", "be an npz of plain arrays", f"{path} ({error})") from None


def _from_mat(path: Path) -> Images:
    from scipy.io import loadmat

    try:
        arrays = loadmat(path, variable_names=["X", "y"])
        return _images("svhn", np.moveaxis(arrays["X"], -1, 0), arrays["y"], str(path))
    except InputError:
        raise
    except Exception as error:  # scipy has a kind of its own for every way in which a file can be wrong
        raise InputError("data file", "be SVHN's cropped digits, with X and y", f"{path} ({error})") from None


def _in_debian(name: str, part: str) -> Images | None:
    prefix = {"test": "t10k", "train": "train"}[part]
    images, labels = (DEBIAN_FASHION / f"{prefix}-{kind}-ubyte.gz" for kind in ("images-idx3", "labels-idx1"))
    if name != "fashion_mnist" or not (images.is_file() and labels.is_file()):
        return None
    return _images(name, _idx(images, 16).reshape(-1, 28, 28), _idx(labels, 8), str(DEBIAN_FASHION))


def _idx(path: Path, header: int) -> NDArray[np.uint8]:
    with gzip.open(path) as file:
        return np.frombuffer(file.read()[header:], dtype=np.uint8)


def _from_keras(name: str, part: str) -> Images | None:
    from altmas.surrogates.backend import tensorflow

    source = getattr(tensorflow().keras.datasets, name, None)
    if source is None:
        return None
    try:
        with redirect_stdout(sys.stderr):  # progress of a download is no result
            train, test = source.load_data()
    except Exception as error:  # Keras raises nothing narrower when a download fails
        raise _missing(name, part, f"no download ({error})") from None
    images, labels = train if part == "train" else test
    return _images(name, images, labels, f"keras.datasets.{name}")


def _images(name: str, images: NDArray[Any], labels: NDArray[Any], source: str) -> Images:
    shape = SHAPES[name]
    if images.dtype != np.uint8 or images.shape[1:] != shape:
        rule = f"be uint8 of shape [N, {', '.join(map(str, shape))}]"
        raise InputError(f"images of {source}", rule, f"{images.dtype} of shape {list(images.shape)}")
    classes = labels.astype(np.int64).ravel()
    # SVHN was published with 10 for the digit 0.
    return Images(images, np.where(classes == 10, 0, classes) if name == "svhn" else classes, source)


def _missing(name: str, part: str, got: str) -> InputError:
    file = f"Put {name}_{part}.npz with x_{part} and y_{part} into the data directory."
    return InputError(f"{part} part of {name}", "be there or be downloaded", got, f"{file} {WHERE[name]}")


def _one_of(subject: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InputError(subject, f"be one of {', '.join(known)}", repr(value))
