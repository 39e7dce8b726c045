"""Pictures of an accuracy surface: accuracy per value of an attribute, and a heat map of two attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from altmas.core.checks import sorted_classes, whole_number
from altmas.metrics.types import FloatArray
from altmas.plots.axes import GREY, INK, LONGEST_LABEL, in_percent, new_axes, place_names, write_column
from altmas.plots.curves import Band
from altmas.surfaces.combinations import shown as told
from altmas.words.language import sentence, to_say
from altmas.words.surfaces import LABELLED
from altmas.words.wording import amount, level_of, marked, short
from altmas.words.wording import percent as in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from altmas.surfaces.surface import AccuracySurface

VALUES_SHOWN = 12
"""Of an attribute with more values, those with the most items are shown."""

FAINTEST_CELL, DARKEST_CELL = 0.04, 0.55
"""Shades of one colour: letters must stay readable on the darkest, and any eye can order them."""

LEAST_RANGE = 0.1
"""Accuracies that all lie within this range are not told apart by the full range of shades."""

BRACKETS = to_say("in brackets: no labels of its own, estimated from others")


@dataclass(frozen=True, eq=False)
class MarginalDisplay:
    """Accuracy per value of one attribute, with its interval and the number of labels behind it."""

    attribute: str
    names: tuple[str, ...]
    band: Band
    labels: FloatArray
    left_out: int
    level: float

    @classmethod
    def from_surface(cls, surface: AccuracySurface, attribute: str, *, most: int = VALUES_SHOWN) -> MarginalDisplay:
        """The display of one attribute of a surface."""
        return cls.from_table(surface.marginal(attribute), attribute, level=surface.level, most=most)

    @classmethod
    def from_table(
        cls, table: pd.DataFrame, attribute: str, *, level: float = 0.95, most: int = VALUES_SHOWN
    ) -> MarginalDisplay:
        """From a table as `AccuracySurface.marginal` gives it.

        >>> row = {"support": 9, "labels": 3, "estimate": 0.8, "low": 0.5, "high": 0.9}
        >>> MarginalDisplay.from_table(pd.DataFrame([{"hat": "yes", **row}]), "hat").names
        ('yes',)
        """
        kept = _kept(table, attribute, most, table[attribute])
        rows = table[[value in kept for value in table[attribute]]]
        band = Band(*(rows[name].to_numpy(np.float64) for name in ("estimate", "low", "high")))
        names = tuple(short(told(one), LONGEST_LABEL) for one in rows[attribute])
        return cls(attribute, names, band, rows["labels"].to_numpy(np.float64), len(table) - len(rows), level)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a row per value; the labels stand in a column on the right."""
        rows = np.arange(len(self.names))
        ax = new_axes(6, 1.1 + 0.26 * len(rows)) if ax is None else ax
        ax.grid(visible=False, axis="y")
        ax.grid(axis="x", alpha=0.25)
        ax.hlines(rows, self.band.low, self.band.high, color=INK[0], linewidth=1.8, alpha=0.6)
        ax.plot(self.band.mean, rows, "o", ms=5.5, color=INK[0])
        write_column(ax, sentence("labels"), rows, [amount(labels) for labels in self.labels], 38)
        ax.set_yticks(rows, self.names, parse_math=False)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_ylabel(short(self.attribute, LONGEST_LABEL), parse_math=False)
        between = sentence("accuracy, mean and {level}% interval", level=level_of(self.level))
        ax.set_xlabel(f"{between}{_left_out(self.left_out)}")
        in_percent(ax, "x")
        return ax


