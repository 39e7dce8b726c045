"""Noisy attributes: the accuracy surface by a calibrated P(a|x), against that by predicted attributes.

    python -m altmas.experiments.surface.soft --seeds 5
    python -m altmas.experiments.surface.soft --seeds 3 --data DIR --pool celeba

Attributes have predictors that are 80-90% accurate and overconfident by a factor of 2 to 6; 300 items (`--start`) with
known attributes and labels to begin with; 1,200 more labels (`--more`) either for items at random, or as Algorithm 1
takes them: arm after arm, the item that most surely belongs there. Errors are 100 x macro MSE over active arms, beside
them the percentage of active arms inside their 95% interval.

`soft` spreads an answer over arms by P(a|x), as the paper does; `drawn`, which is what the product does, draws each
answer's arm in turn with the surface (`altmas.surrogates.surface.imputed_surface`).

`generated` has six correlated binary attributes and a surface of known truth. Any pool of `surface.pools` may stand in:
its attributes and the service's errors are real then, the predictors are simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

from altmas.core.streams import stream
from altmas.experiments.bench.options import data_option, seeds_option, smoke_option
from altmas.experiments.surface.pools import SurfacePool, known_surface, load_surface_pool
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray
from altmas.surfaces.combinations import Combinations
from altmas.surfaces.exploration import choose_queries
from altmas.surfaces.recipe import draws_for, usual_settings
from altmas.surrogates.surface.affiliation import Affiliation
from altmas.surrogates.surface.arm_posterior import SurfaceEstimator
from altmas.surrogates.surface.attribute_calibration import calibrate
from altmas.surrogates.surface.estimators import GPSurface, make_surface
from altmas.surrogates.surface.imputed_surface import ImputedSurface

ATTRIBUTES, ITEMS = 6, 10_000
PREDICTOR_ACCURACY = (0.8, 0.9)
SOFT_METHODS = ("beta-i", "betagp", "betagp-slp")
WAYS = ("true", "predicted", "soft", "drawn")
GENERATED = "generated"


@dataclass(frozen=True, eq=False)
class NoisyWorld:
    """A pool by true attributes, and the predictors' scores."""

    pool: SurfacePool
    scores: list[FloatArray]

    @property
    def said(self) -> IntArray:
        """The arm of each item by predicted attributes."""
        return self.pool.arms.find(np.column_stack([table.argmax(1) for table in self.scores]))


def draw_noisy_world(rng: np.random.Generator, items: int = ITEMS) -> NoisyWorld:
    """Attributes from three shared factors; scores from a normal signal, sharpened by a factor nobody is told.

    >>> world = draw_noisy_world(np.random.default_rng(0), 500)
    >>> bool(0.25 < (world.said == world.pool.arms.index).mean() < 0.6)
    True
    """
    latent = 0.7 * rng.standard_normal((items, 3)) @ rng.standard_normal((3, ATTRIBUTES))
    values = (latent + rng.standard_normal(latent.shape) + rng.uniform(-0.8, 0.3, ATTRIBUTES) > 0).astype(int)
    values[:2] = [[0] * ATTRIBUTES, [1] * ATTRIBUTES]  # both values occur
    arms = Combinations.build({f"a{k}": values[:, k] for k in range(ATTRIBUTES)})
    x = arms.features
    smooth = expit(1 + (x - 0.3) @ rng.normal(0, 0.8, ATTRIBUTES) + 0.7 * x[:, 0] * x[:, 1])
    rho = rng.beta(20 * smooth, 20 * (1 - smooth))
    return with_predictors(known_surface(arms, rho, rng), rng)


def noisy_scores(arms: Combinations, rng: np.random.Generator) -> list[FloatArray]:
    """Logits `[N, 2]` of two-valued attributes: right in 80-90% of the items, and surer of it than they may be.

    >>> rng = np.random.default_rng(0)
    >>> said = noisy_scores(Combinations.build({"hat": [0, 1] * 500}), rng)[0].argmax(1)
    >>> bool(0.75 < np.mean(said == [0, 1] * 500) < 0.95)
    True
    """
    if any(len(one.values) != 2 for one in arms.attributes):
        raise InputError("attributes", "have two values each", ", ".join(arms.names))
    values = arms.codes[arms.index]
    spread = 1 / ndtri(rng.uniform(*PREDICTOR_ACCURACY, values.shape[1]))
    signal = 2 * values - 1 + spread * rng.standard_normal(values.shape)
    logits = rng.uniform(2, 6, values.shape[1]) * 2 * signal / spread**2
    return [np.column_stack([np.zeros(len(values)), column]) for column in logits.T]


