"""Two vendors compared from one label stream: the certified difference against random sampling's paired one.

    python -m altmas.experiments.certified.vendor_differences --data DIR [--seeds 20]

For every pair of services of a file, the RMSE of the difference of their accuracies at 400 labels, relative to that of
the difference on as many random answers; and the coverage of the certified interval.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import click
import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from altmas.certified.estimator import Estimator
from altmas.certified.method import Certified, CertifiedRun
from altmas.certified.models import differences
from altmas.core.loop import Plan, rounds
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.experiments.data.audit_pools import audit_pool_names, load_audit_pool
from altmas.metrics import metrics_named


def compare(first: str, second: str, data: Path, seeds: int, budget: int) -> dict[str, object]:
    """One pair of services."""
    a, b = load_audit_pool(first, data), load_audit_pool(second, data)
    labels = np.asarray(a.labels)
    pool = Pool.build(
        {"a": a.predictions, "b": b.predictions}, scores={"a": a.scores, "b": b.scores}, classes=a.classes
    )
    gap = (np.asarray(a.predictions) == labels).astype(float) - (np.asarray(b.predictions) == labels)
    wanted = tuple(metrics_named(["accuracy"], pool.classes))
    known = labels.tolist()
    errors, covered = [], []
    for seed in range(seeds):
        *_, last = rounds(Job(pool, wanted, seed), Certified(), lambda item: known[item], Plan(budget, 50, 10, 0.95))
        assert isinstance(last.run, CertifiedRun)
        row = differences(Estimator(pool, last.run.sample(), 0.95), wanted).iloc[0]
        errors.append(row["estimate"] - gap.mean())
        covered.append(row["low"] <= gap.mean() <= row["high"])
    left = 1 - budget / pool.size
    by_chance = np.sqrt(gap.var() / budget * left)  # the exact RMSE of a mean over random answers
    ratio = float(np.sqrt(np.mean(np.square(errors))) / by_chance)
    return {"first": first, "second": second, "relative_rmse": ratio, "coverage": float(np.mean(covered))}


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seeds", default=20, show_default=True, help="Runs per pair.")
@click.option("--budget", default=400, show_default=True, help="Labels.")
@click.option("--jobs", default=1, show_default=True, help="Processes.")
def main(data: Path, seeds: int, budget: int, jobs: int) -> None:
    """Print the table and the geometric mean."""
    names = audit_pool_names("vendor")
    pairs = [(x, y) for x, y in combinations(names, 2) if x.split("/")[0] == y.split("/")[0]]
    table = pd.DataFrame(Parallel(n_jobs=jobs)(delayed(compare)(x, y, data, seeds, budget) for x, y in pairs))
    click.echo(table.round(3).to_string(index=False))
    mean = float(np.exp(np.log(table["relative_rmse"]).mean()))
    click.echo(f"geometric mean {mean:.3f}, coverage {table['coverage'].mean():.3f}, {seeds} runs per pair")


if __name__ == "__main__":
    main()
