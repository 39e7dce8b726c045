"""What the experiments of "Active Bayesian Assessment of Black-Box Classifiers" share: groups, methods, errors, tables.

Groups are predicted classes or ten score bins. The paper's experiments speak of equal-sized bins, and its numbers for
ImageNet are met with bins of equal weight, so that is the default; its supplement defines bins of equal width: `--bins
width`. Groups without items are left out: nobody can ask about them, and they weigh nothing in any error.

An error is measured against the accuracies of the pool, as in the paper. The intervals of a posterior are about the
accuracies behind the pool, which differ from the pool's by the luck of its items: some 0.05 for a class of 50 or 100.
So coverage is measured twice, of the posterior itself and of what it predicts for the pool.

The paper's text gives its baseline a uniform Beta(1, 1); the numbers it prints fit pseudo-counts of 1e-6. Both are run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from altmas.bandits.lockstep import ArmBelief, FixedPrior, LearntPrior, Measure, simulate
from altmas.bandits.rewards import EstimateArms
from altmas.bandits.rules import ArmRule, RandomItems, Thompson
from altmas.core.groups import Groups, by_score_bin
from altmas.core.pool import Pool
from altmas.experiments.data.networks import Outcomes, load_network
from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.groups.hierarchical import fit_prior, regressor

CHECKPOINT = "another checkpoint of the paper's network"
IMAGENET = "the paper: torchvision's ResNet-152"

SETTINGS: dict[str, tuple[str, str]] = {
    "resnet110_cifar100": ("CIFAR-100", CHECKPOINT),
    "wideresnet_cifar100": ("CIFAR-100", "another network, WideResNet-16-4; the paper: ResNet-110"),
    "resnet20_cifar100": ("CIFAR-100", "another network, ResNet-20; the paper: ResNet-110"),
    "imagenet:torchvision/resnet101": ("ImageNet", f"a shallower network of the same family; {IMAGENET}"),
    "imagenet:torchvision/resnext101_32x8d": ("ImageNet", f"another network; {IMAGENET}"),
    "imagenet:pytorch-image-models/gluon_senet154": ("ImageNet", f"another network, as deep; {IMAGENET}"),
    "news20": ("20 News", "another classifier, cross-validated scores; the paper: BERT"),
    "digits": ("", "not in the paper"),
}
"""Network -> its data set in the paper's tables, and how the setting differs from the paper's."""

PER_GROUP = (2, 5, 10)
"""Labels per group at which the paper's tables look."""

BINS = 10
MANY_GROUPS = 200
TINY = 1e-6
STRENGTH = 2.0
"""N0 of the Beta priors."""

PAPER_COLUMN = {"uniform, 1e-6": 0, "uniform": 0, "informed": 1, "informed + Thompson": 2}
"""Which column of the paper's tables (UPrior, IPrior, IPrior+TS) stands beside a method of ours."""

PaperTable = Mapping[str, Sequence[tuple[float, float, float]]]
"""Data set -> for 2, 5 and 10 labels per group: UPrior, IPrior, IPrior+TS."""


@dataclass(frozen=True, eq=False)
class GroupOutcomes:
    """Known outcomes of a pool's groups: `truth [G, 2]` counts right and wrong; `shares` and mean `scores` `[G]`."""

    names: tuple[str, ...]
    truth: IntArray
    shares: FloatArray
    scores: FloatArray

    @property
    def accuracy(self) -> FloatArray:
        """Share of right predictions in each group `[G]`."""
        return np.asarray(self.truth[:, 0] / self.truth.sum(1))


@dataclass(frozen=True, eq=False)
class GroupMethod:
    """A rule for the next group, the belief it acts on, and the accuracies' posterior after outcomes `[R, G, 2]`."""

    rule: ArmRule
    belief: Callable[[], ArmBelief]
    posterior: Callable[[IntArray], BetaPosterior]


