"""docs/active-bayesian-assessment.md and its figures, from the stored rows and nothing else: same rows, same bytes.

python -m altmas.experiments.active_bayesian.page --rows benchmarks/results/papers --docs docs
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pandas as pd

from altmas.experiments.active_bayesian import page_figures as draw
from altmas.experiments.active_bayesian import page_words as words
from altmas.experiments.active_bayesian.front import front_rows
from altmas.experiments.active_bayesian.page_tables import (
    comparison_table,
    confusion_tables,
    cost_tables,
    estimates_table,
    identified_table,
    markdown,
    network_table,
)
from altmas.experiments.active_bayesian.papers import TIMES
from altmas.experiments.active_bayesian.stored import Front, Stored
from altmas.experiments.bench.options import FOLDER, NEW_FOLDER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "active-bayesian-assessment"
FIGURE = "active-bayesian-{}.svg"


def write_page(folder: Path, docs: Path) -> None:
    """The page, and the figures beside it."""
    import matplotlib as mpl

    mpl.use("svg")
    stored = Stored(folder)
    docs.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(draw.STYLE):
        for name, figure in figures(stored):
            figure.savefig(docs / FIGURE.format(name), format="svg", metadata={"Date": None}, dpi=120)
    parts = [
        words.OPENING.format(times=_hours(folder)),
        words.IN_SHORT,
        front_markdown(front_rows(folder)),
        *tables(stored),
    ]
    parts += [words.FIGURES, *(figure_section(name, title, text) for name, title, text in words.CAPTIONS)]
    (docs / f"{NAME}.md").write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")


def _hours(folder: Path) -> str:
    return f"{pd.read_csv(folder / TIMES)['seconds'].sum() / 3600:.1f} hours"


def front_markdown(rows: Sequence[Front]) -> str:
    """The front rows as a table."""
    table = pd.DataFrame(
        {
            "": one.item,
            "about": one.about,
            "paper": one.theirs,
            "here": one.ours,
            "verdict": one.verdict,
            "why": one.why,
        }
        for one in rows
    )
    papers = [one.paper for one in rows]
    parts = []
    for paper in dict.fromkeys(papers):
        parts += [f"**{paper}**", markdown(table[[one == paper for one in papers]])]
    return "\n\n".join(parts)


def tables(stored: Stored) -> list[str]:
    """Tables 2 to 11, ours and in brackets the paper's."""
    return [
        words.TABLE_2, network_table(stored),
        words.TABLE_3, estimates_table(stored, "aba-table3", "rmse"),
        words.TABLE_4, confusion_tables(stored),
        words.TABLE_5, estimates_table(stored, "aba-table5", "ece error"),
        words.TABLE_6, identified_table(stored, "aba-table6"),
        words.TABLE_7, comparison_table(stored),
        words.TABLE_8, estimates_table(stored, "aba-table8", "rmse"),
        words.TABLE_9, identified_table(stored, "aba-table9"),
        words.TABLE_10, cost_tables(stored),
    ]  # fmt: skip


def figures(stored: Stored) -> list[tuple[str, Figure]]:
    """Every picture by name."""
    least, costs = stored.rows("aba-table6"), words.COST_LINES
    both = [stored.rows(item) for item in ("aba-table10", "aba-table11")]
    ratio = [rows[rows["c"] == 10].assign(top=rows["top"] + name) for rows, name in
             zip(both, (", human", ", superclass"), strict=True)]  # fmt: skip

    def beside(item: str) -> pd.DataFrame:
        """The runs of Table 6 on the same networks, and those of a figure."""
        rows = stored.rows(item)
        same = least["network"].isin(rows["network"]) & least["top"].isin(rows["top"])
        return pd.concat([least[same], rows])

    make: dict[str, Callable[[], Figure]] = {
        "figure3": lambda: draw.curves(pd.concat(ratio), costs),
        "figure4": lambda: draw.reliability(stored.rows("aba-figure4")),
        "figure5": lambda: draw.ece_posterior(stored.rows("aba-figure5"), stored.rows("aba-figure4")),
        "figure6": lambda: draw.ece_errors(stored.rows("aba-figure6")),
        "figure7": lambda: draw.classes(stored.rows("aba-figure7")),
        "figure8": lambda: draw.differences(stored.rows("aba-figure8")),
        "figure9": lambda: draw.ranks(stored.rows("aba-figure9"), "resnet110_cifar100"),
        "figure11": lambda: draw.curves(beside("aba-figure11"), words.TOP_TWO_LINES),
        "figure14": lambda: draw.cost_matrices(stored.rows("aba-figure14")),
        "figure15": lambda: draw.curves(beside("aba-figure15"), words.RULE_LINES),
        "figure16": lambda: draw.curves(least, words.PRIOR_LINES),
        "figure17": lambda: draw.reliability(stored.rows("aba-figure17")),
        "figure18": lambda: draw.curves(beside("aba-figure18"), words.STRENGTH_LINES),
        "figure19": lambda: draw.curves(stored.rows("aba-table9"), words.CALIBRATION_LINES, "mrr, of the pool"),
        "workshop1": lambda: draw.biases(stored.rows("workshop-figure1")),
        "workshop2": lambda: draw.ranks(stored.rows("workshop-figure2"), "news20"),
        "workshop3": lambda: draw.curves(stored.rows("workshop-figure3"), words.SUCCESS_LINES, *2 * ("success rate",)),
        "workshop4": lambda: draw.notation(stored.rows("workshop-figure4")),
    }
    return [(name, one()) for name, one in make.items()]


def figure_section(name: str, title: str, text: str) -> str:
    """A picture with its title and what to look for."""
    return f"### {title}\n\n{text.strip()}\n\n![{title}]({FIGURE.format(name)})"


@click.command()
@click.option("--rows", required=True, type=FOLDER, help="Folder of rows.")
@click.option("--docs", required=True, type=NEW_FOLDER, help="Folder to write to.")
def main(rows: Path, docs: Path) -> None:
    """Write the page and its figures."""
    write_page(rows, docs)


if __name__ == "__main__":
    main()
