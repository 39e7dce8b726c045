"""The paper's models under test: recipes, training on a few images, the file of outputs."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.io import savemat

from altmas import InputError
from altmas.experiments.alt_mas import paper_models
from altmas.experiments.alt_mas.paper_models import build_network, moved, smoke_images, softmax, train
from altmas.experiments.data import audit_pools
from altmas.experiments.data.datasets import SHAPES, Images, load_images, read_npz
from altmas.experiments.data.paper_outputs import Outputs, accuracy, outputs_of, read_outputs, write_outputs
from altmas.experiments.data.paper_recipes import RECIPES, recipe


def run(*arguments, code=0):
    done = CliRunner().invoke(paper_models.main, [str(one) for one in arguments])
    assert done.exit_code == code, done.output
    return done


def outputs(right, items=4):
    return Outputs(np.eye(10, dtype=np.float32)[:items], right)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """A file of one model, and what the command said."""
    out = tmp_path_factory.mktemp("smoke") / "paper_models.npz"
    return out, run("--smoke", "--out", out, "--models", "M-FashionMNIST")


def test_the_six_models_and_what_they_are_put_to():
    assert {name: one.put_to for name, one in RECIPES.items()} == audit_pools.PUT_TO
    assert [one.paper_accuracy for one in RECIPES.values()] == [0.9906, 0.7067, 0.1239, 0.7743, 0.4039, 0.093]
    for name in ("M-MNIST", "M-CIFAR10"):
        good, early = recipe(name), recipe(f"{name}-ES")
        assert good.network == early.network
        assert early.epochs < good.epochs
        assert early.batch > good.batch
    with pytest.raises(InputError, match="model under test must be one of M-MNIST, "):
        recipe("M-X")


@pytest.mark.parametrize(
    ("name", "item", "weights"),
    [("mnist_cnn", (28, 28), 1_199_882), ("dense_128", (28, 28), 101_770), ("cifar10_cnn", (32, 32, 3), 1_250_858)],
)
def test_networks_have_as_many_weights_as_the_published_ones(name, item, weights):
    assert build_network(name, item, np.random.default_rng(0)).count_params() == weights


def test_the_file_has_the_layout_the_pools_read(smoke):
    out, done = smoke
    with np.load(out) as arrays:
        assert set(arrays.files) == {"names", "accuracy", "M-FashionMNIST"}
        assert arrays["names"].tolist() == ["M-FashionMNIST"]
        scores = arrays["M-FashionMNIST"]
        assert (scores.dtype, scores.shape) == (np.float32, (300, 10))
        np.testing.assert_allclose(scores.sum(1), 1, atol=1e-5)
        right = accuracy(scores, smoke_images("mnist", "test").labels)
        assert arrays["accuracy"].dtype == np.float32
        assert arrays["accuracy"].tolist() == [pytest.approx(right)]
    assert right > 0.4  # ten classes: it has learned
    assert read_outputs(out)["M-FashionMNIST"].checksum in done.stdout
    assert "mnist, test part: unknown content" in done.stderr
    np.testing.assert_array_equal(outputs_of("M-FashionMNIST", out.parent), scores)


def test_what_is_in_the_file_is_kept(smoke, tmp_path, monkeypatch):
    monkeypatch.setattr(paper_models, "train_outputs", lambda *_, **__: outputs(1.0, 10))
    out = tmp_path / "paper_models.npz"
    out.write_bytes(smoke[0].read_bytes())
    before = read_outputs(out)["M-FashionMNIST"]
    write_outputs(out, {"M-Other": before, "M-FashionMNIST": before})
    done = run("--smoke", "--out", out, "--models", "M-MNIST-ES")
    after = read_outputs(out)
    assert list(after) == ["M-MNIST-ES", "M-FashionMNIST", "M-Other"]  # the paper's first, in its order
    assert after["M-Other"].checksum == before.checksum
    assert after["M-FashionMNIST"].checksum == before.checksum
    assert before.checksum in done.stdout


def test_the_same_seed_gives_the_same_network():
    shown, test = smoke_images("mnist", "train"), smoke_images("mnist", "test")
    one = replace(recipe("M-MNIST"), batch=16)
    few = Images(shown.images[:32], shown.labels[:32])
    first, again, other = (softmax(train(one, few, seed=s, epochs=1), test.images[:20]) for s in (0, 0, 1))
    # With several threads sums may be taken in another order; on one thread they are equal bit for bit.
    np.testing.assert_allclose(first, again, atol=1e-4)
    assert np.abs(first - other).max() > 1e-3


def test_training_stops_where_it_is_told_to():
    said = []
    one = replace(recipe("M-FashionMNIST"), stop_accuracy=0.0, look=2, batch=10)
    train(one, smoke_images("mnist", "train"), say=said.append)
    assert len(said) == 1
    assert "after 2 batches of epoch 1" in said[0]


def test_colour_images_from_a_data_directory_and_models_that_are_left_out(tmp_path):
    """One step on made-up images in the shapes of CIFAR-10 and SVHN; MNIST is not there."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(256, size=(40, *SHAPES["cifar10"]), dtype=np.uint8), np.arange(40) % 10
    np.savez(tmp_path / "cifar10_train.npz", x_train=x, y_train=y)
    np.savez(tmp_path / "cifar10_test.npz", x_test=x[:20], y_test=y[:20])
    savemat(tmp_path / "train_32x32.mat", {"X": np.moveaxis(x[:30], 0, -1), "y": y[:30, None] + 1})
    out = tmp_path / "paper_models.npz"
    names = ("M-MNIST", "M-CIFAR10-ES", "M-SVHN")
    done = run("--data", tmp_path, "--out", out, "--no-download", "--epochs", 1, *(f"--models={one}" for one in names))
    assert "M-MNIST is left out: train part of mnist must be there" in done.stderr
    found = read_outputs(out)
    assert list(found) == ["M-CIFAR10-ES", "M-SVHN"]
    assert all(one.scores.shape == (20, 10) for one in found.values())
    lines = run("--check", "--data", tmp_path).stdout.splitlines()
    right = found["M-SVHN"].accuracy
    assert f"M-SVHN: accuracy {right:.4f} on cifar10, stored {right:.4f}" in lines
    assert any(line.startswith("cifar10, train part: unknown content, ") for line in lines)
    assert any(line.startswith("mnist, test part: test part of mnist must be there") for line in lines)
    with pytest.raises(InputError, match=r"one of M-CIFAR10-ES, M-SVHN; got 'M-CIFAR10'. Train with python -m altmas"):
        outputs_of("M-CIFAR10", tmp_path)