@dataclass(frozen=True)
class Options:
    """What the command line asked for."""

    data: Path | None
    smoke: bool
    replicates: int | None
    seed: int
    rows: Path | None
    network: tuple[str, ...]

    def networks(self, default: Sequence[str]) -> tuple[str, ...]:
        """The networks to run: `digits` for a smoke test."""
        if self.smoke:
            return ("digits",)
        if self.data is None:
            raise click.UsageError("Give --data, or --smoke.")
        return self.network or tuple(default)

    def runs(self, groups: int) -> int:
        """Replicates; fewer for ImageNet, whose thousand classes take ten thousand labels each time."""
        if self.replicates is not None:
            return self.replicates
        if self.smoke:
            return 20
        return 50 if groups > MANY_GROUPS else 1000


def options(command: Callable[..., None]) -> Callable[..., None]:
    """The options every experiment has."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    file = click.Path(dir_okay=False, path_type=Path)
    for decorate in (
        click.option("--network", multiple=True, help="Only this one; may be repeated."),
        click.option("--rows", type=file, help="CSV to append to, and to go on from."),
        click.option("--seed", default=0, show_default=True),
        click.option("--replicates", type=click.IntRange(1), help="Default 1000; 50 with more than 200 groups."),
        click.option("--smoke", is_flag=True, help="Seconds instead of minutes: bundled digits, 20 replicates."),
        click.option("--data", type=folder, help="Folder with the stored outputs of the networks."),
    ):
        command = decorate(command)
    return command


bins_option = click.option("--bins", type=click.Choice(["width", "weight"]), default="weight", show_default=True)
"""Which bins are equal."""


def by_class(outcomes: Outcomes) -> GroupOutcomes:
    """Groups by predicted class."""
    return group_outcomes(outcomes, Groups(outcomes.classes, outcomes.predictions))


def by_bin(outcomes: Outcomes, equal: str = "weight") -> GroupOutcomes:
    """Groups by score, in ten bins of equal width or weight."""
    pool = Pool.build(outcomes.predictions, scores=outcomes.confidence)
    return group_outcomes(outcomes, by_score_bin(pool, BINS, equal))


def grouped(outcomes: Outcomes, by: str) -> GroupOutcomes:
    """Groups by `class`, or by bins of equal `width` or `weight`."""
    return by_class(outcomes) if by == "class" else by_bin(outcomes, by)


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


def informed_prior(scores: FloatArray, strength: float = STRENGTH) -> FloatArray:
    """Pseudo-counts `[G, 2]` of Beta(N0 s_g, N0 (1 - s_g)); never 0, for stored scores may be rounded to 1.

    >>> informed_prior(np.array([0.75])).tolist()
    [[1.5, 0.5]]
    """
    scores = np.clip(scores, TINY, 1 - TINY)
    return strength * np.stack([scores, 1 - scores], -1)


def group_methods(scores: FloatArray) -> dict[str, GroupMethod]:
    """The paper's methods and ours, for groups of these mean scores."""
    flat, informed, x = np.ones((len(scores), 2)), informed_prior(scores), regressor(scores, len(scores))
    random, thompson = RandomItems(), Thompson()

    def fixed(rule: ArmRule, prior: FloatArray) -> GroupMethod:
        return GroupMethod(rule, partial(FixedPrior, prior), partial(_fixed_posterior, prior))

    def learnt(rule: ArmRule) -> GroupMethod:
        return GroupMethod(rule, partial(LearntPrior, x), partial(_learnt_posterior, x))

    return {
        "uniform, 1e-6": fixed(random, TINY * flat),
        "uniform": fixed(random, flat),
        "informed": fixed(random, informed),
        "informed + Thompson": fixed(thompson, informed),
        "hierarchical": learnt(random),
        "hierarchical + Thompson": learnt(thompson),
    }


def _fixed_posterior(prior: FloatArray, seen: IntArray) -> BetaPosterior:
    return BetaPosterior.of(seen[..., 0] + prior[:, 0], seen[..., 1] + prior[:, 1])


