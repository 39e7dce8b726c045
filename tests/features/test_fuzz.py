"""Whatever cells hold: finite numbers for every item, or one sentence."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from altmas.formats.auto_features import given_features
from altmas.metrics.errors import InputError

WRITTEN = ["", "NA", "1,234", "12%", "2020-01-01", "01/02/2020", "1e400", "-", "a b c", "[1, 2]", "\U0001f600"]
CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.sampled_from(WRITTEN), st.datetimes(),
    st.binary(max_size=3), st.lists(st.floats(), max_size=3), st.timedeltas(), st.decimals(),
)  # fmt: skip


def column(cells):
    found = np.empty(len(cells), dtype=object)
    for row, cell in enumerate(cells):
        found[row] = cell
    return pd.Series(found, dtype=object)


@settings(max_examples=60)
@given(st.lists(CELLS, min_size=1, max_size=6), st.integers(1, 30), st.booleans())
def test_any_cells(palette, rows, inferred):
    cells = column([palette[i * i % len(palette)] for i in range(rows)])
    table = pd.DataFrame({"a": cells.infer_objects() if inferred else cells, "b": range(rows)})
    for items in (table, [str(one) for one in cells]):
        try:
            array, used = given_features("auto", items, rows, said=[[i % 2 for i in range(rows)]])
        except InputError:
            continue
        assert len(array) == rows
        assert np.isfinite(array).all()
        assert used
