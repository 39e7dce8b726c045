"""Displays of what is believed about groups: each computes its numbers once, then draws them on any axes.

All six can be imported from here; those with a curve are made in `curves`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from altmas.core.checks import fraction, whole_number
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray
from altmas.plots.axes import GREY, INK, LONGEST_LABEL, new_axes, percent, write_column
from altmas.plots.curves import Band, CurvesDisplay, ReliabilityDisplay, RopeDisplay, one_each
from altmas.words.language import sentence
from altmas.words.wording import marked, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from altmas.surrogates.groups.beta_posterior import BetaPosterior

__all__ = [
    "AccuracyCalibrationDisplay",
    "CurvesDisplay",
    "ForestDisplay",
    "RankingDisplay",
    "ReliabilityDisplay",
    "RopeDisplay",
]

_LOW, _HIGH, _OTHER = (INK[5], "s"), (INK[7], "^"), (GREY, "o")  # colour and shape: nothing by colour alone


@dataclass(frozen=True, eq=False)
class AccuracyCalibrationDisplay:
    """Accuracy against calibration error per class, with both intervals (Active Bayesian Assessment, Figure 1).

    >>> accuracy, ece = np.array([[0.9, 0.2], [0.8, 0.4]]), np.array([[0.1, 0.3], [0.0, 0.3]])
    >>> shown = AccuracyCalibrationDisplay.from_draws(["cat", "dog"], accuracy, ece)
    >>> shown.accuracy.mean.round(2), shown.least, shown.most
    (array([0.85, 0.3 ]), array([1]), array([0]))
    """

    names: tuple[str, ...]
    accuracy: Band
    ece: Band
    least: IntArray
    """The least accurate classes, the worst first."""
    most: IntArray
    """The most accurate, the best first."""
    level: float

    @classmethod
    def from_draws(
        cls,
        names: Sequence[object],
        accuracy_draws: ArrayLike,
        ece_draws: ArrayLike,
        *,
        level: float = 0.95,
        extremes: int = 10,
    ) -> AccuracyCalibrationDisplay:
        """From draws `[M, G]` of both; at most half of the classes are marked at either end."""
        level = fraction("level", level)
        bands = [
            Band.of_draws(_draws(subject, draws, len(names)), level)
            for subject, draws in (("accuracy_draws", accuracy_draws), ("ece_draws", ece_draws))
        ]
        order = np.argsort(bands[0].mean, kind="stable")
        each = min(whole_number("extremes", extremes, 1), len(names) // 2)
        least, most = order[:each], order[len(order) - each :][::-1]
        return cls(tuple(map(str, names)), bands[0], bands[1], least, most, level)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a point with two bars per class: squares least accurate, triangles most, circles the others."""
        ax = ax if ax is not None else new_axes()
        others = np.setdiff1d(np.arange(len(self.names)), np.concatenate([self.least, self.most]))
        kinds = (
            (others, _OTHER, f"{len(others)} between"),
            (self.least, _LOW, f"{len(self.least)} least accurate"),
            (self.most, _HIGH, f"{len(self.most)} most accurate"),
        )
        for rows, (colour, shape), label in kinds:
            if len(rows):
                x, y = self.accuracy.take(rows), self.ece.take(rows)
                ax.hlines(y.mean, x.low, x.high, color=colour, linewidth=0.8, alpha=0.45)
                ax.vlines(x.mean, y.low, y.high, color=colour, linewidth=0.8, alpha=0.45)
                ax.plot(x.mean, y.mean, shape, ms=5, color=colour, markeredgecolor="white", mew=0.5, label=label)
        ax.margins(y=0.12)
        for rows, (colour, _) in ((self.least, _LOW), (self.most, _HIGH)):
            for row in rows[:1]:
                self._name(ax, int(row), colour)
        ax.set_ylim(bottom=0)
        ax.set_xlabel(f"accuracy (mean and {percent(self.level)} credible interval)")
        ax.set_ylabel("expected calibration error")
        ax.legend(frameon=False, fontsize=8)
        return ax

    def _name(self, ax: Axes, row: int, colour: str) -> None:
        # Above the upper end of its interval, where its own bars do not run through the letters.
        note = ax.annotate(
            short(self.names[row], LONGEST_LABEL),
            (self.accuracy.mean[row], self.ece.high[row]),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            color=colour,
            fontsize=9,
            weight="bold",
        )
        note.set_parse_math(False)
        note.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1})