def test_nothing_to_train_and_nonsense_are_said_in_a_sentence(tmp_path):
    out = tmp_path / "paper_models.npz"
    done = run("--data", tmp_path, "--out", out, "--no-download", "--models", "M-SVHN", code=1)
    assert done.stderr.endswith("Error: No model could be trained.\n")
    assert not out.exists()
    assert "Error: model under test must be one of" in run("--out", out, "--models", "M-X", code=1).stderr
    write_outputs(out, {"M-MNIST": outputs(1.0)})
    assert "not mix --smoke with real images" in run("--smoke", "--out", out, code=1).stderr
    assert "lie in a folder that can be written" in run("--out", tmp_path / "none" / "a.npz", code=1).stderr
    np.savez(out, other=np.zeros(3))
    assert "file of outputs must have names and accuracy" in run("--out", out, code=1).stderr


def test_outputs_that_are_not_there_name_the_command(tmp_path):
    with pytest.raises(InputError, match=r"outputs of models under test must exist; .* python -m altmas.experiments."):
        outputs_of("M-MNIST", tmp_path)


def test_outputs_of_other_images_are_noticed(tmp_path):
    write_outputs(tmp_path / "paper_models.npz", {"M-MNIST": outputs(1.0), "M-MNIST-ES": outputs(1.0, 3)})
    np.savez(tmp_path / "mnist.npz", x_test=np.zeros((4, 28, 28), np.uint8), y_test=np.array([0, 1, 3, 2]))
    lines = run("--check", "--data", tmp_path).stdout
    assert "M-MNIST: accuracy 0.5000 on mnist, stored 1.0000" in lines
    assert "M-MNIST-ES: 3 outputs for 4 images of mnist" in lines


def test_moved_images_are_shifted_and_mirrored_and_nothing_else():
    image = np.zeros((32, 32, 3), np.uint8)
    image[16, 10] = 200
    found = moved(np.repeat(image[None], 200, 0), np.random.default_rng(0))
    places = [tuple(np.argwhere(one[..., 0])[0]) for one in found]
    assert (found == 200).sum() == 200 * 3
    assert {row for row, _ in places} == set(range(13, 20))
    assert {column for _, column in places} == set(range(7, 14)) | set(range(18, 25))


def test_pools_have_images_and_outputs_from_a_data_directory(tmp_path):
    np.savez(tmp_path / "mnist.npz", x_test=np.zeros((3, 28, 28), np.uint8), y_test=np.array([1, 2, 3], np.uint8))
    assert load_images("mnist", tmp_path).labels.tolist() == [1, 2, 3]
    np.savez(tmp_path / "paper_models.npz", **{"M-X": np.eye(3)}, names=np.array(["M-X"]))
    assert outputs_of("M-X", tmp_path).argmax(1).tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="model under test must be one of M-X; got 'M-Y'"):
        outputs_of("M-Y", tmp_path)
    with pytest.raises(InputError, match="data file must exist"):
        read_npz(tmp_path / "none.npz")
