"""A study's rows as they are stored, whole or refused, and the curves of relative error that they make.

A panel is a model under test and a set of metrics; each has a curve per method.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from altmas.experiments.alt_mas.studies import about_file, sweeps_of
from altmas.experiments.bench.rows import read_finished, to_frame
from altmas.experiments.bench.spec import Sweep
from altmas.metrics import metrics_named
from altmas.metrics.errors import InputError

WINDOW = 10
"""Queries that the paper's curves are smoothed over: ten refits."""

REFITS = 3
"""Refits that a curve of larger batches is smoothed over, at least."""

PAPER_ITEMS, DIGITS_ITEMS = 10_000, 1597
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
        return DIGITS_ITEMS if self.profile == "smoke" else PAPER_ITEMS

    @property
    def pools(self) -> list[str]:
        """Models under test, in order."""
        return [pool.label for pool in self.sweeps[0].pools]

    def panels(self) -> Iterator[tuple[str, tuple[str, ...], pd.DataFrame]]:
        """Model under test, set of metrics, rows."""
        for pool in self.pools:
            for metrics in self.sweeps[0].metrics:
                yield (
                    pool,
                    metrics,
                    pd.concat([panel_rows(self.of_sweep(one), one, pool, metrics) for one in self.sweeps]),
                )

    def of_sweep(self, sweep: Sweep) -> pd.DataFrame:
        """The rows of one sweep's methods."""
        return self.rows[self.rows["method"].isin([method.label for method in sweep.methods])]


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


def panel_rows(rows: pd.DataFrame, sweep: Sweep, pool: str, metrics: tuple[str, ...]) -> pd.DataFrame:
    """The rows that belong to a panel, whether a method ran for its metrics alone or for all sets at once."""
    run = {method.label: " ".join(sweep.metrics_run(method, metrics)) for method in sweep.methods}
    names = metric_names(metrics)
    own = (rows["pool"] == pool) & rows["metric"].isin(names) & (rows["metrics"] == rows["method"].map(run))
    return rows[own]


def metric_names(metrics: tuple[str, ...], classes: int = 10) -> list[str]:
    """The metrics of a set; the paper's pools have ten classes.

    >>> metric_names(("alt_mas_3",))
    ['accuracy', 'macro_precision', 'macro_recall']
    """
    return [one.name for one in metrics_named(list(metrics), range(classes))]


def relative_errors(panel: pd.DataFrame) -> pd.DataFrame:
    """Mean of |estimate - truth| / truth over the metrics, per method, seed and number of labels.

    A metric that is 0 has no relative error and is left out. No estimate at all (a precision without a prediction of
    its class among the answers) counts as an error of 1, as if the estimate were 0.

    >>> rows = pd.DataFrame({"method": "m", "seed": 0, "labels": 5, "estimate": [0.9, None], "truth": [1.0, 0.5]})
    >>> float(relative_errors(rows)["error"].iloc[0])
    0.55
    """
    known = panel[panel["truth"] > 0]
    estimate = known["estimate"].astype(float).fillna(0.0)
    error = (estimate - known["truth"]).abs() / known["truth"]
    by = ["method", "seed", "labels"]
    return known.assign(error=error).groupby(by, sort=False)["error"].mean().reset_index()


def window_for(batch: int, queries: int = WINDOW) -> int:
    """Labels to smooth over: the paper's queries, or three refits where they come seldom.

    >>> window_for(1), window_for(25)
    (10, 75)
    """
    return max(queries, REFITS * batch)


def curves(errors: pd.DataFrame, value: str = "error", window: int = WINDOW) -> pd.DataFrame:
    """Mean and standard error over seeds, after smoothing each seed's curve over the last `window` labels.

    >>> rows = pd.DataFrame({"method": "m", "seed": [0, 0, 1, 1], "labels": [10, 11, 10, 11], "error": [1.0, 0, 1, 0]})
    >>> curves(rows)["mean"].tolist()
    [1.0, 0.5]
    """
    parts = []
    for (method, _), one in errors.groupby(["method", "seed"], sort=False):
        ordered = one.sort_values("labels")
        labels, values = ordered["labels"].to_numpy(), ordered[value].to_numpy(dtype=float)
        smooth = [values[(labels > n - window) & (labels <= n)].mean() for n in labels]
        parts.append(pd.DataFrame({"method": method, "labels": labels, "value": smooth}))
    grouped = pd.concat(parts).groupby(["method", "labels"], sort=False)["value"]
    return pd.DataFrame({"mean": grouped.mean(), "se": grouped.sem()}).reset_index()


def at_the_end(curve: pd.DataFrame) -> pd.DataFrame:
    """Each method's last point, by method."""
    return curve.sort_values("labels").groupby("method", sort=False).last()


def over_the_curve(errors: pd.DataFrame) -> pd.DataFrame:
    """Each run's mean error per label spent, by method and seed: a trapezoid, so that batches of any size compare.

    >>> rows = pd.DataFrame({"method": "m", "seed": 0, "labels": [100, 110, 150], "error": [1.0, 0.0, 0.0]})
    >>> float(over_the_curve(rows)["error"].iloc[0])
    0.1
    """
    found = []
    for (method, seed), one in errors.groupby(["method", "seed"], sort=False):
        ordered = one.sort_values("labels")
        labels, values = ordered["labels"].to_numpy(dtype=float), ordered["error"].to_numpy(dtype=float)
        area = np.trapezoid(values, labels) / np.ptp(labels) if len(labels) > 1 else values[0]
        found.append({"method": method, "seed": seed, "error": float(area)})
    return pd.DataFrame(found)


def random_needs(random: pd.DataFrame, error: float, labels: int, items: int) -> float:
    """How many times as many labels random sampling needs for this error.

    Without replacement its error is c sqrt(1 / n - 1 / N), with c the mean over its curves; so it needs
    n = 1 / ((error / c)^2 + 1 / N), and all N items for no error.

    >>> random_needs(pd.DataFrame({"labels": [100, 400], "error": [0.2, 0.1]}), 0.1, labels=100, items=10**12)
    4.0
    >>> random_needs(pd.DataFrame({"labels": [100], "error": [0.2]}), 0.0, labels=100, items=5000)
    50.0
    """
    shrink = np.sqrt(1 / random["labels"] - 1 / items)
    c = float(random["error"].sum() / shrink.sum())
    return round(1 / ((error / c) ** 2 + 1 / items) / labels, 6)
