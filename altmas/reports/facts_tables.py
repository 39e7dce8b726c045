"""Tables made ready for a report, no larger than can be read: confusion, calibration, history, combinations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from altmas.core.plain import plain_name, plain_rows
from altmas.core.pool import NO_CLASS
from altmas.core.pool_columns import MISSING
from altmas.surfaces.combinations import is_missing
from altmas.surfaces.marginals import worst_first
from altmas.words.verdict import calibration_sentence

if TYPE_CHECKING:
    import pandas as pd

    from altmas.surfaces.surface import AccuracySurface

WHOLE_CONFUSION = 20
"""A confusion of more classes than this is shown by its most confused cells."""

MOST_CELLS, MOST_POINTS = 200, 4000
"""Wrong cells of a confusion, and points of a history, that a report holds at most."""

ARMS_TOLD = 1000
"""Of more combinations than this, those that are probably the worst are told."""

PAIRS = 2
"""Pairs of attributes that are drawn: those whose combinations differ most."""


def confusion_facts(table: pd.DataFrame, classes: int) -> dict[str, Any]:
    """Every cell of a small confusion; of a large one the most confused cells.

    >>> import pandas as pd
    >>> cells = pd.DataFrame({"true": ["a"], "predicted": ["b"], "estimate": [2.0], "low": [1.0], "high": [5.0]})
    >>> confusion_facts(cells, 2)["worst"][0]["predicted"]
    'b'
    """
    rows = plain_rows(table, ("true", "predicted"))
    wrong = [row for row in rows if row["true"] != row["predicted"] and (row["estimate"] or 0) > 0]
    wrong = [row for row in wrong if row["predicted"] != NO_CLASS]  # where it gave no answer it confused nothing
    worst = sorted(wrong, key=lambda row: -row["estimate"])[:MOST_CELLS]
    whole = classes <= WHOLE_CONFUSION
    return {"classes": classes, "cells": rows if whole else [], "worst": worst, "left_out": len(wrong) - len(worst)}


def calibration_facts(
    table: pd.DataFrame, ece: tuple[float, float, float] | None, accuracy: dict[str, Any] | None
) -> dict[str, Any]:
    """Bins that hold items, the calibration error, and a sentence."""
    bins = [row for row in plain_rows(table, ("bin",)) if row["size"]]
    error = None if ece is None else dict(zip(("estimate", "low", "high"), map(float, ece), strict=True))
    return {"bins": bins, "ece": error, "sentence": calibration_sentence(bins, error, accuracy)}


def thinned(rows: Sequence[dict[str, Any]], points: int = MOST_POINTS) -> list[dict[str, Any]]:
    """A history of about `points` points at most: of each metric the first, the last, and some evenly between.

    >>> [row["labels"] for row in thinned([{"metric": "a", "labels": n} for n in range(9)], 3)]
    [0, 4, 8]
    """
    by_metric: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_metric.setdefault(row["metric"], []).append(row)
    most = max(points // max(len(by_metric), 1), 2)
    out = []
    for one in by_metric.values():
        kept = min(len(one), most)
        step = (len(one) - 1) / max(kept - 1, 1)
        out += [one[round(k * step)] for k in range(kept)]
    return out


def surface_facts(surface: AccuracySurface) -> dict[str, Any]:
    """The surface as plain data: arms from the worst on, the values of each attribute, and the widest pairs."""
    names = surface.arms.names
    judged = surface.worst(min(ARMS_TOLD, int(surface.active.sum())))
    worst = worst_first(judged, "p_worst", 2).drop(columns="p")  # the chance that a report shows, as it shows it
    return {
        "by": list(names),
        "estimator": surface.recipe.estimator,
        "least": surface.recipe.least,
        "combinations": int((surface.where.support > 0).sum()),
        "judged": int(surface.active.sum()),
        "labelled": int((surface.active & surface.labelled).sum()),
        "largest_only": surface.largest_only,
        "verdict": surface.verdict,
        "promise": surface.promise,
        "arms": rows_with_values(worst, names),
        "attributes": [{"attribute": one, "rows": rows_with_values(surface.marginal(one), (one,))} for one in names],
        "pairs": [_pair(surface, *pair) for pair in surface.widest(PAIRS)],
    }


def _pair(surface: AccuracySurface, a: str, b: str) -> dict[str, Any]:
    values = {name: [_name(value) for value in surface.values[name]] for name in (a, b)}
    return {"attributes": [a, b], "values": values, "cells": rows_with_values(surface.marginal(a, b), (a, b))}


def rows_with_values(table: pd.DataFrame, attributes: tuple[str, ...]) -> list[dict[str, Any]]:
    """Rows for JSON, the values of attributes apart from the numbers.

    >>> import pandas as pd
    >>> rows_with_values(pd.DataFrame({"hat": ["no"], "labels": [3]}), ("hat",))
    [{'values': {'hat': 'no'}, 'labels': 3}]
    """
    numbers = plain_rows(table.drop(columns=list(attributes)))
    values = zip(*([_name(value) for value in table[name]] for name in attributes), strict=True)
    return [
        {"values": dict(zip(attributes, named, strict=True)), **row} for named, row in zip(values, numbers, strict=True)
    ]


def _name(value: Any) -> str | int | bool | float:
    return MISSING if is_missing(value) else plain_name(value)
