"""The command line. Each command imports what it needs when it runs, so that `--help` is instant."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from altmas import __version__
from altmas.metrics.errors import AltmasError

if TYPE_CHECKING:
    import pandas as pd

EXIT_BAD_INPUT = 2
"""Exit code for input that altmas refuses; 0 is success, 1 an unexpected failure, 130 an interruption."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="altmas")
def commands() -> None:
    """Tell how good a black-box classifier really is, on your own data, with few labels."""


@commands.command()
@click.option(
    "--out",
    default="altmas-demo",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the figure and the tables.",
)
@click.option("--budget", default=150, show_default=True, help="Labels each method may spend.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same numbers.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def demo(out: Path, budget: int, seed: int, as_json: bool) -> None:
    """Assess a vendor's digits classifier with three methods, beside the truth."""
    from altmas.demo import comparison, run_demo, write_figure

    started = time.monotonic()
    results, truth = run_demo(budget=budget, seed=seed, progress=not as_json)
    out.mkdir(parents=True, exist_ok=True)
    table = comparison(results, truth)
    table.to_csv(out / "estimates.csv", index=False)
    for name, result in results.items():
        result.history.to_csv(out / f"history-{name}.csv", index=False)
        result.answers.to_csv(out / f"answers-{name}.csv", index=False)
    for kind in ("svg", "png"):
        write_figure(results, truth, out / f"relative-error.{kind}")
    if as_json:
        click.echo(json.dumps(table.to_dict("records"), indent=2))
        return
    _show(table)
    seconds = time.monotonic() - started
    click.echo(f"\nWritten to {out}/ in {seconds:.0f} s: relative-error.svg and .png, and the tables as CSV.")


def _show(table: pd.DataFrame) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(title="Estimates beside the truth (which only a demo knows)", title_justify="left")
    for column in ("metric", "truth", "method", "estimate", "interval", "error"):
        shown.add_column(column, justify="left" if column in ("metric", "method") else "right", no_wrap=True)
    for metric, rows in table.groupby("metric", sort=False):
        for row in rows.to_dict("records"):
            first = row["method"] == rows["method"].iloc[0]
            named = (str(metric), f"{row['truth']:.3f}") if first else ("", "")
            interval = f"{row['low']:.3f} to {row['high']:.3f}"
            shown.add_row(*named, row["method"], f"{row['estimate']:.3f}", interval, f"{row['error']:.3f}")
        shown.add_section()
    Console().print(shown)
    click.echo("What the intervals promise:")
    for method, promise in table.drop_duplicates("method")[["method", "promise"]].itertuples(index=False):
        click.echo(f"  {method}: {promise}")
    click.echo("Only an interval that promises coverage can be relied on to hold the truth.")


def main() -> None:
    """Run the command line; refusals are one sentence and exit code 2, never a traceback."""
    try:
        commands(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except (AltmasError, OSError) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(EXIT_BAD_INPUT)