@dataclass(frozen=True, eq=False)
class ForestDisplay:
    """Mean and interval per group, the lowest first; of many groups the two ends.

    >>> from altmas.surrogates.groups.beta_posterior import BetaPosterior
    >>> three = BetaPosterior.of([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
    >>> shown = ForestDisplay.from_posterior(["a", "b", "c"], three, most=2)
    >>> shown.names, shown.band.mean, shown.left_out
    (('a', 'c'), array([0.25, 0.75]), 1)
    """

    names: tuple[str, ...]
    band: Band
    p_worst: FloatArray | None
    lowest: int
    """How many of the rows are from the low end."""
    left_out: int
    level: float

    @classmethod
    def from_posterior(
        cls,
        names: Sequence[object],
        posterior: BetaPosterior,
        *,
        level: float = 0.95,
        p_worst: ArrayLike | None = None,
        most: int = 30,
    ) -> ForestDisplay:
        """`p_worst [G]`: the probability that a group is the worst. At most `most` groups are shown."""
        return cls.from_band(names, Band.of_posterior(posterior, fraction("level", level)), level, p_worst, most)

    @classmethod
    def from_band(
        cls, names: Sequence[object], band: Band, level: float, p_worst: ArrayLike | None = None, most: int = 30
    ) -> ForestDisplay:
        """As `from_posterior`, of means and intervals that are known already."""
        one_each("names", np.zeros(len(names)), len(band.mean), "group")
        worst = None if p_worst is None else one_each("p_worst", p_worst, len(names), "group")
        order = np.argsort(band.mean, kind="stable")
        rows, lowest = _ends(order, whole_number("most", most, 2))
        return cls(
            names=tuple(str(names[i]) for i in rows),
            band=band.take(rows),
            p_worst=None if worst is None else worst[rows],
            lowest=lowest,
            left_out=len(order) - len(rows),
            level=level,
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a row per group; the probabilities stand in a column on the right."""
        ax, rows = _plot_rows(ax, self.names, self.band, self.lowest, self.left_out, ("lowest", "highest"))
        if self.p_worst is not None:
            write_column(ax, sentence("P(worst)"), rows, [percent(p) for p in self.p_worst], 44)
        ax.set_xlabel(f"mean and {percent(self.level)} credible interval")
        return ax


@dataclass(frozen=True, eq=False)
class RankingDisplay:
    """Mean rank and its interval, 1 for the highest value; the groups at the two ends.

    >>> draws = np.array([[0.1, 0.5, 0.9], [0.2, 0.8, 0.7]])
    >>> shown = RankingDisplay.from_draws(["a", "b", "c"], draws)
    >>> shown.names, shown.rank.mean
    (('b', 'c', 'a'), array([1.5, 1.5, 3. ]))
    """

    names: tuple[str, ...]
    rank: Band
    highest: int
    """How many of the rows are from the high end."""
    left_out: int
    level: float

    @classmethod
    def from_draws(
        cls, names: Sequence[object], draws: ArrayLike, *, level: float = 0.95, extremes: int = 10
    ) -> RankingDisplay:
        """From draws `[M, G]`, ranked within each draw; equal values share their mean rank."""
        ranks = np.asarray(rankdata(-_draws("draws", draws, len(names)), axis=1), dtype=np.float64)
        rank = Band.of_draws(ranks, fraction("level", level))
        order = np.argsort(rank.mean, kind="stable")
        rows, highest = _ends(order, 2 * whole_number("extremes", extremes, 1))
        shown = tuple(str(names[i]) for i in rows)
        return cls(shown, rank.take(rows), highest, len(order) - len(rows), level)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a row per group."""
        from matplotlib.ticker import MaxNLocator

        ax, _ = _plot_rows(ax, self.names, self.rank, self.highest, self.left_out, ("highest", "lowest"))
        groups = len(self.names) + self.left_out
        ticks = MaxNLocator(integer=True).tick_values(1, groups)
        ax.set_xticks(sorted({1, *(t for t in ticks if 1 <= t <= groups)}))
        ax.set_xlim(0.5, groups + 0.5)
        ax.set_xlabel(f"rank, 1 = highest (mean and {percent(self.level)} credible interval)")
        return ax


def _ends(order: IntArray, most: int) -> tuple[IntArray, int]:
    """The first and last of an order, `most` in all, and how many are of the first half."""
    count = min(most, len(order))
    first = count - count // 2
    return np.concatenate([order[:first], order[len(order) - count // 2 :]]), first


def _plot_rows(
    ax: Axes | None, names: Sequence[str], band: Band, first: int, left_out: int, ends: tuple[str, str]
) -> tuple[Axes, FloatArray]:
    rows = np.arange(len(names), dtype=np.float64)
    rows[first:] += 1.5 if left_out else 0  # room to say what is left out
    if ax is None:
        ax = new_axes(7, 1.4 + 0.21 * (rows[-1] + 2))
        ax.grid(visible=False, axis="y")
    ax.grid(axis="x", alpha=0.25)
    styles = {"lowest": _LOW, "highest": _HIGH}
    for part, end in zip((slice(0, first), slice(first, None)), ends, strict=True):
        colour, shape = styles[end] if left_out else _OTHER
        said = sentence("{number} lowest" if end == "lowest" else "{number} highest", number=len(rows[part]))
        ax.hlines(rows[part], band.low[part], band.high[part], color=colour, linewidth=1.5, alpha=0.6)
        ax.plot(band.mean[part], rows[part], shape, ms=5, color=colour, label=said)
    if left_out:
        said = sentence(
            "{number} group between them left out" if left_out == 1 else "{number} groups between them left out",
            number=marked(f"{left_out:,}"),
        )
        ax.text(0.5, first + 0.25, said, transform=ax.get_yaxis_transform(), ha="center", va="center", fontsize=8)
        ax.axhline(first + 0.25, color=GREY, linewidth=0.5, linestyle=":", zorder=0)
        ax.texts[-1].set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 2})
        ax.legend(frameon=False, fontsize=8, ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
    ax.set_yticks(rows, [short(name, LONGEST_LABEL) for name in names], fontsize=8, parse_math=False)
    ax.set_ylim(rows[-1] + 0.7, -0.7)
    return ax, rows


def _draws(subject: str, draws: ArrayLike, groups: int) -> FloatArray:
    array = np.asarray(draws, dtype=np.float64)
    if array.ndim != 2 or not len(array) or not groups or array.shape[1] != groups:
        raise InputError(subject, "be [draws, groups], one column per name", f"shape {array.shape} for {groups} names")
    if not np.isfinite(array).all():
        raise InputError(subject, "be finite", f"{(~np.isfinite(array)).sum():,} values that are not")
    return array
