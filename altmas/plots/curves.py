"""Displays with a curve: reliability, the density of a difference, and methods against labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from altmas.core.checks import fraction
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray
from altmas.plots.axes import GREY, INK, SHAPES, in_legend, new_axes, percent, write_legend
from altmas.words.language import sentence
from altmas.words.wording import level_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from altmas.surrogates.groups.beta_posterior import BetaPosterior

_DASHES = ["-", "--", ":", "-."]
_MOST_BARS = 120


@dataclass(frozen=True, eq=False)
class Band:
    """Means `[G]` with the ends of their central credible intervals.

    >>> Band.of_draws(np.array([[0.0], [1.0], [2.0]]), 0.5).low
    array([0.5])
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def of_draws(cls, draws: FloatArray, level: float) -> Band:
        """From draws `[M, G]`."""
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return cls(draws.mean(0), low, high)

    @classmethod
    def of_posterior(cls, posterior: BetaPosterior, level: float) -> Band:
        """From a posterior over `G` groups."""
        if posterior.right.ndim != 2:
            raise InputError("posterior", "have one axis, of groups", f"shape {posterior.right.shape[1:]}")
        low, high = posterior.interval(level)
        return cls(posterior.mean, low, high)

    def take(self, rows: IntArray) -> Band:
        """These groups, in this order."""
        return Band(self.mean[rows], self.low[rows], self.high[rows])


