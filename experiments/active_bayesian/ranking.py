"""What the identification experiments of active Bayesian assessment share: arms, reciprocal ranks, labels needed.

The paper's rank of a true top-m class ignores the other true top-m classes, so that the mean reciprocal rank (MRR) is 1
exactly where the predicted top m are the true ones. Ties count by chance: the expectation over a random order. Groups
whose true value equals that of the m-th are ignored as well, for either is a right answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from altmas.bandits.lockstep import ArmBelief, FixedPrior, LearntPrior, Measure, simulate
from altmas.bandits.rewards import ArmTask
from altmas.bandits.rules import ArmRule, RandomItems, Sampler, Thompson, sample_outcomes
from altmas.experiments.active_bayesian.groups import (
    LOOKS,
    Asked,
    Effort,
    GroupOutcomes,
)
from altmas.experiments.bench.cases import Case
from altmas.experiments.data.networks import IMAGENET_NETWORK, NETWORKS, Outcomes, load_network
from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.groups.hierarchical import regressor
from altmas.surrogates.groups.priors import informed, uniform

IDENTIFIED_ON = (*NETWORKS, IMAGENET_NETWORK)
"""The last is the stored network nearest to the paper's ResNet-152."""

IDENTIFIED = 0.99
"""The MRR at which the paper calls the classes identified."""

PAPER_DATA = {"resnet110_cifar100": "CIFAR-100", "news20": "20 News", IMAGENET_NETWORK: "ImageNet"}
"""Rows of the paper's tables to print beside ours; the other networks are none of the paper's."""

FEW_DIGITS = 400
"""So many digits make a smoke test."""

_SAME = 1e-12


def load(network: str, data: Path | None) -> Outcomes:
    """Stored outputs by name; of the digits, which serve to try things out, the first few hundred."""
    found = load_network(network, data)
    if network != "digits":
        return found
    columns = ("labels", "predictions", "confidence", "scores")
    return replace(found, **{name: getattr(found, name)[:FEW_DIGITS] for name in columns})


def prior_of(kind: str, groups: GroupOutcomes, strength: float = 2.0) -> FloatArray:
    """The Beta pseudo-counts of a kind `[G, 2]`: informed, or uniform.

    >>> prior_of("informed", GroupOutcomes(("a",), np.array([[3, 1]]), np.ones(1), np.array([0.75]))).tolist()
    [[1.5, 0.5]]
    """
    return informed(groups.scores, strength) if kind == "informed" else uniform(len(groups.scores), strength)


def belief_of(kind: str, groups: GroupOutcomes, strength: float = 2.0) -> Callable[[], ArmBelief]:
    """Where pseudo-counts come from: a fixed prior of `prior_of`, or one learnt from all groups (hierarchical)."""
    if kind == "hierarchical":
        return partial(LearntPrior, regressor(groups.scores, len(groups.scores)))
    return partial(FixedPrior, prior_of(kind, groups, strength))


def rule_of(name: str) -> ArmRule:
    """Thompson sampling or random items, by the name of a method such as "thompson, informed".

    >>> rule_of("random, uniform")
    RandomItems()
    """
    return Thompson() if name.startswith("thompson") else RandomItems()


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


def judged(
    judge: Callable[[FloatArray, FloatArray], FloatArray], task: ArmTask, theta: FloatArray, estimator: Estimator | None
) -> Measure:
    """A judgement of the task's worth at an estimate, by default the posterior mean, beside the true worth."""
    true = task.worth(theta[None], theta[None])[0]

    def measure(seen: IntArray, mean: FloatArray) -> FloatArray:
        at = estimator(seen, mean) if estimator else mean
        return judge(task.worth(at, at), true)

    return measure


def mrr_of(task: ArmTask, theta: FloatArray, m: int, estimator: Estimator | None = None) -> Measure:
    """MRR by the task's worth at an estimate; `theta [G, O]` holds on the full test set."""
    return judged(partial(mean_reciprocal_rank, m=m), task, theta, estimator)


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
    return judged(found_top, task, theta, None)


def labels_needed(
    checkpoints: Sequence[int], mrr: FloatArray, pool: int | None = None, level: float = IDENTIFIED
) -> float:
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


