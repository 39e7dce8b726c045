"""Active Bayesian assessment, Table 7: labels needed to compare the accuracies of two groups, over all pairs.

As the text has it, a comparison ends with the first label after which the most probable region eta of the ROPE (margin
0.05) is the one on the full test set and its probability lambda is within 5% of the value there. Those two are taken
under a uniform prior, the same goal for every method. A comparison that never gets there counts all labels of its pair.

The authors' published program reads it otherwise. It watches the probability of the region in which the difference of
the full test set's accuracies lies, most probable or not, and stops when that comes within 5% of its value there. What
never gets there counts as one label. A superclass counts as right if the true class is any of its own. Probabilities
are drawn, 10,000 times, those of the goal 1,000 times. And it runs 100 pairs, which its seeds tell. Each is measured.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

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
RANDOM_RUNS, THOMPSON_RUNS = 4, 2  # of all 190 pairs each
NODES = 16  # of the integral: to 1e-5 once an arm has an answer, where 5% is asked for
COMPARISON_METHODS = ("random, uniform", "random, informed", "thompson, informed")
LABELS_TO_COMPARE = {"resnet110_cifar100": (203.5, 129.0, 121.9), "news20": (197.3, 157.4, 136.1)}


def compared_arms(outcomes: Outcomes, right: str = "class") -> GroupOutcomes:
    """Superclasses of the predicted class for CIFAR-100, predicted classes otherwise.

    `right` is the very `class`, or any of its `superclass`. Where all scores are stored, those of a superclass are then
    summed: the highest sum says what was predicted and how surely, as in a file of twenty scores.
    """
    if not outcomes.name.endswith("cifar100"):
        return by_class(outcomes)
    home = superclass_of()
    groups = Groups(tuple(SUPERCLASSES), home[outcomes.predictions])
    if right == "class":
        return group_outcomes(outcomes, groups)
    said, sure = groups.index, outcomes.confidence
    if outcomes.scores is not None:
        summed = outcomes.scores @ (home[:, None] == np.arange(len(SUPERCLASSES)))
        said, sure = summed.argmax(1), summed.max(1)
    known = replace(outcomes, predictions=said, labels=home[outcomes.labels], confidence=sure)
    return group_outcomes(known, Groups(groups.names, said))


@dataclass(frozen=True, eq=False)
class Goal:
    """When pairs `[P]` are told apart: the region they belong to, its probability, and if it must be the likeliest."""

    region: IntArray
    probability: FloatArray
    likeliest: bool

    def reached(self, mass: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """By the masses `[P, 3]` of the three regions."""
        here = np.take_along_axis(mass, self.region[:, None], -1)[:, 0]
        near = np.abs(here - self.probability) < CLOSE * self.probability
        return np.asarray(near & (mass.argmax(-1) == self.region) if self.likeliest else near)

    def of(self, pairs: IntArray | np.ndarray[Any, Any]) -> Goal:
        """Those of some pairs."""
        return Goal(self.region[pairs], self.probability[pairs], self.likeliest)


@dataclass(frozen=True, eq=False)
class DrawnGoal(Goal):
    """The same, where the masses are shares of draws: `rng` draws them."""

    rng: np.random.Generator

    def reached(self, mass: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """By the shares of 10,000 draws."""
        return super().reached(self.rng.multinomial(10_000, mass / mass.sum(-1, keepdims=True)) / 10_000)

    def of(self, pairs: IntArray | np.ndarray[Any, Any]) -> Goal:
        """Those of some pairs."""
        return DrawnGoal(self.region[pairs], self.probability[pairs], self.likeliest, self.rng)

    @classmethod
    def like(cls, goal: Goal, rng: np.random.Generator) -> DrawnGoal:
        """The goal's own probability is the share of 1,000 draws."""
        drawn = rng.binomial(1000, np.clip(goal.probability, 0, 1)) / 1000
        return cls(goal.region, np.maximum(drawn, 0.001), goal.likeliest, rng)


def pairs_of_program(groups: int) -> list[tuple[int, int]]:
    """The hundred pairs that the published program's seeds 0 to 99 draw, by Python's own shuffle.

    >>> pairs_of_program(20)[:2]
    [(10, 18), (5, 11)]
    """
    drawn = []
    for seed in range(100):
        order = list(range(groups))
        random.Random(seed).shuffle(order)
        drawn.append((min(order[:2]), max(order[:2])))
    return drawn


def goal_of_text(truth: IntArray) -> Goal:
    """The likeliest region on the full test set, under a uniform prior; `truth [P, 2, 2]`."""
    everything = truth + np.ones(truth.shape)
    mass = rope(everything[:, 0], everything[:, 1], ROPE_MARGIN)
    return Goal(mass.argmax(-1), mass.max(-1), True)


def goal_of_program(truth: IntArray) -> Goal:
    """The region in which the difference on the full test set lies, with next to no prior."""
    accuracy = truth[..., 0] / truth.sum(-1)
    gap = accuracy[:, 0] - accuracy[:, 1]
    region = np.where(gap < -ROPE_MARGIN, 0, np.where(gap > ROPE_MARGIN, 2, 1))
    everything = np.maximum(truth, 0.01)
    mass = rope(everything[:, 0], everything[:, 1], ROPE_MARGIN)
    return Goal(region, np.take_along_axis(mass, region[:, None], -1)[:, 0], False)


