"""One exploration batch of an accuracy surface at 4,096 arms: a warm update against fitting anew; and peak memory.

A batch is all that passes between two sets of 12 labels: counts, update, variances, choice of arms and items. Anew, the
update is a fit from the start, with the training loop already compiled; compiling comes on top, and is shown apart.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from altmas.experiments.surface.pools import WorldSpec, draw_world
from altmas.surfaces.exploration import arm_order, choose_queries
from altmas.surrogates.surface.affiliation import Affiliation
from altmas.surrogates.surface.estimators import GP_KINDS, GPSurface, SurfaceSettings


def batch(world, surface, belongs, labelled, rng, anew):
    """Take in the answers so far, and choose the next 12 items; seconds."""
    start = time.perf_counter()
    items = np.flatnonzero(labelled)
    right, wrong = belongs.counts(items, world.right[items], world.arms.size)
    if anew:
        surface.fit(right, wrong, rng=rng)
    else:
        surface.update(right, wrong)
    _, variance = surface.moments()
    asked = choose_queries(arm_order("variance", variance, right + wrong, rng), belongs, labelled, rng)
    took = time.perf_counter() - start
    labelled[asked.items] = True
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few arms and steps, to see that it runs")
    smoke = parser.parse_args().smoke
    attributes, items, rounds = (4, 500, 1) if smoke else (12, 100_000, 5)
    settings = SurfaceSettings(steps=40, update_steps=2, inducing=8) if smoke else SurfaceSettings()
    rng = np.random.default_rng(0)
    world = draw_world(WorldSpec(attributes=attributes, items=items), rng)
    belongs = Affiliation.exact(world.arms.index)
    labelled = np.zeros(items, bool)
    labelled[rng.choice(items, 100, replace=False)] = True
    surface = GPSurface(world.arms.features, GP_KINDS["betagp-slp"], settings)
    right, wrong = belongs.counts(np.flatnonzero(labelled), world.right[labelled], world.arms.size)
    start = time.perf_counter()
    surface.fit(right, wrong, rng=rng)
    first = time.perf_counter() - start
    anew = batch(world, surface, belongs, labelled, rng, True)
    warm = float(np.median([batch(world, surface, belongs, labelled, rng, False) for _ in range(rounds)]))
    start = time.perf_counter()
    surface.posterior()
    intervals = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{world.arms.size:,} arms, all fitted, {items:,} items, BetaGP-SLP, {settings.inducing} inducing points")
    print(f"a batch fitted anew: {anew:.1f} s ({first:.1f} s the first time, with compiling)")
    print(f"a batch with a warm update: {warm:.2f} s; intervals of all arms: {intervals:.2f} s")
    print(f"peak memory: {peak:.2f} GiB")
    print(f"ratio: {anew / warm:.1f} times faster")


if __name__ == "__main__":
    main()
