"""Active Bayesian assessment, Table 7: labels needed to compare the accuracies of two groups, over all pairs.

    python -m altmas.experiments.active_bayesian.table7 --data DIR --rows table7.csv

A comparison ends with the first label after which the most probable region eta of the ROPE (margin 0.05) is the one on
the full test set and its probability lambda is within 5% of the value there. Those two are taken under a uniform prior,
the same goal for every method. A comparison that never gets there counts all labels of its pair.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import click
import numpy as np
import pandas as pd

from altmas.bandits.lockstep import pull
from altmas.bandits.rewards import Compare, rope
from altmas.bandits.rules import ArmRule, RandomItems, Thompson, sample_outcomes
from altmas.core.groups import Groups
from altmas.core.streams import stream
from altmas.experiments import aba_ranking as ranking
from altmas.experiments.data.networks import SUPERCLASSES, Outcomes, superclass_of
from altmas.metrics.types import FloatArray, IntArray

MARGIN = 0.05
CLOSE = 0.05
METHODS = ("random, uniform", "random, informed", "thompson, informed")
PAPER = {"resnet110_cifar100": (203.5, 129.0, 121.9), "news20": (197.3, 157.4, 136.1)}
COMPARED = ("resnet110_cifar100", "wideresnet_cifar100", "news20")


def compared_arms(outcomes: Outcomes) -> ranking.ClassArms:
    """Superclasses of the predicted class for CIFAR-100, predicted classes otherwise; right means the very class."""
    arms = ranking.class_arms(outcomes)
    if not outcomes.name.endswith("cifar100"):
        return arms
    groups = Groups(tuple(SUPERCLASSES), superclass_of()[outcomes.predictions])
    right = np.bincount(groups.index, outcomes.right, minlength=len(groups.names)).astype(np.int64)
    truth = np.stack([right, groups.sizes - right], -1)
    return replace(arms, groups=groups, truth=truth, scores=groups.mean(outcomes.confidence))


def first_groups(arms: ranking.ClassArms, count: int) -> ranking.ClassArms:
    """A few of the arms, to keep a smoke short."""
    return replace(arms, truth=arms.truth[:count], scores=arms.scores[:count])


def reached(alpha: FloatArray, region: IntArray, confidence: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether beliefs `[P, 2, 2]` about pairs agree with the full test set's eta and lambda `[P]`."""
    mass = rope(alpha[:, 0], alpha[:, 1], MARGIN)
    near = np.abs(mass.max(-1) - confidence) < CLOSE * confidence
    return np.asarray((mass.argmax(-1) == region) & near)


def labels_until_told(
    truth: IntArray, prior: FloatArray, rule: ArmRule, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Labels spent on each pair `[P]`, and 1 where the goal was reached; `truth` and `prior` are `[P, 2, 2]`.

    All pairs advance together; one that is done leaves.
    """
    everything = truth + np.ones(truth.shape)
    final = rope(everything[:, 0], everything[:, 1], MARGIN)
    region, confidence = final.argmax(-1), final.max(-1)
    spent, told = np.zeros(len(truth), dtype=np.int64), np.zeros(len(truth), dtype=np.int64)
    urns, seen, open_ = truth.copy(), np.zeros_like(truth), np.arange(len(truth))
    task = Compare(MARGIN)
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


def compare_all(arms: ranking.ClassArms, method: str, effort: ranking.Effort) -> dict[str, float]:
    """Mean labels over all pairs of groups and replicates, its standard error, and the share that reached the goal."""
    rule, _, kind = method.partition(", ")
    counts = ranking.informed_prior(arms.scores) if kind == "informed" else ranking.uniform_prior(len(arms.scores))
    pairs = np.tile(np.array(list(combinations(range(len(arms.scores)), 2))), (effort.replicates, 1))
    spent, told = labels_until_told(
        arms.truth[pairs], counts[pairs], Thompson() if rule == "thompson" else RandomItems(),
        stream(effort.seed, "compare", method),
    )  # fmt: skip
    by_replicate = spent.reshape(effort.replicates, -1).mean(-1)
    error = by_replicate.std(ddof=1) / np.sqrt(effort.replicates) if effort.replicates > 1 else float("nan")
    return {"labels": float(spent.mean()), "se": float(error), "told": float(told.mean())}


def table(rows: pd.DataFrame) -> str:
    """Mean labels by method, the paper's beside."""
    wide = rows.pivot(index="network", columns="method", values="labels").reindex(columns=list(METHODS))
    for place, name in enumerate(METHODS):
        wide[f"paper: {name}"] = [PAPER.get(str(network), (np.nan,) * 3)[place] for network in wide.index]
    return wide.round(1).to_string(na_rep="")


@click.command()
@ranking.options
def main(data: Path | None, smoke: bool, replicates: int | None, seed: int, rows: Path | None) -> None:
    """Print the table."""
    ranking.require_data(data, smoke)
    effort = ranking.effort_of(smoke, replicates or (1 if smoke else None), seed, 20)
    networks = ("digits",) if smoke else COMPARED
    arms = {network: compared_arms(ranking.load(network, data)) for network in networks}
    if smoke:
        arms = {network: first_groups(mine, 4) for network, mine in arms.items()}
    cases = [{"network": network, "method": method} for network in networks for method in METHODS]

    def run(case: ranking.Case) -> dict[str, float]:
        return compare_all(arms[case["network"]], case["method"], effort)

    click.echo("Mean number of labels until two groups are compared rightly")
    click.echo(table(ranking.sweep(ranking.with_effort(cases, effort), run, rows)))


if __name__ == "__main__":
    main()
