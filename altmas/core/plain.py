"""Plain data: what JSON can hold, with null for a number that is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def plain_data(value: Any) -> Any:
    """Nested data as JSON has it; anything else as its text.

    >>> plain_data({"a": (np.float64("nan"), np.int64(3)), 8: {"x"}})
    {'a': [None, 3], '8': "{'x'}"}
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain_data(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(one) for one in value]
    return str(value)


def plain_name(value: Any) -> str | int | bool | float:
    """A class, a group or an id: itself where JSON has such a thing, else its text.

    >>> plain_name(np.int64(3)), plain_name(("a", 1))
    (3, "('a', 1)")
    """
    one = value.item() if isinstance(value, np.generic) else value
    return one if isinstance(one, str | bool | int | float) else str(one)


def plain_rows(table: pd.DataFrame, names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """A table as a list of rows; the columns `names` hold classes, groups or ids.

    >>> import pandas as pd
    >>> plain_rows(pd.DataFrame({"group": [("a", 1)], "low": [np.nan]}), ("group",))
    [{'group': "('a', 1)", 'low': None}]
    """
    return [
        {str(key): plain_name(value) if key in names else plain_data(value) for key, value in row.items()}
        for row in table.to_dict("records")
    ]
