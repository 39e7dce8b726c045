"""Experiments shrink: the same code, seconds instead of minutes."""

import numpy as np
import pytest
from click.testing import CliRunner

from altmas import InputError
from altmas.experiments.data.datasets import load_images, read_npz
from altmas.experiments.data.paper_outputs import outputs_of


def test_pools_have_images_and_outputs_from_a_data_directory(tmp_path):
    np.savez(tmp_path / "mnist.npz", x_test=np.zeros((3, 28, 28), np.uint8), y_test=np.array([1, 2, 3], np.uint8))
    assert load_images("mnist", tmp_path).labels.tolist() == [1, 2, 3]
    np.savez(tmp_path / "paper_models.npz", **{"M-X": np.eye(3)}, names=np.array(["M-X"]))
    assert outputs_of("M-X", tmp_path).argmax(1).tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="model under test must be one of M-X; got 'M-Y'"):
        outputs_of("M-Y", tmp_path)
    with pytest.raises(InputError, match="data file must exist"):
        read_npz(tmp_path / "none.npz")


def test_direct_comparison_smoke(tmp_path):
    from altmas.experiments.alt_mas import direct_comparison

    done = CliRunner().invoke(direct_comparison.main, ["--smoke", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    for name in direct_comparison.COMPARED_METHODS:
        assert name in done.stdout
    assert (tmp_path / "direct-comparison.svg").stat().st_size > 1000
