"""The figures of the page about active Bayesian assessment, each from the stored rows of its item and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from altmas.plots.axes import GREY, INK, SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE: dict[Any, Any] = {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.3,
    "svg.fonttype": "none",
    "svg.hashsalt": "altmas",  # the same figure, the same file
    "figure.facecolor": "white",
    "path.simplify_threshold": 0.5,
}

NAMES = {
    "resnet110_cifar100": "ResNet-110, CIFAR-100",
    "wideresnet_cifar100": "WideResNet, CIFAR-100",
    "resnet20_cifar100": "ResNet-20, CIFAR-100",
    "news20": "20 Newsgroups",
    "imagenet:torchvision/resnet101": "ResNet-101, ImageNet",
    "imagenet:torchvision/resnext101_32x8d": "ResNeXt-101, ImageNet",
    "imagenet:pytorch-image-models/gluon_senet154": "SENet-154, ImageNet",
    "digits": "digits",
}

LOW, HIGH = INK[5], INK[7]
Rows = pd.DataFrame
Panel = Callable[["Axes", Rows], None]


def grid(rows: int, columns: int, wide: float = 2.0, high: float = 1.7, **more: Any) -> tuple[Figure, Any]:
    """A figure of small panels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(wide * columns + 0.4, high * rows + 0.4), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **more)
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.2, linewidth=0.5)
    return figure, axes


def curves(
    rows: Rows, lines: Mapping[str, str], measure: str = "mrr", quantity: str = "mean reciprocal rank"
) -> Figure:
    """Panels of mean curves with a band of one standard error: `top` the rows, networks across."""
    shown = rows[rows["line"].isin(list(lines)) & (rows["measure"] == measure)]
    tops, networks = list(dict.fromkeys(shown["top"])), list(dict.fromkeys(shown["network"]))
    shape = (len(tops), len(networks)) if len(networks) > 1 else (1, len(tops))
    figure, axes = grid(*shape, 2.2 if len(networks) > 1 else 2.6)
    for ax, (top, network) in zip(axes.flat, [(t, n) for t in tops for n in networks], strict=True):
        part = shown[(shown["top"] == top) & (shown["network"] == network)]
        ax.set_visible(len(part) > 0)
        for place, (line, label) in enumerate(lines.items()):
            one = part[part["line"] == line].sort_values("labels")
            x, mean, se = (one[name].to_numpy(float) for name in ("labels", "mean", "se"))
            ax.plot(x, mean, color=INK[place], label=label, marker=SHAPES[place], markevery=max(len(x) // 6, 1), ms=3)
            ax.fill_between(x, mean - np.nan_to_num(se), mean + np.nan_to_num(se), color=INK[place], alpha=0.2, lw=0)
        named = [NAMES.get(network, network)] if len(networks) > 1 else []
        ax.set_title("\n".join([*named, *([top] if top else [])]))
        ax.locator_params(axis="x", nbins=4)
        ax.set_xlabel("labels")
    for ax in axes[:, 0]:
        ax.set_ylabel(quantity)
    _legend(figure, axes[0, 0])
    return figure


def _legend(figure: Figure, ax: Axes) -> None:
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=min(len(names), 5), frameon=False)


def classes(rows: Rows) -> Figure:
    """Accuracy against calibration error per class, a panel per network (Figures 1 and 7)."""
    networks = list(dict.fromkeys(rows["network"]))
    figure, axes = grid(1, len(networks), 2.3, 2.4)
    for ax, network in zip(axes[0], networks, strict=True):
        part = rows[(rows["network"] == network) & (rows["class"] != "(correlation)")].sort_values("accuracy")
        extreme = 10 if len(part) >= 100 else 3
        for table, colour, shape, bars in (
            (part.iloc[extreme:-extreme], GREY, "o", False), (part.head(extreme), LOW, "s", True),
            (part.tail(extreme), HIGH, "^", True),
        ):  # fmt: skip
            x, y = table["accuracy"], table["ece"]
            many = len(table) > 200
            ax.plot(x, y, shape, ms=2.5, mew=0, color=colour, alpha=0.8, rasterized=many)
            if bars:
                ax.hlines(y, table["accuracy low"], table["accuracy high"], color=colour, lw=0.7, alpha=0.5)
                ax.vlines(x, table["ece low"], table["ece high"], color=colour, lw=0.7, alpha=0.5)
        ax.set_title(NAMES.get(network, network))
        ax.set_xlabel("accuracy")
        ax.set_ylim(bottom=0)
    axes[0, 0].set_ylabel("expected calibration error")
    return figure


def _reliability(ax: Axes, part: Rows) -> None:
    held = part[part["share"] > 0]
    ax.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls="--")
    ax.vlines(held["score"], held["accuracy low"], held["accuracy high"], color=LOW, lw=1)
    ax.plot(held["score"], held["accuracy"], "o", ms=2.5, mew=0, color=LOW)
    ax.vlines(held["score"], np.minimum(held["score"], held["accuracy"]), np.maximum(held["score"], held["accuracy"]),
              color=GREY, lw=4, alpha=0.25)  # fmt: skip
    ax.bar(held["score"], 0.3 * held["share"], 0.05, color=INK[0], alpha=0.4)
    ax.set_xlim(0, 1.02)
    ax.set_ylim(0, 1.02)


