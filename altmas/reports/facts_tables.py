"""Tables made ready for a report: the confusion, the calibration and the history, no larger than can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from altmas.core.plain import plain_rows
from altmas.words.verdict import calibration_sentence

if TYPE_CHECKING:
    import pandas as pd

WHOLE_CONFUSION = 20
"""A confusion of more classes than this is shown by its most confused cells."""

MOST_CELLS, MOST_POINTS = 200, 4000
"""Wrong cells of a confusion, and points of a history, that a report holds at most."""


def confusion_facts(table: pd.DataFrame, classes: int) -> dict[str, Any]:
    """Every cell of a small confusion; of a large one the most confused cells.

    >>> import pandas as pd
    >>> cells = pd.DataFrame({"true": ["a"], "predicted": ["b"], "estimate": [2.0], "low": [1.0], "high": [5.0]})
    >>> confusion_facts(cells, 2)["worst"][0]["predicted"]
    'b'
    """
    rows = plain_rows(table, ("true", "predicted"))
    wrong = [row for row in rows if row["true"] != row["predicted"] and (row["estimate"] or 0) > 0]
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
