"""Numbers in words."""

from hypothesis import given
from hypothesis import strategies as st

from altmas.words import wording


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 4))
def test_an_interval_is_never_written_narrower_than_it_is(one, other, digits):
    low, high = sorted((one, other))
    shown = [float(end.rstrip("%")) / 100 for end in wording.ends(low, high, share=True, digits=digits)]
    assert shown[0] <= low + 1e-7
    assert shown[1] >= high - 1e-7