def reliability(rows: Rows) -> Figure:
    """Reliability diagrams: networks across, labels and strengths down (Figures 4 and 17)."""
    bins = rows[rows["measure"] == "bin"]
    networks = list(dict.fromkeys(bins["network"]))
    strengths = list(dict.fromkeys(bins["strength"]))
    figure, axes = grid(3 * len(strengths), len(networks), 1.7, 1.35, sharex=True, sharey=True)
    for c, network in enumerate(networks):
        for s, strength in enumerate(strengths):
            part = bins[(bins["network"] == network) & (bins["strength"] == strength)]
            for r, count in enumerate(sorted(set(part["labels"]))):
                ax = axes[3 * s + r, c]
                _reliability(ax, part[part["labels"] == count])
                said = f"{count:,} labels" + (f", strength {strength}" if len(strengths) > 1 else "")
                ax.set_title(f"{NAMES.get(network, network)}\n{said}" if 3 * s + r == 0 else said)
    for ax in axes[:, 0]:
        ax.set_ylabel("accuracy")
    for ax in axes[-1]:
        ax.set_xlabel("score")
    return figure


def _bars(ax: Axes, part: Rows, wide: float) -> None:
    ax.stairs(part["value"], [*part["at"], part["at"].iloc[-1] + wide], fill=True, color="0.75")


def ece_posterior(rows: Rows, bins: Rows) -> Figure:
    """Reliability diagrams above, the posterior of the calibration error below (Figure 5)."""
    counts = sorted(set(rows["labels"]))
    figure, axes = grid(2, len(counts), 2.3, 1.9)
    network = rows["network"].iloc[0]
    known = bins[(bins["measure"] == "bin") & (bins["network"] == network)]
    right = rows["at"].max() * 1.05
    for c, count in enumerate(counts):
        _reliability(axes[0, c], known[known["labels"] == count])
        axes[0, c].set_title(f"{count:,} labels")
        part = rows[rows["labels"] == count]
        numbers = part.dropna(subset=["value"]).drop_duplicates("measure").set_index("measure")["value"]
        bars = part[part["measure"] == "density"]
        _bars(axes[1, c], bars, float(bars["at"].iloc[1] - bars["at"].iloc[0]))
        axes[1, c].axvline(numbers["truth"], color="black", lw=1, label="all labels")
        axes[1, c].axvline(numbers["plain"], color=INK[1], lw=1, ls="--", label="plain estimate")
        axes[1, c].set_xlim(0, right)
        axes[1, c].set_xlabel("expected calibration error")
    axes[1, 0].legend(frameon=False, fontsize=7)
    return figure


def ece_errors(rows: Rows) -> Figure:
    """Error of the calibration error against labels (Figure 6)."""
    signed = rows[rows["error"] == "signed"].rename(columns={"measure": "line", "error": "measure"}).assign(top="")
    figure = curves(signed, {"Bayesian": "Bayesian", "plain": "plain frequencies"}, "signed", "error of ECE, %")
    for ax in figure.axes:
        ax.set_xscale("log")
        ax.axhline(0, color="black", lw=0.6)
    return figure


def differences(rows: Rows) -> Figure:
    """Posterior of the difference in accuracy of two groups (Figure 8)."""
    pairs = list(dict.fromkeys(zip(rows["network"], rows["first"], rows["second"], strict=True)))
    figure, axes = grid(1, len(pairs), 2.0, 1.8)
    for ax, (network, first, second) in zip(axes[0], pairs, strict=True):
        part = rows[(rows["network"] == network) & (rows["first"] == first) & (rows["second"] == second)]
        bars = part[part["measure"] == "density"]
        _bars(ax, bars, float(bars["wide"].iloc[0]))
        for end in (-0.05, 0.05):
            ax.axvline(end, color=INK[6], lw=1)
        lower = float(part.set_index("measure").loc["lower", "value"])
        ax.set_title(f"{NAMES.get(network, network)}\n{first} or {second}: P(lower) {lower:.2f}")
        ax.set_xlabel("difference of accuracies")
    return figure


