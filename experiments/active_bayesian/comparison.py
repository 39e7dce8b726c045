"""Active Bayesian assessment, Table 7: labels needed to compare the accuracies of two groups, over all pairs.

A comparison ends with the first label after which the most probable region eta of the ROPE (margin 0.05) is the one on
the full test set and its probability lambda is within 5% of the value there. Those two are taken under a uniform prior,
the same goal for every method. A comparison that never gets there counts all labels of its pair.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import combinations

import click
import numpy as np
import pandas as pd

from altmas.bandits.lockstep import pull
from altmas.bandits.rewards import TellApart, rope
from altmas.bandits.rules import ArmRule, sample_outcomes
from altmas.core.groups import Groups
from altmas.core.streams import stream
from altmas.experiments.active_bayesian import ranking
from altmas.experiments.active_bayesian.groups import Asked, Effort, GroupOutcomes, Table, by_class, group_outcomes
from altmas.experiments.bench.cases import Case
from altmas.experiments.data.networks import SUPERCLASSES, Outcomes, superclass_of
from altmas.metrics.types import FloatArray, IntArray

ROPE_MARGIN = 0.05
CLOSE = 0.05
COMPARISON_METHODS = ("random, uniform", "random, informed", "thompson, informed")
LABELS_TO_COMPARE = {"resnet110_cifar100": (203.5, 129.0, 121.9), "news20": (197.3, 157.4, 136.1)}


def compared_arms(outcomes: Outcomes) -> GroupOutcomes:
    """Superclasses of the predicted class for CIFAR-100, predicted classes otherwise; right means the very class."""
    if not outcomes.name.endswith("cifar100"):
        return by_class(outcomes)
    return group_outcomes(outcomes, Groups(tuple(SUPERCLASSES), superclass_of()[outcomes.predictions]))


def reached(alpha: FloatArray, region: IntArray, confidence: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether beliefs `[P, 2, 2]` about pairs agree with the full test set's eta and lambda `[P]`."""
    mass = rope(alpha[:, 0], alpha[:, 1], ROPE_MARGIN)
    near = np.abs(mass.max(-1) - confidence) < CLOSE * confidence
    return np.asarray((mass.argmax(-1) == region) & near)


def labels_until_told(
    truth: IntArray, prior: FloatArray, rule: ArmRule, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Labels spent on each pair `[P]`, and 1 where the goal was reached; `truth` and `prior` are `[P, 2, 2]`.

    All pairs advance together; one that is done leaves.
    """
    everything = truth + np.ones(truth.shape)
    final = rope(everything[:, 0], everything[:, 1], ROPE_MARGIN)
    region, confidence = final.argmax(-1), final.max(-1)
    spent, told = np.zeros(len(truth), dtype=np.int64), np.zeros(len(truth), dtype=np.int64)
    urns, seen, open_ = truth.copy(), np.zeros_like(truth), np.arange(len(truth))
    task = TellApart(ROPE_MARGIN)
    while open_.size:
        left = urns.sum(-1)
        arms = rule.choose(seen + prior[open_], task, left, 1, sample_outcomes, rng)[:, 0]
        outcome = pull(urns, arms, rng)
        seen[np.arange(len(arms)), arms, outcome] += 1
        spent[open_] += 1
        done = reached(seen + prior[open_], region[open_], confidence[open_])
        told[open_[done]] = 1
        stay = ~done & (urns.sum((1, 2)) > 0)
        urns, seen, open_ = urns[stay], seen[stay], open_[stay]
    return spent, told


def compare_all(arms: GroupOutcomes, method: str, effort: Effort) -> dict[str, float]:
    """Mean labels over all pairs of groups and replicates, its standard error, and the share that reached the goal."""
    counts = ranking.prior_of(method.partition(", ")[2], arms)
    pairs = np.tile(np.array(list(combinations(range(len(arms.scores)), 2))), (effort.replicates, 1))
    spent, told = labels_until_told(
        arms.truth[pairs], counts[pairs], ranking.rule_of(method), stream(effort.seed, "compare", method)
    )
    by_replicate = spent.reshape(effort.replicates, -1).mean(-1)
    error = by_replicate.std(ddof=1) / np.sqrt(effort.replicates) if effort.replicates > 1 else float("nan")
    return {"labels": float(spent.mean()), "se": float(error), "told": float(told.mean())}


def comparison_cases(network: str, asked: Asked) -> Iterable[Case]:
    """Every method on the pairs of a network's groups."""
    arms = compared_arms(ranking.load(network, asked.data))
    if asked.smoke:
        arms, asked = arms.first(4), replace(asked, replicates=asked.replicates or 1)
    keys = [{"method": method} for method in COMPARISON_METHODS]
    return ranking.identification_cases(network, asked, 20, keys, partial(compare_all, arms))


def _show(rows: pd.DataFrame, asked: Asked) -> None:
    click.echo("Mean number of labels until two groups are compared rightly")
    text = ranking.wide(rows, ["network"], "labels", COMPARISON_METHODS)
    click.echo(ranking.add_paper(text, COMPARISON_METHODS, LABELS_TO_COMPARE.get).to_string())


TABLE_7 = Table(("resnet110_cifar100", "wideresnet_cifar100", "news20"), comparison_cases, _show)
