"""Pictures of a sweep: errors against labels, and each pool's errors over the baseline's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from altmas.experiments.bench.errors import BASELINE
from altmas.plots.axes import INK, SHAPES, in_legend, new_axes, write_legend
from altmas.plots.curves import Curve, CurvesDisplay
from altmas.words.wording import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 5.6, 3.4
"""Inches of a figure on a page."""


def error_curves(curve: pd.DataFrame, methods: Sequence[str]) -> Axes:
    """RMSE against labels, a line for each method in this order, with a band of one standard error over seeds."""
    lines = []
    for method in methods:
        one = curve[curve["method"] == method].sort_values("labels")
        if len(one):
            labels, error, spread = (one[name].to_numpy(dtype=np.float64) for name in ("labels", "rmse", "error"))
            lines.append(Curve(method, labels, error, np.nan_to_num(error * spread)))
    ax = CurvesDisplay(tuple(lines), "RMSE", None).plot(new_axes(WIDTH, HEIGHT))
    ax.set_ylim(bottom=0)
    return ax


def dot_plot(pools: pd.DataFrame, methods: Sequence[str], baseline: str = BASELINE) -> Axes:
    """Relative RMSE of each pool, pools down, a dot per method; the baseline is the line at 1."""
    ax = new_axes()
    names = list(dict.fromkeys(pools["pool"]))
    figure: Any = ax.get_figure(root=True)
    figure.set_size_inches(7, 1.6 + 0.24 * len(names))
    heights = {name: len(names) - 1 - place for place, name in enumerate(names)}
    ax.grid(visible=False)
    ax.hlines(list(heights.values()), 0, 1, transform=ax.get_yaxis_transform(), color="black", alpha=0.08, linewidth=1)
    ax.axvline(1, color="black", linestyle="--", linewidth=1)
    for i, method in enumerate(methods):
        part = pools[pools["method"] == method]
        shape, colour = SHAPES[i % len(SHAPES)], INK[i % len(INK)]
        ax.plot(part["ratio"], part["pool"].map(heights), shape, ms=5, color=colour, label=in_legend(method))
    ax.set_xscale("log")
    ax.set_yticks(list(heights.values()), [short(name) for name in heights], fontsize=8, parse_math=False)
    low, high = ax.get_xlim()
    ticks = [t for t in (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10) if low <= t <= high]
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    shown = ", ".join(f"{one:,}" for one in sorted(set(pools["labels"])))
    ax.set_xlabel(f"RMSE relative to {short(baseline)}, {shown} labels (mean over metrics)", parse_math=False)
    if ax.get_legend_handles_labels()[0]:
        write_legend(ax, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=4)
    return ax
