"""`altmas demo`: the main job on bundled data, from a vendor's predictions to a report."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from altmas.commands.shared import rows, say_json

if TYPE_CHECKING:
    import pandas as pd


@click.command(short_help="The main job on bundled data, to a report.")
@click.option("--out", default="altmas-demo", show_default=True, help="Folder for the report and the tables.",
              type=click.Path(file_okay=False, path_type=Path))  # fmt: skip
@click.option("--budget", default=150, show_default=True, help="Labels each method may spend.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same numbers.")
@click.option("--compare/--no-compare", "methods", default=True, help="Beside the audit, three other methods.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def demo(out: Path, budget: int, seed: int, methods: bool, as_json: bool) -> None:
    """Audit a vendor's digits classifier: 150 labels, a report; and other methods beside the truth."""
    from altmas.demo import comparison, run_audit, run_demo, write_figure

    started = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    audit = run_audit(out / "audit", budget=budget, seed=seed)
    with audit:
        audit.report(out / "report.html")
        sentences = audit.findings().estimates[["metric", "estimate", "low", "high"]]
    table = None
    if methods:
        results, truth = run_demo(budget=budget, seed=seed, progress=not as_json)
        table = comparison(results, truth)
        table.to_csv(out / "estimates.csv", index=False)
        for name, result in results.items():
            result.history.to_csv(out / f"history-{name}.csv", index=False)
            result.answers.to_csv(out / f"answers-{name}.csv", index=False)
        for kind in ("svg", "png"):
            write_figure(results, truth, out / f"relative-error.{kind}")
    if as_json:
        say_json("demo", {"report": str(out / "report.html"), "audit": rows(sentences), "methods": rows(table)})
        return
    if table is not None:
        _show(table)
        click.echo(f"\nWritten to {out}/: relative-error.svg and .png, and the tables as CSV.")
    click.echo(f"\nThe audit, after {budget} labels:")
    for row in sentences.to_dict("records"):
        click.echo(f"  {row['metric']}: {row['estimate']:.1%}, between {row['low']:.1%} and {row['high']:.1%}")
    click.echo(f"The report: {out}/report.html. Go on with: altmas label {out}/audit --annotator you")
    click.echo(f"All in {time.monotonic() - started:.0f} s.")


def _show(table: pd.DataFrame) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(title="Estimates beside the truth (which only a demo knows)", title_justify="left")
    for column in ("metric", "truth", "method", "estimate", "interval", "error"):
        shown.add_column(column, justify="left" if column in ("metric", "method") else "right", no_wrap=True)
    for metric, part in table.groupby("metric", sort=False):
        for row in part.to_dict("records"):
            first = row["method"] == part["method"].iloc[0]
            named = (str(metric), f"{row['truth']:.3f}") if first else ("", "")
            interval = f"{row['low']:.3f} to {row['high']:.3f}"
            shown.add_row(*named, row["method"], f"{row['estimate']:.3f}", interval, f"{row['error']:.3f}")
        shown.add_section()
    Console().print(shown)
    click.echo("What the intervals promise:")
    for method, promise in table.drop_duplicates("method")[["method", "promise"]].itertuples(index=False):
        click.echo(f"  {method}: {promise}")
    click.echo("Only an interval that promises coverage can be relied on to hold the truth.")
