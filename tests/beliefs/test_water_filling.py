"""Chances that sum to a count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from altmas.beliefs.worths import water_fill


@given(st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=40), st.data())
def test_water_filling_sums_to_the_count_in_proportion_to_worth(worths, data):
    worth = np.array(worths)
    count = data.draw(st.integers(0, len(worth)))
    filled = water_fill(worth, count)
    assert filled.sum() == pytest.approx(count, abs=1e-9)
    assert ((filled >= 0) & (filled <= 1)).all()
    if (worth > 0).sum() > count:
        inside = filled < 1
        eta = filled[inside].sum() / worth[inside].sum() if worth[inside].any() else 0
        assert filled[inside] == pytest.approx(eta * worth[inside], abs=1e-9)
        assert (eta * worth[~inside] >= 1 - 1e-9).all()
