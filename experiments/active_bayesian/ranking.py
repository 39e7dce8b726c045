"""What the identification experiments of active Bayesian assessment share: arms, reciprocal ranks, labels needed.

The paper's rank of a true top-m class ignores the other true top-m classes, so that the mean reciprocal rank (MRR) is 1
exactly where the predicted top m are the true ones. Ties count by chance: the expectation over a random order. Groups
whose true value equals that of the m-th are ignored as well, for either is a right answer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from altmas.bandits.lockstep import ArmBelief, Measure, simulate
from altmas.bandits.rewards import ArmTask
from altmas.bandits.rules import ArmRule, Sampler, sample_outcomes
from altmas.core.groups import Groups
from altmas.experiments.data.networks import Outcomes, load_network
from altmas.metrics.types import FloatArray, IntArray

LEVEL = 0.99
"""The MRR at which the paper calls the classes identified."""

POINTS = 200
"""Checkpoints of a run: shares of the pool are known to half a percent."""

IMAGENET = "imagenet:torchvision/resnet101"
"""The stored network nearest to the paper's ResNet-152."""

PAPER_DATA = {"resnet110_cifar100": "CIFAR-100", "news20": "20 News", IMAGENET: "ImageNet"}
"""Rows of the paper's tables to print beside ours; the other networks are none of the paper's."""

DIGITS = 400
"""So many digits make a smoke."""

_SAME = 1e-12
_SURE = 1e-3


@dataclass(frozen=True, eq=False)
class ClassArms:
    """Predicted classes as arms: right and wrong counts `truth [G, 2]`, mean scores `[G]`."""

    groups: Groups
    truth: IntArray
    scores: FloatArray

    @property
    def theta(self) -> FloatArray:
        """Accuracy on the full test set, and one minus it `[G, 2]`."""
        return np.asarray(self.truth / self.truth.sum(-1, keepdims=True))


def load(network: str, data: Path | None) -> Outcomes:
    """Stored outputs by name; of the digits, which serve to try things out, the first few hundred."""
    found = load_network(network, data)
    if network != "digits":
        return found
    return replace(
        found,
        labels=found.labels[:DIGITS],
        predictions=found.predictions[:DIGITS],
        confidence=found.confidence[:DIGITS],
        scores=None if found.scores is None else found.scores[:DIGITS],
    )


def class_groups(outcomes: Outcomes) -> Groups:
    """The predicted classes that were predicted at all."""
    said, index = np.unique(outcomes.predictions, return_inverse=True)
    names: tuple[Hashable, ...] = tuple(outcomes.classes[k] for k in said)
    return Groups(names, index)


def class_arms(outcomes: Outcomes) -> ClassArms:
    """Arms for tasks about accuracy."""
    groups = class_groups(outcomes)
    right = np.bincount(groups.index, outcomes.right, minlength=len(groups.names)).astype(np.int64)
    return ClassArms(groups, np.stack([right, groups.sizes - right], -1), groups.mean(outcomes.confidence))


def uniform_prior(groups: int, strength: float = 2.0) -> FloatArray:
    """Beta pseudo-counts that prefer nothing `[G, 2]`.

    >>> uniform_prior(1).tolist()
    [[1.0, 1.0]]
    """
    return np.full((groups, 2), strength / 2)


def informed_prior(scores: FloatArray, strength: float = 2.0) -> FloatArray:
    """Beta pseudo-counts that take the mean scores at their word `[..., 2]`; a score of 1 still leaves room for doubt.

    >>> informed_prior(np.array([0.75])).tolist()
    [[1.5, 0.5]]
    """
    sure = np.clip(scores, _SURE, 1 - _SURE)
    return strength * np.stack([sure, 1 - sure], -1)


def top_m(groups: int) -> int:
    """The paper's m: 10 where there are a hundred classes or more, else 3."""
    return 10 if groups >= 100 else 3


