"""Image sets from every place that may have them, and what their content is."""

import gzip
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.io import savemat

from altmas import InputError
from altmas.experiments.data import datasets
from altmas.experiments.data.datasets import PARTS, SHAPES, Images, load_images
from altmas.surrogates import backend


def made(name, items=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(256, size=(items, *SHAPES[name]), dtype=np.uint8), rng.integers(10, size=items).astype(np.uint8)


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    """No Debian package, and Keras out of reach unless a test puts it there."""
    monkeypatch.setattr(datasets, "DEBIAN_FASHION", tmp_path / "no-package")

    def unexpected():
        raise AssertionError("Keras was asked")

    monkeypatch.setattr(backend, "tensorflow", unexpected)


@pytest.fixture
def keras(monkeypatch):
    """Stands in for keras.datasets, without a network."""

    def serve(**sets):
        loaders = {name: SimpleNamespace(load_data=load) for name, load in sets.items()}
        place = SimpleNamespace(keras=SimpleNamespace(datasets=SimpleNamespace(**loaders)))
        monkeypatch.setattr(backend, "tensorflow", lambda: place)

    return serve


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("part", PARTS)
def test_a_data_directory_has_parts_in_files_of_their_own_or_together(tmp_path, name, part):
    (x, y), (others, _) = made(name), made(name, seed=1)
    np.savez(tmp_path / f"{name}.npz", **{f"x_{part}": others, f"y_{part}": y})
    assert load_images(name, tmp_path, part).source.endswith(f"{name}.npz")
    np.savez(tmp_path / f"{name}_{part}.npz", **{f"x_{part}": x, f"y_{part}": y})
    found = load_images(name, tmp_path, part)
    np.testing.assert_array_equal(found.images, x)
    assert (found.labels.dtype, found.labels.tolist()) == (np.int64, y.tolist())


def test_debians_package_has_both_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "DEBIAN_FASHION", tmp_path)
    for seed, prefix in enumerate(("t10k", "train")):
        for kind, header, array in zip(("images-idx3", "labels-idx1"), (16, 8), made("mnist", seed=seed), strict=True):
            with gzip.open(tmp_path / f"{prefix}-{kind}-ubyte.gz", "wb") as file:
                file.write(bytes(header) + array.tobytes())
    for seed, part in enumerate(PARTS):
        x, y = made("mnist", seed=seed)
        found = load_images("fashion_mnist", part=part)
        np.testing.assert_array_equal(found.images, x)
        assert found.labels.tolist() == y.tolist()


def test_keras_is_asked_last(tmp_path, keras):
    train, test = made("cifar10", 6), made("cifar10", 4, seed=1)
    keras(cifar10=lambda: tuple((x, y[:, None]) for x, y in (train, test)))  # labels [N, 1], as Keras has them
    np.savez(tmp_path / "cifar10_test.npz", x_test=test[0], y_test=test[1])
    found = load_images("cifar10", tmp_path, "train")
    assert (found.source, found.labels.tolist()) == ("keras.datasets.cifar10", train[1].tolist())
    assert load_images("cifar10", tmp_path).source.endswith("cifar10_test.npz")
    assert load_images("cifar10").labels.tolist() == test[1].tolist()


def test_what_is_nowhere_is_said_with_where_to_get_it(tmp_path, keras):
    with pytest.raises(InputError, match=r"train part of cifar10 must .* none in .*Put cifar10_train.npz with x_train"):
        load_images("cifar10", tmp_path, "train", download=False)

    def offline():
        raise Exception("URL fetch failure")

    keras(mnist=offline)
    with pytest.raises(InputError, match=r"train part of mnist .*no download \(URL fetch failure\)"):
        load_images("mnist", tmp_path, "train")
    with pytest.raises(InputError, match=r"train part of svhn .*housenumbers"):
        load_images("svhn", tmp_path, "train")


