"""The sweep engine: cells, workers, rows on disk, going on where it stopped; and the command `altmas bench`.

`run_sweep` runs what a file or table names (pools x methods x seeds), a line of JSON per cell. `run_cases` runs
a study's own functions and keeps their rows in a CSV. Both share the processes (`Workers`) and the file that is written
whole lines at a time (`rows`). `compare` says how methods did, of rows that `read_stored` found to agree. Options and
tables of command lines are here too; what a study is about is not.
"""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from altmas.experiments.bench.cases import Case as Case
    from altmas.experiments.bench.cases import run_cases as run_cases
    from altmas.experiments.bench.rows import to_frame as to_frame
    from altmas.experiments.bench.spec import parse_sweep as parse_sweep
    from altmas.experiments.bench.spec import read_sweep as read_sweep
    from altmas.experiments.bench.standings import compare as compare
    from altmas.experiments.bench.stored import read_stored as read_stored
    from altmas.experiments.bench.sweep import Workers as Workers
    from altmas.experiments.bench.sweep import run_sweep as run_sweep
    from altmas.experiments.data.bench_pool import BenchPool as BenchPool

# Looked up when first used, so that `altmas --help`, which finds its command in this room, stays instant.
_HOMES = {
    "BenchPool": "data.bench_pool",
    "Case": "bench.cases",
    "Workers": "bench.sweep",
    "compare": "bench.standings",
    "parse_sweep": "bench.spec",
    "read_stored": "bench.stored",
    "read_sweep": "bench.spec",
    "run_cases": "bench.cases",
    "run_sweep": "bench.sweep",
    "to_frame": "bench.rows",
}
__all__ = [*_HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'altmas.experiments.bench' has no attribute {name!r}")
    found: object = getattr(_importlib.import_module(f"altmas.experiments.{_HOMES[name]}"), name)
    return found
