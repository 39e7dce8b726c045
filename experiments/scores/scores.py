"""Metrics of scores, certified beside random sampling: error, coverage and width.

    python -m altmas.experiments.scores.scores --data DIR --rows rows.csv [--seeds 40] [--first-seed 1000] [--jobs 2]

Nine models on CivilComments, M-MNIST-ES, and three models on an embedding of Fashion-MNIST; 400 labels, the other
models as opinions. A row per pool, opinions (`all` or `none`), seed and metric. `spread` is random sampling's error, as
many draws of as many labels have it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click
import numpy as np
import pandas as pd

import altmas
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import (
    data_option,
    jobs_option,
    need_data,
    rows_option,
    seeds_option,
    smoke_option,
)
from altmas.experiments.scores.pools import OF_MANY, OF_TWO, POOLS, models_of, truth_and_spread

LABELS = 400


def one_run(pool: str, opinions: str, seed: int, data: Path | None, labels: int = LABELS) -> pd.DataFrame:
    """One assessment: each metric's estimate and interval, the truth, and random sampling's error."""
    given = models_of(pool, data)
    classes = given.scores.shape[1]
    names = OF_TWO if classes == 2 else OF_MANY
    found = altmas.assess(
        given.scores.argmax(1), given.scores, oracle=given.truth, classes=range(classes), metrics=names, budget=labels,
        opinions=given.others if opinions == "all" else None, seed=seed, progress=False,
    ).estimates  # fmt: skip
    known = truth_and_spread(pool, data, labels)
    told = found[["metric", "estimate", "low", "high", "plug_in", "design"]]
    return told.assign(truth=[known[one][0] for one in names], spread=[known[one][1] for one in names])


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Error relative to random sampling's, coverage, bias in its own standard errors, and the width.

    `width` is a share of the shortest interval that would hold 95% of the time, of an estimate with this error;
    `of_design` the same of the design-based estimate's, which is not drawn to the belief.
    """
    table = table.assign(error=table["estimate"] - table["truth"], wide=table["high"] - table["low"])
    table["alone"] = table["design"] - table["truth"]
    table["held"] = (table["low"] <= table["truth"] + 1e-12) & (table["truth"] <= table["high"] + 1e-12)
    by = table.groupby(["metric", "opinions", "pool"])
    rmse, alone = (np.sqrt(by[name].agg(lambda one: np.mean(np.square(one)))) for name in ("error", "alone"))
    out = pd.DataFrame({"of_random": rmse / by["spread"].first(), "held": by["held"].mean()})
    out["bias_z"] = by["error"].mean() / (by["error"].std() / np.sqrt(by.size()))
    wide = by["wide"].mean() / (2 * 1.96)
    return out.assign(width=wide / rmse, of_design=wide / alone, runs=by.size())


@click.command()
@data_option
@seeds_option(40)
@click.option("--first-seed", default=0, show_default=True, help="The first of the seeds.")
@click.option("--pools", default=",".join(POOLS), show_default=True, help="With commas.")
@click.option("--opinions", default="all,none", show_default=True, help="With commas.")
@rows_option
@smoke_option
@jobs_option
def main(
    data: Path | None, seeds: int, first_seed: int, pools: str, opinions: str, rows: Path | None, smoke: bool, jobs: int
) -> None:
    """Run what the rows do not have yet, and print errors, coverage and widths."""
    need_data(data, smoke)
    labels = 60 if smoke else LABELS
    cases = [
        Case(
            {"pool": pool, "opinions": told, "seed": seed},
            partial(one_run, pool, told, seed, None if smoke else data, labels),
        )
        for seed in range(first_seed, first_seed + (2 if smoke else seeds))
        for pool in (["digits"] if smoke else pools.split(","))
        for told in opinions.split(",")
    ]
    found = summary(run_cases(cases, rows, jobs))
    click.echo(found.round(3).to_string())
    weights = found["runs"]
    overall = found.assign(of_random=np.log(found["of_random"])).groupby(["metric", "opinions"])
    click.echo(
        overall.apply(
            lambda one: pd.Series(
                {
                    "of_random": np.exp(one["of_random"].mean()),
                    "held": np.average(one["held"], weights=weights[one.index]),
                    "width": one["width"].mean(),
                    "of_design": one["of_design"].mean(),
                }
            )
        ).round(3).to_string()
    )  # fmt: skip


if __name__ == "__main__":
    main()
