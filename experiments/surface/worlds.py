"""Simulated accuracy surfaces whose truth is known: a smooth curve over attributes, and arms that depart from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from altmas.metrics.types import FloatArray, IntArray
from altmas.surfaces.combinations import Combinations
from altmas.surfaces.errors import surface_errors
from altmas.surrogates.surface.arm_posterior import ArmPosterior


@dataclass(frozen=True)
class WorldSpec:
    """How a surface is drawn: the spread of the smooth logits, and the scale of the Beta around them."""

    attributes: int = 8
    items: int = 20_000
    level: float = 0.8
    spread: float = 1.0
    length: float = 2.0
    scale: float = 20.0


@dataclass(frozen=True, eq=False)
class World:
    """Arms of a pool, the accuracy rho `[A]` of each, and whether the model under test is right on each item `[N]`."""

    arms: Combinations
    rho: FloatArray
    right: FloatArray

    def inside(self, found: ArmPosterior) -> FloatArray:
        """1 for each active arm whose accuracy lies in the interval, else 0."""
        inside = (found.low <= self.rho) & (self.rho <= found.high)
        return inside[self.arms.active()].astype(np.float64)

    def macro(self, found: ArmPosterior) -> float:
        """100 x the mean squared error over active arms."""
        return 100 * surface_errors(found.mean, self.rho, self.arms.support).macro


def draw_world(spec: WorldSpec, rng: np.random.Generator) -> World:
    """Draw attributes, a smooth surface and the arms' own accuracies.

    The logit of the smooth surface is a Gaussian process with an RBF kernel of the given length over binary attributes;
    rho ~ Beta(mean sigma(logit), scale). Attributes are independent with rates between 5% and 50%, so that support is
    as uneven as in a real pool.

    >>> world = draw_world(WorldSpec(attributes=3, items=100), np.random.default_rng(0))
    >>> world.arms.size, world.right.shape
    (8, (100,))
    """
    rates = rng.uniform(0.05, 0.5, spec.attributes)
    columns = {f"a{k}": (rng.random(spec.items) < rate).astype(int) for k, rate in enumerate(rates)}
    for column in columns.values():
        column[:2] = 0, 1  # both values occur
    arms = Combinations.build(columns)
    x = arms.features
    norm = np.square(x).sum(1)
    covariance = spec.spread**2 * np.exp(-(norm[:, None] + norm - 2 * x @ x.T) / (2 * spec.length**2))
    root = np.linalg.cholesky(covariance + 1e-6 * np.eye(arms.size))
    smooth = expit(logit(spec.level) + root @ rng.standard_normal(arms.size))
    rho = rng.beta(smooth * spec.scale, (1 - smooth) * spec.scale)
    return World(arms, rho, (rng.random(spec.items) < rho[arms.index]).astype(np.float64))


ALLOCATIONS = ("random", "even", "lopsided")


def allocate(world: World, labels: int, how: str, rng: np.random.Generator) -> IntArray:
    """Items to label: at random, as evenly over the arms as can be, or nine in ten of them in half of the arms."""
    items = len(world.right)
    if how == "random":
        return rng.choice(items, labels, replace=False)
    order = rng.permutation(items)
    # The place of each item within its arm, in random order: 0 for the first of its arm, and so on.
    place = np.empty(items, dtype=np.int64)
    by_arm = order[np.argsort(world.arms.index[order], kind="stable")]
    sizes = world.arms.support
    place[by_arm] = np.arange(items) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    if how == "lopsided":
        favoured = rng.permutation(world.arms.size) < world.arms.size // 2
        place = place * np.where(favoured[world.arms.index], 1, 9) + np.where(favoured[world.arms.index], 0, 8)
    return order[np.argsort(place[order], kind="stable")][:labels]
