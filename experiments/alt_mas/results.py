"""`docs/results.md` and its figures, from stored rows and nothing else: the same rows, the same files.

python -m altmas.experiments.alt_mas.results --rows benchmarks/results --docs docs
"""

from __future__ import annotations

from pathlib import Path

import click

from altmas.experiments.alt_mas.results_field import field_section
from altmas.experiments.alt_mas.results_figures import STYLE
from altmas.experiments.alt_mas.results_rows import read_study
from altmas.experiments.alt_mas.results_sections import ablation_section, figure_section, opening
from altmas.experiments.alt_mas.studies import PROFILES, STUDIES
from altmas.experiments.bench.options import FOLDER, NEW_FOLDER
from altmas.metrics.errors import InputError

FIGURES = (
    ("figure1", "Figures 1 and 3: MNIST", ("figure1", "figure3")),
    ("figure2", "Figures 2 and 4: CIFAR-10", ("figure2", "figure4")),
    ("panel1", "MNIST, a query at a time, tuned", ("panel1", "panel1-networks")),
    ("panel2", "CIFAR-10, a query at a time, tuned", ("panel2", "panel2-networks")),
    ("embedding", "An embedding of Fashion-MNIST", ("embedding", "embedding-networks")),
)
"""Study, title, and the names of its two pictures."""


def write_results(folder: Path, docs: Path, profile: str = "quick") -> None:
    """The page, and the figures beside it."""
    import matplotlib as mpl

    mpl.use("svg")
    studies = {name: read_study(folder, name, profile) for name in STUDIES}
    docs.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        parts = [opening(studies)]
        for name, title, pictures in FIGURES:
            parts.append(figure_section(studies[name], title, pictures, docs))
        parts.append(field_section(studies, docs))
    parts.append(ablation_section(studies["ablations"]))
    (docs / "results.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


@click.command()
@click.option("--rows", required=True, type=FOLDER, help="Folder of rows.")
@click.option("--docs", required=True, type=NEW_FOLDER, help="Folder to write to.")
@click.option("--profile", type=click.Choice(PROFILES), default="quick", show_default=True, help="Whose rows.")
def main(rows: Path, docs: Path, profile: str) -> None:
    """Write results.md and its figures."""
    try:
        write_results(rows, docs, profile)
    except InputError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
