"""Draw the pictures of intervals.md: `python docs/make_interval_pictures.py`. The same bytes every time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import altmas

HERE = Path(__file__).parent
RUNS, BUDGET = 20, 300
HIT, MISS, INK = "#0b6e99", "#c2410c", "#334155"


def overconfident(seed: int, size: int = 5000) -> tuple[Any, Any, Any, float]:
    """A model that means what it says up to 0.98, and above that is right half the time; as in intervals.md."""
    rng = np.random.default_rng(seed)
    confidence = rng.beta(8, 1, size)
    right = rng.random(size) < np.where(confidence > 0.98, 0.5, confidence)
    predictions = rng.integers(3, size=size)
    labels = np.where(right, predictions, (predictions + 1) % 3)
    return predictions, confidence, labels, float(right.mean())


def assessed(seed: int, method: Any, budget: int = BUDGET) -> tuple[Any, float]:
    """A result on one such pool, and the truth."""
    predictions, confidence, labels, truth = overconfident(seed)
    result = altmas.assess(
        predictions, confidence, classes=range(3), oracle=labels, metrics=["accuracy"], method=method, budget=budget,
        seed=seed, progress=False,
    )  # fmt: skip
    return result, truth


def draw_fooled(path: Path) -> None:
    """Intervals less the truth, run by run: corrected by design, and the surrogate's own."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True, sharex=True)
    titles = {"certified": "certified: corrected by design", "ase": "ase: the surrogate alone, spread of its draws"}
    for ax, (method, title) in zip(axes, titles.items(), strict=True):
        held = 0
        for run in range(RUNS):
            result, truth = assessed(run, method)
            row = result.estimates.iloc[0]
            hit = bool(row["low"] <= truth <= row["high"])
            held += hit
            ends, colour = (row["low"] - truth, row["high"] - truth), HIT if hit else MISS
            ax.plot([run + 1] * 2, ends, color=colour, lw=2.2, ls="-" if hit else (0, (2, 1)))
            ax.plot(run + 1, row["estimate"] - truth, "o" if hit else "X", color=colour, ms=5)
        ax.axhline(0, color=INK, lw=1, ls="--")
        ax.set_title(f"{title}\n{held} of {RUNS} intervals hold the truth", fontsize=10)
        ax.set(xlabel="run", xticks=[1, 5, 10, 15, 20])
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("accuracy less the truth")
    figure.savefig(path, metadata={"Date": None})


def draw_looks(path: Path) -> None:
    """A run that missed at times, looked at every ten labels: ordinary intervals, and those that hold at all looks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    kinds = {"wald": "ordinary: each look by itself", "anytime": "anytime: all looks together"}
    for ax, (kind, title) in zip(axes, kinds.items(), strict=True):
        result, truth = assessed(16, altmas.make_method("certified", interval=kind))
        seen = result.history
        ax.fill_between(seen["labels"], seen["low"], seen["high"], color=HIT, alpha=0.25, lw=0)
        ax.plot(seen["labels"], seen["estimate"], color=HIT, lw=1.8)
        ax.axhline(truth, color=INK, lw=1, ls="--")
        ax.annotate("truth", (BUDGET, truth), xytext=(0, -12), textcoords="offset points", ha="right", fontsize=9)
        ax.set_title(title, fontsize=10)
        ax.set(xlabel="labels", ylim=(0.7, 1))
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("accuracy")
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Write intervals-fooled.svg and intervals-looks.svg."""
    matplotlib.rcParams["svg.hashsalt"] = "altmas"
    matplotlib.rcParams["svg.fonttype"] = "path"
    draw_looks(HERE / "intervals-looks.svg")
    draw_fooled(HERE / "intervals-fooled.svg")


if __name__ == "__main__":
    main()
