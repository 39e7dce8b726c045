"""Noisy attributes: the accuracy surface by a calibrated P(a|x), against that by predicted attributes.

    python -m altmas.experiments.surface_soft --seeds 5

Six correlated binary attributes whose predictors are 80-90% accurate and overconfident by a factor of 2 to 6; 300 items
with known attributes and labels to begin with; 1,200 more labels either for items at random, or as Algorithm 1 takes
them: arm after arm, the item that most surely belongs there. Errors are 100 x macro MSE over active arms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click
import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

from altmas.metrics.confusion import FloatArray, IntArray
from altmas.streams import stream
from altmas.surface_arms import Arms
from altmas.surface_errors import surface_errors
from altmas.surface_exploration import choose_queries
from altmas.surrogates.affiliation import Affiliation
from altmas.surrogates.arm_posterior import SurfaceEstimator
from altmas.surrogates.attribute_calibration import calibrate
from altmas.surrogates.surface_estimators import SurfaceSettings, make_surface

ATTRIBUTES, ITEMS, START, MORE = 6, 10_000, 300, 1_200
METHODS = ("beta-i", "betagp-slp")


@dataclass(frozen=True, eq=False)
class NoisyWorld:
    """Arms by true attributes, the predictors' scores, the arms' accuracies and each item's outcome."""

    arms: Arms
    scores: list[FloatArray]
    rho: FloatArray
    right: FloatArray

    @property
    def said(self) -> IntArray:
        """The arm of each item by predicted attributes."""
        return self.arms.find(np.column_stack([table.argmax(1) for table in self.scores]))


def draw_noisy_world(rng: np.random.Generator, items: int = ITEMS) -> NoisyWorld:
    """Attributes from three shared factors; scores from a normal signal, sharpened by a factor nobody is told.

    >>> world = draw_noisy_world(np.random.default_rng(0), 500)
    >>> bool(0.25 < (world.said == world.arms.index).mean() < 0.6)
    True
    """
    latent = 0.7 * rng.standard_normal((items, 3)) @ rng.standard_normal((3, ATTRIBUTES))
    values = (latent + rng.standard_normal(latent.shape) + rng.uniform(-0.8, 0.3, ATTRIBUTES) > 0).astype(int)
    values[:2] = [[0] * ATTRIBUTES, [1] * ATTRIBUTES]  # both values occur
    arms = Arms.build({f"a{k}": values[:, k] for k in range(ATTRIBUTES)})
    x = arms.features
    smooth = expit(1 + (x - 0.3) @ rng.normal(0, 0.8, ATTRIBUTES) + 0.7 * x[:, 0] * x[:, 1])
    rho = rng.beta(20 * smooth, 20 * (1 - smooth))
    spread = 1 / ndtri(rng.uniform(0.8, 0.9, ATTRIBUTES))
    signal = 2 * values - 1 + spread * rng.standard_normal(values.shape)
    logits = rng.uniform(2, 6, ATTRIBUTES) * 2 * signal / spread**2
    scores = [np.column_stack([np.zeros(items), logits[:, k]]) for k in range(ATTRIBUTES)]
    return NoisyWorld(arms, scores, rho, (rng.random(items) < rho[arms.index]).astype(np.float64))


def run_one(estimators: dict[str, SurfaceEstimator], seed: int) -> list[dict[str, Any]]:
    """Errors of one world, by method, attributes and choice of items."""
    rng = stream(seed, "surface", "soft")
    world = draw_noisy_world(rng)
    start = rng.choice(ITEMS, START, replace=False)
    truth = world.arms.codes[world.arms.index[start]]
    fit = calibrate(world.scores, start, truth, world.arms.codes, rng=rng)
    ways = {
        "true": Affiliation.exact(world.arms.index),
        "predicted": Affiliation.exact(world.said).with_known(start, world.arms.index[start]),
        "calibrated": fit.affiliation(world.scores, world.arms.codes).with_known(start, world.arms.index[start]),
    }
    labelled, rows = np.isin(np.arange(ITEMS), start), []
    by_chance = rng.choice(np.flatnonzero(~labelled), MORE, replace=False)
    for attributes, belongs in ways.items():
        by_arm = choose_queries(rng.permutation(world.arms.size), belongs, labelled, rng, MORE).items
        for how, chosen in (("random", by_chance), ("surest of each arm", by_arm)):
            items = np.concatenate([start, chosen])
            counts = belongs.counts(items, world.right[items], world.arms.size)
            for name, surface in estimators.items():
                mean, _ = surface.fit(*counts, rng=rng).moments()
                error = 100 * surface_errors(mean, world.rho, world.arms.support).macro
                rows.append({"method": name, "items": how, "attributes": attributes, "macro": error, "seed": seed})
    return rows


@click.command()
@click.option("--seeds", default=5, show_default=True, type=click.IntRange(1))
def main(seeds: int) -> None:
    """Print 100 x macro MSE by attributes."""
    features = draw_noisy_world(np.random.default_rng(0)).arms.features
    settings = SurfaceSettings(steps=400, learning_rate=5e-3)
    estimators = {name: make_surface(name, features, settings) for name in METHODS}
    rows = pd.DataFrame([row for seed in range(seeds) for row in run_one(estimators, seed)])
    wide = rows.pivot(index=["method", "items", "seed"], columns="attributes", values="macro")
    mean = wide.groupby(["method", "items"]).mean()[["true", "predicted", "calibrated"]]
    mean["seeds won"] = (wide["calibrated"] < wide["predicted"]).groupby(["method", "items"]).sum()
    click.echo(mean.round(3).to_string())


if __name__ == "__main__":
    main()