def _learnt_posterior(x: FloatArray, seen: IntArray) -> BetaPosterior:
    return fit_prior(seen[..., 0], seen[..., 1], x).posterior(seen[..., 0], seen[..., 1]).matched()


def rmse(estimate: FloatArray, accuracy: FloatArray, shares: FloatArray) -> FloatArray:
    """Root of the mean squared error over groups, each weighing its share of the pool `[...]`.

    >>> rmse(np.array([[0.5, 0.9]]), np.array([0.7, 0.9]), np.array([0.25, 0.75])).round(3)
    array([0.1])
    """
    return np.asarray(np.sqrt((shares * (estimate - accuracy) ** 2).sum(-1)))


def ece(accuracy: FloatArray, scores: FloatArray, shares: FloatArray) -> FloatArray:
    """Expected calibration error over score bins `[...]`.

    >>> float(ece(np.array([0.5, 0.9]), np.array([0.6, 0.8]), np.array([0.5, 0.5])).round(3))
    0.1
    """
    return np.asarray((shares * np.abs(accuracy - scores)).sum(-1))


def rmse_percent(groups: GroupOutcomes) -> Measure:
    """RMSE x 100 of the posterior means."""

    def measure(seen: IntArray, mean: FloatArray) -> FloatArray:
        return 100 * rmse(mean[..., 0], groups.accuracy, groups.shares)

    return measure


def coverage_percent(groups: GroupOutcomes, method: GroupMethod, level: float = 0.95) -> Measure:
    """Percentage of groups whose accuracy lies in the posterior's credible interval."""

    def measure(seen: IntArray, mean: FloatArray) -> FloatArray:
        return _covered(groups.accuracy, method.posterior(seen).interval(level))

    return measure


def pool_coverage_percent(groups: GroupOutcomes, method: GroupMethod, level: float = 0.95) -> Measure:
    """The same for intervals of the pool's own accuracies: what was seen is certain, the other items are drawn."""

    def measure(seen: IntArray, mean: FloatArray) -> FloatArray:
        return _covered(groups.accuracy, pool_interval(method.posterior(seen), seen, groups.truth.sum(-1), level))

    return measure


def pool_interval(posterior: BetaPosterior, seen: IntArray, sizes: IntArray, level: float) -> FloatArray:
    """Predictive interval `[2, ..., G]` of the share of right predictions among a group's items.

    The unseen items' share is Beta-binomial; a Beta of the same mean and variance stands for it.

    >>> pool_interval(BetaPosterior.of([1.0], [1.0]), np.array([[6, 3]]), np.array([9]), 0.95).round(3).tolist()
    [[0.667], [0.667]]
    """
    unseen = sizes - seen.sum(-1)
    mean, variance = posterior.mean, posterior.variance
    variance = variance + (mean * (1 - mean) - variance) / np.maximum(unseen, 1)
    size = np.maximum(mean * (1 - mean) / variance - 1, TINY)
    rest = BetaPosterior.of(mean * size, (1 - mean) * size).interval(level)
    return np.asarray((seen[..., 0] + unseen * rest) / sizes)


def _covered(accuracy: FloatArray, interval: FloatArray) -> FloatArray:
    low, high = interval
    slack = 1e-9  # a group that was seen as a whole has no width left
    return np.asarray(100 * ((low <= accuracy + slack) & (accuracy <= high + slack)).mean(-1))


Measures = Callable[[GroupOutcomes, GroupMethod], Mapping[str, Measure]]


def run_estimation(asked: Options, networks: Sequence[str], by: str, measures: Measures) -> pd.DataFrame:
    """Estimate the groups' accuracies by every method; the measures at 2, 5 and 10 labels per group."""
    return sweep(
        (job for name in asked.networks(networks) for job in _estimation_jobs(name, asked, by, measures)), asked.rows
    )


@dataclass(frozen=True, eq=False)
class Job:
    """One run of a method: what names it among rows, and its rows."""

    key: dict[str, str | int]
    run: Callable[[], pd.DataFrame]


