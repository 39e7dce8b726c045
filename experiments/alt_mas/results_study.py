"""A study's rows as they are stored, whole or refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from altmas.experiments.alt_mas.results_curves import panel_rows
from altmas.experiments.alt_mas.studies import about_file, sweeps_of
from altmas.experiments.bench.rows import read_finished, to_frame
from altmas.experiments.bench.spec import Sweep
from altmas.metrics.errors import InputError

ITEMS, SMOKE_ITEMS = 10_000, 1597
"""The test sets of MNIST and CIFAR-10, and the bundled digits."""


@dataclass(frozen=True, eq=False)
class Study:
    """A study's rows, its sweeps, and what made them."""

    name: str
    profile: str
    sweeps: list[Sweep]
    rows: pd.DataFrame
    seconds: pd.DataFrame
    about: dict[str, Any]

    @property
    def items(self) -> int:
        """Items of each pool."""
        return SMOKE_ITEMS if self.profile == "smoke" else ITEMS

    @property
    def pools(self) -> list[str]:
        """Models under test, in order."""
        return [pool.label for pool in self.sweeps[0].pools]

    def panels(self) -> Iterator[tuple[str, tuple[str, ...], pd.DataFrame]]:
        """Model under test, set of metrics, rows."""
        for pool in self.pools:
            for metrics in self.sweeps[0].metrics:
                yield pool, metrics, panel_rows(self.rows, self.sweeps[0], pool, metrics)


def read_study(folder: Path, name: str, profile: str) -> Study:
    """A study whose cells are all there."""
    path = folder / f"{name}.{profile}.jsonl"
    packed = path.with_suffix(".jsonl.gz")
    stored = packed if packed.is_file() else path
    sweeps = sweeps_of(name, profile)
    cells = [cell for sweep in sweeps for cell in sweep.cells()]
    done = {one.key: one for one in read_finished(stored) if one.status == "ok"}
    missing = [cell for cell in cells if cell.key not in done]
    if missing:
        raise InputError(f"rows of {name}", f"hold its {len(cells)} cells", f"{len(missing)} missing in {stored}")
    seconds = [{"method": cell.method.label, "seconds": done[cell.key].seconds} for cell in cells]
    if not about_file(path).is_file():
        raise InputError(f"rows of {name}", "have a file that says what made them", f"no {about_file(path).name}")
    about = json.loads(about_file(path).read_text(encoding="utf-8"))
    return Study(name, profile, sweeps, to_frame(stored, cells), pd.DataFrame(seconds), about)
