"""Pictures of a run: estimates, or their errors, against labels spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from altmas.metrics.errors import InputError
from altmas.plots.axes import INK, SHAPES, in_legend, new_axes, write_legend
from altmas.words.language import sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_LINES = 8


def plot_history(
    history: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    truth: Mapping[str, float] | None = None,
    ax: Axes | None = None,
    title: str = "",
) -> Axes:
    """Estimates and intervals against labels spent, at most eight lines: a metric each, or a model's metric."""
    known = list(dict.fromkeys(history["metric"]))
    metrics = [metrics] if isinstance(metrics, str) else metrics
    if truth is not None and not isinstance(truth, Mapping):
        raise InputError("truth", "be a mapping of metrics to values", repr(truth))
    if metrics is not None and (unknown := [m for m in metrics if m not in known]):
        raise InputError("metrics to plot", f"be among {', '.join(known)}", repr(unknown[0]))
    lines = _lines(history, known if metrics is None else metrics)
    ax = ax if ax is not None else new_axes()
    for i, (line, name, rows) in enumerate(lines if metrics is not None else lines[:_MOST_LINES]):
        colour, shape = INK[i % len(INK)], SHAPES[i % len(SHAPES)]
        ax.plot(rows["labels"], rows["estimate"], marker=shape, ms=4, color=colour, label=in_legend(line))
        ax.fill_between(rows["labels"], rows["low"], rows["high"], color=colour, alpha=0.15, linewidth=0.5)
        if truth is not None and name in truth:
            ax.axhline(truth[name], color=colour, linestyle="--", linewidth=1)
    ax.set_xlabel(sentence("labels"))
    ax.set_ylabel(sentence("estimate"))
    ax.set_title(title, loc="left", fontsize=10, parse_math=False)
    write_legend(ax, fontsize=8)
    return ax


def _lines(history: pd.DataFrame, metrics: Sequence[str]) -> list[tuple[str, str, pd.DataFrame]]:
    """What a picture has a line for: its name, its metric, its rows. Models are named where there are several.

    >>> rows = pd.DataFrame({"model": ["a", "b"], "metric": "accuracy", "labels": 5, "estimate": [0.8, 0.9]})
    >>> [name for name, *_ in _lines(rows, ["accuracy"])]
    ['a', 'b']
    """
    found = []
    for metric in metrics:
        rows = history[history["metric"] == metric]
        if "model" not in rows:
            found.append((metric, metric, rows))
            continue
        for model, own in rows.groupby("model", sort=False):
            found.append((str(model) if len(metrics) == 1 else f"{model}: {metric}", metric, own))
    return found


def plot_relative_error(errors: Mapping[str, pd.Series[Any]], *, ax: Axes | None = None, title: str = "") -> Axes:
    """Relative error against labels, one line per method; each series is indexed by labels."""
    ax = ax if ax is not None else new_axes()
    for i, (name, series) in enumerate(errors.items()):
        x, y = series.index.to_numpy(), 100 * series.to_numpy(dtype=np.float64)
        ax.plot(x, y, marker=SHAPES[i % len(SHAPES)], ms=4, color=INK[i % len(INK)], label=in_legend(name))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("labels")
    ax.set_ylabel("relative error, % (mean over metrics)")
    ax.set_title(title, loc="left", fontsize=10, parse_math=False)
    write_legend(ax)
    return ax


def save(ax: Axes, path: str) -> None:
    """Write the figure an axes lies on."""
    figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment]
    figure.savefig(path, dpi=150, bbox_inches="tight")
