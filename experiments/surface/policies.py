"""What it costs a surface that its labels also serve the whole pool: certified, random and exploring labels compared.

    python -m altmas.experiments.surface.policies --data DIR --pool adult --budget 500 --seeds 10

`certified` draws items by worth for the pool's accuracy, and its surface counts each label by its chance to be drawn;
`random` draws uniformly; `surface` explores the arms of highest variance. All run through `altmas.assess`, as a user
would. Macro error (times 100) and coverage are of the arms; `off` is how far the estimate of overall accuracy lies from
the truth (root mean square, times 100), `held` how often its 95% interval holds it.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from pathlib import Path

import click
import numpy as np
import pandas as pd

import altmas
from altmas.core.streams import stream
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import study_options
from altmas.experiments.surface.pools import SurfacePool, load_surface_pool
from altmas.experiments.surface.runs import covered
from altmas.surfaces.membership import Membership
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.result import SurfaceResult
from altmas.surrogates.surface.affiliation import Affiliation

POLICIES = ("random", "certified", "surface")


def run_policy(pool: SurfacePool, policy: str, budget: int, recipe: SurfaceRecipe, seed: int) -> dict[str, float]:
    """One audit of a pool whose labels are known.

    >>> list(run_policy(load_surface_pool("smoke", None), "random", 60, SurfaceRecipe("beta-i"), 0))
    ['macro', 'covered', 'off', 'held']
    """
    where = Membership(pool.arms, Affiliation.exact(pool.arms.index), pool.arms.support.astype(np.float64))
    found = altmas.assess(
        pool.predictions, pool.scores, oracle=pool.labels, metrics="accuracy", method=policy, task="surface", by=where,
        estimator=recipe, budget=budget, seed=seed, progress=False,
    )  # fmt: skip
    truth, (_, row) = pool.right.mean(), next(found.estimates.iterrows())
    assert isinstance(found, SurfaceResult)
    return {
        "macro": pool.macro(found.fitted.posterior.mean),
        "covered": 100 * covered(found.fitted.draws, pool, stream(seed, "surface", pool.name, "covered")),
        "off": 100 * (row["estimate"] - truth),
        "held": 100.0 * (row["low"] <= truth <= row["high"]),
    }


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds; of `off` the root mean square.

    >>> rows = pd.DataFrame({"policy": "random", "macro": [1.0, 3.0], "covered": 95.0, "off": [3.0, -4.0], "held": 100})
    >>> summary(rows).loc["random"].round(2).tolist()
    [2.0, 95.0, 3.54, 100.0]
    """
    squared = rows.assign(off=np.square(rows["off"]))
    means = squared.groupby("policy", sort=False)[["macro", "covered", "off", "held"]].mean()
    return means.assign(off=np.sqrt(means["off"]))


@click.command()
@study_options(10)
@click.option("--pool", "name", default="adult", show_default=True, help="celeba, adult, compas, simulated.")
@click.option("--budget", default=500, show_default=True, type=click.IntRange(1))
@click.option("--estimator", default="betagp", show_default=True)
def main(data: Path | None, name: str, budget: int, seeds: int, estimator: str, rows: Path | None, smoke: bool) -> None:
    """Print a row per policy."""
    if smoke:
        name, budget, seeds, estimator = "smoke", 80, 2, "beta-i"
    pool, recipe = load_surface_pool(name, data), SurfaceRecipe(estimator)
    click.echo(f"{pool.describe()}\n{budget:,} labels, {estimator}, seeds 0-{seeds - 1}\n")
    cases = (
        Case(
            {"pool": pool.name, "policy": policy, "budget": budget, "estimator": estimator, "seed": seed},
            partial(run_policy, pool, policy, budget, recipe, seed),
        )
        for policy, seed in product(POLICIES, range(seeds))
    )
    click.echo(summary(run_cases(cases, rows)).round(2).to_string())


if __name__ == "__main__":
    main()
