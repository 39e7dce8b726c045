"""A deep kernel's start knows which values occur together."""

import numpy as np
import pytest

from altmas import InputError


def test_a_deep_start_knows_what_occurs_together():
    """Combinations that occur have a higher potential than those that do not, from attributes alone."""
    from altmas.surrogates.surface.attribute_calibration import joint_potential, one_hot

    values = np.array([[0, 0, 1], [1, 1, 0]] * 150)
    found = joint_potential(values, [2, 2, 2], rng=np.random.default_rng(0))
    codes = np.array(np.unravel_index(np.arange(8), [2] * 3)).T
    potential = found.potential(one_hot(codes, [2, 2, 2]))
    assert set(np.argsort(-potential)[:2]) == {1, 6}
    with pytest.raises(InputError, match=r"values must be \[N, 3\], of at least 2 items"):
        joint_potential(values[:1], [2, 2, 2], rng=np.random.default_rng(0))
