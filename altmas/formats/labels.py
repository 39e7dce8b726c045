"""A table of labels that is there already, matched with the items of a pool."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from altmas.formats.matching import Known, match
from altmas.formats.returned import read_returned
from altmas.metrics.errors import InputError


@dataclass(frozen=True)
class LabelTable:
    """Labels by position, `unsure` and `skip` among them; rows that are wrong, and how many are of other items."""

    labels: dict[int, Hashable]
    wrong: list[str]
    elsewhere: int


def label_table(
    source: Any, ids: Sequence[Hashable], classes: Sequence[Hashable], subject: str = "table"
) -> LabelTable:
    """The labels that a table with `id` and `label` has for these items; it may know more than the pool.

    >>> import pandas as pd
    >>> label_table(pd.DataFrame({"id": ["a", "z"], "label": ["cat", "dog"]}), ["a", "b"], ["cat", "dog"])
    LabelTable(labels={0: 'cat'}, wrong=[], elsewhere=1)
    """
    places = {str(one): position for position, one in enumerate(ids)}
    known, returned = Known(places), read_returned(source)
    rows = [row for row in returned if known.find(row.id)]
    if not rows:
        raise InputError(subject, "have labels for the pool's items", "none for any of their ids")
    matched = match(rows, places, places.keys(), classes)
    labels = {row.position: row.label if isinstance(row.label, str) else classes[row.label] for row in matched.rows}
    return LabelTable(labels, list(matched.wrong), len(returned) - len(rows))
