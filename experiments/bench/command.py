"""`altmas bench`: run a sweep, and say which method was nearest to the truth; or say it of rows that are stored."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from altmas.commands.shared import EXIT_PROBLEMS, FILE_OUT, as_json, check_file, say, say_json, say_table
from altmas.experiments.bench.options import FILE, data_option, together
from altmas.words.wording import counted

if TYPE_CHECKING:
    from altmas.experiments.bench.page import Told
    from altmas.experiments.bench.rows import Finished
    from altmas.experiments.bench.spec import Sweep
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


@click.command(short_help="Run a sweep of methods on pools, and compare them.")
@click.argument("files", metavar="SWEEP", nargs=-1, required=True, type=FILE)
@click.option("--rows", type=FILE, help="The file for the rows. [default: beside the sweep, ending in .rows.jsonl]")
@data_option
@click.option("--resume", is_flag=True, help="Go on with the rows that are there; cells that failed run again.")
@click.option("--report", is_flag=True, help="Run nothing: SWEEP is one or more files of rows, also gzipped, also of "
              "other people.")  # fmt: skip
@click.option("--baseline", default="", help="The method that others are compared with. [default: what the sweep "
              "names, or random]")  # fmt: skip
@click.option("--out", "-o", type=FILE_OUT, help="The HTML page. [default: beside the rows, ending in .report.html]")
@where_to_run
@as_json
def bench(
    files: tuple[Path, ...],
    rows: Path | None,
    data: Path | None,
    resume: bool,
    report: bool,
    baseline: str,
    out: Path | None,
    as_json: bool,
    **where: Any,
) -> None:
    """Run the cells of SWEEP, a TOML file of pools, models, metrics, methods, budgets and seeds.

    Ends with a table of the methods against a baseline, and writes a page with curves and a ranking.
    """
    if report:
        if resume or rows:
            raise click.UsageError("--report runs nothing: leave out --resume and --rows.")
        _report(files, baseline, _page_beside(files[0], out), as_json)
        return
    if len(files) > 1:
        raise click.UsageError("Run one sweep at a time; --report compares the rows of several.")
    _run(files[0], rows, data, resume, baseline, out, workers_of(**where), as_json)


def _page_beside(rows: Path, out: Path | None) -> Path:
    """Where the page goes; a place that was named is refused now if it could not be written to then.

    >>> str(_page_beside(Path("s.rows.jsonl.gz"), None))
    's.report.html'
    """
    if out is not None:
        check_file(out, (".html", ".htm"), "page")
        return out
    return rows.with_name(re.sub(r"(\.rows)?(\.jsonl)?(\.gz)?$", "", rows.name) + ".report.html")


def _report(files: Sequence[Path], baseline: str, page: Path, as_json: bool) -> None:
    from altmas.experiments.bench.page import Told
    from altmas.experiments.bench.standings import compare
    from altmas.experiments.bench.stored import read_stored

    stored = read_stored(files)
    told = Told(compare(stored.rows, baseline), stored)
    told.write(page)
    if as_json:
        cells = stored.rows["key"].nunique() + len(stored.failed)
        about = {"rows": [str(one) for one in files], "cells": cells, "failed": _failed(stored.failed)}
        say_json("bench", {**about, **told.plain(), "report": str(page)})
        return
    _say_told(told, page)


def _run(
    sweep: Path, rows: Path | None, data: Path | None, resume: bool, baseline: str, out: Path | None,
    workers: Workers, as_json: bool,
) -> None:  # fmt: skip
    from altmas.core.progress import reporter
    from altmas.experiments.bench.spec import read_sweep
    from altmas.experiments.bench.sweep import run_sweep

    path = rows or sweep.with_suffix(".rows.jsonl")
    page = _page_beside(path, out)
    try:
        with reporter(True) as tell:
            wanted = read_sweep(sweep).compared_with(baseline)
            if data is not None:
                wanted = replace(wanted, data=str(data.resolve()))
            done = run_sweep(wanted, path, workers, resume=resume, reporter=tell)
    except KeyboardInterrupt:
        click.echo(f"Finished cells are kept in {path}; go on with --resume.", err=True)
        raise
    told = None if len(done.failed) == done.cells else _told(wanted, sweep, path)
    if told is not None:
        told.write(page)
    _say(done, path, told, page, as_json)
    if done.failed:
        sys.exit(EXIT_PROBLEMS)


def _told(sweep: Sweep, file: Path, rows: Path) -> Told:
    from altmas.experiments.bench.page import Told
    from altmas.experiments.bench.spec import UNTITLED
    from altmas.experiments.bench.standings import compare
    from altmas.experiments.bench.stored import read_stored

    stored = read_stored([rows], sweep.cells())
    there = set(stored.rows["method"])  # a baseline whose every cell failed compares nothing, which the notes say
    baseline = sweep.baseline if sweep.baseline in there else ""
    title = "" if sweep.title == UNTITLED else sweep.title
    return Told(compare(stored.rows, baseline), stored, title, file.read_text(encoding="utf-8"))


def _failed(cells: Sequence[Finished]) -> list[dict[str, Any]]:
    return [{"key": one.key, **one.cell, "error": one.error} for one in cells]


def _say(done: Summary, path: Path, told: Told | None, page: Path, as_json: bool) -> None:
    from altmas.experiments.bench.sweep import described, duration

    if as_json:
        found = {"report": str(page), **told.plain()} if told else {"report": None, **NOTHING}
        say_json("bench", {**asdict(done), "rows": str(path), "failed": _failed(done.failed), **found})
        return
    ran = done.cells - done.skipped
    click.echo(f"{counted(ran, 'cell')} in {duration(done.seconds)}, {len(done.failed)} failed; rows in {path}")
    for one in done.failed:
        click.echo(described(one), err=True)
    if told:
        _say_told(told, page)


NOTHING: dict[str, Any] = {"baseline": None, "methods": [], "by_pool": [], "ranking": [], "notes": []}
"""What is told of a sweep whose every cell failed."""


def _say_told(told: Told, page: Path) -> None:
    table = told.table()
    say_table(table, list(table.columns))
    if told.compared.baseline:
        say(f"Error: RMSE over that of {told.compared.baseline}, ± a standard error over seeds. ~: beyond its curve.")
    for note in told.notes:
        say(note)
    if sentence := told.sentence():
        say(sentence)
    say(f"Curves and ranking: {page}")
