"""Curves of mean reciprocal rank and what is read off them: after which share of the labels the classes are identified.

"Identified" can be read in three ways, and all are stored: `crossed`, the mean curve stays above 0.99 from there on;
`first` and `held`, means over the runs of when a run's own rank first exceeds 0.99, and of when it does so for good.
The paper's text fits the first two, its numbers the first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from altmas.bandits.rewards import ArmTask
from altmas.experiments.active_bayesian import ranking
from altmas.experiments.active_bayesian.groups import Effort
from altmas.metrics.types import FloatArray, IntArray

SHOWN = 50
"""Points of a stored curve."""

RESAMPLES = 200
OF_POOL = ", of the pool"


def passages(at: Sequence[int], mrr: FloatArray, seed: int = 0) -> pd.DataFrame:
    """Per cent of the labels needed, in the three readings: `measure`, `mean`, `se`.

    >>> passages([10, 20, 30, 40], np.array([[1.0, 1.0], [0.5, 1.0], [1.0, 1.0], [1.0, 1.0]])).round(1)["mean"].tolist()
    [75.0, 25.0, 50.0]
    """
    percent = 100 * np.append(np.array(at) / at[-1], np.nan)
    above = mrr > ranking.IDENTIFIED
    first = percent[np.where(above.any(0), above.argmax(0), len(at))]
    held = percent[len(at) - np.where(above[::-1].all(0), len(at), (~above[::-1]).argmax(0))]
    crossed = 100 * ranking.labels_needed(at, mrr)
    rng = np.random.default_rng(seed)  # of the resampled runs, whose spread is the error of the crossing
    runs = mrr.shape[1]
    again = [ranking.labels_needed(at, mrr[:, rng.integers(runs, size=runs)]) for _ in range(RESAMPLES * (runs > 1))]
    spread = 100 * float(np.nanstd(again)) if np.isfinite(again).any() else np.nan
    rows = [("crossed", crossed, spread), ("first", *_mean(first)), ("held", *_mean(held))]
    return pd.DataFrame(rows, columns=pd.Index(["measure", "mean", "se"]))


def _mean(values: FloatArray) -> tuple[float, float]:
    """Mean and standard error; runs that never get there count as all labels, which is what they spend."""
    values = np.where(np.isnan(values), 100.0, values)
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def curve(at: Sequence[int], values: FloatArray, measure: str) -> pd.DataFrame:
    """At most `SHOWN` points of a mean curve with standard errors."""
    keep = np.unique(np.linspace(0, len(at) - 1, min(SHOWN, len(at))).round().astype(int))
    runs = values.shape[1]
    error = values.std(-1, ddof=1) / np.sqrt(runs) if runs > 1 else np.full(len(values), np.nan)
    found = {"measure": measure, "labels": np.array(at)[keep], "mean": values.mean(-1)[keep], "se": error[keep]}
    return pd.DataFrame(found)


def identified(
    truth: IntArray, theta: FloatArray, task: ArmTask, m: int, way: ranking.Way, effort: Effort,
    pooled: ranking.Estimator | None = None, pool_curve: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """All labels spent: the curve of mean reciprocal rank, and the labels needed; the same ranked by the pool."""
    measures = [ranking.mrr_of(task, theta, m, by) for by in (None, pooled or ranking.of_pool(truth.sum(-1)))]
    at, mrr = way.spend(truth, task, m, measures, effort)
    parts = [curve(at, mrr[0], "mrr"), passages(at, mrr[0])]
    of_pool = passages(at, mrr[1])
    parts.append(of_pool.assign(measure=of_pool["measure"] + OF_POOL))
    if pool_curve:
        parts.append(curve(at, mrr[1], "mrr" + OF_POOL))
    return tidy(pd.concat(parts, ignore_index=True))


def tidy(rows: pd.DataFrame, digits: int = 5) -> pd.DataFrame:
    """Numbers of so many significant digits, so that rows are small and the same on every machine.

    >>> tidy(pd.DataFrame({"mean": [1 / 3, 12345.678]}))["mean"].tolist()
    [0.33333, 12346.0]
    """
    numbers = rows.columns[rows.dtypes == np.float64]
    return rows.assign(**{str(name): [rounded(one, digits) for one in rows[name]] for name in numbers})


def rounded(value: float, digits: int = 5) -> float:
    """To significant digits."""
    return float(f"{value:.{digits}g}")
