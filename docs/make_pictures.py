"""Draw the pictures of the README and docs: `make docs`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import matplotlib

from altmas.demo import run_demo, write_figure

HERE = Path(__file__).parent
BOXES = [
    ("pool", "items, predictions,\nscores, features"),
    ("surrogate", "fitted on answers\nand pseudo-labels"),
    ("draws", "coherent worlds\n[M, N, C]"),
    ("counterfactuals", "the metric if one\nlabel were c"),
    ("acquisition", "worth of\neach item"),
    ("policy", "choice and\npropensity"),
    ("oracle", "a person, a table,\na callable"),
    ("estimate", "value, interval,\nits promise"),
    ("report", "tables\nand figures"),
]

ROOMS = [
    ("pool", "core\nread by formats"),
    ("surrogate draws", "surrogates\nbound to a pool by beliefs"),
    ("counterfactuals", "metrics"),
    ("acquisition", "beliefs"),
    ("policy", "certified, methods,\nbandits, surfaces"),
    ("oracle", "core; people answer by\npage, commands, audits"),
    ("estimate", "certified, methods,\nbandits, surfaces"),
    ("report", "reports, with sentences of\nwords and pictures of plots"),
]
DOORS = [
    ("assess", "assessment"),
    ("an audit", "audits, from page and commands"),
    ("a log of answers", "certified, surfaces"),
]


def draw_flow(path: Path) -> None:
    """Two rows of boxes: deciding what to ask, and what comes of the answers."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 11.2), ylim=(0, 3.6))
    ax.axis("off")
    places = [(1.1 + 2.2 * i, 2.75) for i in range(5)] + [(9.9 - 2.2 * i, 0.85) for i in range(4)]
    for (name, what), (x, y) in zip(BOXES, places, strict=True):
        box = {"boxstyle": "round,pad=0.35", "facecolor": "#eef6fa", "edgecolor": "#0b6e99"}
        ax.text(x, y, f"$\\bf{{{name}}}$\n{what}", ha="center", va="center", fontsize=9.5, bbox=box, linespacing=1.35)
    arrow = {"arrowstyle": "-|>", "color": "#334155", "lw": 1.4}
    for i in range(4):
        ax.annotate("", (places[i + 1][0] - 0.98, 2.75), (places[i][0] + 0.98, 2.75), arrowprops=arrow)
    ax.annotate("", (places[5][0], 1.45), (places[4][0], 2.1), arrowprops=arrow)
    for i in range(5, 8):
        ax.annotate("", (places[i + 1][0] + 0.98, 0.85), (places[i][0] - 0.98, 0.85), arrowprops=arrow)
    again = arrow | {"connectionstyle": "arc3,rad=0.12", "ls": "--"}
    ax.annotate("", (places[1][0] + 0.2, 2.15), (places[6][0] - 0.6, 1.42), arrowprops=again)
    ax.text(4.4, 1.5, "answers: refit, until the budget is spent", fontsize=9, ha="center", color="#334155")
    figure.savefig(path)


def draw_rooms(path: Path) -> None:
    """The flow with the rooms that do each step, below the three doors that lead into it."""
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch

    figure = Figure(figsize=(11, 5.4))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 11), ylim=(0, 5.4))
    ax.axis("off")
    arrow = {"arrowstyle": "-|>", "color": "#334155", "lw": 1.4}

    def box(x: float, y: float, width: float, name: str, rooms: str, face: str, edge: str) -> None:
        corner, shape = (x - width / 2, y - 0.42), "round,pad=0,rounding_size=0.1"
        ax.add_patch(FancyBboxPatch(corner, width, 0.84, boxstyle=shape, facecolor=face, edgecolor=edge))
        ax.text(x, y + 0.22, name, ha="center", va="center", fontsize=10.5, fontweight="bold")
        ax.text(x, y - 0.14, rooms, ha="center", va="center", fontsize=9, linespacing=1.3, color="#334155")

    for x, (name, rooms) in zip((2.0, 5.5, 9.0), DOORS, strict=True):
        box(x, 4.85, 3.0, name, rooms, "#fdf5e6", "#b7791f")
        ax.annotate("", (x, 3.96), (x, 4.41), arrowprops=arrow)
    ax.plot([0.3, 10.7], [3.92, 3.92], color="#334155", lw=1.4)
    engine = "one engine: every door asks the same method and reads the same findings"
    ax.text(0.3, 3.74, engine, fontsize=9, va="center", color="#334155")
    places = [(1.45 + 2.7 * i, 3.05) for i in range(4)] + [(9.55 - 2.7 * i, 1.35) for i in range(4)]
    for (name, rooms), (x, y) in zip(ROOMS, places, strict=True):
        box(x, y, 2.3, name, rooms, "#eef6fa", "#0b6e99")
    for (x, y), (onward, down) in pairwise(places):
        side = (onward > x) - (onward < x)
        start, end = (x + 1.15 * side, y - 0.42 * (down < y)), (onward - 1.15 * side, down + 0.42 * (down < y))
        ax.annotate("", end, start, arrowprops=arrow | {"shrinkA": 0, "shrinkB": 0})
    again = arrow | {"ls": "--", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (4.6, 2.63), (6.2, 1.77), arrowprops=again)
    ax.text(5.7, 2.22, "answers: refit", fontsize=9, color="#334155", va="center")
    ax.text(
        5.5, 0.45, "metrics and core are what every room speaks in; catalogue knows the methods by name",
        fontsize=9, ha="center", va="center", color="#334155",
    )  # fmt: skip
    figure.savefig(path)


def main() -> None:
    """Write flow.svg, architecture.svg and result.svg, the same bytes every time."""
    matplotlib.rcParams["svg.hashsalt"] = "altmas"
    matplotlib.rcParams["svg.fonttype"] = "path"
    draw_flow(HERE / "flow.svg")
    draw_rooms(HERE / "architecture.svg")
    write_figure(*run_demo(progress=False), HERE / "result.svg")


if __name__ == "__main__":
    main()