def mean_reciprocal_rank(worth: FloatArray, true: FloatArray, m: int) -> FloatArray:
    """MRR `[R]` of the true top m by estimated worth `[R, G]`, higher is nearer the top; `true [G]` likewise.

    >>> mean_reciprocal_rank(np.array([[0.9, 0.5, 0.7], [0.7, 0.9, 0.5]]), np.array([3.0, 2.0, 1.0]), 2).tolist()
    [0.75, 1.0]
    """
    members = np.argsort(-true, kind="stable")[:m]
    others = worth[:, true < true[members[-1]] - _SAME]
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, others.shape[1] + 2))])
    total = np.zeros(len(worth))
    for member in members:
        mine = worth[:, [member]]
        ahead, tied = (others > mine + _SAME).sum(-1), (np.abs(others - mine) <= _SAME).sum(-1)
        # The expectation of 1 / rank where the rank is uniform on ahead + 1 ... ahead + tied + 1.
        total += (harmonic[ahead + tied + 1] - harmonic[ahead]) / (tied + 1)
    return np.asarray(total / len(members))


def found_top(worth: FloatArray, true: FloatArray) -> FloatArray:
    """Whether the group of highest estimated worth is the true top `[R]`; where several tie, the chance that it is.

    >>> found_top(np.array([[0.9, 0.5], [0.5, 0.9], [0.5, 0.5]]), np.array([2.0, 1.0])).tolist()
    [1.0, 0.0, 0.5]
    """
    best = worth >= worth.max(-1, keepdims=True) - _SAME
    top = true >= true.max() - _SAME
    return np.asarray((best & top).sum(-1) / best.sum(-1))


Estimator = Callable[[IntArray, FloatArray], FloatArray]
"""From what was seen `[R, G, O]` and its posterior mean to an estimate of the outcome probabilities `[R, G, O]`."""


def mrr_of(task: ArmTask, theta: FloatArray, m: int, estimator: Estimator = lambda seen, mean: mean) -> Measure:
    """MRR by the task's worth at an estimate, the posterior mean; `theta [G, O]` holds on the full test set."""
    true = task.worth(theta[None], theta[None])[0]

    def measure(seen: IntArray, mean: FloatArray) -> FloatArray:
        at = estimator(seen, mean)
        return mean_reciprocal_rank(task.worth(at, at), true, m)

    return measure


def of_pool(sizes: IntArray) -> Estimator:
    """Posterior mean of the pool's own proportions; `sizes [G]` of the groups.

    Labelled items are known, the others follow the belief. It ends at the truth whatever the prior.

    >>> of_pool(np.array([4]))(np.array([[[2, 0]]]), np.array([[[0.5, 0.5]]])).tolist()
    [[[0.75, 0.25]]]
    """

    def estimator(seen: IntArray, mean: FloatArray) -> FloatArray:
        left = sizes - seen.sum(-1)
        return np.asarray((seen + left[..., None] * mean) / sizes[:, None])

    return estimator


def success_of(task: ArmTask, theta: FloatArray) -> Measure:
    """Whether the true top group comes out first; its mean over replicates is the success rate."""
    true = task.worth(theta[None], theta[None])[0]

    def measure(seen: IntArray, mean: FloatArray) -> FloatArray:
        return found_top(task.worth(mean, mean), true)

    return measure


def labels_needed(checkpoints: Sequence[int], mrr: FloatArray, pool: int | None = None, level: float = LEVEL) -> float:
    """Smallest number of labels from which the mean of `mrr [T, R]` stays above the level, as a share of the pool.

    The pool is the last checkpoint unless told; NaN where the level is not held at the last checkpoint.

    >>> labels_needed([10, 20, 30, 40], np.array([[1.0], [0.5], [1.0], [1.0]]))
    0.75
    """
    below = np.flatnonzero(mrr.mean(-1) <= level)
    first = below[-1] + 1 if below.size else 0
    if first == len(checkpoints):
        return float("nan")
    return checkpoints[first] / (pool or checkpoints[-1])


def checkpoints_of(pool: int, step: int = 1, points: int = POINTS) -> list[int]:
    """Evenly spread numbers of labels up to the whole pool, each a multiple of the arms pulled a step but the last.

    >>> checkpoints_of(25, 10, 4)
    [10, 20, 25]
    """
    even = np.round(np.linspace(0, pool, points + 1)[1:-1] / step).astype(int) * step
    return sorted({int(n) for n in even if 0 < n < pool} | {pool})


