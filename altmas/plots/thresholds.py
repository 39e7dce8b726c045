"""Displays of what thresholds do: ROC, precision and recall, cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from altmas.metrics.errors import InputError
from altmas.plots.axes import GREY, INK, new_axes
from altmas.words.language import sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["roc", "pr"]


@dataclass(frozen=True, eq=False)
class ThresholdDisplay:
    """A curve over thresholds with its band: `roc` (recall against false-positive rate) or `pr` (precision, recall).

    >>> table = pd.DataFrame({"threshold": [0.9, 0.1], "fpr": [0.0, 1.0], "recall": [0.4, 1.0],
    ...     "recall_low": [0.3, 1.0], "recall_high": [0.5, 1.0]})
    >>> ThresholdDisplay(table, "roc").axes_names
    ('fpr', 'recall')
    """

    table: pd.DataFrame
    kind: Kind = "roc"

    def __post_init__(self) -> None:
        if self.kind not in ("roc", "pr"):
            raise InputError("kind of a curve", "be roc or pr", repr(self.kind))

    @property
    def axes_names(self) -> tuple[str, str]:
        """Which columns go to the right and up."""
        return ("fpr", "recall") if self.kind == "roc" else ("recall", "precision")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve, and its band upwards and downwards at every threshold."""
        ax = new_axes(5, 5) if ax is None else ax
        right, up = self.axes_names
        table = self.table.sort_values([right, up])
        x, y, low, high = (table[name].to_numpy() for name in (right, up, f"{up}_low", f"{up}_high"))
        ax.fill_between(x, low, high, color=INK[0], alpha=0.2, linewidth=0, label=sentence("interval"))
        ax.plot(x, y, "-o", color=INK[0], ms=3, linewidth=1.5, label=sentence("estimate"))
        if self.kind == "roc":
            ax.plot([0, 1], [0, 1], "--", color=GREY, linewidth=1)
        names = {"fpr": sentence("false-positive rate"), "recall": sentence("recall"),
                 "precision": sentence("precision")}  # fmt: skip
        ax.set_xlabel(names[right])
        ax.set_ylabel(names[up])
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        ax.legend(frameon=False, fontsize=8, loc="lower right" if self.kind == "roc" else "upper right")
        return ax


@dataclass(frozen=True, eq=False)
class CostDisplay:
    """What errors cost at every threshold, with its band, and where that may be least: of `result.cost_curve(...)`."""

    curve: Any

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the cost against the threshold, and shade the thresholds that may be the best."""
        ax = new_axes(6, 4) if ax is None else ax
        table = self.curve.table[np.isfinite(self.curve.table["threshold"])]
        x, low, high = (table[name].to_numpy() for name in ("threshold", "low", "high"))
        ax.fill_between(x, low, high, color=INK[0], alpha=0.2, linewidth=0, label=sentence("interval"))
        ax.plot(x, table["cost"], "-o", color=INK[0], ms=3, linewidth=1.5, label=sentence("estimate"))
        ends = np.clip([self.curve.low_threshold, self.curve.high_threshold], x.min(), x.max())
        ax.axvspan(*ends, color=GREY, alpha=0.2, hatch="//", linewidth=0, label=sentence("may be the best threshold"))
        if np.isfinite(self.curve.threshold):
            ax.axvline(self.curve.threshold, color=GREY, linestyle="--", linewidth=1)
        ax.set_xlabel(sentence("threshold"))
        ax.set_ylabel(sentence("cost per item"))
        ax.set_ylim(bottom=0)
        ax.legend(frameon=False, fontsize=8)
        return ax
