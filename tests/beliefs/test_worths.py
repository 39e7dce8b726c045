"""What an item is worth to ASE."""

import numpy as np
import pytest
from scipy.special import entr

from altmas.beliefs.worths import xwed


def test_xwed_is_the_published_sum_over_wrong_labels(rng):
    a, r = rng.random((20, 7)), rng.dirichlet(np.ones(4), 7)
    pi = (1 - a)[:, :, None] * r  # the four labels other than the predicted one
    published = entr(pi.mean(0)).sum(-1) - entr(pi).sum(-1).mean(0)
    assert xwed(a) == pytest.approx(published, abs=1e-12)
