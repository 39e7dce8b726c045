"""Pools for accuracy surfaces: attributes, predictions and every label known, from a data directory.

- `celeba`: CelebA's attributes. The model under test is a logistic regression that predicts `Male` from the 28
  attributes which are not among the paper's twelve (Table 10), trained on a random half; the other half is the pool, as
  large as the authors' (100,000). The arms are the paper's: all 4,096 combinations of the twelve, `Male` among them. It
  is the label, so that no one could place an item in its arm without knowing it; the paper predicts it from the image,
  and here it is taken as known.
- `adult`, `compas`: sex x race x age in five bands; a logistic regression trained on a random half. COMPAS without its
  column is_recid, which tells the label.
- `imagenet`, or `imagenet:NETWORK`: the superclass of the predicted class x the confidence in ten bands. Both are known
  without the label.
- `simulated`: eight binary attributes and a surface whose truth is known, a smooth curve over attributes and arms that
  depart from it. Needs no data.

The truth of an arm is the accuracy over all of its items in the pool, and the known rho of a simulated one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from altmas.core.streams import stream
from altmas.experiments.bench.pools import classifier
from altmas.experiments.data.datasets import read_npz
from altmas.experiments.data.networks import IMAGENET_NETWORK, imagenet_superclasses, load_network
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray
from altmas.surfaces.combinations import Combinations
from altmas.surfaces.errors import surface_errors
from altmas.surrogates.surface.arm_posterior import ArmPosterior

CELEBA_LABEL = "Male"
CELEBA_ATTRIBUTES = (
    "Black_Hair", "Blond_Hair", "Brown_Hair", "Smiling", CELEBA_LABEL, "Chubby",
    "Mustache", "No_Beard", "Wearing_Hat", "Blurry", "Young", "Eyeglasses",
)  # fmt: skip
"""Table 10."""

LEAKS = "is_recid"
AGE_BANDS = 5
CONFIDENCE_BANDS = 10


@dataclass(frozen=True, eq=False)
class SurfacePool:
    """Predictions and labels `[N]` of a pool, its arms, and the accuracy `truth [A]` of each arm that has items."""

    name: str
    arms: Combinations
    predictions: IntArray
    labels: IntArray
    truth: FloatArray
    scores: FloatArray | None = None
    """The service's probabilities `[N, C]`, where it gives any."""

    @classmethod
    def build(cls, name: str, arms: Combinations, predictions: Any, labels: Any, scores: Any = None) -> SurfacePool:
        """A pool whose truth is the share of right predictions in each arm; 0.5 in an arm without items.

        >>> arms = Combinations.build({"hat": ["no", "no", "yes"]})
        >>> SurfacePool.build("hats", arms, [1, 1, 0], [1, 0, 0]).truth
        array([0.5, 1. ])
        """
        said, true = np.asarray(predictions, dtype=np.int64), np.asarray(labels, dtype=np.int64)
        good = np.bincount(arms.index, said == true, minlength=arms.size)
        truth = np.where(arms.support > 0, good / np.maximum(arms.support, 1), 0.5)
        return cls(name, arms, said, true, truth, scores)

    @property
    def right(self) -> FloatArray:
        """1 where the prediction is right `[N]`."""
        return np.asarray(self.predictions == self.labels, dtype=np.float64)

    def inside(self, found: ArmPosterior) -> FloatArray:
        """1 for each active arm whose accuracy lies in the interval, else 0."""
        inside = (found.low <= self.truth) & (self.truth <= found.high)
        return np.asarray(inside[self.arms.active()], dtype=np.float64)

    def macro(self, mean: FloatArray) -> float:
        """100 x the mean squared error of an estimate `[A]` over active arms."""
        return 100 * surface_errors(mean, self.truth, self.arms.support).macro

    def describe(self) -> str:
        """One line: size, arms and accuracies."""
        active = self.arms.active()
        least, tenth, half = np.quantile(self.truth[active], [0, 0.1, 0.5])
        return (
            f"{self.name}: {len(self.labels):,} items, {self.arms.size:,} arms, {active.sum():,} active; accuracy "
            f"{self.right.mean():.3f}, of active arms {self.truth[active].mean():.3f} on average, "
            f"{least:.2f} / {tenth:.2f} / {half:.2f} at the worst, the 10% and the 50% quantile"
        )


