"""Methods on audit pools: every pool with the metrics and numbers of labels that are asked of it, as one sweep.

    python -m altmas.experiments.certified.sweep_methods --data DIR --rows rows.jsonl [--pools vendor] [--seeds 60]

A method is named as in the catalogue; tags say what it may see or how it is made: `NAME+opinions`, `NAME+features`,
`NAME+draws=20`. An interrupted sweep goes on where it stopped. `sweep_report` makes the tables.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from altmas.commands.shared import EXIT_PROBLEMS
from altmas.core.progress import reporter
from altmas.experiments.bench.options import FILE, data_option, need_data, seeds_option, smoke_option
from altmas.experiments.bench.rows import read_finished
from altmas.experiments.bench.spec import SIGHTS, Sweep, parse_sweep
from altmas.experiments.bench.sweep import Workers, described, duration, run_sweep
from altmas.experiments.data.audit_pools import DIGITS, KINDS, audit_pool_names, load_audit_pool
from altmas.experiments.data.bench_pool import BenchPool
from altmas.metrics.errors import InputError

EARLY = 50
"""Labels at which intervals are looked at before the first budget of a pool."""


def method_table(text: str) -> dict[str, Any]:
    """A method of a sweep from `NAME+tag+option=value`.

    >>> method_table("altmas+features+draws=20")["options"]
    {'draws': 20}
    """
    name, *tags = text.split("+")
    options = {key: _literal(value) for key, _, value in (tag.partition("=") for tag in tags if "=" in tag)}
    sees = [tag for tag in tags if "=" not in tag]
    if unknown := sorted(set(sees) - set(SIGHTS)):
        raise InputError("tag of a method", f"be one of {', '.join(SIGHTS)}, or option=value", repr(unknown[0]))
    return {"name": name, "label": text, "options": options, "sees": sees}


def checkpoints(pool: BenchPool, budget: int) -> list[int]:
    """Numbers of labels to keep rows of: the pool's budgets, and few labels before them, up to the budget.

    >>> checkpoints(load_audit_pool("digits", None), 200)
    [50, 100, 200]
    """
    wanted = {*pool.budgets, *([EARLY] if min(pool.budgets) <= 2 * EARLY else [])}
    return sorted({one for one in wanted if one <= budget} | {budget})


def sweeps_of(
    pools: Sequence[str], methods: Sequence[str], data: Path | None, budget: int | None, **portions: Any
) -> Iterator[Sweep]:
    """A sweep per pool, of the methods that find there what they are to see; `portions` as in a sweep's file."""
    tables = [method_table(text) for text in methods]
    for name in pools:
        pool = load_audit_pool(name, data)
        most = min(budget or max(pool.budgets), max(pool.budgets), len(pool.labels))
        fitting = [one for one in tables if all(getattr(pool, what) is not None for what in one["sees"])]
        for one in tables:
            if one not in fitting:
                click.echo(f"{name} has no {' or no '.join(one['sees'])}: {one['label']} is left out", err=True)
        if fitting:
            sizes = {"budgets": [most], "checkpoints": checkpoints(pool, most), "metrics": list(pool.metrics)}
            where = {"pools": [name], "data": str(data.resolve()) if data is not None else ""}
            yield parse_sweep({**where, "methods": fitting, **sizes, **portions})


def check_portions(rows: Path, sweeps: Sequence[Sweep]) -> None:
    """Refuse to add to rows of other portions: their errors are not of the same thing."""
    wanted = {(cell.pool.label, cell.method.label): cell for sweep in sweeps for cell in sweep.cells()}
    for one in read_finished(rows):
        cell = wanted.get((one.cell["pool"], one.cell["method"]))
        if cell is not None and (cell.initial, cell.batch) != (one.cell["initial"], one.cell["batch"]):
            rule = f"have {cell.initial} initial labels and batches of {cell.batch}"
            got = f"{one.cell['initial']} and {one.cell['batch']}"
            raise InputError(f"rows of {cell.pool.label}, {cell.method.label}", rule, got, "Take another --rows.")


def chosen_pools(asked: Sequence[str]) -> tuple[str, ...]:
    """Pools by name or kind, each once, separated by commas or given one by one.

    >>> chosen_pools(["news,er_abt_buy", "news20_scores"])
    ('news20_scores', 'er_abt_buy')
    """
    names = (audit_pool_names(one) if one in KINDS or one == "all" else (one,) for one in listed(asked))
    return tuple(dict.fromkeys(name for found in names for name in found))


def listed(asked: Sequence[str]) -> list[str]:
    """Each once, separated by commas or given one by one.

    >>> listed(["random, lure", "random"])
    ['random', 'lure']
    """
    return list(dict.fromkeys(part.strip() for text in asked for part in text.split(",") if part.strip()))


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


@click.command()
@data_option
@click.option("--rows", type=FILE, required=True, help="File for the rows, to go on from.")
@click.option("--pools", multiple=True, help=f"Names, or kinds: {', '.join(KINDS)}, all. [default: all]")
@click.option("--methods", multiple=True, help="Names with tags, such as random. [default: random]")
@seeds_option(60)
@click.option("--budget", type=click.IntRange(1), help="Stop at so many labels. [default: the pool's largest budget]")
@click.option("--initial", type=click.IntRange(1), default=50, show_default=True, help="Labels before the first fit.")
@click.option("--batch", type=click.IntRange(1), default=10, show_default=True, help="Labels per round.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Processes.")
@smoke_option
def main(
    data: Path | None, rows: Path, pools: tuple[str, ...], methods: tuple[str, ...], budget: int | None, jobs: int,
    smoke: bool, **portions: Any,
) -> None:  # fmt: skip
    """Run what is not in the rows yet."""
    need_data(data, smoke)
    names = (DIGITS,) if smoke else chosen_pools(pools or ("all",))
    if smoke:
        budget, portions = budget or 60, {**portions, "seeds": min(portions["seeds"], 2), "initial": 30, "batch": 10}
    try:
        sweeps = list(sweeps_of(names, listed(methods or ("random",)), data, budget, **portions))
        check_portions(rows, sweeps)
        with reporter(True) as tell:
            done = run_sweep(sweeps, rows, Workers(jobs), resume=True, reporter=tell)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    for one in done.failed:
        click.echo(described(one), err=True)
    ran = done.cells - done.skipped - len(done.failed)
    click.echo(f"{ran} runs in {duration(done.seconds)}, {len(done.failed)} failed")
    sys.exit(EXIT_PROBLEMS if done.failed else 0)


if __name__ == "__main__":
    main()
