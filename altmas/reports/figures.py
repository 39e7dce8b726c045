"""The figures of a report, each plotted from facts; `svg.draw` makes them part of a page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from altmas.plots.axes import (
    GREY,
    INK,
    SHAPES,
    in_legend,
    in_percent,
    new_axes,
    place_names,
    write_legend,
)
from altmas.plots.curves import Band, ReliabilityDisplay
from altmas.plots.displays import ForestDisplay
from altmas.plots.heat_maps import MarginalDisplay, PairDisplay
from altmas.plots.history import plot_history
from altmas.reports.numbers import class_name
from altmas.words.language import sentence
from altmas.words.wording import Row, is_share, level_of, marked, named, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 5.6
"""Width of a figure in inches, small enough that letters stay readable on a telephone."""

SMALLEST = 8
"""Points that letters have at least: 11 pixels on a telephone."""

LONGEST_PAIR = 48
"""Letters of what a difference is of."""

FOREST_ROWS, WIDTH_LINES = 30, 5
"""Groups in a forest, and metrics in the figure of widths, at most."""

FAINTEST_COUNT, DARKEST_COUNT = 0.06, 0.45
"""Shades of the confusion's cells: letters must stay readable on the darkest."""


def forest(rows: Sequence[Row], level: float, overall: float | None, recalls: Sequence[Row] = ()) -> Axes:
    """Accuracy per group with its interval and P(worst), the lowest first; of many groups the two ends.

    Where the groups are classes, `recalls` are drawn beside them.
    """
    known = [row for row in rows if row["estimate"] is not None]
    worst = np.array([row["p_worst"] for row in known], dtype=np.float64)
    display = ForestDisplay.from_band([row["group"] for row in known], _band(known), level, worst, FOREST_ROWS)
    ax, shown = display.plot(), len(display.names)
    for text, p in zip(ax.texts[-shown:], display.p_worst, strict=True):  # type: ignore[arg-type]
        text.set_text(marked("<0.01" if p < 0.01 else f"{p:.2f}"))
    if not display.left_out:
        for drawn in (*ax.collections, *ax.lines):
            drawn.set(color=INK[0])
    if found := {str(row["class"]): row for row in recalls if row["estimate"] is not None}:
        _beside(ax, display.names, found, several=display.left_out > 0)
    if overall is not None:
        ax.axvline(overall, color=GREY, linestyle="--", linewidth=0.8, zorder=0)
    what = sentence("share of items") if found else sentence("accuracy")
    between = sentence("{what}, {level}% interval", what=what, level=level_of(level))
    ax.set_xlabel(between if overall is None else sentence("{what}; dashed: accuracy overall", what=between))
    in_percent(ax, "x")
    each = 0.3 if found else 0.21
    return _sized(ax, 1.0 + each * (shown + (2 if display.left_out else 0)) + (0.25 if found else 0))


def _beside(ax: Axes, names: Sequence[str], found: Mapping[str, Row], *, several: bool) -> None:
    """A second mark below the first of each class: how many of the class are found."""
    places = [(y + 0.3, found[name]) for y, name in zip(ax.get_yticks(), names, strict=True) if name in found]
    ys, rows = [y for y, _ in places], [row for _, row in places]
    if not several:
        for k, one in enumerate(ax.lines):
            one.set_label("_" if k else sentence("right where it says so (precision)"))
    ax.hlines(ys, [row["low"] for row in rows], [row["high"] for row in rows], color=INK[1], linewidth=1.5, alpha=0.6)
    said = sentence("found where it is so (recall)")
    ax.plot([row["estimate"] for row in rows], ys, "s", ms=4, color=INK[1], label=said)
    write_legend(ax, fontsize=8, ncols=1, loc="lower left", bbox_to_anchor=(0, 1))


def reliability(bins: Sequence[Row], level: float) -> Axes:
    """Accuracy against score per bin, with the share of the items in each."""
    ax = ReliabilityDisplay.from_calibration(pd.DataFrame(list(bins)), level=level).plot()
    legend, of = ax.get_legend(), level_of(level)
    plainer = {
        sentence("{level}% credible interval", level=of): sentence("{level}% interval", level=of),
        sentence("mean accuracy"): sentence("accuracy"),
    }
    for text in legend.get_texts() if legend else ():
        text.set_text(plainer.get(text.get_text(), text.get_text()))
    for axis in "xy":
        in_percent(ax, axis)
    return _sized(ax, 4.6, 4.3)


def confusion(cells: Sequence[Row]) -> Axes:
    """Estimated counts per true and predicted class: right ones in one colour, wrong ones in another, each written."""
    from matplotlib.patches import Rectangle

    true = list(dict.fromkeys(row["true"] for row in cells))
    predicted = list(dict.fromkeys(row["predicted"] for row in cells))
    right = max((row["estimate"] or 0 for row in cells if row["true"] == row["predicted"]), default=0)
    wrong = max((row["estimate"] or 0 for row in cells if row["true"] != row["predicted"]), default=0)
    ax = new_axes()
    ax.grid(visible=False)
    for row in cells:
        x, y, value = predicted.index(row["predicted"]), true.index(row["true"]), row["estimate"] or 0.0
        agree = row["true"] == row["predicted"]
        most = right if agree else wrong
        shade = _shade(value / most) if most and value >= 0.5 else 0.0
        if shade:
            colour = INK[0] if agree else INK[1]
            ax.add_patch(Rectangle((x - 0.48, y - 0.48), 0.96, 0.96, facecolor=colour, alpha=shade, linewidth=0))
        if value >= 0.5:
            weight = "bold" if agree else "normal"
            ax.text(x, y, _count(value), ha="center", va="center", fontsize=8, weight=weight)
    place_names(ax, [short(class_name(name), 14) for name in predicted], [short(name, 14) for name in true])
    ax.set_xlabel(sentence("predicted class"))
    ax.set_ylabel(sentence("true class"))
    side = max(WIDTH, 1 + 0.38 * len(predicted)) if len(predicted) > 5 else 3.8
    return _sized(ax, 0.9 + (side - 1) * 0.72 * len(true) / len(predicted), side)