@dataclass(frozen=True, eq=False)
class PairDisplay:
    """A heat map: estimated accuracy `[R, C]` (NaN where the pool has no items), labels, and names of both sides.

    `left_out` counts the rarer values of the rows and of the columns. Maps with one `scale` of shades compare.
    """

    attributes: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    estimate: FloatArray
    labels: FloatArray
    left_out: tuple[int, int]
    scale: tuple[float, float] | None = None

    @classmethod
    def from_surface(cls, surface: AccuracySurface, a: str, b: str, *, most: int = VALUES_SHOWN) -> PairDisplay:
        """The heat map of two attributes of a surface."""
        return cls.from_table(surface.marginal(a, b), a, b, order=surface.values, most=most)

    @classmethod
    def from_table(
        cls, table: pd.DataFrame, a: str, b: str, *, order: Mapping[str, Sequence[Any]] | None = None,
        most: int = VALUES_SHOWN,
    ) -> PairDisplay:  # fmt: skip
        """From a table as `AccuracySurface.marginal` gives it; the attribute with more values goes down the side.

        `order` has the values of each attribute in the order to show them; else they are sorted.

        >>> cells = pd.DataFrame({"hat": ["n", "y"], "age": [1, 2], "support": 9, "labels": 3, "estimate": [0.8, 0.6]})
        >>> PairDisplay.from_table(cells, "hat", "age").estimate
        array([[0.8, nan],
               [nan, 0.6]])
        """
        found = {name: len(set(table[name])) for name in (a, b)}
        if found[b] > found[a]:
            a, b = b, a
        shown = order or {name: sorted_classes(table[name]) for name in (a, b)}
        down, across = _kept(table, a, most, shown[a]), _kept(table, b, most, shown[b])
        estimate = np.full((len(down), len(across)), np.nan)
        labels = np.zeros_like(estimate)
        for row in table.to_dict("records"):
            if row[a] in down and row[b] in across:
                place = down.index(row[a]), across.index(row[b])
                estimate[place], labels[place] = row["estimate"], row["labels"]
        left = found[a] - len(down), found[b] - len(across)
        rows, columns = (tuple(short(told(one), LONGEST_LABEL) for one in side) for side in (down, across))
        return cls((a, b), rows, columns, estimate, labels, left)

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest estimate."""
        return float(np.nanmin(self.estimate)), float(np.nanmax(self.estimate))

    @property
    def notes(self) -> list[str]:
        """What shades and brackets mean, a line each."""
        low, high = (in_words(end) for end in self.scale or self.ends)
        shade = sentence("stronger colour: less accurate")
        shade += f", {sentence('{low} to {high}', low=low, high=high)}" if low != high else ""
        return [shade, sentence(BRACKETS)] if bool(self._unlabelled.any()) else [shade]

    @property
    def _unlabelled(self) -> Any:
        return ~np.isnan(self.estimate) & (self.labels < LABELLED)

    def plot(self, ax: Axes | None = None, *, noted: bool = True) -> Axes:
        """Draw the cells with their number of labels; hatched where there are no items. Below, the notes."""
        from matplotlib.patches import Rectangle

        own = ax is None
        if ax is None:
            wide, high = max(1.6 + 0.85 * len(self.columns), 4.2), 1.2 + 0.5 * len(self.rows)
            ax = new_axes(wide, high + (0.15 * len(self.notes) if noted else 0))
        ax.grid(visible=False)
        bare = self._unlabelled
        for (y, x), value in np.ndenumerate(self.estimate):
            place, size = (x - 0.48, y - 0.47), (0.96, 0.94)
            if np.isnan(value):
                ax.add_patch(Rectangle(place, *size, facecolor="none", edgecolor=GREY, hatch="////", lw=0, alpha=0.6))
                continue
            ax.add_patch(Rectangle(place, *size, facecolor=INK[1], alpha=self._shade(float(value)), linewidth=0))
            text, style = in_words(float(value)), "normal"
            if bare[y, x]:
                text, style = f"({text})", "italic"
            ax.text(x, y - 0.12, text, ha="center", va="center", fontsize=9, style=style)
            ax.text(x, y + 0.24, f"n {amount(float(self.labels[y, x]))}", ha="center", va="center", fontsize=7)
        place_names(ax, self.columns, self.rows)
        down, across = (
            short(name, LONGEST_LABEL) + _left_out(left)
            for name, left in zip(self.attributes, self.left_out, strict=True)
        )
        below = self.notes if noted else []
        ax.set_ylabel(down, parse_math=False)
        ax.set_xlabel("\n".join([across, *([] if own else below)]), parse_math=False)
        if own and below:  # from the figure's left side, where a map is narrower than its notes
            drawn: Any = ax.get_figure(root=True)
            drawn.supxlabel("\n".join(below), x=0.01, ha="left", fontsize=8)
        return ax

    def _shade(self, value: float) -> float:
        low, high = self.scale or self.ends
        return FAINTEST_CELL + (DARKEST_CELL - FAINTEST_CELL) * (high - value) / max(high - low, LEAST_RANGE)


def plot_surface(surface: AccuracySurface, ax: Axes | None = None) -> Axes:
    """The picture that says most: the heat map of the pair that differs most, or of one attribute its values."""
    pairs = surface.widest()
    if not pairs:
        return MarginalDisplay.from_surface(surface, surface.arms.names[0]).plot(ax)
    drawn = PairDisplay.from_surface(surface, *pairs[0]).plot(ax)
    drawn.set_title("accuracy and number of labels, n", loc="left", fontsize=9)
    return drawn


def _kept(table: pd.DataFrame, attribute: str, most: int, order: Iterable[Any]) -> list[Any]:
    """The values with the most items, in the order given."""
    sizes: dict[Any, float] = {}  # and not groupby, which loses None
    for value, support in zip(table[attribute], table["support"], strict=True):
        sizes[value] = sizes.get(value, 0) + support
    often = sorted(sizes, key=lambda value: -sizes[value])[: whole_number("most", most, 1)]
    return [value for value in order if value in often]


def _left_out(count: int) -> str:
    if not count:
        return ""
    return sentence(
        "; {number} rarer value left out" if count == 1 else "; {number} rarer values left out",
        number=marked(f"{count:,}"),
    )