def train_service(features: NDArray[Any], labels: IntArray, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    """Train a logistic regression on a random half; the items of the other half and their probabilities `[n, C]`.

    >>> x = np.arange(40.0)[:, None]
    >>> items, scores = train_service(x, (x[:, 0] > 19).astype(np.int64), np.random.default_rng(0))
    >>> len(items), bool(np.mean(scores.argmax(1) == (items > 19)) > 0.8)
    (20, True)
    """
    order = rng.permutation(len(labels))
    seen, items = order[: len(labels) // 2], np.sort(order[len(labels) // 2 :])
    if set(labels[seen].tolist()) != {0, 1}:
        raise InputError("labels", "hold the classes 0 and 1 to train a service on", sorted(set(labels[seen].tolist())))
    service = classifier("logistic").fit(features[seen], labels[seen])
    return items, np.asarray(service.predict_proba(features[items]), dtype=np.float64)


def celeba(name: str, data: Path) -> SurfacePool:
    """CelebA's twelve attributes, and a service that sees none of them."""
    arrays = read_npz(data / "celeba_attributes.npz")
    columns = [str(column) for column in arrays["columns"]]
    values = np.unpackbits(arrays["packed"], axis=1)[:, : len(columns)]
    if missing := [one for one in CELEBA_ATTRIBUTES if one not in columns]:
        raise InputError("CelebA's columns", "hold the twelve attributes", f"no {', '.join(missing)}")
    labels = values[:, columns.index(CELEBA_LABEL)].astype(np.int64)
    others = [place for place, column in enumerate(columns) if column not in CELEBA_ATTRIBUTES]
    items, scores = train_service(values[:, others], labels, stream(0, "surface", name))
    arms = Combinations.build({one: values[items, columns.index(one)] for one in CELEBA_ATTRIBUTES})
    return SurfacePool.build(name, arms, scores.argmax(1), labels[items], scores)


def protected(name: str, data: Path) -> SurfacePool:
    """Adult or COMPAS: sex x race x age band."""
    arrays = read_npz(data / f"{name}.npz")
    columns = [str(column) for column in arrays["columns"]]
    kept = [place for place, column in enumerate(columns) if column != LEAKS]
    # A count that was not taken is no number: 0, as if there had been nothing to count.
    features = np.nan_to_num(arrays["features"].astype(np.float64))
    labels = arrays["labels"].astype(np.int64)
    items, scores = train_service(features[:, kept], labels, stream(0, "surface", name))
    attributes = {"sex": arrays["sex"], "race": arrays["race"], "age": features[:, columns.index("age")]}
    arms = Combinations.build({key: column[items] for key, column in attributes.items()}, bins=AGE_BANDS)
    return SurfacePool.build(name, arms, scores.argmax(1), labels[items], scores)


def imagenet(name: str, data: Path) -> SurfacePool:
    """Superclass of the predicted class x band of the confidence."""
    outcomes = load_network(IMAGENET_NETWORK if name == "imagenet" else name, data)
    attributes = {"predicted": imagenet_superclasses(outcomes.predictions), "confidence": outcomes.confidence}
    arms = Combinations.build(attributes, bins=CONFIDENCE_BANDS)
    return SurfacePool.build(outcomes.name, arms, outcomes.predictions, outcomes.labels)


@dataclass(frozen=True)
class WorldSpec:
    """How a surface is drawn: the spread of the smooth logits, and the scale of the Beta around them."""

    attributes: int = 8
    items: int = 20_000
    level: float = 0.8
    spread: float = 1.0
    length: float = 2.0
    scale: float = 20.0


def draw_world(spec: WorldSpec, rng: np.random.Generator) -> SurfacePool:
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
    return known_surface(arms, rho, rng)


def known_surface(arms: Combinations, rho: FloatArray, rng: np.random.Generator) -> SurfacePool:
    """A pool whose arms have these accuracies `[A]`; every label is 1, and predictions are right by chance."""
    right = rng.random(len(arms.index)) < rho[arms.index]
    return SurfacePool("simulated", arms, right.astype(np.int64), np.ones(len(right), np.int64), rho)


ALLOCATIONS = ("random", "even", "lopsided")


def allocate(world: SurfacePool, labels: int, how: str, rng: np.random.Generator) -> IntArray:
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


def simulated(seed: int = 0, spec: WorldSpec | None = None) -> SurfacePool:
    """A surface with known truth.

    >>> pool = simulated(spec=WorldSpec(attributes=3, items=200))
    >>> pool.arms.size, len(pool.right)
    (8, 200)
    """
    rng = stream(seed, "surface", "simulated pool")
    world = draw_world(spec or WorldSpec(), rng)
    labels = rng.integers(0, 2, len(world.right))
    return replace(world, predictions=np.where(world.right > 0, labels, 1 - labels), labels=labels)


SMOKE = WorldSpec(attributes=4, items=1000)
"""The pool of a smoke test."""

LOADERS: Mapping[str, Callable[[str, Path], SurfacePool]] = {
    "celeba": celeba, "adult": protected, "compas": protected, "imagenet": imagenet,
}  # fmt: skip


def load_surface_pool(name: str, data: Path | None) -> SurfacePool:
    """A pool by name; `simulated` and `smoke` need no data.

    >>> load_surface_pool("smoke", None).arms.size
    16
    """
    if name in ("simulated", "smoke"):
        return simulated(spec=SMOKE if name == "smoke" else None)
    load = LOADERS.get("imagenet" if name.startswith("imagenet:") else name)
    if load is None:
        known = ", ".join([*LOADERS, "imagenet:NETWORK", "simulated", "smoke"])
        raise InputError("pool", f"be one of {known}", repr(name))
    if data is None:
        raise InputError("data", f"be a folder that holds {name}", "none", "Give --data, or --smoke.")
    return load(name, data)