def _estimation_jobs(network: str, asked: Options, by: str, measures: Measures) -> Iterable[Job]:
    groups = grouped(load_network(network, asked.data), by)
    counted = len(groups.names) if by == "class" else BINS  # the paper counts empty bins too
    labels = [per_group * counted for per_group in PER_GROUP]
    runs = asked.runs(len(groups.names))

    def run(method: GroupMethod) -> pd.DataFrame:
        task, wanted = EstimateArms(groups.shares), measures(groups, method)
        values = simulate(
            groups.truth, task, method.rule, method.belief, list(wanted.values()),
            replicates=runs, checkpoints=labels, seed=asked.seed,
        )  # fmt: skip
        return as_rows(list(wanted), labels, values)

    for name, method in group_methods(groups.scores).items():
        key: dict[str, str | int] = {"network": network, "by": by, "method": name}
        yield Job(key | {"replicates": runs, "seed": asked.seed}, partial(run, method))


def as_rows(measures: Sequence[str], labels: Sequence[int], values: FloatArray) -> pd.DataFrame:
    """Means and standard errors over replicates of values `[K, T, R]`, a row per measure and number of labels."""
    runs = values.shape[-1]
    error = values.std(-1, ddof=1) / np.sqrt(runs) if runs > 1 else np.full(values.shape[:-1], np.nan)
    return pd.DataFrame(
        {
            "measure": np.repeat(measures, len(labels)),
            "labels": np.tile(labels, len(measures)),
            "mean": values.mean(-1).ravel(),
            "se": error.ravel(),
        }
    )


def sweep(jobs: Iterable[Job], path: Path | None) -> pd.DataFrame:
    """Run what is not in the CSV yet, and append it as it is done, so that an interrupted run goes on."""
    done = pd.read_csv(path) if path is not None and path.is_file() else pd.DataFrame()
    parts: list[pd.DataFrame] = []
    for job in jobs:
        if len(done):
            same = np.logical_and.reduce([done[name] == value for name, value in job.key.items()])
            if same.any():
                parts.append(done[same])
                continue
        part = job.run().assign(**job.key)
        if path is not None:
            part.to_csv(path, mode="a", header=not path.is_file(), index=False)
        click.echo(", ".join(str(value) for value in job.key.values()) + " done", err=True)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def print_tables(title: str, rows: pd.DataFrame, measure: str, paper: PaperTable, digits: int = 1) -> None:
    """A table per network: our mean and its standard error, and the paper's number in brackets where there is one."""
    click.echo(f"{title}\nOurs ± standard error [the paper's].")
    for network, part in rows[rows["measure"] == measure].groupby("network", sort=False):
        dataset, note = SETTINGS.get(str(network), ("", "not in the paper"))
        click.echo(f"\n{network}, {part['replicates'].iloc[0]} replicates; {note}")
        click.echo(beside(part, paper.get(dataset), digits).to_string())
    click.echo("")


def beside(rows: pd.DataFrame, paper: Sequence[tuple[float, float, float]] | None, digits: int) -> pd.DataFrame:
    """Cells of text, methods down and labels across; the paper's numbers belong to the labels in their order.

    >>> rows = pd.DataFrame({"method": ["informed"], "labels": [200], "mean": [18.41], "se": [0.03]})
    >>> beside(rows, [(30.7, 15.0, 15.3)], 1).loc["informed", "200"]
    '18.4 ± 0.0 [15.0]'
    """
    cells: dict[str, dict[str, str]] = {}
    for place, (labels, column) in enumerate(rows.groupby("labels", sort=True)):
        texts: dict[str, str] = {}
        for row in column.to_dict("records"):
            text = f"{row['mean']:.{digits}f} ± {row['se']:.{digits}f}"
            known = PAPER_COLUMN.get(str(row["method"]))
            if paper is not None and known is not None:
                text += f" [{paper[place][known]:.{digits}f}]"
            texts[str(row["method"])] = text
        cells[f"{labels:,}"] = texts
    order: list[Any] = list(dict.fromkeys(rows["method"]))
    return pd.DataFrame(cells).reindex(order)
