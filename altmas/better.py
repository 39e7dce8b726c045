"""`is_better`: one question about two models, answered in a sentence."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from altmas.assessment import assess
from altmas.core.result import Result
from altmas.core.targets import lower_is_better
from altmas.metrics.errors import InputError
from altmas.words.comparing import two_models


@dataclass(frozen=True)
class Better:
    """Whether the first model is better: `yes` is True, False, or None where the labels do not settle it."""

    yes: bool | None
    sentence: str
    estimate: float
    low: float
    high: float
    result: Result = field(repr=False)
    """Everything else the labels tell of both."""

    def __str__(self) -> str:
        return self.sentence

    def __bool__(self) -> bool:
        return self.yes is True

    def _repr_html_(self) -> str:
        from altmas.words.notebooks import page

        return page("Is it better?", [self.sentence])


def is_better(
    a: Any,
    b: Any,
    *,
    oracle: Any,
    metric: str = "accuracy",
    budget: int | None = None,
    names: tuple[Hashable, Hashable] = ("a", "b"),
    level: float = 0.95,
    **options: Any,
) -> Better:
    """Whether one model is better than another on the same items, from few labels.

    `a` and `b` are predictions, or fitted models with `items=`; `scores` a pair. The answer is yes or no where the
    interval of the difference leaves no doubt. Labels are drawn for the difference: 200, unless `budget` says how many.
    Other `options` are those of `assess`.

    >>> truth = ["cat", "dog"] * 150
    >>> good, bad = ["cat", "dog"] * 150, ["cat", "dog", "dog"] * 100
    >>> answer = is_better(good, bad, oracle=truth, progress=False)
    >>> bool(answer), answer.sentence.split(":")[0]
    (True, 'Yes')
    """
    first, second = (str(one) for one in names)
    if first == second:
        raise InputError("names", "be two", repr(names))
    if isinstance(options.get("scores"), tuple | list) and len(options["scores"]) == 2:
        options["scores"] = {
            name: one for name, one in zip((first, second), options["scores"], strict=True) if one is not None
        }
    both = {first: a, second: b}
    held: dict[str, Any] = {"model": both} if callable(getattr(a, "predict", None)) else {"predictions": both}
    if budget is None:
        items: Any = options.get("items") if "model" in held else a
        budget = min(DRAWN, len(items)) if hasattr(items, "__len__") else DRAWN
    result = assess(
        **held, oracle=oracle, task="best", metric=metric, metrics=[metric], budget=budget, level=level, **options
    )
    apart = result.findings.differences()  # type: ignore[attr-defined]
    row = _as_drawn(apart[apart["metric"] == metric].iloc[0].to_dict())
    sign = -1.0 if lower_is_better(result.findings.job.metrics[0]) else 1.0
    yes = True if sign * row["low"] > 0 and sign * row["high"] > 0 else None
    yes = False if sign * row["low"] < 0 and sign * row["high"] < 0 else yes
    if np.isclose([row["low"], row["high"]], 0).all():
        yes = False
    told = {True: "Yes", False: "No", None: "Not settled"}[yes]
    sentence = f"{told}: {_lower(two_models(row, level))} From {len(result.answers):,} labels."
    return Better(yes, sentence, float(row["estimate"]), float(row["low"]), float(row["high"]), result)


DRAWN = 200
"""Labels for one question, where nobody says."""


def _as_drawn(row: dict[str, Any]) -> dict[str, Any]:
    """The difference as the design has it: what is believed knows one of two models first, and would favour it.

    Of equal models, 150 labels and no scores, drawing the estimate towards the belief added 0.4 points to the first.
    """
    moved = row.get("design", row["estimate"]) - row["estimate"]
    if np.isnan(moved):
        return row
    return row | {name: row[name] + moved for name in ("estimate", "low", "high")}


def _lower(said: str) -> str:
    return said[:1].lower() + said[1:]
