"""The table that travels to the people who label: ids, the items' own columns, and an empty column for the label."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from altmas.formats.columns import as_objects, frame_of
from altmas.formats.label_studio import Asked
from altmas.formats.returned import NAMES

_TAKEN = frozenset(alias for aliases in NAMES.values() for alias in aliases)


def todo_table(queries: Iterable[Asked]) -> pd.DataFrame:
    """A table to fill in and give to `read_returned`: `id`, the items' own columns, `label`, `annotator`, `note`.

    An own column whose name would be read as one of these is called `... (item)`. Nothing a model said is in it, nor
    round or order: those stay in the store.

    >>> from types import SimpleNamespace as Query
    >>> todo_table([Query(id=7, content={"text": "Miaow.", "Label": "?"})]).iloc[0].to_dict()
    {'id': '7', 'text': 'Miaow.', 'Label (item)': '?', 'label': '', 'annotator': '', 'note': ''}
    """
    rows = list(queries)
    names = list(dict.fromkeys(name for one in rows for name in one.content))
    columns = {"id": as_objects([str(one.id) for one in rows])}
    for name in names:
        columns[_free(name, names)] = as_objects([one.content.get(name, "") for one in rows])
    blank = as_objects([""] * len(rows))
    return frame_of({**columns, "label": blank, "annotator": blank, "note": blank}, len(rows))


def _free(name: str, names: list[str]) -> str:
    if name.strip().casefold() not in _TAKEN:
        return name
    free = f"{name.strip()} (item)"
    while free in names:
        free += " (item)"
    return free
