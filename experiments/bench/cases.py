"""Runs of a study's own functions: cases, their rows in a CSV, going on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from altmas.experiments.bench.rows import appending
from altmas.experiments.bench.sweep import Workers, in_parallel, working


@dataclass(frozen=True, eq=False)
class Case:
    """One run: what names it among the rows, and a function that makes its rows, or its only one."""

    key: Mapping[str, str | int | float]
    run: Callable[[], pd.DataFrame | Mapping[str, Any]]

    def rows(self) -> pd.DataFrame:
        """What it found, with the columns that name it last.

        >>> Case({"seed": 1}, lambda: {"error": 0.5}).rows().to_dict("records")
        [{'error': 0.5, 'seed': 1}]
        """
        found = self.run()
        table = found if isinstance(found, pd.DataFrame) else pd.DataFrame([dict(found)])
        return table.assign(**self.key)


def run_cases(cases: Iterable[Case], path: Path | None = None, jobs: int = 1) -> pd.DataFrame:
    """The rows of all cases in their order: read where the CSV has them, else made, and appended as each case is done.

    >>> run_cases(Case({"seed": seed}, lambda: {"error": 0.5}) for seed in range(3))["seed"].tolist()
    [0, 1, 2]
    """
    parts: dict[int, pd.DataFrame] = {}
    with appending(path) if path is not None else nullcontext() as writer:
        done = pd.read_csv(path) if path is not None and path.stat().st_size else pd.DataFrame()
        header = not len(done)

        def missing() -> Iterator[tuple[int, Case]]:
            for place, case in enumerate(cases):
                known = _named(done, case.key) if len(done) else done
                if len(known):
                    parts[place] = known
                else:
                    yield place, case

        for place, case, found in _finished(missing(), jobs):
            if writer is not None:
                writer.append(found.to_csv(index=False, header=header, lineterminator="\n").encode())
                header = False
            parts[place] = found
            click.echo(", ".join(map(str, case.key.values())) + " done", err=True)
    return pd.concat([parts[place] for place in sorted(parts)], ignore_index=True)


def _named(rows: pd.DataFrame, key: Mapping[str, str | int | float]) -> pd.DataFrame:
    return rows[np.logical_and.reduce([rows[name] == value for name, value in key.items()])]


def _finished(cases: Iterable[tuple[int, Case]], jobs: int) -> Iterator[tuple[int, Case, pd.DataFrame]]:
    if jobs == 1:
        yield from ((place, case, case.rows()) for place, case in cases)
        return
    todo, workers = dict(cases), Workers(jobs)
    with working(workers):
        for place, rows in in_parallel(_rows_of, todo.items(), workers):
            yield place, todo[place], rows


def _rows_of(one: tuple[int, Case]) -> tuple[int, pd.DataFrame]:
    return one[0], one[1].rows()