@dataclass(frozen=True, eq=False)
class ReliabilityDisplay:
    """Accuracy against mean score, per bin that holds items; below, the share of the items in each bin.

    >>> from altmas.surrogates.groups.beta_posterior import BetaPosterior
    >>> bins = BetaPosterior.of([1.0, 3.0, 9.0], [1.0, 3.0, 1.0])
    >>> ReliabilityDisplay.from_posterior(bins, [np.nan, 0.6, 0.95], [0, 0.25, 0.75]).accuracy.mean
    array([0.5, 0.9])
    """

    scores: FloatArray
    shares: FloatArray
    accuracy: Band
    level: float

    @classmethod
    def from_posterior(
        cls, posterior: BetaPosterior, scores: ArrayLike, shares: ArrayLike, *, level: float = 0.95
    ) -> ReliabilityDisplay:
        """`posterior` of the accuracy of each bin, with its mean score `[B]` (NaN if empty) and its share `[B]`."""
        accuracy = Band.of_posterior(posterior, fraction("level", level))
        score = one_each("scores", scores, len(accuracy.mean), "bin")
        share = one_each("shares", shares, len(accuracy.mean), "bin")
        if not ((share >= 0) & (share <= 1)).all():
            raise InputError("shares", "lie between 0 and 1", f"{share.min():g} to {share.max():g}")
        held = np.flatnonzero((share > 0) & ~np.isnan(score))
        if not len(held):
            raise InputError("shares", "be above 0 for some bin with a score", "no such bin")
        return cls(score[held], share[held], accuracy.take(held), level)

    @classmethod
    def from_calibration(cls, table: pd.DataFrame, *, level: float = 0.95) -> ReliabilityDisplay:
        """From the `calibration` table of a result; `level` is that of its intervals."""
        held = table[table["size"] > 0]
        score, size, *band = (held[name].to_numpy(np.float64) for name in ("score", "size", "estimate", "low", "high"))
        return cls(score, size / size.sum(), Band(*band), fraction("level", level))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bins, their gaps to the diagonal, and the shares as bars in a strip below 0."""
        ax = new_axes(5, 5.6) if ax is None else ax
        x, band = self.scores, self.accuracy
        apart = np.diff(np.sort(x)).min(initial=0.1)
        width = float(np.clip(0.8 * apart, 0.02, 0.07))
        ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label=sentence("score = accuracy"))
        ax.bar(x, band.mean - x, width, bottom=x, color=GREY, alpha=0.3, label=sentence("gap"))
        between = sentence("{level}% credible interval", level=level_of(self.level))
        ax.vlines(x, band.low, band.high, color=INK[0], linewidth=1.5, label=between)
        ax.plot(x, band.mean, "o", ms=5, color=INK[0], label=sentence("mean accuracy"))
        floor, tall = -0.3, 0.18
        heights = tall * self.shares / self.shares.max()
        ax.bar(x, heights, width, bottom=floor, color=INK[0], alpha=0.35, hatch="//", edgecolor="white")
        ax.axhline(0, color="black", linewidth=0.8)
        for i in range(len(x)) if apart > 0.06 else [int(self.shares.argmax())]:
            ax.text(x[i], floor + heights[i] + 0.01, percent(self.shares[i]), ha="center", va="bottom", fontsize=7)
        ax.text(0, -0.02, sentence("share of items"), va="top", fontsize=8, color=GREY)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(floor, 1.02)
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.set_xlabel(sentence("mean score"))
        ax.set_ylabel(sentence("accuracy"))
        ax.legend(frameon=False, fontsize=8, ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
        return ax


@dataclass(frozen=True, eq=False)
class RopeDisplay:
    """Histogram of a difference, its region of practical equivalence, and the mass of each side.

    >>> RopeDisplay.from_draws([-0.3, 0.01, 0.2, 0.3], 0.05).masses
    (0.25, 0.25, 0.5)
    """

    edges: FloatArray
    density: FloatArray
    masses: tuple[float, float, float]
    """Posterior probability that the difference is below -margin, within, above."""
    margin: float

    @classmethod
    def from_draws(cls, difference: ArrayLike, margin: float) -> RopeDisplay:
        """From draws `[M]`; a difference of exactly `margin` counts as practically equal."""
        draws = np.asarray(difference, dtype=np.float64)
        if draws.ndim != 1 or not len(draws):
            raise InputError("difference", "be one number per draw", f"shape {draws.shape}")
        if not np.isfinite(draws).all():
            raise InputError("difference", "be finite", f"{(~np.isfinite(draws)).sum():,} draws that are not")
        if not 0 < margin < np.inf:
            raise InputError("margin", "be a number above 0", repr(margin))
        lower, higher = float((draws < -margin).mean()), float((draws > margin).mean())
        equal = float((np.abs(draws) <= margin).mean())
        edges = _edges(draws, margin)
        density, _ = np.histogram(draws, edges, density=True)
        return cls(edges, density, (lower, equal, higher), float(margin))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the histogram, hatched outside the region, with the three masses written above it."""
        if ax is None:
            ax = new_axes()
            ax.grid(visible=False)
        ax.axvspan(-self.margin, self.margin, color=GREY, alpha=0.15, linewidth=0)
        for end in (-self.margin, self.margin):
            ax.axvline(end, color=GREY, linestyle="--", linewidth=1)
        middles = (self.edges[:-1] + self.edges[1:]) / 2
        lower, equal, higher = (f"{mass:.1%}" for mass in self.masses)
        sides = (
            (middles < -self.margin, INK[5], "\\\\\\", 0.0, "left", f"← lower {lower}"),
            (np.abs(middles) <= self.margin, "#374151", "", 0.5, "center", f"practically equal {equal}"),
            (middles > self.margin, INK[7], "///", 1.0, "right", f"higher {higher} →"),
        )
        for bars, colour, hatch, at, align, said in sides:
            heights = np.where(bars, self.density, 0)
            ax.stairs(
                heights, self.edges, fill=True, facecolor=colour, alpha=0.55, hatch=hatch, edgecolor="white", lw=0
            )
            ax.text(at, 1.02, said, transform=ax.transAxes, ha=align, va="bottom", color=colour, weight="bold")
        ax.stairs(self.density, self.edges, color="black", linewidth=0.8)
        reach = 1.5 * self.margin
        ax.set_xlim(min(self.edges[0], -reach), max(self.edges[-1], reach))
        ax.set_ylim(bottom=0)
        ax.set_xlabel(f"difference (shaded: within ±{self.margin:g})")
        ax.set_ylabel("posterior density")
        return ax


@dataclass(frozen=True, eq=False)
class Curve:
    """One method: labels `[T]`, mean over replicates `[T]` and its standard error `[T]`."""

    name: str
    labels: FloatArray
    mean: FloatArray
    error: FloatArray


