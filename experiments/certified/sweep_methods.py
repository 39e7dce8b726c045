"""Methods on audit pools: a row per pool, method, seed, number of labels and metric.

    python -m altmas.experiments.certified.sweep_methods --data DIR --rows DIR [--pools vendor] [--seeds 60]

A method is named as in the catalogue; tags say what it may see or how it is made: `NAME+opinions`, `NAME+features`,
`NAME+draws=20`. Rows go to one CSV per pool and method as each run ends, so an interrupted sweep goes on where it
stopped. The same seed gives the same rows, but for the seconds. `sweep_report` makes the tables.
"""

from __future__ import annotations

import ast
import csv
import io
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from altmas.catalogue import make_method
from altmas.core.loop import Plan, rounds
from altmas.core.method import Job, Method
from altmas.core.oracles import TableOracle
from altmas.core.pool import Pool
from altmas.core.resolve import resolve_metrics
from altmas.experiments.data.audit_pools import DIGITS, KINDS, AuditPool, audit_pool_names, load_audit_pool
from altmas.metrics import tally
from altmas.metrics.errors import AltmasError, InputError

FIRST = 50
"""Labels at which intervals are looked at before the first budget of a pool."""

SIGHTS = ("opinions", "features")
"""Tags that let a method see more of a pool than the model's own outputs."""