def checkpoints_of(pool: int, step: int = 1, looks: int = LOOKS) -> list[int]:
    """Evenly spread numbers of labels up to the whole pool, each a multiple of the arms pulled a step but the last.

    >>> checkpoints_of(25, 10, 4)
    [10, 20, 25]
    """
    even = np.round(np.linspace(0, pool, looks + 1)[1:-1] / step).astype(int) * step
    return sorted({int(n) for n in even if 0 < n < pool} | {pool})


@dataclass(frozen=True, eq=False)
class Way:
    """A way to spend labels: a rule, a belief, and how to draw from it."""

    rule: ArmRule
    belief: Callable[[], ArmBelief]
    sample: Sampler = sample_outcomes

    def spend(
        self, truth: IntArray, task: ArmTask, step: int, measures: Sequence[Measure], effort: Effort
    ) -> tuple[list[int], FloatArray]:
        """Spend all labels, `step` arms at a time: numbers of labels `[T]`, and the measures there `[K, T, R]`."""
        at = checkpoints_of(int(truth.sum()), step, effort.looks)
        return at, simulate(
            truth, task, self.rule, self.belief, measures, replicates=effort.replicates,
            checkpoints=at, arms_per_step=step, seed=effort.seed, sample=self.sample,
        )  # fmt: skip


def identify(
    truth: IntArray, theta: FloatArray, task: ArmTask, m: int, way: Way, effort: Effort, pooled: Estimator | None = None
) -> dict[str, float]:
    """Per cent of labels needed to identify the top m, and the MRR with everything labelled.

    `percent_pool` is of the same runs, ranked by the estimator of the pool's own proportions.
    """
    measures = [mrr_of(task, theta, m, by) for by in (None, pooled or of_pool(truth.sum(-1)))]
    at, mrr = way.spend(truth, task, m, measures, effort)
    percent, of_the_pool = (100 * labels_needed(at, one) for one in mrr)
    return {"percent": percent, "percent_pool": of_the_pool, "end": float(mrr[0, -1].mean())}


def identification_cases(
    network: str, asked: Asked, usual: int, keys: Iterable[Mapping[str, Any]], run: Callable[..., Mapping[str, Any]]
) -> Iterator[Case]:
    """A case for each of the keys: `run` is given the key's values by name, and how much to simulate."""
    effort = asked.effort(network, usual)
    for key in keys:
        named = {"network": network, **key, "replicates": effort.replicates, "seed": effort.seed}
        yield Case(named, partial(run, **key, effort=effort))


def tops_and_methods(groups: int, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Top 1 and top m, each by every method."""
    return [{"m": m, "method": method} for m in (1, top_m(groups)) for method in methods]


def wide(rows: pd.DataFrame, index: list[str], value: str, methods: Sequence[str], digits: int = 1) -> pd.DataFrame:
    """Cells of text, methods across, in the order of the rows; `never` where there is no number."""
    table = rows.pivot(index=index, columns="method", values=value).reindex(columns=list(methods))
    order = rows[index].drop_duplicates()
    table = table.reindex(pd.MultiIndex.from_frame(order) if len(index) > 1 else pd.Index(order[index[0]]))
    return table.map(lambda v: "never" if np.isnan(v) else f"{v:.{digits}f}")


PaperLookup = Callable[[Any], Sequence[float] | None]
"""From a place of a table's index to the paper's numbers, one per method, or none."""


def numbers_of(paper: Mapping[tuple[str, int], Sequence[float]]) -> PaperLookup:
    """The paper's numbers for a network and m, where its data set is one of the paper's."""
    return lambda at: paper.get((PAPER_DATA.get(at[0], ""), at[1]))


def add_paper(text: pd.DataFrame, methods: Sequence[str], paper: PaperLookup) -> pd.DataFrame:
    """The paper's numbers beside, one per method, where it has any for a place of the index."""
    found = [paper(place) for place in text.index]
    more = {f"paper: {name}": [f"{row[k]:.1f}" if row else "" for row in found] for k, name in enumerate(methods)}
    return text.assign(**more)
