"""Tables made ready for a report: the confusion, the calibration and the history, no larger than can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from altmas.reports.plain import plain_rows
from altmas.words.wording import figure, interval

if TYPE_CHECKING:
    import pandas as pd

WHOLE = 20
"""A confusion of more classes than this is shown by its most confused cells."""

MOST_CELLS, MOST_POINTS = 200, 4000


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
    whole = classes <= WHOLE
    return {"classes": classes, "cells": rows if whole else [], "worst": worst, "left_out": len(wrong) - len(worst)}


def calibration_facts(
    table: pd.DataFrame, ece: tuple[float, float, float] | None, accuracy: dict[str, Any] | None
) -> dict[str, Any]:
    """Bins that hold items, the calibration error, and a sentence."""
    bins = [row for row in plain_rows(table, ("bin",)) if row["size"]]
    error = None if ece is None else dict(zip(("estimate", "low", "high"), map(float, ece), strict=True))
    return {"bins": bins, "ece": error, "sentence": calibration_sentence(bins, error, accuracy)}


def calibration_sentence(
    bins: Sequence[dict[str, Any]], ece: dict[str, float] | None, accuracy: dict[str, Any] | None
) -> str:
    """What the scores say and what they are worth; too sure, or not sure enough, only where the interval says so.

    >>> bins = [{"size": 10, "score": 0.9}, {"size": 30, "score": 0.98}]
    >>> calibration_sentence(bins, {"estimate": 0.065, "low": 0.03, "high": 0.1}, {"low": 0.84, "high": 0.93})
    'Its scores say 96.0% on average, more than its accuracy (84.0% to 93.0%): it is too sure of itself. \
The expected calibration error is about 6.5% (3.0% to 10.0%).'
    """
    size = sum(row["size"] for row in bins)
    said = sum(row["size"] * row["score"] for row in bins) / size
    out = f"Its scores say {figure(said, share=True)} on average"
    if accuracy and accuracy["low"] is not None and accuracy["high"] is not None:
        low, high = accuracy["low"], accuracy["high"]
        reach = f"its accuracy ({interval(low, high, share=True)})"
        if said > high:
            out += f", more than {reach}: it is too sure of itself"
        elif said < low:
            out += f", less than {reach}: it is better than it says"
        else:
            out += f", in agreement with {reach}"
    if ece is None:
        return f"{out}."
    reach = interval(ece["low"], ece["high"], share=True)
    return f"{out}. The expected calibration error is about {figure(ece['estimate'], share=True)} ({reach})."


def thinned(rows: Sequence[dict[str, Any]], points: int = MOST_POINTS) -> list[dict[str, Any]]:
    """A history with at most about so many points in all: of each metric the first, the last, and evenly between.

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
