"""Do the 95% intervals of an accuracy surface hold? Simulated surfaces with known truth, coverage over active arms.

    python -m altmas.experiments.surface.simulated --seeds 10

Truth: a smooth surface over binary attributes (a Gaussian process on the logit, of a length and spread that the
estimator is not told), each arm departing from it by a Beta of scale 8 to 100, or of 2 (`scattered`, where arms are
hardly alike); labels at random, evenly over the arms, or nine in ten of them in half of the arms. `overall` is the
accuracy over all items, from draws of the whole surface.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from altmas.core.streams import stream
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import rows_option, seeds_option, smoke_option
from altmas.experiments.surface.pools import ALLOCATIONS, WorldSpec, allocate, draw_world
from altmas.surfaces.recipe import usual_settings
from altmas.surrogates.surface.arm_posterior import SurfaceEstimator
from altmas.surrogates.surface.estimators import SURFACES, GPSurface, SurfaceSettings, make_surface

WORLDS = {
    "plain": WorldSpec(attributes=6),
    "rough": WorldSpec(attributes=6, scale=8.0, spread=0.5),
    "smooth": WorldSpec(attributes=6, scale=100.0, spread=1.5),
    "accurate": WorldSpec(attributes=6, level=0.93),
    "scattered": WorldSpec(attributes=6, scale=2.0),
}
WORLD_LABELS = (30, 150, 400, 1500)


def run_one(estimators: dict[str, SurfaceEstimator], world_name: str, labels: int, how: str, seed: int) -> pd.DataFrame:
    """Every estimator on one simulated surface. Those with a compiled loop are kept in `estimators` and fitted anew."""
    rng = stream(seed, "surface", world_name, labels, how)
    world = draw_world(WORLDS[world_name], rng)
    items = allocate(world, labels, how, rng)
    right, wrong = world.arms.counts(items, world.right[items])
    active, rows = world.arms.active(), []
    for name, surface in estimators.items():
        if isinstance(surface, GPSurface):
            surface.supported = active
        surface.fit(right, wrong, rng=rng)
        p = surface.posterior(0.95)
        share = world.arms.support / world.arms.support.sum()
        low, high = np.quantile(surface.draw(2000, rng) @ share, [0.025, 0.975])
        rows.append(
            {
                "method": name, "arms": int(active.sum()), "inside": int(world.inside(p).sum()),
                "width": float((p.high - p.low)[active].mean()), "macro": world.macro(p.mean),
                "overall": low <= world.truth @ share <= high, "overall width": high - low,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def table(rows: pd.DataFrame) -> str:
    """Coverage, width and 100 x macro error by method, world and number of labels; coverage of overall accuracy."""
    groups = rows.groupby(["method", "world", "labels"])
    means = groups[["width", "macro", "overall", "overall width"]].mean()
    means.insert(0, "coverage", groups["inside"].sum() / groups["arms"].sum())
    return means.round(3).to_string()


@click.command()
@seeds_option(10)
@click.option("--methods", default="betagp-slp", show_default=True, help=f"With commas: {', '.join(SURFACES)}.")
@click.option("--paper", is_flag=True, help="The paper's settings, and its belief: the surface alone.")
@rows_option
@smoke_option
def main(seeds: int, methods: str, paper: bool, rows: Path | None, smoke: bool) -> None:
    """Print coverage over active arms."""
    small: dict[str, Any] = {"steps": 20, "inducing": 8} if smoke else {}
    features = draw_world(next(iter(WORLDS.values())), np.random.default_rng(0)).arms.features
    estimators = {}
    for name in methods.split(","):
        settings = replace(SurfaceSettings(), own_answers=False) if paper else usual_settings(name)
        estimators[name] = make_surface(name, features, replace(settings, **small))
    drawn = [("plain", 150, "random")] if smoke else product(WORLDS, WORLD_LABELS, ALLOCATIONS)
    cases = (
        Case(
            {"world": world, "labels": labels, "how": how, "seed": seed, "methods": methods, "paper": int(paper)},
            partial(run_one, estimators, world, labels, how, seed),
        )
        for (world, labels, how), seed in product(drawn, range(1 if smoke else seeds))
    )
    found = run_cases(cases, rows)
    click.echo(table(found))
    for method, part in found.groupby("method"):
        inside, arms = part[["inside", "arms"]].sum()
        active = f"{method}: {inside / arms:.1%} of {arms:,} active arms inside their 95% interval"
        click.echo(f"{active}; overall accuracy in {part['overall'].mean():.1%} of {len(part):,} runs")


if __name__ == "__main__":
    main()