def test_svhn_as_it_was_published(tmp_path):
    x, _ = made("svhn", 3)
    y = np.array([[10], [1], [9]])
    savemat(tmp_path / "train_32x32.mat", {"X": np.moveaxis(x, 0, -1), "y": y})
    found = load_images("svhn", tmp_path, "train")
    np.testing.assert_array_equal(found.images, x)
    assert found.labels.tolist() == [0, 1, 9]  # 10 stands for the digit 0
    (tmp_path / "test_32x32.mat").write_bytes(b"no matrix")
    with pytest.raises(InputError, match="data file must be SVHN's cropped digits"):
        load_images("svhn", tmp_path)
    np.savez(tmp_path / "svhn.npz", x_train=x, y_train=y)
    assert load_images("svhn", tmp_path, "train").labels.tolist() == [0, 1, 9]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x_test": np.zeros((4, 28, 28, 1), np.uint8)}, r"images of .*mnist.npz must be uint8 of shape \[N, 28, 28\]"),
        ({"x_test": np.zeros((4, 28, 28))}, "got float64 of shape"),
        ({"x_test": np.zeros((0, 28, 28), np.uint8), "y_test": np.zeros(0)}, "images must be at least one; got none"),
        ({"y_test": np.arange(3)}, "labels must be one per image of 4; got 3"),
        ({"y_test": np.array([0, 1, 2, 10])}, "labels must be 0 to 9; got 0 to 10"),
        ({"y_test": np.array([0, 1, 2, -1])}, "labels must be 0 to 9; got -1 to 2"),
    ],
)
def test_images_that_cannot_be_are_refused(tmp_path, change, said):
    x, y = made("mnist")
    np.savez(tmp_path / "mnist.npz", **({"x_test": x, "y_test": y} | change))
    with pytest.raises(InputError, match=said):
        load_images("mnist", tmp_path)


def test_files_that_are_no_archives_of_plain_arrays_are_refused(tmp_path):
    path = tmp_path / "mnist.npz"
    np.savez(path, x_test=np.array([{}], object), y_test=np.zeros(1))
    whole = path.read_bytes()
    np.save(tmp_path / "plain.npy", np.zeros(3))
    for content in (whole, b"", b"PK\x03\x04 cut", b"nonsense", (tmp_path / "plain.npy").read_bytes()):
        path.write_bytes(content)
        with pytest.raises(InputError, match="data file must be an npz of plain arrays"):
            load_images("mnist", tmp_path)


def test_names_that_are_none_are_refused():
    with pytest.raises(InputError, match="data set must be one of mnist, .*; got 'imagenet'"):
        load_images("imagenet")
    with pytest.raises(InputError, match="part must be one of test, train; got 'valid'"):
        load_images("mnist", part="valid")


def test_the_checksum_is_of_the_content_alone(tmp_path):
    x, y = made("cifar10")
    np.savez(tmp_path / "cifar10.npz", x_test=x, y_test=y)
    np.savez_compressed(tmp_path / "cifar10_test.npz", x_test=np.asfortranarray(x), y_test=y[:, None].astype(np.int32))
    packed = load_images("cifar10", tmp_path).checksum
    (tmp_path / "cifar10_test.npz").unlink()
    assert load_images("cifar10", tmp_path).checksum == packed
    assert Images(x[::-1], y.astype(np.int64)).checksum != packed
    assert Images(x, (y.astype(np.int64) + 1) % 10).checksum != packed


def test_known_content_is_named_and_other_content_is_not(monkeypatch):
    x, y = made("mnist")
    monkeypatch.setitem(datasets.KNOWN, Images(x, y).checksum, "four images")
    assert Images(x, y).content == "four images"
    assert Images(255 - x, y).content == "unknown content"


@pytest.mark.skipif("ALTMAS_DATA" not in os.environ, reason="ALTMAS_DATA names no data directory")
def test_stored_images_are_what_they_are_taken_for():
    data = Path(os.environ["ALTMAS_DATA"])
    for name, title in {"mnist": "MNIST", "fashion_mnist": "Fashion-MNIST"}.items():
        for part in PARTS:
            assert load_images(name, data, part, download=False).content == f"{title}, {part} part"
