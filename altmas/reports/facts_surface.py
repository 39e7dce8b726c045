"""What a report says about combinations of attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from altmas.core.plain import plain_name, plain_rows
from altmas.core.pool import MISSING
from altmas.surfaces.combinations import is_missing
from altmas.surfaces.marginals import worst_first

if TYPE_CHECKING:
    import pandas as pd

    from altmas.surfaces.surface import AccuracySurface

ARMS_TOLD = 1000
"""Of more combinations than this, those that are probably the worst are told."""

PAIRS = 2
"""Pairs of attributes that are drawn: those whose combinations differ most."""


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
