"""Regret of choosing the leader after 10, 25, 50 and 100 labels, and whether what is said of it is true.

    python -m altmas.experiments.best.regret --data DIR --rows rows.csv [--seeds 20] [--first-seed 1000] [--jobs 2]

A row per pool, method, seed and number of labels: the points of accuracy lost by choosing the leader, its P(best), the
expected loss and its bound, and how many of the intervals hold the truth. `report` makes the page.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

import altmas
from altmas.core.contest import HOPELESS
from altmas.core.result import ContestResult
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import (
    data_option,
    jobs_option,
    need_data,
    rows_option,
    seeds_option,
    smoke_option,
)
from altmas.experiments.best.model_pools import FILES, GENERATED, load_model_pool

METHODS = ("certified", "random", "coda", "model-selector")
LABELS = (10, 25, 50, 100)


def one_run(pool: str, method: str, seed: int, labels: int, data: Path | None) -> dict[str, Any]:
    """One assessment, and how true what it says is."""
    of = load_model_pool(pool, data)
    found = altmas.assess(
        of.predictions, oracle=of.labels, classes=range(of.classes), task="best", method=method, budget=labels,
        seed=seed, progress=False,
    )  # fmt: skip
    assert isinstance(found, ContestResult)
    lead, table, truth = found.contest.leading, found.best.set_index("model"), of.accuracy
    place = int(found.leader[1:])
    accuracy = {f"m{k}": float(one) for k, one in enumerate(truth)}
    inside = [table["low"][name] - 1e-9 <= value <= table["high"][name] + 1e-9 for name, value in accuracy.items()]
    gaps = {name: truth[place] - value for name, value in accuracy.items() if name != found.leader}
    held = [table["behind_low"][n] - 1e-9 <= gap <= table["behind_high"][n] + 1e-9 for n, gap in gaps.items()]
    near = [h for n, h in zip(gaps, held, strict=True) if table["p_best"][n] >= HOPELESS]
    return {
        "regret": 100 * float(truth.max() - truth[place]), "p_best": lead.p_best,
        "expected_loss": 100 * lead.expected_loss, "loss_bound": 100 * lead.loss_bound,
        "accuracies_held": float(np.mean(inside)), "gaps_held": float(np.mean(held)),
        "contenders": len(near), "contenders_held": float(np.mean(near)) if near else float("nan"),
    }  # fmt: skip


@click.command()
@data_option
@seeds_option(20)
@click.option("--first-seed", default=0, show_default=True, help="The first of the seeds.")
@click.option("--pools", help="With commas; all of them unless said.")
@click.option("--methods", default=",".join(METHODS), show_default=True, help="With commas.")
@rows_option
@smoke_option
@jobs_option
def main(
    data: Path | None, seeds: int, first_seed: int, pools: str | None, methods: str, rows: Path | None, smoke: bool,
    jobs: int,
) -> None:  # fmt: skip
    """Run what the rows do not have yet, and print the mean regret."""
    need_data(data, smoke)
    names = [GENERATED] if smoke else (pools.split(",") if pools else list(FILES))
    cases = [
        Case(
            {"pool": pool, "method": method, "seed": seed, "labels": labels},
            partial(one_run, pool, method, seed, labels, data),
        )
        for pool in names
        for method in methods.split(",")
        for seed in range(first_seed, first_seed + (2 if smoke else seeds))
        for labels in (LABELS[:2] if smoke else LABELS)
    ]
    table = run_cases(cases, rows, jobs)
    click.echo(table.pivot_table("regret", ["pool", "method"], "labels").round(2).to_string())


if __name__ == "__main__":
    main()