@dataclass(frozen=True, eq=False)
class Way:
    """A way to spend labels: a rule, a belief, and how to draw from it."""

    rule: ArmRule
    belief: Callable[[], ArmBelief]
    sample: Sampler = sample_outcomes


@dataclass(frozen=True)
class Effort:
    """How much to simulate."""

    replicates: int = 1000
    points: int = POINTS
    seed: int = 0


def identify(
    truth: IntArray, theta: FloatArray, task: ArmTask, m: int, way: Way, effort: Effort, pooled: Estimator | None = None
) -> dict[str, float]:
    """Per cent of labels needed to identify the top m, and the MRR with everything labelled.

    `percent_pool` is of the same runs, ranked by the estimator of the pool's own proportions.
    """
    pool = int(truth.sum())
    at = checkpoints_of(pool, m, effort.points)
    measures = [mrr_of(task, theta, m), mrr_of(task, theta, m, pooled or of_pool(truth.sum(-1)))]
    mrr = simulate(
        truth, task, way.rule, way.belief, measures, replicates=effort.replicates,
        checkpoints=at, arms_per_step=m, seed=effort.seed, sample=way.sample,
    )  # fmt: skip
    percent, of_the_pool = (100 * labels_needed(at, one) for one in mrr)
    return {"percent": percent, "percent_pool": of_the_pool, "end": float(mrr[0, -1].mean())}


Case = Mapping[str, Any]


def sweep(cases: Iterable[Case], run: Callable[[Case], Mapping[str, Any]], rows: Path | None) -> pd.DataFrame:
    """The row of every case: read from `rows` if it is there, else run and appended, so an interrupted run goes on."""
    done = pd.read_csv(rows) if rows is not None and rows.is_file() else pd.DataFrame()
    parts = []
    for case in cases:
        known = done[(done[list(case)] == pd.Series(dict(case))).all(axis=1)] if len(done) else done
        if len(known):
            parts.append(known.head(1))
            continue
        result = run(case)
        part = pd.DataFrame([{**case, **result}])
        parts.append(part)
        if rows is not None:
            part.to_csv(rows, mode="a", header=not rows.is_file(), index=False)
        said = ", ".join(f"{key} {value:.4g}" for key, value in result.items())
        click.echo(f"{', '.join(map(str, case.values()))}: {said}", err=True)
    return pd.concat(parts, ignore_index=True)


def scaled(name: str, effort: Effort, share: float = 0.05) -> Effort:
    """Fewer replicates on ImageNet, whose thousand arms and 50,000 labels take long."""
    if not name.startswith("imagenet:"):
        return effort
    return Effort(max(2, round(effort.replicates * share)), effort.points, effort.seed)


def with_effort(cases: Iterable[Case], effort: Effort) -> Iterator[Case]:
    """The cases, told apart by seed and replicates too, fewer where the network is large."""
    for case in cases:
        amount = scaled(case["network"], effort)
        yield {**case, "replicates": amount.replicates, "seed": amount.seed}


def effort_of(smoke: bool, replicates: int | None, seed: int, usual: int) -> Effort:
    """From the options; `--smoke` means a handful of replicates and checkpoints unless told otherwise."""
    return Effort(replicates or (3 if smoke else usual), 10 if smoke else POINTS, seed)


def options(command: Callable[..., None]) -> Callable[..., None]:
    """The options all these experiments have."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    for option in (
        click.option(
            "--rows", type=click.Path(dir_okay=False, path_type=Path), help="CSV to append to and go on from."
        ),
        click.option("--seed", default=0, show_default=True, help="Of all random numbers."),
        click.option("--replicates", type=click.IntRange(min=1), help="Independent runs; by default the paper's."),
        click.option("--smoke", is_flag=True, help="Seconds: digits instead of stored networks, few replicates."),
        click.option("--data", type=folder, help="Folder with the stored outputs of the networks."),
    ):
        command = option(command)
    return command


def require_data(data: Path | None, smoke: bool) -> None:
    """Refuse to start without data."""
    if data is None and not smoke:
        raise click.UsageError("Give --data, or --smoke.")
