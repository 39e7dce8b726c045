"""One run of an accuracy surface on a pool whose labels are known: which items are labelled, and how far it is off."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from altmas.core.streams import stream
from altmas.experiments.surface.pools import SurfacePool
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.surfaces.errors import surface_errors
from altmas.surfaces.exploration import BATCH, arm_order, choose_queries
from altmas.surfaces.recipe import deep_start
from altmas.surrogates.surface.affiliation import Affiliation
from altmas.surrogates.surface.arm_posterior import ArmPosterior, SurfaceEstimator, checked_counts, overall_accuracy
from altmas.surrogates.surface.estimators import GP_KINDS, SURFACES, make_surface
from altmas.surrogates.surface.gp import SurfaceSettings

CONSTANT = "constant"
ALPHA_BETA = "betagp-ab"
SURFACE_METHODS = (CONSTANT, *SURFACES, ALPHA_BETA)
BETA_GPS = ("betagp", "betagp-sl", "betagp-slp")
NO_EXPLORATION = "none"
DRAWS = 1000
"""Of a surface, to see what it expects of a pool."""


class Constant:
    """The overall accuracy everywhere: what a surface must beat, and what the authors' program calls `cpred`.

    >>> Constant(2).fit([3, 0], [0, 1], rng=np.random.default_rng(0)).moments()[0].round(2)
    array([0.7, 0.7])
    """

    def __init__(self, arms: int) -> None:
        self.arms = arms

    def fit(self, right: ArrayLike, wrong: ArrayLike, *, rng: np.random.Generator) -> Self:
        """Count; nothing is random."""
        return self.update(right, wrong)

    def update(self, right: ArrayLike, wrong: ArrayLike) -> Self:
        """Count again."""
        self._level = overall_accuracy(*checked_counts(right, wrong, self.arms))
        return self

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """The same for every arm, without doubt."""
        return np.full(self.arms, self._level), np.zeros(self.arms)

    def posterior(self, level: float = 0.95) -> ArmPosterior:
        """No interval: its ends are the estimate."""
        mean, variance = self.moments()
        return ArmPosterior(mean, variance, mean, mean, level)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """The same surface each time `[M, A]`."""
        return np.tile(self.moments()[0], (draws, 1))


@dataclass(frozen=True)
class Plan:
    """How many labels, and how they are come by: `first` at random, then batches explored by a rule.

    With `explore` "none" all are drawn at random and the surface is fitted once. `among` are the arms to explore.
    """

    labels: int
    explore: str = NO_EXPLORATION
    first: int = 500
    batch: int = BATCH
    among: str = "all"

    @property
    def start(self) -> int:
        """Labels before the first fit."""
        return self.labels if self.explore == NO_EXPLORATION else self.first

    def checked(self, items: int) -> Plan:
        """The plan itself, if a pool of so many items can serve it."""
        if self.labels > items:
            raise InputError("labels", f"be at most the pool's {items:,} items", f"{self.labels:,}")
        if not 1 <= self.start <= self.labels:
            raise InputError("first", f"be between 1 and the {self.labels:,} labels", f"{self.first:,}")
        return self


def new_estimator(name: str, pool: SurfacePool, settings: SurfaceSettings) -> SurfaceEstimator:
    """An estimator over the pool's arms, `constant` among them.

    >>> from altmas.experiments.surface.pools import load_surface_pool
    >>> type(new_estimator("constant", load_surface_pool("smoke", None), SurfaceSettings())).__name__
    'Constant'
    """
    if name == CONSTANT:
        return Constant(pool.arms.size)
    if name in GP_KINDS and settings.deep:
        features, layer = _deep_start(pool.arms)
        return make_surface(name, features, settings, pool.arms.active(), layer)
    return make_surface(name, pool.arms.features, settings, supported=pool.arms.active())


def run_surface(surface: SurfaceEstimator, pool: SurfacePool, plan: Plan, seed: int) -> dict[str, float]:
    """Errors times 100 after `plan.labels` labels, and the percentage of arms that are `covered`.

    The first labels of a seed are the same for every estimator.

    >>> from altmas.experiments.surface.pools import load_surface_pool
    >>> pool = load_surface_pool("smoke", None)
    >>> errors = run_surface(new_estimator("beta-i", pool, SurfaceSettings()), pool, Plan(200), seed=0)
    >>> list(errors), bool(errors["macro"] < 10)
    (['macro', 'micro', 'worst', 'infrequent', 'covered', 'arms seen'], True)
    """
    plan = plan.checked(len(pool.right))
    items = stream(seed, "surface", pool.name, "first").choice(len(pool.right), plan.start, replace=False)
    right, wrong = pool.arms.counts(items, pool.right[items])
    surface.fit(right, wrong, rng=stream(seed, "surface", pool.name, "fit"))
    rng = stream(seed, "surface", pool.name, "explore")
    belongs = Affiliation.exact(pool.arms.index)  # attributes are known
    while len(items) < plan.labels:
        labelled = np.isin(np.arange(len(pool.right)), items)
        order = arm_order(plan.explore, surface.moments()[1], right + wrong, rng)
        if plan.among == "active":
            order = order[pool.arms.active()[order]]
        more = choose_queries(order, belongs, labelled, rng, count=min(plan.batch, plan.labels - len(items))).items
        if not more.size:
            break  # no item is left in the arms to explore
        items = np.concatenate([items, more])
        right, wrong = pool.arms.counts(items, pool.right[items])
        surface.update(right, wrong)
    errors = asdict(surface_errors(surface.moments()[0], pool.truth, pool.arms.support))
    rng = stream(seed, "surface", pool.name, "covered")
    errors["covered"] = covered(surface.draw(DRAWS, rng), pool, rng)
    seen = int(((right + wrong > 0) & pool.arms.active()).sum())
    return {name: 100 * value for name, value in errors.items()} | {"arms seen": seen}


def covered(draws: FloatArray, pool: SurfacePool, rng: np.random.Generator) -> float:
    """Share of active arms whose right items are as many as draws of the surface `[M, A]` expect, 95 times in 100.

    A share of a few items is no accuracy: of ten items all may be right where 95% are in the long run. So each draw of
    the surface draws the arm's items too, and their interval is asked, not that of rho.

    >>> from altmas.experiments.surface.pools import load_surface_pool
    >>> pool = load_surface_pool("smoke", None)
    >>> covered(np.tile(pool.truth, (1000, 1)), pool, np.random.default_rng(0)) > 0.8
    True
    """
    support = pool.arms.support
    counted = np.bincount(pool.arms.index, pool.right, minlength=pool.arms.size)
    drawn = rng.binomial(support, np.clip(draws, 0.0, 1.0))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return float(((low <= counted) & (counted <= high))[pool.arms.active()].mean())


_deep_start = cache(deep_start)
"""Once for all methods of a pool."""
