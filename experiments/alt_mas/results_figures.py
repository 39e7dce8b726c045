"""The figures of the results: panels of curves, a column per set of metrics and a row per model under test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from altmas.experiments.alt_mas.studies import LITERALLY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {"altmas": "#d55e00", LITERALLY: "#e69f00", "bald": "#0072b2", "random": "#555555"}
NAMES = {"altmas": "ALT-MAS (guarded)", LITERALLY: "literally", "bald": "BALD", "random": "random (Tradition)"}

STYLE: dict[Any, Any] = {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "altmas",  # the same figure, the same file
    "figure.facecolor": "white",
}


def draw_panels(
    panels: Mapping[tuple[str, str], pd.DataFrame], rows: Sequence[str], columns: Sequence[str], value: str
) -> Figure:
    """A grid of curves with a band of one standard error; panels by (row, column), each with its own scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.9 * len(columns) + 0.6, 1.65 * len(rows) + 0.7), layout="constrained")
    grid = figure.subplots(len(rows), len(columns), sharex=True, squeeze=False)
    for r, row in enumerate(rows):
        for c, column in enumerate(columns):
            axes = grid[r, c]
            for method, curve in panels[row, column].groupby("method", sort=False):
                ordered = curve.sort_values("labels")
                x, mean, se = ordered["labels"], ordered["mean"], ordered["se"].fillna(0)
                colour = COLOURS[str(method)]
                axes.plot(x, mean, color=colour, linewidth=1.3, label=NAMES[str(method)])
                axes.fill_between(x, mean - se, mean + se, color=colour, alpha=0.18, linewidth=0)
            axes.set_ylim(bottom=0)
            axes.spines[["top", "right"]].set_visible(False)
            if r == 0:
                axes.set_title(column)
            if c == 0:
                axes.set_ylabel(f"{row}\n{value}")
            if r == len(rows) - 1:
                axes.set_xlabel("labels")
    handles, names = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)
    return figure


def draw_ratios(ratios: pd.DataFrame) -> Figure:
    """A row per method, a dot per panel: error as a share of random sampling's, on a logarithmic scale, and the median.

    No error at all has no place on it, and is a triangle at its left end.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 0.34 * ratios["method"].nunique() + 0.9), layout="constrained")
    axes = figure.subplots()
    order = ratios.groupby("method")["ratio"].median().sort_values(ascending=False)
    floor = ratios.loc[ratios["ratio"] > 0, "ratio"].min() / 1.5
    for place, (method, median) in enumerate(order.items()):
        values = ratios.loc[ratios["method"] == method, "ratio"]
        none = int((values == 0).sum())
        axes.plot([floor] * none, [place] * none, "<", color="#0072b2", markersize=5, markeredgewidth=0)
        values = values[values > 0]
        axes.plot(values, [place] * len(values), "o", color="#0072b2", alpha=0.35, markersize=4, markeredgewidth=0)
        axes.plot([median], [place], "|", color="#d55e00", markersize=13, markeredgewidth=2)
    axes.set_yticks(range(len(order)), [str(method) for method in order.index])
    axes.set_xscale("log")
    axes.axvline(1, color="#555555", linewidth=0.8)
    axes.set_xlabel("error at the last label as a share of random sampling's (dot: a panel; line: median)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=False, axis="y")
    return figure


def save(figure: Figure, path: Path) -> None:
    """As SVG, without the date."""
    figure.savefig(path, format="svg", metadata={"Date": None})