def history(rows: Sequence[Row], metric: str) -> Axes:
    """One metric's estimate and interval against labels."""
    table = pd.DataFrame([row for row in rows if row["metric"] == metric])
    ax = plot_history(table, metrics=[metric])
    ax.get_legend().remove()  # type: ignore[union-attr]
    ax.set_ylabel(sentence("{metric} and interval", metric=named(metric)), parse_math=False)
    if is_share(metric):
        in_percent(ax, "y")
    return _sized(ax, 2.9, 4.3)


def widths(rows: Sequence[Row], metrics: Sequence[str], within: float) -> Axes:
    """Half the width of each interval against labels, with the precision that is wished for."""
    ax = new_axes()
    for k, metric in enumerate(metrics[:WIDTH_LINES]):
        points = [row for row in rows if row["metric"] == metric and row["low"] is not None]
        half = [(row["high"] - row["low"]) / 2 for row in points]
        labels = [row["labels"] for row in points]
        ax.plot(labels, half, marker=SHAPES[k], ms=4, color=INK[k], label=in_legend(named(metric)))
    goal = sentence("±{number} points", number=marked(f"{100 * within:g}"))
    ax.axhline(within, color=GREY, linestyle="--", linewidth=0.8, label=goal)
    ax.set_ylim(bottom=0)
    ax.set_xlabel(sentence("labels"))
    ax.set_ylabel(sentence("half the interval's width"))
    write_legend(ax, fontsize=8)
    in_percent(ax, "y")
    return _sized(ax, 2.9, 4.3)


def differences(rows: Sequence[Row], rope: float | None) -> Axes:
    """Differences with their intervals, a row each; shaded where they do not matter. Rows have `label` too."""
    names = [short(row["label"], LONGEST_PAIR) for row in rows]
    ax = new_axes()
    ax.grid(visible=False)
    ax.grid(axis="x", alpha=0.25)
    if rope is not None:
        ax.axvspan(-rope, rope, color=GREY, alpha=0.15, linewidth=0)
    ax.axvline(0, color="black", linewidth=0.8)
    places = range(len(rows))
    ax.hlines(places, [row["low"] for row in rows], [row["high"] for row in rows], color=INK[0], linewidth=1.8)
    ax.plot([row["estimate"] for row in rows], places, "o", ms=5.5, color=INK[0])
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    if rope is None:
        ax.set_xlabel(sentence("difference, points"))
    else:
        ax.set_xlabel(sentence("difference, points; shaded: within ±{rope} points", rope=marked(f"{100 * rope:g}")))
    in_percent(ax, "x", unit=False)
    ax.margins(x=0.1)
    return _sized(ax, 0.75 + 0.3 * len(rows))


def pair_display(found: Row) -> PairDisplay:
    """A heat map of the combinations of two attributes, not yet drawn."""
    table = pd.DataFrame([{**row["values"], **row} for row in found["cells"]])
    return PairDisplay.from_table(table, *found["attributes"], order=found["values"])


def one_scale(displays: Sequence[PairDisplay]) -> list[PairDisplay]:
    """Heat maps with one scale of shades, so that they compare; one alone keeps its own.

    >>> both = {"attributes": ["hat", "age"], "values": {"hat": ["n"], "age": [4, 9]}}
    >>> cells = [{"values": {"hat": "n", "age": k}, "support": 9, "labels": 3, "estimate": k / 10} for k in (4, 9)]
    >>> [one.scale for one in one_scale([pair_display({**both, "cells": [cell]}) for cell in cells])]
    [(0.4, 0.9), (0.4, 0.9)]
    """
    if len(displays) < 2:
        return list(displays)
    ends = [end for one in displays for end in one.ends]
    return [replace(one, scale=(min(ends), max(ends))) for one in displays]


def pair(display: PairDisplay) -> Axes:
    """A heat map; its notes stand in the page."""
    width = min(max(1.4 + 0.8 * len(display.columns), 3.4), WIDTH)
    return _sized(display.plot(noted=False), 0.9 + 0.44 * len(display.rows), width)


def values(found: Row, level: float) -> Axes:
    """Accuracy per value of one attribute."""
    table = pd.DataFrame([{**row["values"], **row} for row in found["rows"]])
    display = MarginalDisplay.from_table(table, found["attribute"], level=level)
    return _sized(display.plot(), 0.9 + 0.24 * len(display.names))


def _shade(share: float) -> float:
    return FAINTEST_COUNT + (DARKEST_COUNT - FAINTEST_COUNT) * math.sqrt(share)


def _band(rows: Sequence[Row]) -> Band:
    return Band(*(np.array([row[name] for row in rows], dtype=np.float64) for name in ("estimate", "low", "high")))


def _count(value: float) -> str:
    return marked(f"{value:,.0f}" if value < 100_000 else f"{value:.2g}")


def _sized(ax: Axes, height: float, width: float = WIDTH) -> Axes:
    from matplotlib.text import Text

    figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment]
    figure.set_size_inches(width, max(height, 1.1))
    for letters in figure.findobj(Text):
        letters.set_fontsize(max(letters.get_fontsize(), SMALLEST))
    return ax
