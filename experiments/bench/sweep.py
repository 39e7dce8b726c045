"""Runs the cells of a sweep through joblib, here or on a Dask cluster, and keeps each as it finishes."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from altmas.core.checks import whole_number
from altmas.core.progress import Reporter, Silent
from altmas.experiments.bench.rows import Finished, Writer, appending, read_finished
from altmas.experiments.bench.run import ONE_THREAD, attempt, attempt_below
from altmas.experiments.bench.spec import Cell, Sweep, check_pools
from altmas.experiments.bench.version import code_version
from altmas.metrics.errors import InputError

BACKENDS = ("loky", "dask")
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Workers:
    """Where cells run: processes of this machine, or a cluster; and how much memory each may hold, in GB."""

    jobs: int = 1
    backend: str = "loky"
    scheduler: str = ""
    memory: float | None = None

    def __post_init__(self) -> None:
        whole_number("jobs", self.jobs, 1)
        if self.backend not in BACKENDS:
            raise InputError("backend", f"be one of {', '.join(BACKENDS)}", repr(self.backend))
        if (self.backend == "dask") != bool(self.scheduler):
            hint = "For example --backend dask --scheduler tcp://127.0.0.1:8786."
            raise InputError("scheduler", "be given with backend dask, and only then", repr(self.scheduler), hint)
        if self.backend == "dask" and self.memory is not None:
            hint = "dask worker ADDRESS --nthreads 1 --memory-limit 4GB."
            raise InputError("memory", "be bounded by the workers themselves with backend dask", self.memory, hint)


@dataclass(frozen=True)
class Summary:
    """What a run of a sweep did."""

    cells: int
    skipped: int
    failed: tuple[Finished, ...]
    seconds: float


def run_sweep(
    sweep: Sweep | Sequence[Sweep],
    path: Path,
    workers: Workers,
    *,
    resume: bool = False,
    reporter: Reporter | None = None,
) -> Summary:
    """Run what is not in the rows yet, of one sweep or of several that share a file.

    Rows that are there are refused unless `resume`; cells that failed run again.
    """
    if path.exists() and path.stat().st_size and not resume:
        raise InputError("rows file", "be new", str(path), "Go on with --resume, or name another file with --rows.")
    sweeps = (sweep,) if isinstance(sweep, Sweep) else sweep
    for one in sweeps:
        check_pools(one)
    cells = tuple(dict.fromkeys(cell for one in sweeps for cell in one.cells()))
    begin = time.perf_counter()
    tell = reporter or Silent()
    with appending(path) as writer:
        known = read_finished(path)
        if others := sorted({one.version for one in known} - {code_version()}):
            made = f"rows in {path.name} were made by other code ({', '.join(others)})"
            tell.note(f"{made}; name another file to keep them apart.")
        right = {one.key for one in known if one.status == "ok"}
        todo = [cell for cell in cells if cell.key not in right]
        kept = Keeper(writer, tell, len(todo), {_place(one): one.checksum for one in known})
        with working(workers):
            for finished in finished_cells(todo, workers):
                kept.keep(finished)
    return Summary(len(cells), len(cells) - len(todo), tuple(kept.failed), time.perf_counter() - begin)


class Keeper:
    """Writes finished cells down, and tells how far the sweep is."""

    def __init__(self, writer: Writer, tell: Reporter, total: int, checksums: dict[tuple[str, str], str]) -> None:
        self.failed: list[Finished] = []
        self._writer, self._tell, self._total = writer, tell, total
        self._checksums = {place: checksum for place, checksum in checksums.items() if checksum}
        self._done, self._begin = 0, 0.0

    def keep(self, one: Finished) -> None:
        """Write it, unless its pool is another than the rows' so far."""
        before = self._checksums.setdefault(_place(one), one.checksum) if one.checksum else one.checksum
        if before != one.checksum:
            rule = f"be the one of the rows, with checksum {before[:12]}"
            raise InputError(f"pool {one.cell['pool']!r}", rule, one.checksum[:12], "Take another file with --rows.")
        self._writer.append(one.line())
        self._done += 1
        if one.error:
            self.failed.append(one)
            self._tell.note(f"failed: {described(one)}")
        self._tell.step(self._done, self._total, self._left(), "cells")

    def _left(self) -> str:
        """From the first cell on: before it processes start and load their libraries."""
        if self._done == 1:
            self._begin = time.perf_counter()
            return "the time left is not known yet"
        left = (time.perf_counter() - self._begin) / (self._done - 1) * (self._total - self._done)
        return f"about {duration(left)} left"