ONE_THREAD = dict.fromkeys(("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1")


@dataclass(frozen=True)
class Variant:
    """A method by name, what it may see, and its options."""

    text: str
    name: str
    sees: frozenset[str]
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def parse(cls, text: str) -> Variant:
        """From `NAME+tag+option=value`.

        >>> Variant.parse("altmas+features+draws=20").options
        {'draws': 20}
        """
        name, *tags = text.split("+")
        options = dict(tag.split("=", 1) for tag in tags if "=" in tag)
        sees = frozenset(tag for tag in tags if "=" not in tag)
        if unknown := sorted(sees - set(SIGHTS)):
            raise InputError("tag of a method", f"be one of {', '.join(SIGHTS)}, or option=value", repr(unknown[0]))
        return cls(text, name, sees, {key: _literal(value) for key, value in options.items()})

    def make(self) -> Method:
        """The method."""
        return make_method(self.name, **self.options)

    def fits(self, pool: AuditPool) -> bool:
        """Whether the pool has what the method is to see."""
        return ("opinions" not in self.sees or bool(pool.opinions)) and (
            "features" not in self.sees or pool.features is not None
        )


@dataclass(frozen=True)
class Row:
    """What one run said about one metric after so many labels; `seconds` since the run began."""

    pool: str
    method: str
    seed: int
    labels: int
    metric: str
    estimate: float
    low: float
    high: float
    plug_in: float
    design: float
    truth: float
    seconds: float
    initial: int
    batch: int


COLUMNS = [one.name for one in fields(Row)]
KEY = ["seed", "labels", "metric"]


@dataclass(frozen=True)
class Portions:
    """A plan for any pool: its own largest budget, or less."""

    budget: int | None = None
    initial: int = 50
    batch: int = 10
    level: float = 0.95

    def plan(self, pool: AuditPool) -> Plan:
        """The plan for this pool."""
        most = min(max(pool.budgets), len(pool.labels))
        budget = most if self.budget is None else min(self.budget, most)
        return Plan(budget, min(self.initial, budget), self.batch, self.level)


@dataclass(frozen=True)
class Task:
    """One run of the sweep."""

    pool: str
    method: str
    seed: int
    plan: Plan
    checkpoints: tuple[int, ...]
    data: Path | None


def checkpoints(pool: AuditPool, plan: Plan) -> tuple[int, ...]:
    """Numbers of labels to keep rows of: the pool's budgets, and few labels before them, as far as the plan goes."""
    wanted = {*pool.budgets, *([FIRST] if min(pool.budgets) <= 2 * FIRST else [])}
    within = {one for one in wanted if one <= plan.budget} | {plan.budget}
    missed = [one for one in sorted(within) if one < plan.initial or (one - plan.initial) % plan.batch]
    if missed := [one for one in missed if one != plan.budget]:
        rule = f"meet the checkpoints {sorted(within)}"
        raise InputError("initial and batch", rule, f"{plan.initial} and {plan.batch}, which pass {missed[0]}")
    return tuple(sorted(within))


def truths(pool: Pool, labels: Sequence[int], names: Sequence[str]) -> dict[str, float]:
    """The metrics of the whole pool."""
    index = {one: i for i, one in enumerate(pool.classes)}
    confusion = tally([index[int(one)] for one in labels], pool.predictions, len(pool.classes), pool.columns)
    return {one.name: float(one.value(confusion)) for one in resolve_metrics(names, pool)}


def run(task: Task) -> list[Row]:
    """One method on one pool with one seed."""
    variant = Variant.parse(task.method)
    pool, table, truth = _prepared(task.pool, task.data, variant.sees)
    job = Job(pool, resolve_metrics(list(truth), pool), task.seed)
    rows: list[Row] = []
    begin = time.perf_counter()
    for done in rounds(job, variant.make(), table, task.plan):
        seconds = round(time.perf_counter() - begin, 4)
        if len(done.answers) not in task.checkpoints:
            continue
        for one in done.estimates:
            plug_in, design = (float(getattr(one, name, np.nan)) for name in ("plug_in", "design"))
            rows.append(
                Row(
                    task.pool, task.method, task.seed, len(done.answers), one.metric, one.estimate, one.low, one.high,
                    plug_in, design, truth[one.metric], seconds, task.plan.initial, task.plan.batch,
                )
            )  # fmt: skip
    return rows


@lru_cache(maxsize=2)
def _prepared(name: str, data: Path | None, sees: frozenset[str]) -> tuple[Pool, TableOracle, dict[str, float]]:
    source = load_audit_pool(name, data)
    pool = source.build(opinions="opinions" in sees, features="features" in sees)
    return pool, TableOracle.of(source.labels, pool.ids), truths(pool, source.labels.tolist(), source.metrics)


def rows_file(folder: Path, pool: str, method: str) -> Path:
    """Where a pool's and method's rows are kept.

    >>> rows_file(Path("rows"), "ferplus/GitHub(CNN)", "random").as_posix()
    'rows/ferplus-GitHub-CNN__random.csv'
    """
    plain = [re.sub(r"[^\w.+=]+", "-", text).strip("-") for text in (pool, method)]
    return folder / f"{'__'.join(plain)}.csv"


def read_rows(path: Path) -> pd.DataFrame:
    """The whole lines of a file: the last is half written where a sweep was killed."""
    text = path.read_text() if path.is_file() else ""
    whole = text[: text.rfind("\n") + 1]
    if not whole:
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(io.StringIO(whole)).drop_duplicates(KEY)


def append_rows(path: Path, rows: Sequence[Row]) -> None:
    """Add what is not there yet, after the last whole line."""
    known = set(read_rows(path)[KEY].itertuples(index=False, name=None))
    fresh = [row for row in rows if (row.seed, row.labels, row.metric) not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        file.seek(0)
        whole = file.read().rfind(b"\n") + 1
        file.truncate(whole)
        lines = io.StringIO()
        write = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        if not whole:
            write.writeheader()
        write.writerows(asdict(row) for row in fresh)
        file.write(lines.getvalue().encode())


def open_tasks(
    pools: Sequence[str], methods: Sequence[str], seeds: int, portions: Portions, data: Path | None, folder: Path
) -> Iterator[Task]:
    """The runs whose rows are not all there yet, pool by pool."""
    variants = [Variant.parse(text) for text in methods]
    for variant in variants:
        variant.make()  # an unknown method is refused before the first run
    for name in pools:
        source = load_audit_pool(name, data)
        plan = portions.plan(source)
        wanted = checkpoints(source, plan)
        for variant in variants:
            if not variant.fits(source):
                click.echo(
                    f"{name} has no {' or no '.join(sorted(variant.sees))}: {variant.text} is left out", err=True
                )
                continue
            known = read_rows(rows_file(folder, name, variant.text))
            if len(other := known[(known["initial"] != plan.initial) | (known["batch"] != plan.batch)]):
                got = f"{other['initial'].iloc[0]} and {other['batch'].iloc[0]}"
                rule = f"have {plan.initial} initial labels and batches of {plan.batch}"
                raise InputError(f"rows of {name}, {variant.text}", rule, got, "Take another folder for --rows.")
            counts = known[known["labels"].isin(wanted)].groupby("seed").size()
            every = len(wanted) * len(source.metrics)
            for seed in range(seeds):
                if counts.get(seed, 0) < every:
                    yield Task(name, variant.text, seed, plan, wanted, data)


def sweep(tasks: Sequence[Task], folder: Path, jobs: int) -> list[str]:
    """Run the tasks, keep their rows as each is done; what failed comes back as text, and the rest goes on."""
    from joblib import Parallel, delayed

    failed: list[str] = []
    done = Parallel(n_jobs=jobs, backend="loky", return_as="generator_unordered")(delayed(_attempt)(t) for t in tasks)
    for count, (task, rows, error) in enumerate(done, 1):
        if error:
            failed.append(f"{task.pool}, {task.method}, seed {task.seed}: {error}")
            click.echo(failed[-1], err=True)
            continue
        append_rows(rows_file(folder, task.pool, task.method), rows)
        if count % 20 == 0 or count == len(tasks):
            last = rows[-1]
            text = f"{task.pool}, {task.method}, seed {task.seed}: {last.seconds:.1f} s"
            click.echo(f"{count} of {len(tasks)} runs, {text}", err=True)
    return failed


def _attempt(task: Task) -> tuple[Task, list[Row], str]:
    from threadpoolctl import threadpool_limits

    os.environ.update(ONE_THREAD)  # TensorFlow reads it when it is first loaded
    try:
        with threadpool_limits(1):
            return task, run(task), ""
    except AltmasError as error:
        return task, [], str(error)


def chosen_pools(asked: Sequence[str]) -> tuple[str, ...]:
    """Pools by name or kind, each once, separated by commas or given one by one.

    >>> chosen_pools(["news,er_abt_buy", "news20_scores"])
    ('news20_scores', 'er_abt_buy')
    """
    found: list[str] = []
    for one in _listed(asked):
        found += audit_pool_names(one) if one in KINDS or one == "all" else [one]
    return tuple(dict.fromkeys(found))


def _listed(asked: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(part.strip() for text in asked for part in text.split(",") if part.strip()))


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder with the pools.")
@click.option("--rows", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder for the rows.")
@click.option("--pools", multiple=True, help=f"Names, or kinds: {', '.join(KINDS)}, all. [default: all]")
@click.option("--methods", multiple=True, help="Names with tags, such as random. [default: random]")
@click.option("--seeds", type=click.IntRange(1), default=60, show_default=True, help="Runs of each method and pool.")
@click.option("--budget", type=click.IntRange(1), help="Stop at so many labels. [default: the pool's largest budget]")
@click.option("--initial", type=click.IntRange(1), default=50, show_default=True, help="Labels before the first fit.")
@click.option("--batch", type=click.IntRange(1), default=10, show_default=True, help="Labels per round.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Processes.")
@click.option("--smoke", is_flag=True, help="Seconds: the bundled digits, few labels, two seeds.")
def main(
    data: Path | None, rows: Path, pools: tuple[str, ...], methods: tuple[str, ...], seeds: int, budget: int | None,
    initial: int, batch: int, level: float, jobs: int, smoke: bool,
) -> None:  # fmt: skip
    """Run what is not in the rows yet."""
    if not smoke and data is None:
        raise click.UsageError("Give --data, or --smoke.")
    names = (DIGITS,) if smoke else chosen_pools(pools or ("all",))
    portions = Portions(budget or 60, 30, 10, level) if smoke else Portions(budget, initial, batch, level)
    try:
        tasks = list(
            open_tasks(names, _listed(methods or ("random",)), min(seeds, 2) if smoke else seeds, portions, data, rows)
        )
    except InputError as error:
        raise click.UsageError(str(error)) from None
    begin = time.perf_counter()
    failed = sweep(tasks, rows, jobs)
    click.echo(f"{len(tasks) - len(failed)} runs in {time.perf_counter() - begin:.0f} s, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    from altmas.experiments import sweep_methods  # processes look functions up by the module's name, not "__main__"

    sweep_methods.main()
