"""Draw the pictures of the README and docs: `make docs`."""

from __future__ import annotations

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


def main() -> None:
    """Write flow.svg and result.svg, the same bytes every time."""
    matplotlib.rcParams["svg.hashsalt"] = "altmas"
    matplotlib.rcParams["svg.fonttype"] = "path"
    draw_flow(HERE / "flow.svg")
    write_figure(*run_demo(progress=False), HERE / "result.svg")


if __name__ == "__main__":
    main()