def ranks(rows: Rows, network: str) -> Figure:
    """Ranks of the classes at both ends, and who is most and least accurate (Figure 9, the workshop's 2)."""
    part = rows[rows["network"] == network].reset_index(drop=True)
    figure, axes = grid(1, 3, 2.5, 3.0)
    half = len(part) // 2
    for table, colour in ((part.iloc[:half], HIGH), (part.iloc[half:], LOW)):
        axes[0, 0].hlines(table.index, table["rank low"], table["rank high"], color=colour, lw=1.2)
        axes[0, 0].plot(table["rank"], table.index, "o", ms=3, color=colour)
    axes[0, 0].set_yticks(range(len(part)), part["class"])
    axes[0, 0].invert_yaxis()
    axes[0, 0].set_xlabel("rank, 1 = most accurate")
    for ax, column, colour in ((axes[0, 1], "P(most)", HIGH), (axes[0, 2], "P(least)", LOW)):
        top = part.nlargest(10, column)
        ax.barh(top["class"][::-1], top[column][::-1], color=colour)
        ax.set_xlabel(f"{column[:-1]} accurate)")
    return figure


def biases(rows: Rows) -> Figure:
    """Accuracy and calibration bias of the classes at both ends (the workshop's Figures 1, 5 and 8)."""
    networks = list(dict.fromkeys(rows["network"]))
    figure, axes = grid(2, len(networks), 2.6, 2.0)
    for c, network in enumerate(networks):
        part = rows[rows["network"] == network].reset_index(drop=True)
        half, places = len(part) // 2, np.arange(len(part))
        for r, what in enumerate(("accuracy", "bias")):
            for rows_, colour in ((places[:half], LOW), (places[half:], HIGH)):
                axes[r, c].vlines(rows_, part[f"{what} low"][rows_], part[f"{what} high"][rows_], color=colour, lw=1.2)
                axes[r, c].plot(rows_, part[what][rows_], "o", ms=3, color=colour)
            axes[r, c].set_xticks(places, part["class"] if r else [], rotation=90, fontsize=6)
        axes[1, c].axhline(0, color="black", lw=0.6)
        axes[0, c].set_title(NAMES.get(network, network))
    axes[0, 0].set_ylabel("accuracy")
    axes[1, 0].set_ylabel("calibration bias")
    return figure


def cost_matrices(rows: Rows) -> Figure:
    """The two cost matrices by superclass (Figure 14)."""
    figure, axes = grid(1, 2, 3.2, 3.0)
    for ax, (matrix, part) in zip(axes[0], rows.groupby("matrix", sort=False), strict=True):
        table = part.pivot(index="true", columns="predicted", values="cost")
        names = list(dict.fromkeys(part["true"]))
        ax.pcolormesh(table.loc[names, names].to_numpy(), cmap="Greys", vmin=0, vmax=12, edgecolors="white", lw=0.3)
        ax.set_yticks(np.arange(len(names)) + 0.5, names, fontsize=5)
        ax.set_xticks([])
        ax.invert_yaxis()
        ax.grid(visible=False)
        ax.set_title(f"cost: {matrix}")
        ax.set_xlabel("predicted superclass")
    return figure


def notation(rows: Rows) -> Figure:
    """Two classes on a line and a model that is too sure (the workshop's Figure 4)."""
    part = rows[rows["region"].isna()]
    figure, axes = grid(4, 1, 4.0, 1.0, sharex=True)
    shown: Sequence[tuple[Sequence[str], str]] = (
        (("p(class 1)",), "p(class 1 | x)"), (("accuracy", "score"), "accuracy, score"), (("bias",), "bias"),
        (("density",), "density"),
    )  # fmt: skip
    start = float(rows.loc[rows["region"] == "class 1", "x"].iloc[0])
    for ax, (columns, label) in zip(axes[:, 0], shown, strict=True):
        for column, dash in zip(columns, ("-", ":"), strict=False):
            ax.plot(part["x"], part[column], dash, color=INK[0])
        ax.axvspan(start, float(part["x"].max()), color=GREY, alpha=0.15, lw=0)
        ax.set_ylabel(label)
    axes[-1, 0].set_xlabel("x")
    return figure
