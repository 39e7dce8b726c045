"""Do the 95% intervals of an accuracy surface hold? Simulated surfaces with known truth, coverage over active arms.

    python -m altmas.experiments.surface_simulated --seeds 10

Truth: a smooth surface over binary attributes (a Gaussian process on the logit, of a length and spread that the
estimator is not told), each arm departing from it by a Beta of scale 8 to 100; labels at random, evenly over the arms,
or nine in ten of them in half of the arms.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import click
import numpy as np
import pandas as pd

from altmas.experiments.surface_worlds import ALLOCATIONS, WorldSpec, allocate, draw_world
from altmas.streams import stream
from altmas.surface import usual_settings
from altmas.surface_errors import surface_errors
from altmas.surrogates.arm_posterior import SurfaceEstimator
from altmas.surrogates.surface_estimators import SURFACES, GPSurface, SurfaceSettings, make_surface

WORLDS = {
    "plain": WorldSpec(attributes=6),
    "rough": WorldSpec(attributes=6, scale=8.0, spread=0.5),
    "smooth": WorldSpec(attributes=6, scale=100.0, spread=1.5),
    "accurate": WorldSpec(attributes=6, level=0.93),
}
LABELS = (150, 400, 1500)


def run_one(
    estimators: dict[str, SurfaceEstimator], world_name: str, labels: int, how: str, seed: int
) -> list[dict[str, object]]:
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
        inside = (p.low <= world.rho) & (world.rho <= p.high)
        rows.append(
            {
                "world": world_name, "labels": labels, "how": how, "seed": seed, "method": name,
                "arms": int(active.sum()), "inside": int(inside[active].sum()),
                "width": float((p.high - p.low)[active].mean()),
                "macro": 100 * surface_errors(p.mean, world.rho, world.arms.support).macro,
            }
        )  # fmt: skip
    return rows


def table(rows: pd.DataFrame) -> str:
    """Coverage, width and 100 x macro error by method and case."""
    sums = rows.groupby(["method", "world", "labels", "how"]).agg(
        inside=("inside", "sum"), arms=("arms", "sum"), width=("width", "mean"), macro=("macro", "mean")
    )
    sums["coverage"] = sums["inside"] / sums["arms"]
    return sums[["coverage", "width", "macro"]].round(3).to_string()


@click.command()
@click.option("--seeds", default=10, show_default=True, type=click.IntRange(1))
@click.option("--methods", default="betagp-slp", show_default=True, help=f"With commas: {', '.join(SURFACES)}.")
@click.option("--paper", is_flag=True, help="The paper's settings, and its belief: the surface alone.")
@click.option("--smoke", is_flag=True, help="One small case, few steps, to see that it runs.")
def main(seeds: int, methods: str, paper: bool, smoke: bool) -> None:
    """Print coverage over active arms."""
    settings = replace(SurfaceSettings(), own_answers=False) if paper else usual_settings()
    if smoke:
        settings = replace(settings, steps=20, inducing=8)
    features = draw_world(next(iter(WORLDS.values())), np.random.default_rng(0)).arms.features
    estimators = {name: make_surface(name, features, settings) for name in methods.split(",")}
    cases = [("plain", 150, "random")] if smoke else list(product(WORLDS, LABELS, ALLOCATIONS))
    rows = [
        row
        for world, labels, how in cases
        for seed in range(1 if smoke else seeds)
        for row in run_one(estimators, world, labels, how, seed)
    ]
    found = pd.DataFrame(rows)
    click.echo(table(found))
    for name, part in found.groupby("method"):
        share = part["inside"].sum() / part["arms"].sum()
        click.echo(f"{name}: {share:.1%} of {part['arms'].sum():,} active arms inside their 95% interval")


if __name__ == "__main__":
    main()
