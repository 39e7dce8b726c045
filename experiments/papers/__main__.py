"""Write the front page.

python -m altmas.experiments.papers --rows benchmarks/results --docs docs
"""

from __future__ import annotations

from pathlib import Path

import click

from altmas.experiments.bench.options import FOLDER, NEW_FOLDER
from altmas.experiments.papers.page import write_papers
from altmas.metrics.errors import InputError


@click.command()
@click.option("--rows", required=True, type=FOLDER, help="Folder of rows.")
@click.option("--docs", required=True, type=NEW_FOLDER, help="Folder to write to.")
def main(rows: Path, docs: Path) -> None:
    """Write papers.md and its picture."""
    try:
        write_papers(rows, docs)
    except InputError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