def labels_until_told(
    truth: IntArray, prior: FloatArray, rule: ArmRule, rng: np.random.Generator, goals: Sequence[Goal] = ()
) -> tuple[IntArray, IntArray]:
    """Labels spent on each pair until each goal `[K, P]`, and 1 where it was reached; `truth`, `prior` `[P, 2, 2]`.

    All pairs advance together; one that is done with all goals leaves. Without goals the text's is meant.
    """
    goals = goals or (goal_of_text(truth),)
    spent = np.repeat(truth.sum((1, 2))[None], len(goals), 0)
    told = np.zeros(spent.shape, dtype=np.int64)
    urns, seen, open_, labels = truth.copy(), np.zeros_like(truth), np.arange(len(truth)), 0
    task = TellApart(ROPE_MARGIN, NODES)
    while open_.size:
        left = urns.sum(-1)
        arms = rule.choose(seen + prior[open_], task, left, 1, sample_outcomes, rng)[:, 0]
        outcome = pull(urns, arms, rng)
        seen[np.arange(len(arms)), arms, outcome] += 1
        labels += 1
        belief = seen + prior[open_]
        mass = rope(belief[:, 0], belief[:, 1], ROPE_MARGIN, NODES)
        for k, goal in enumerate(goals):
            new = open_[goal.of(open_).reached(mass) & (told[k, open_] == 0)]
            told[k, new], spent[k, new] = 1, labels
        stay = ~told[:, open_].all(0) & (urns.sum((1, 2)) > 0)
        urns, seen, open_ = urns[stay], seen[stay], open_[stay]
    return spent, told


def compare_all(arms: GroupOutcomes, method: str, effort: Effort) -> pd.DataFrame:
    """Mean labels over all pairs and replicates by reading, standard errors, and the share that reached the goal."""
    counts = ranking.prior_of(method.partition(", ")[2], arms)
    every = list(combinations(range(len(arms.scores)), 2))
    pairs = np.tile(np.array(every), (effort.replicates, 1))
    truth = arms.truth[pairs]
    program = goal_of_program(truth)
    drawn = DrawnGoal.like(program, stream(effort.seed, "drawn", method))
    spent, told = labels_until_told(
        truth, counts[pairs], ranking.rule_of(method), stream(effort.seed, "compare", method),
        (goal_of_text(truth), program, drawn),
    )  # fmt: skip
    rows = []
    theirs = [every.index(pair) for pair in pairs_of_program(len(arms.scores))]
    for k, goal in enumerate(("text", "program", "program, by draws")):
        for never, labels in (("all", spent[k]), ("one", np.where(told[k] == 1, spent[k], 1))):
            by_replicate = labels.reshape(effort.replicates, -1).mean(-1)
            error = by_replicate.std(ddof=1) / np.sqrt(effort.replicates) if effort.replicates > 1 else np.nan
            over_pairs = labels.reshape(effort.replicates, -1).mean(0).std()
            found = {"labels": labels.mean(), "se": error, "told": told[k].mean(), "over pairs": over_pairs}
            rows.append({"goal": goal, "never": never, **found})
    by_pair = spent[1].reshape(effort.replicates, -1).mean(0)[theirs]
    own = {"labels": by_pair.mean(), "se": by_pair.std() / 10, "told": told[1].mean(), "over pairs": by_pair.std()}
    rows.append({"goal": "program, its pairs", "never": "all", **own})
    return pd.DataFrame(rows)


def comparison_cases(network: str, asked: Asked) -> Iterable[Case]:
    """Every method on the pairs of a network's groups."""
    outcomes = ranking.load(network, asked.data)
    alone = network == "wideresnet_cifar100"  # to see what another checkpoint and summed scores do, at random
    rights = ("superclass",) if alone else ("class", "superclass") if network.endswith("cifar100") else ("class",)
    for right in rights:
        arms = compared_arms(outcomes, right)
        arms = arms.first(4) if asked.smoke else arms
        for method in COMPARISON_METHODS[:2] if alone else COMPARISON_METHODS:
            runs = asked.replicates or (1 if asked.smoke else THOMPSON_RUNS if "thompson" in method else RANDOM_RUNS)
            key: dict[str, str | int] = {
                "network": network,
                "right": right,
                "method": method,
                "replicates": runs,
                "seed": asked.seed,
            }
            yield Case(key, partial(compare_all, arms, method, Effort(runs, seed=asked.seed)))


def _show(rows: pd.DataFrame, asked: Asked) -> None:
    click.echo("Mean number of labels until two groups are compared rightly")
    text = ranking.wide(rows, ["network", "right", "goal", "never"], "labels", COMPARISON_METHODS)
    click.echo(ranking.add_paper(text, COMPARISON_METHODS, lambda at: LABELS_TO_COMPARE.get(at[0])).to_string())


TABLE_7 = Table(("resnet110_cifar100", "wideresnet_cifar100", "news20"), comparison_cases, _show)