@dataclass(frozen=True, eq=False)
class CurvesDisplay:
    """Mean curves over replicates with bands of one standard error, a line per method.

    >>> shown = CurvesDisplay.from_curves({"random": ([10, 20], [[0.2, 0.4], [0.5, 0.5]])})
    >>> shown.curves[0].mean, shown.curves[0].error
    (array([0.3, 0.5]), array([0.1, 0. ]))
    """

    curves: tuple[Curve, ...]
    quantity: str
    target: float | None

    @classmethod
    def from_curves(
        cls,
        curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
        *,
        quantity: str = "mean reciprocal rank",
        target: float | None = None,
    ) -> CurvesDisplay:
        """Per method its labels `[T]` and values `[T, R]`; of a single replicate no error is known, and it is 0."""
        if not curves:
            raise InputError("curves", "hold at least one method", "none")
        return cls(tuple(_curve(name, *pair) for name, pair in curves.items()), quantity, target)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the lines, each with its own marker."""
        ax = ax if ax is not None else new_axes()
        for i, one in enumerate(self.curves):
            colour, shape, dash = INK[i % len(INK)], SHAPES[i % len(SHAPES)], _DASHES[i // len(INK) % len(_DASHES)]
            step = max(1, len(one.labels) // 10)
            every = (i * step // len(self.curves), step)  # markers of lines that meet stay apart
            ax.plot(
                one.labels, one.mean, dash, marker=shape, ms=5, markevery=every, color=colour, label=in_legend(one.name)
            )
            low, high = one.mean - one.error, one.mean + one.error
            ax.fill_between(one.labels, low, high, color=colour, alpha=0.15, linewidth=0)
        if self.target is not None:
            ax.axhline(self.target, color="black", linestyle="--", linewidth=1, label=f"target {self.target:g}")
        ax.set_xlabel("labels")
        ax.set_ylabel(f"{self.quantity} (± standard error)", parse_math=False)
        beside = {"loc": "center left", "bbox_to_anchor": (1, 0.5)} if len(self.curves) > 6 else {}
        write_legend(ax, fontsize=8, **beside)
        return ax


def _curve(name: str, labels: ArrayLike, values: ArrayLike) -> Curve:
    x, y = np.asarray(labels, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or not len(x) or y.ndim != 2 or y.shape[0] != len(x) or not y.shape[1]:
        got = f"labels of shape {x.shape} and values of shape {y.shape}"
        raise InputError(f"curve {name!r}", "be labels [T] and values [T, R]", got)
    if not np.isfinite(y).all():
        raise InputError(f"curve {name!r}", "be finite", f"{(~np.isfinite(y)).sum():,} values that are not")
    replicates = y.shape[1]
    error = y.std(1, ddof=1) / np.sqrt(replicates) if replicates > 1 else np.zeros(len(x))
    return Curve(name, x, y.mean(1), error)


def _edges(draws: FloatArray, margin: float) -> FloatArray:
    """Bars about as wide as the Freedman-Diaconis rule says, with an edge at -margin and at margin."""
    low, high = min(float(draws.min()), -margin), max(float(draws.max()), margin)
    quarter, three = np.quantile(draws, [0.25, 0.75])
    wide = 2 * float(three - quarter) / len(draws) ** (1 / 3)
    wide = max(wide or margin / 4, (high - low) / _MOST_BARS)
    inner = np.linspace(-margin, margin, 1 + max(1, round(2 * margin / wide)))
    below = -margin - wide * np.arange(int(np.ceil((-margin - low) / wide)), 0, -1)
    above = margin + wide * np.arange(1, 1 + int(np.ceil((high - margin) / wide)))
    return np.concatenate([below, inner, above])


def one_each(subject: str, values: ArrayLike, count: int, each: str) -> FloatArray:
    """The values as numbers `[count]`; refused unless there is one for each."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (count,):
        got = f"{len(array):,} {subject} for {count:,} {each}s" if array.ndim == 1 else f"shape {array.shape}"
        raise InputError(subject, f"be one per {each}", got)
    return array