def described(one: Finished) -> str:
    """A failed cell in a line."""
    where = [str(one.cell[name]) for name in ("pool", "model", "method")]
    return f"{', '.join(where)}, {one.cell['budget']} labels, seed {one.cell['seed']}: {one.error}"


def duration(seconds: float) -> str:
    """Time for people.

    >>> duration(42), duration(150), duration(9000)
    ('42 s', '2 min', '2 h 30 min')
    """
    minutes = int(seconds // 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def finished_cells(cells: Sequence[Cell], workers: Workers) -> Iterator[Finished]:
    """Run the cells, each as it is done. A process that dies takes only its own cell with it."""
    if workers.backend == "loky" and workers.jobs == 1:
        yield from (attempt(cell, workers.memory) for cell in cells)
        return
    todo = list(cells)
    while todo:
        done: set[str] = set()
        try:
            for one in _parallel(todo, workers):
                done.add(one.key)
                yield one
            return
        except BrokenProcessPool:
            # joblib hands cells out in order, twice as many as there are processes: the culprit is among these.
            todo = [cell for cell in todo if cell.key not in done]
            suspects, todo = todo[: 2 * workers.jobs], todo[2 * workers.jobs :]
            yield from (_alone(cell, workers) for cell in suspects)


def _alone(cell: Cell, workers: Workers) -> Finished:
    try:
        return next(iter(_parallel([cell], workers)))
    except BrokenProcessPool:
        error = "the process that ran it died; it may have been out of memory"
        return Finished(cell.key, "failed", cell.columns, error=error, version=code_version())


def _parallel(cells: Sequence[Cell], workers: Workers) -> Iterator[Finished]:
    # Only a cell's few words travel: a worker loads the pool by its name, and holds one at a time.
    task = partial(attempt_below, os.getpid()) if workers.backend == "loky" else attempt
    return in_parallel(partial(task, memory=workers.memory), cells, workers)


def in_parallel(task: Callable[[T], R], items: Iterable[T], workers: Workers) -> Iterator[R]:
    """What a task makes of each item, as each is done; inside of `working`."""
    from joblib import Parallel, delayed

    jobs = workers.jobs if workers.backend == "loky" else -1
    run = Parallel(n_jobs=jobs, batch_size=1, pre_dispatch="2*n_jobs", return_as="generator_unordered")
    found: Iterator[R] = run(delayed(task)(item) for item in items)
    return found


@contextmanager
def working(workers: Workers) -> Iterator[None]:
    """The backend, for as long as cells run."""
    from joblib import parallel_config

    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)  # processes to come read it before they load anything
    try:
        with (
            warnings.catch_warnings(),
            _dask(workers.scheduler) if workers.scheduler else _loky() as options,
            parallel_config(**options),
        ):
            # A process that has loaded TensorFlow looks like a leak to joblib, which starts another in its place.
            warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _loky() -> Iterator[dict[str, Any]]:
    try:
        yield {"backend": "loky"}
    except BaseException:
        # Processes that an interrupted sweep leaves are in no state for the next one, which would wait for ever.
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown(wait=True, kill_workers=True)
        raise


@contextmanager
def _dask(address: str) -> Iterator[dict[str, Any]]:
    try:
        from distributed import Client
    except ImportError as error:
        hint = "pip install 'altmas[dask]'."
        raise InputError("backend dask", "have the package distributed", str(error), hint) from None
    try:
        connect: Any = Client  # whether its package is typed or not
        client = connect(address, timeout="10s")
    except OSError as error:
        raise InputError("scheduler", "answer", f"{address}: {error}") from None
    with client:
        yield {"backend": "dask", "wait_for_workers_timeout": 60}


def _place(one: Finished) -> tuple[str, str]:
    return str(one.cell.get("pool")), str(one.cell.get("model"))
