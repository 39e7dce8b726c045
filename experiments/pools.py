"""Real pools: MNIST, Fashion-MNIST and CIFAR-10 from a data directory, Debian's package, or `keras.datasets`."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.errors import InputError

FILES = {"mnist": "mnist.npz", "fashion_mnist": "fashion_mnist.npz", "cifar10": "cifar10_test.npz"}
DEBIAN_FASHION = Path("/usr/share/dataset-fashion-mnist")


@dataclass(frozen=True, eq=False)
class Images:
    """A test set: images `[N, H, W]` or `[N, H, W, 3]` and their labels."""

    images: NDArray[np.uint8]
    labels: NDArray[np.int64]


def load_images(name: str, data: Path | None = None) -> Images:
    """The test images of a data set, from the first place that has them."""
    if name not in FILES:
        raise InputError("data set", f"be one of {', '.join(FILES)}", repr(name))
    if data is not None and (data / FILES[name]).is_file():
        arrays = read_npz(data / FILES[name])
        return Images(arrays["x_test"], arrays["y_test"].astype(np.int64).ravel())
    if name == "fashion_mnist" and DEBIAN_FASHION.is_dir():
        return Images(_idx(DEBIAN_FASHION / "t10k-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28),
                      _idx(DEBIAN_FASHION / "t10k-labels-idx1-ubyte.gz", 8).astype(np.int64))  # fmt: skip
    return _from_keras(name)


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Every array of a file, never unpickling."""
    if not path.is_file():
        raise InputError("data file", "exist", str(path), "Give the folder that holds it with --data.")
    with np.load(path, allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


def model_outputs(name: str, data: Path) -> NDArray[np.float32]:
    """Stored softmax outputs `[N, C]` of one of the paper's models under test."""
    arrays = read_npz(data / "paper_models.npz")
    if name not in arrays:
        raise InputError("model under test", f"be one of {', '.join(arrays['names'].tolist())}", repr(name))
    return arrays[name].astype(np.float32)


def _from_keras(name: str) -> Images:
    from altmas.surrogates.backend import tensorflow

    source = getattr(tensorflow().keras.datasets, name)
    _, (images, labels) = source.load_data()  # downloads
    return Images(images, labels.astype(np.int64).ravel())


def _idx(path: Path, header: int) -> NDArray[np.uint8]:
    with gzip.open(path) as file:
        return np.frombuffer(file.read()[header:], dtype=np.uint8)
