"""Stored rows, of one sweep or of several people's: read whole, or refused where they contradict each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from altmas.experiments.bench.pools import OWN
from altmas.experiments.bench.rows import Finished, by_content, framed, lines_of
from altmas.experiments.bench.spec import Cell
from altmas.metrics.errors import InputError
from altmas.words.wording import counted, listed

CELL = {"pool": str, "model": str, "metrics": str, "method": str, "budget": int, "seed": int, "level": float}
ROW = {"labels": int, "metric": str, "estimate": float, "low": float, "high": float, "truth": float}
NUMBERS = [name for name, kind in ROW.items() if kind is float]

SAME_TRUTH = 1e-9
"""The truth of one metric on one pool may differ by this much, as sums in another order do."""

ABSENT = object()

APART = "Give them labels of their own, or leave one of the files out."


@dataclass(frozen=True)
class RowsFile:
    """A file of rows: its name, how many cells it holds, and the SHA-256 of its content."""

    name: str
    cells: int
    sha256: str


@dataclass(frozen=True, eq=False)
class Stored:
    """What files of rows hold together: a row per run, number of labels and metric; and what a reader must know.

    `rows` has the columns of `to_frame`, but for a pool's name, which has its model in it where one was trained for it,
    and `source`, the name without.
    """

    rows: pd.DataFrame
    files: tuple[RowsFile, ...]
    versions: dict[str, int]
    pools: dict[str, str]
    """Each pool's SHA-256, where it is known."""
    failed: tuple[Finished, ...]
    notes: tuple[str, ...]


def read_stored(paths: Sequence[Path], cells: Iterable[Cell] | None = None) -> Stored:
    """All rows of these files, or only those of these cells; a cell that two files have counts once.

    Refused are rows that are none of a sweep's, and rows that contradict each other: of another pool under one name,
    or of two methods under one label.
    """
    notes: list[str] = []
    files: list[RowsFile] = []
    kept: dict[str, tuple[Finished, Path]] = {}
    wanted = None if cells is None else {cell.key: at for at, cell in enumerate(cells)}
    twice = 0
    for path in _distinct(paths):
        lines = lines_of(path)
        if lines.half:
            notes.append(f"The last line of {path.name} is not whole, and is left out.")
        if not lines.cells:
            raise InputError(f"rows file {path.name}", "hold the lines of a sweep", "none")
        files.append(RowsFile(path.name, len(lines.cells), lines.sha256))
        for one in lines.cells:
            if wanted is not None and one.key not in wanted:
                continue
            _check(one, path)
            twice += _keep(one, path, kept)
    if twice:
        notes.append(f"{counted(twice, 'cell is', 'cells are')} in two files, with the same rows; each counts once.")
    ordered = sorted((one for one, _ in kept.values()), key=by_content)
    if wanted is not None:
        ordered.sort(key=lambda one: wanted[one.key])
    right = [one for one in ordered if one.status == "ok"]
    failed = tuple(one for one in ordered if one.status != "ok")
    if failed:
        whose = Counter(str(one.cell["method"]) for one in failed)
        said = listed(f"{number} of {name}" for name, number in whose.items())
        notes.append(f"Left out, {counted(len(failed), 'cell')} that failed: {said}.")
    versions = Counter(one.version or "not known" for one in right)
    if len(versions) > 1:
        said = listed(f"{name} ({counted(number, 'cell')})" for name, number in versions.items())
        notes.append(f"The rows were made by different versions of the code: {said}.")
    rows = _frame(right)
    _check_pools(rows)
    _check_runs(rows, kept)
    if len(levels := sorted(set(rows["level"]))) > 1:
        notes.append(f"Intervals are of several levels, {listed(f'{one:g}' for one in levels)}: coverage mixes them.")
    return Stored(rows, tuple(files), dict(versions), _checksums(right), failed, tuple(notes))


def _distinct(paths: Sequence[Path]) -> list[Path]:
    found = {path.resolve(): path for path in paths}
    if missing := [path for path in found.values() if not path.is_file()]:
        raise InputError("rows file", "exist", str(missing[0]))
    return list(found.values())


