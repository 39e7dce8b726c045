"""The page of regrets, from stored rows: docs/best-results.md and its figure.

python -m altmas.experiments.best.report --rows rows.csv --out docs
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pandas as pd

from altmas.experiments.bench.options import FILE, NEW_FOLDER
from altmas.plots.axes import INK, SHAPES, new_axes
from altmas.plots.history import save

ORDER = ("certified", "model-selector", "coda", "random")
CLOSE = 0.1
"""Points within which a leader counts as the best."""


def regrets(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean regret by pool, method and number of labels, and over the pools."""
    table = rows.pivot_table("regret", ["pool", "method"], "labels")
    overall = table.groupby("method").mean()
    overall.index = pd.MultiIndex.from_product([["mean of the pools"], overall.index], names=["pool", "method"])
    return pd.concat([table, overall])


def honesty(rows: pd.DataFrame) -> pd.DataFrame:
    """What the certified method says of itself, beside what happened, by number of labels."""
    mine = rows[rows["method"] == "certified"]
    out = []
    for labels, some in mine.groupby("labels"):
        sure = some[some["p_best"] > 0.9]
        out.append(
            {
                "labels": labels,
                "runs": len(some),
                "mean regret": some["regret"].mean(),
                "expected loss": some["expected_loss"].mean(),
                "loss within its bound": (some["regret"] <= some["loss_bound"] + 1e-9).mean(),
                "P(best) above 0.9": len(sure),
                "of these right": (sure["regret"] <= CLOSE).mean() if len(sure) else np.nan,
                "gaps held": some["gaps_held"].mean(),
                "gaps of contenders held": np.average(
                    some["contenders_held"].fillna(0), weights=some["contenders"].clip(lower=1e-9)
                ),
                "accuracies held": some["accuracies_held"].mean(),
            }
        )
    return pd.DataFrame(out)


def markdown(table: pd.DataFrame, digits: int = 2) -> str:
    """A table in Markdown."""
    heads = [str(one) for one in table.columns]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in table.itertuples(index=False):
        cells = [f"{one:.{digits}f}" if isinstance(one, float) else str(one) for one in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def page(rows: pd.DataFrame) -> str:
    """The page."""
    table = regrets(rows)
    seeds = rows.groupby(["pool", "method"])["seed"].nunique()
    parts = [
        "# Which model is best: measured\n",
        "Points of accuracy lost by choosing the leader after so many labels, the mean over "
        f"{seeds.min()} runs per pool or more. Settings were chosen on other seeds, but for one prior, "
        "chosen after a look at these. "
        "Made by `make best-results` from stored rows; docs/best.md says what the methods are.\n",
        "![Mean regret against labels, by method](best-results.svg)\n",
    ]
    for name in ["mean of the pools", *dict.fromkeys(rows["pool"])]:
        shown = table.loc[name].reindex([one for one in ORDER if one in table.loc[name].index]).reset_index()
        parts += [f"## {name[:1].upper()}{name[1:]}\n", markdown(shown), ""]
    parts += [
        "## What is said, and what is true\n",
        "The certified method, over all pools.\n",
        markdown(honesty(rows), 3),
    ]
    return "\n".join(parts) + "\n"


def draw(rows: pd.DataFrame, target: Path) -> None:
    """The mean regret against labels."""
    table = regrets(rows).loc["mean of the pools"]
    ax = new_axes(7, 3.6)
    for place, name in enumerate(one for one in ORDER if one in table.index):
        ax.plot(table.columns, table.loc[name], marker=SHAPES[place], color=INK[place], label=name)
    ax.set_xlabel("labels")
    ax.set_ylabel("regret, points of accuracy")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    save(ax, str(target))


@click.command()
@click.option("--rows", type=FILE, required=True, help="Rows that `regret` wrote.")
@click.option("--out", type=NEW_FOLDER, required=True, help="Folder for the page and its figure.")
def main(rows: Path, out: Path) -> None:
    """Write the page."""
    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = "altmas"
    table = pd.read_csv(rows)
    (out / "best-results.md").write_text(page(table), encoding="utf-8")
    draw(table, out / "best-results.svg")


if __name__ == "__main__":
    main()
