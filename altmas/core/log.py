"""A log of answers as a table, read back: what `result.answers` holds, or the `labels.csv` of an audit's export."""

from __future__ import annotations

import numpy as np
import pandas as pd

from altmas.core.answers import Answers
from altmas.core.checks import as_column, class_indices
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray


def answers_in(pool: Pool, log: pd.DataFrame) -> tuple[Answers, FloatArray | None]:
    """The answers of a log with columns `id` and `label`, and each one's `inclusion` where there is such a column.

    A question without an answer has an empty label, and -1 for its class: it was asked about, and is missing.

    >>> answers_in(Pool.build(["cat", "dog"]), pd.DataFrame({"id": [1], "label": ["cat"]}))[0].items
    array([1])
    """
    for column in ("id", "label"):
        if column not in log:
            raise InputError("log", "have the columns id, label and inclusion", f"no {column}")
    place = {one: row for row, one in enumerate(pool.ids)}
    ids = as_column("log's ids", log["id"])
    if strange := [row for row, one in enumerate(ids) if one not in place]:
        hint = "A file may have turned text into numbers: read it with dtype=str."
        raise InputError("log's ids", "be ids of the pool", f"{ids[strange[0]]!r} in {rows_at_fault(strange)}", hint)
    if len(set(ids)) < len(ids):
        raise InputError("log's ids", "be unique", f"{len(ids) - len(set(ids))} again")
    said = as_column("log's labels", log["label"].fillna(""))
    empty = np.array([str(one).strip() == "" for one in said], dtype=bool)
    labels = np.where(empty, -1, class_indices(said, pool.classes))
    if outside := np.flatnonzero(labels == len(pool.classes)).tolist():
        raise InputError("log's labels", f"be among the classes {list(pool.classes)[:12]}", rows_at_fault(outside))
    items = np.array([place[one] for one in ids], dtype=np.int64)
    if "inclusion" not in log:
        return Answers().extended(items, labels, 0, np.ones(len(items))), None
    try:
        drawn = log["inclusion"].to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("log's inclusion", "be numbers", str(log["inclusion"].dtype)) from None
    if wrong := np.flatnonzero(~((drawn > 0) & (drawn <= 1))).tolist():
        raise InputError("log's inclusion", "be above 0 and at most 1", rows_at_fault(wrong))
    return Answers().extended(items, labels, 0, drawn), drawn
