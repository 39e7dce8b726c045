"""`altmas bench`: run a sweep."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from altmas.commands.shared import EXIT_PROBLEMS, as_json, say_json
from altmas.experiments.bench.options import FILE, data_option, together
from altmas.words.wording import counted

if TYPE_CHECKING:
    from altmas.experiments.bench.sweep import Summary, Workers


where_to_run = together(
    click.option("--jobs", type=click.IntRange(1), help="Processes. [default: one per core]"),
    click.option(
        "--backend", type=click.Choice(["loky", "dask"]), default="loky", show_default=True, help="Where to run."
    ),
    click.option("--scheduler", default="", help="With --backend dask: its address, tcp://127.0.0.1:8786."),
    click.option("--memory", type=click.FloatRange(0, min_open=True), help="GB that each process may hold."),
)
"""The options of a command that runs cells."""


def workers_of(jobs: int | None, backend: str, scheduler: str, memory: float | None) -> Workers:
    """What those options say."""
    from joblib import cpu_count

    from altmas.experiments.bench.sweep import Workers

    return Workers(jobs or cpu_count(), backend, scheduler, memory)


@click.command(short_help="Run a sweep of methods on pools.")
@click.argument("sweep", type=FILE)
@click.option("--rows", type=FILE, help="The file for the rows. [default: beside the sweep, ending in .rows.jsonl]")
@data_option
@click.option("--resume", is_flag=True, help="Go on with the rows that are there; cells that failed run again.")
@where_to_run
@as_json
def bench(sweep: Path, rows: Path | None, data: Path | None, resume: bool, as_json: bool, **where: Any) -> None:
    """Run the cells of SWEEP, a TOML file of pools, models, metrics, methods, budgets and seeds."""
    from altmas.core.progress import reporter
    from altmas.experiments.bench.spec import read_sweep
    from altmas.experiments.bench.sweep import run_sweep

    path = rows or sweep.with_suffix(".rows.jsonl")
    workers = workers_of(**where)
    try:
        with reporter(True) as tell:
            wanted = read_sweep(sweep)
            if data is not None:
                wanted = replace(wanted, data=str(data.resolve()))
            done = run_sweep(wanted, path, workers, resume=resume, reporter=tell)
    except KeyboardInterrupt:
        click.echo(f"Finished cells are kept in {path}; go on with --resume.", err=True)
        raise
    _say(done, path, as_json)
    if done.failed:
        sys.exit(EXIT_PROBLEMS)


def _say(done: Summary, path: Path, as_json: bool) -> None:
    from altmas.experiments.bench.sweep import described, duration

    if as_json:
        failed = [{"key": one.key, **one.cell, "error": one.error} for one in done.failed]
        say_json("bench", {**asdict(done), "rows": str(path), "failed": failed})
        return
    ran = done.cells - done.skipped
    click.echo(f"{counted(ran, 'cell')} in {duration(done.seconds)}, {len(done.failed)} failed; rows in {path}")
    for one in done.failed:
        click.echo(described(one), err=True)
