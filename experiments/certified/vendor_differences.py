"""Two vendors compared from one label stream: the certified difference against random sampling's paired one.

    python -m altmas.experiments.certified.vendor_differences --data DIR [--seeds 20]

For every pair of services of a file, the RMSE of the difference of their accuracies at 400 labels, relative to that of
the difference on as many random answers; and the coverage of the certified interval.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path

import click
import numpy as np
from scipy.stats import gmean

import altmas
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import data_option, jobs_option, rows_option, seeds_option
from altmas.experiments.data.audit_pools import audit_pool_names, load_audit_pool


def compare(first: str, second: str, data: Path, seeds: int, budget: int) -> dict[str, object]:
    """One pair of services."""
    a, b = load_audit_pool(first, data), load_audit_pool(second, data)
    labels = np.asarray(a.labels)
    said, sure = {"a": a.predictions, "b": b.predictions}, {"a": a.scores, "b": b.scores}
    gap = (np.asarray(a.predictions) == labels).astype(float) - (np.asarray(b.predictions) == labels)
    errors, covered = [], []
    for seed in range(seeds):
        found = altmas.assess(
            said, sure, classes=a.classes, oracle=labels, metrics="accuracy", budget=budget, batch=10, seed=seed,
            progress=False,
        )  # fmt: skip
        assert isinstance(found, altmas.CertifiedResult)
        row = found.differences.iloc[0]
        errors.append(row["estimate"] - gap.mean())
        covered.append(row["low"] <= gap.mean() <= row["high"])
    left = 1 - budget / len(labels)
    by_chance = np.sqrt(gap.var() / budget * left)  # the exact RMSE of a mean over random answers
    ratio = float(np.sqrt(np.mean(np.square(errors))) / by_chance)
    return {"relative_rmse": ratio, "coverage": float(np.mean(covered))}


@click.command()
@data_option
@seeds_option(20)
@click.option("--budget", default=400, show_default=True, help="Labels.")
@rows_option
@jobs_option
def main(data: Path | None, seeds: int, budget: int, rows: Path | None, jobs: int) -> None:
    """Print the table and the geometric mean."""
    if data is None:
        raise click.UsageError("Give --data.")
    names = audit_pool_names("vendor")
    pairs = [(x, y) for x, y in combinations(names, 2) if x.split("/")[0] == y.split("/")[0]]
    cases = [
        Case({"first": x, "second": y, "seeds": seeds, "budget": budget}, partial(compare, x, y, data, seeds, budget))
        for x, y in pairs
    ]
    table = run_cases(cases, rows, jobs)
    click.echo(table.round(3).to_string(index=False))
    error, covered = gmean(table["relative_rmse"]), table["coverage"].mean()
    click.echo(f"geometric mean {error:.3f}, coverage {covered:.3f}, {seeds} runs per pair")


if __name__ == "__main__":
    main()