def with_predictors(pool: SurfacePool, rng: np.random.Generator) -> NoisyWorld:
    """A pool whose attributes nobody wrote down."""
    return NoisyWorld(pool, noisy_scores(pool.arms, rng))


def run_one(
    world: NoisyWorld, estimators: dict[str, SurfaceEstimator], start_with: int, more: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Errors on one world, by method, attributes and choice of items."""
    pool, arms = world.pool, world.pool.arms
    size = len(pool.right)
    start = rng.choice(size, start_with, replace=False)
    truth = arms.codes[arms.index[start]]
    fit = calibrate(world.scores, start, truth, arms.codes, rng=rng)
    ways = {
        "true": Affiliation.exact(arms.index),
        "predicted": Affiliation.exact(world.said).with_known(start, arms.index[start]),
        "soft": fit.affiliation(world.scores, arms.codes).with_known(start, arms.index[start]),
    }
    labelled, rows = np.isin(np.arange(size), start), []
    by_chance = rng.choice(np.flatnonzero(~labelled), more, replace=False)
    for attributes, belongs in ways.items():
        by_arm = choose_queries(rng.permutation(arms.size), belongs, labelled, rng, more).items
        for how, chosen in (("random", by_chance), ("surest of each arm", by_arm)):
            items = np.concatenate([start, chosen])
            answers = belongs.answers(items, pool.right[items], arms.size)
            for name, surface in estimators.items():
                found = {attributes: surface.fit(*answers.expected(), rng=rng).posterior()}
                if attributes == "soft":
                    drawn = ImputedSurface(surface, draws_for(arms.size))
                    found["drawn"] = drawn.fit(answers, rng=rng).posterior()
                key = {"method": name, "items": how}
                for way, p in found.items():
                    covered = 100 * float(pool.inside(p).mean())
                    rows.append({**key, "attributes": way, "macro": pool.macro(p.mean), "covered": covered})
    return rows


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds, ways to know attributes across; on how many seeds soft and drawn are below predicted."""
    each = rows.pivot(index=["method", "items", "seed"], columns="attributes", values=["macro", "covered"])
    ways = [(what, way) for what in ("macro", "covered") for way in WAYS]
    mean = each.groupby(["method", "items"]).mean().reindex(columns=ways)
    for way in ("soft", "drawn"):
        better = each["macro"][way] < each["macro"]["predicted"]
        mean["seeds won", way] = better.groupby(["method", "items"]).sum()
    return mean


@click.command()
@seeds_option(5)
@data_option
@click.option("--pool", "name", default=GENERATED, show_default=True, help="generated, or a pool of binary attributes.")
@click.option("--start", default=300, show_default=True, type=click.IntRange(10), help="Items of known attributes.")
@click.option("--more", default=1200, show_default=True, type=click.IntRange(1), help="Labels beside theirs.")
@click.option("--methods", default=",".join(SOFT_METHODS), show_default=True)
@smoke_option
def main(seeds: int, data: Path | None, name: str, start: int, more: int, methods: str, smoke: bool) -> None:
    """Print 100 x macro MSE and coverage by attributes."""
    small: dict[str, Any] = {"steps": 5, "inducing": 4} if smoke else {}
    seeds, start, more = (1, 40, 60) if smoke else (seeds, start, more)
    draw = partial(draw_noisy_world, items=400 if smoke else ITEMS)
    if name != GENERATED:
        draw = partial(with_predictors, load_surface_pool(name, data))
    settings = {one: replace(usual_settings(one), **small) for one in methods.split(",")}
    made: dict[str, SurfaceEstimator] = {}
    parts = []
    for seed in range(seeds):
        rng = stream(seed, "surface", "soft", name)
        world = draw(rng)
        arms = world.pool.arms
        made = made or {one: make_surface(one, arms.features, how) for one, how in settings.items()}
        for surface in made.values():
            if isinstance(surface, GPSurface):
                surface.supported = arms.active()
        parts.append(pd.DataFrame(run_one(world, made, start, more, rng)).assign(seed=seed))
    click.echo(table(pd.concat(parts)).round(2).to_string())


if __name__ == "__main__":
    main()
