"""`altmas curve`: what thresholds on a score do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from altmas.commands import shared
from altmas.commands.options import command
from altmas.metrics.errors import InputError

PICTURES = (".svg", ".png", ".pdf")


@command(short_help="ROC, precision and recall, or cost, at every threshold.")
@shared.folder
@click.option("--of", help="The class whose score is meant; of two classes the second unless named.")
@click.option(
    "--false-positive", type=float, help="What a false positive costs: with --false-negative, a curve of cost."
)
@click.option("--false-negative", type=float, help="What a false negative costs.")
@click.option("--points", default=40, show_default=True, type=click.IntRange(2, 500), help="Thresholds.")
@click.option("--together", is_flag=True, help="Bands that hold at all thresholds at once.")
@click.option("--figure", type=shared.FILE_OUT, help="Draw it: .svg, .png or .pdf.")
@click.option("--kind", type=click.Choice(["roc", "pr"]), default="roc", show_default=True, help="What is drawn.")
@shared.level
@shared.model
@shared.as_json
def curve(
    audit: Path, of: str | None, false_positive: float | None, false_negative: float | None, points: int,
    together: bool, figure: Path | None, kind: str, level: float | None, model: str | None, as_json: bool,
) -> None:  # fmt: skip
    """What every threshold on the score of a class would do: recall, false-positive rate and precision, or cost."""
    if (false_positive is None) != (false_negative is None):
        given = "--false-positive" if false_negative is None else "--false-negative"
        raise InputError("--false-positive and --false-negative", "be given together", f"{given} alone")
    if figure is not None:
        shared.check_file(figure, PICTURES, "--figure")
    with shared.found_in(audit, as_json, level=level) as (_, found):
        if model is None and len(found.models) > 1:
            raise click.UsageError(f"Say of which model: --model, one of {', '.join(found.models)}.")
        if false_positive is not None and false_negative is not None:
            cost = found.cost_curve(false_positive, false_negative, of, model, points=points)
            table, warnings = cost.table, found.warnings
        else:
            cost, warnings = None, found.warnings
            table = found.thresholds(of, model, points=points, together=together)
    named = str(table.attrs["of"])
    if figure is not None:
        _draw(table if cost is None else cost, figure, kind)
    if as_json:
        about: dict[str, Any] = {"level": found.level, "model": model or found.models[0], "of": named}
        about |= {"together": together, "points": shared.rows(table)}
        if cost is not None:
            ends = ("threshold", "low_threshold", "high_threshold", "cost", "low", "high")
            about |= {"least": {name: getattr(cost, name) for name in ends}}
        shared.say_json("curve", about, audit)
        return
    shown = table.assign(threshold=told_apart(table["threshold"].tolist()))
    if cost is None:
        for name in ("recall", "fpr", "precision"):
            shown[name] = [
                f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"
                for _, row in table.iterrows()
            ]
        columns = ["threshold", "share", "recall", "fpr", "precision"]
        shared.say_table(shown[columns], columns, f"Everything scored at or above a threshold is taken as {named}")
    else:
        shown["may_be_best"] = np.where(table["may_be_best"], "yes", "")
        shared.say_table(shown, list(shown), f"What errors cost per item, by the threshold on the score of {named}")
        least, low, high = (f"{one:.4g}" for one in (cost.threshold, cost.low_threshold, cost.high_threshold))
        shared.say(
            f"Least at {least} (between {low} and {high}): "
            f"{cost.cost:.4g} per item, {cost.low:.4g} to {cost.high:.4g}; chosen on other items than it is told by."
        )
        if math.inf in (cost.threshold, cost.high_threshold):
            shared.say(f"At a threshold of inf nothing is taken as {named}.")
    shared.say_warnings(warnings)


def told_apart(thresholds: Sequence[float]) -> list[str]:
    """Thresholds with as few digits as tell them apart, at least three.

    >>> told_apart([0.5, 0.99962, 0.99964]), told_apart([0.25, math.inf])
    (['0.50000', '0.99962', '0.99964'], ['0.250', 'inf'])
    """
    texts: list[str] = []
    for digits in range(3, 18):
        texts = [f"{one:.{digits}f}" for one in thresholds]
        if len(set(texts)) == len(set(thresholds)):
            break
    return texts


def _draw(drawn: Any, figure: Path, kind: str) -> None:
    from altmas.plots.history import save
    from altmas.plots.thresholds import CostDisplay, ThresholdDisplay

    display = (
        ThresholdDisplay(drawn, "pr" if kind == "pr" else "roc") if hasattr(drawn, "columns") else CostDisplay(drawn)
    )
    save(display.plot(), str(figure))