def _check(one: Finished, path: Path) -> None:
    """Refuse a line that is no cell of a sweep, before anything is computed of it."""
    held: Any = one.rows if isinstance(one.rows, list) else [one.rows]
    for what, needed in ((one.cell, CELL), *((row, ROW) for row in held)):
        table: dict[str, object] = what if isinstance(what, dict) else {}
        for name, kind in needed.items():
            given = table.get(name, ABSENT)
            if given is ABSENT or not _is(given, kind, empty=what is not one.cell):
                rule = f"hold rows of a sweep, each with {name}"
                got = "nothing" if given is ABSENT else repr(given)[:40]
                raise InputError(f"rows file {path.name}", rule, f"{got} in cell {str(one.key)[:40]}")


def _is(value: object, kind: type, empty: bool) -> bool:
    if kind is str:
        return isinstance(value, str)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number or (empty and value is None)


def _keep(one: Finished, path: Path, kept: dict[str, tuple[Finished, Path]]) -> bool:
    """Take a cell in, and say whether it was there already. One that worked stands for one that failed."""
    if one.key not in kept or kept[one.key][0].status != "ok":
        kept[one.key] = one, path
        return False
    before, first = kept[one.key]
    if one.status != "ok":
        return False
    if (before.checksum, before.rows) != (one.checksum, one.rows):
        got = f"other rows for {_said(one)} in {first.name} (version {before.version}) and {path.name} ({one.version})"
        raise InputError("rows files", "agree on the cells that they share", got, "Leave one of the files out.")
    return True


def _said(one: Finished) -> str:
    return f"{one.cell['method']} on {one.cell['pool']}, seed {one.cell['seed']}"


def _frame(cells: Sequence[Finished]) -> pd.DataFrame:
    table = framed(cells)
    if table.empty:
        raise InputError("rows", "hold a cell that worked", "none")
    table[NUMBERS] = table[NUMBERS].astype(float)  # None where there is no number
    own = table["model"] == OWN
    return table.assign(source=table["pool"], pool=table["pool"].where(own, table["pool"] + ", " + table["model"]))


def _check_runs(rows: pd.DataFrame, kept: dict[str, tuple[Finished, Path]]) -> None:
    """One label, one method: else runs of two of them would be mixed."""
    run = ["pool", "metrics", "method", "budget", "seed"]
    keys = rows.drop_duplicates([*run, "key"])
    again = keys[keys.duplicated(run, keep=False)]
    if len(again):
        first = again.iloc[0]
        same = again[(again[run] == first[run]).all(axis=1)]
        places = listed(dict.fromkeys(kept[key][1].name for key in same["key"]))
        got = f"several runs on {first['pool']} with {first['budget']} labels and seed {first['seed']} in {places}"
        raise InputError(f"rows of method {first['method']!r}", "be of one method with one setting", got, APART)


def one_pool_each(rows: pd.DataFrame, where: str = "all rows", hint: str = "") -> None:
    """Refuse rows of two pools that only share their name."""
    sums = rows[rows["checksum"] != ""].groupby("pool", sort=False)["checksum"].unique()
    for pool, found in sums.items():
        if len(found) > 1:
            got = f"checksums {listed(str(one)[:12] for one in found)}"
            raise InputError(f"pool {pool!r}", f"be the same in {where}", got, hint)


def _check_pools(rows: pd.DataFrame) -> None:
    """One name, one pool: the same content, and the same truth."""
    one_pool_each(rows, hint=APART)
    truth = rows.groupby(["pool", "metric"], sort=False)["truth"].agg(["min", "max"])
    for pool, metric in truth.index[truth["max"] - truth["min"] > SAME_TRUTH]:
        least, most = truth.loc[(pool, metric)]
        raise InputError(f"pool {pool!r}", "be the same in all rows", f"{metric} {least:.6g} and {most:.6g}", APART)


def _checksums(cells: Sequence[Finished]) -> dict[str, str]:
    return {str(one.cell["pool"]): one.checksum for one in cells if one.checksum}
