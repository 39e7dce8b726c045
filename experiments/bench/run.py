"""One cell of a sweep: the same cell gives the same rows in any process, on one thread."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from altmas.core.checks import as_column, class_indices
from altmas.core.estimates import Estimate
from altmas.core.loop import Plan, rounds
from altmas.core.method import BelievesLabels, Job, Run
from altmas.core.oracles import TableOracle
from altmas.core.pool import Pool
from altmas.core.targets import resolve_metrics
from altmas.experiments.bench.methods import method_of
from altmas.experiments.bench.pools import load_pool, metrics_asked
from altmas.experiments.bench.rows import Finished
from altmas.experiments.bench.spec import Cell, Entry
from altmas.experiments.bench.version import code_version
from altmas.metrics import tally
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"),
    "1",
)
"""Read by libraries when they are first loaded. Sums in another order are other numbers."""


def attempt(cell: Cell, memory: float | None = None) -> Finished:
    """Run a cell; whatever goes wrong in it is its result. `memory` bounds what the process may hold, in GB."""
    begin = time.perf_counter()
    rows: list[dict[str, Any]] = []
    error = checksum = ""
    try:
        with one_thread(), at_most(memory):
            checksum = _prepared(cell.pool, cell.model, cell.method.sees, cell.home, cell.data).checksum
            rows = run_cell(cell)
    except (Exception, SystemExit) as failure:  # a plug-in may raise anything, and the sweep goes on
        rows, error = [], f"{type(failure).__name__}: {failure}"
    seconds = round(time.perf_counter() - begin, 3)
    status = "failed" if error else "ok"
    return Finished(cell.key, status, cell.columns, rows, error, checksum, code_version(), seconds)


def attempt_below(parent: int, cell: Cell, memory: float | None = None) -> Finished:
    """Run a cell in a process that does not outlive its parent, even one that was killed."""
    _follow(parent)
    return attempt(cell, memory)


@lru_cache(maxsize=1)
def _follow(parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)  # nobody is left to take the result

    threading.Thread(target=watch, daemon=True).start()


def run_cell(cell: Cell) -> list[dict[str, Any]]:
    """A row per round (or checkpoint) and metric.

    >>> from altmas.experiments.bench.spec import parse_sweep
    >>> sweep = {"pools": ["generated"], "metrics": ["accuracy"], "methods": ["random"], "budgets": [60]}
    >>> [row["labels"] for row in run_cell(parse_sweep(sweep).cells()[0])]
    [50, 60]
    """
    known = _prepared(cell.pool, cell.model, cell.method.sees, cell.home, cell.data)
    pool = known.pool
    if cell.budget > pool.size:
        raise InputError("budget", f"be at most the pool's size, {pool.size:,}", f"{cell.budget:,}")
    # Of several sets of metrics, one may hold another's: each metric once.
    asked = (one for name in metrics_asked(cell.metrics, known.usual) for one in resolve_metrics([name], pool))
    metrics = tuple({one.name: one for one in asked}.values())
    truth = {one.name: float(one.value(known.confusion)) for one in metrics}
    method = method_of(cell.method.name, cell.method.given, cell.method.file)
    plan = Plan(cell.budget, cell.initial, cell.batch, cell.level)
    rows: list[dict[str, Any]] = []
    for done in rounds(Job(pool, metrics, cell.seed), method, known.oracle, plan):
        labels = len(done.answers)
        if not cell.checkpoints or labels in cell.checkpoints or labels == cell.budget:
            more = _surrogate(done.run, known.labels)
            rows += [_row(one, labels, truth[one.metric]) | more for one in done.estimates]
    return rows


def _surrogate(run: Run, truth: IntArray) -> dict[str, float]:
    """How often the surrogate is right about open items, where there is one that predicts labels."""
    if not isinstance(run, BelievesLabels):
        return {}
    items, labels = run.believed_labels()
    return {"surrogate": float(np.mean(labels == truth[items]))} if len(items) else {}


def _row(one: Estimate, labels: int, truth: float) -> dict[str, Any]:
    numbers = {name: _plain(getattr(one, name)) for name in ("estimate", "low", "high", "plug_in", "design")}
    covered = bool(one.low <= truth <= one.high)
    return {"labels": labels, "metric": one.metric, **numbers, "truth": _plain(truth), "covered": covered}


def _plain(number: float) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


@dataclass(frozen=True, eq=False)
class Prepared:
    """A pool as a method sees it, and all that is known about it."""

    pool: Pool
    usual: tuple[str, ...]
    oracle: TableOracle
    labels: IntArray
    confusion: FloatArray
    checksum: str


@lru_cache(maxsize=1)  # a worker holds one pool; cells come pool by pool
def _prepared(entry: Entry, model: str, sees: tuple[str, ...], home: str, data: str) -> Prepared:
    source = load_pool(entry.name, model, entry.given, home, data)
    pool = source.build(frozenset(sees))
    labels = class_indices(as_column("labels", source.labels), pool.classes)
    if (labels == len(pool.classes)).any():
        at = int(np.argmax(labels == len(pool.classes)))
        raise InputError(f"labels of pool {entry.label!r}", "be among its classes", repr(source.labels[at]))
    confusion = tally(labels, pool.predictions, len(pool.classes), pool.columns)
    return Prepared(pool, source.metrics, TableOracle.of(source.labels, pool.ids), labels, confusion, source.checksum)


@contextmanager
def one_thread() -> Iterator[None]:
    """Libraries on one thread: those that are loaded, and those to come."""
    from threadpoolctl import threadpool_limits

    os.environ.update(ONE_THREAD)
    with threadpool_limits(1):
        yield


@contextmanager
def at_most(gigabytes: float | None) -> Iterator[None]:
    """Let this process hold no more memory than this; a cell that needs more fails with a MemoryError."""
    if gigabytes is None:
        yield
        return
    try:
        import resource
    except ImportError:
        raise InputError("memory", "be left out on a system that cannot bound it", gigabytes) from None
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (int(gigabytes * 2**30), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
