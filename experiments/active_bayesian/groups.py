"""What the experiments of "Active Bayesian Assessment of Black-Box Classifiers" share: groups, priors, and tables.

Groups are predicted classes or ten score bins. The paper's experiments speak of equal-sized bins, and its numbers for
ImageNet are met with bins of equal weight, so that is the default; its supplement defines bins of equal width: `--bins
width`. Groups without items are left out: nobody can ask about them, and they weigh nothing in any error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pandas as pd

from altmas.core.groups import Groups, by_score_bin
from altmas.core.pool import Pool
from altmas.experiments.bench.cases import Case
from altmas.experiments.bench.options import data_option, need_data, rows_option, smoke_option, together
from altmas.experiments.data.networks import IMAGENET_NETWORK, Outcomes
from altmas.metrics.types import FloatArray, IntArray

RESNET_152 = "the paper: torchvision's ResNet-152"

SETTINGS: dict[str, tuple[str, str]] = {
    "resnet110_cifar100": ("CIFAR-100", "another checkpoint of the paper's network"),
    "wideresnet_cifar100": ("CIFAR-100", "another network, WideResNet-16-4; the paper: ResNet-110"),
    "resnet20_cifar100": ("CIFAR-100", "another network, ResNet-20; the paper: ResNet-110"),
    IMAGENET_NETWORK: ("ImageNet", f"a shallower network of the same family; {RESNET_152}"),
    "imagenet:torchvision/resnext101_32x8d": ("ImageNet", f"another network; {RESNET_152}"),
    "imagenet:pytorch-image-models/gluon_senet154": ("ImageNet", f"another network, as deep; {RESNET_152}"),
    "news20": ("20 News", "another classifier, cross-validated scores; the paper: BERT"),
    "digits": ("", "not in the paper"),
}
"""Network -> its data set in the paper's tables, and how the setting differs from the paper's."""

PER_GROUP = (2, 5, 10)
"""Labels per group at which the paper's tables of estimates look."""

SCORE_BINS = 10
MANY_GROUPS = 200
TINY = 1e-6
"""Pseudo-counts of the baseline that the paper printed: a group without labels is half right, and no more is said."""

LOOKS = 200
"""Numbers of labels at which an identification is looked at: shares of the pool are known to half a percent."""


@dataclass(frozen=True, eq=False)
class GroupOutcomes:
    """Known outcomes of a pool's groups: counts `truth [G, O]`, `shares [G]`, mean `scores`.

    Outcomes are right and wrong, with scores `[G]`; or the true classes, with scores `[G, C]`.
    """

    names: tuple[str, ...]
    truth: IntArray
    shares: FloatArray
    scores: FloatArray

    @property
    def accuracy(self) -> FloatArray:
        """Share of right predictions in each group `[G]`."""
        return np.asarray(self.truth[:, 0] / self.truth.sum(1))

    @property
    def theta(self) -> FloatArray:
        """Share of each outcome in each group `[G, O]`."""
        return proportions(self.truth)

    def first(self, count: int) -> GroupOutcomes:
        """A few of the groups, to keep a smoke test short."""
        return GroupOutcomes(self.names[:count], self.truth[:count], self.shares[:count], self.scores[:count])


def proportions(truth: IntArray) -> FloatArray:
    """Share of each outcome in each group, from counts `[G, O]`.

    >>> proportions(np.array([[3, 1]])).tolist()
    [[0.75, 0.25]]
    """
    return np.asarray(truth / truth.sum(-1, keepdims=True))


def by_class(outcomes: Outcomes) -> GroupOutcomes:
    """Groups by predicted class."""
    return group_outcomes(outcomes, Groups(outcomes.classes, outcomes.predictions))


def by_bin(outcomes: Outcomes, equal: str = "weight") -> GroupOutcomes:
    """Groups by score, in ten bins of equal width or weight."""
    pool = Pool.build(outcomes.predictions, scores=outcomes.confidence)
    return group_outcomes(outcomes, by_score_bin(pool, SCORE_BINS, equal))


def group_outcomes(outcomes: Outcomes, groups: Groups) -> GroupOutcomes:
    """Count right and wrong predictions in each group that has items.

    >>> three = Outcomes("", ("a", "b", "c"), np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.9, 0.5, 0.8]))
    >>> group_outcomes(three, Groups(three.classes, three.predictions)).truth.tolist()
    [[1, 1], [1, 0]]
    """
    some = groups.sizes > 0
    right = np.bincount(groups.index, outcomes.right, minlength=len(groups.names)).astype(np.int64)
    names = tuple(str(name) for name, kept in zip(groups.names, some, strict=True) if kept)
    truth = np.stack([right, groups.sizes - right], -1)
    return GroupOutcomes(names, truth[some], groups.shares[some], groups.mean(outcomes.confidence)[some])


@dataclass(frozen=True)
class Effort:
    """How much to simulate."""

    replicates: int = 1000
    looks: int = LOOKS
    seed: int = 0


@dataclass(frozen=True)
class Asked:
    """What the command line asked for."""

    data: Path | None
    smoke: bool
    replicates: int | None
    seed: int
    rows: Path | None
    network: tuple[str, ...]
    bins: str = "weight"

    def networks(self, default: Sequence[str]) -> tuple[str, ...]:
        """The networks to run: `digits` for a smoke test."""
        need_data(self.data, self.smoke)
        return ("digits",) if self.smoke else self.network or tuple(default)

    def runs(self, groups: int) -> int:
        """Replicates of estimates; fewer for ImageNet, whose thousand classes take ten thousand labels each time."""
        return self.replicates or (20 if self.smoke else 50 if groups > MANY_GROUPS else 1000)

    def effort(self, network: str, usual: int, looks: int = LOOKS) -> Effort:
        """For an identification; a twentieth on ImageNet, whose thousand arms and 50,000 labels take long."""
        replicates = self.replicates or (3 if self.smoke else usual)
        if network.startswith("imagenet:"):
            replicates = max(2, round(replicates * 0.05))
        return Effort(replicates, 10 if self.smoke else looks, self.seed)


asked_options = together(
    data_option,
    smoke_option,
    click.option("--replicates", type=click.IntRange(1), help="Independent runs; by default the paper's."),
    click.option("--seed", default=0, show_default=True, help="Of all random numbers."),
    rows_option,
    click.option("--network", multiple=True, help="Only this one; may be repeated."),
)


@dataclass(frozen=True)
class Table:
    """A table of the paper: the networks it is about, the runs on each of them, and how their rows are printed."""

    networks: tuple[str, ...]
    cases: Callable[[str, Asked], Iterable[Case]]
    show: Callable[[pd.DataFrame, Asked], None]
