"""Active Bayesian assessment, Tables 10 and 11: labels needed to identify the predicted classes of highest cost.

Cost `human`: mistaking a person costs c times as much as another mistake. Cost `superclass`: a mistake outside the true
class's superclass costs c times as much as one within. True classes of equal cost are one outcome (right, cheap or dear
mistake), which a Dirichlet over the true classes allows exactly; its strength is 1. At c = 1 the two costs are the same
matrix, so rows agree up to chance there; the paper's differ by more (5.0K and 2.2K).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product

import click
import numpy as np
import pandas as pd

from altmas.bandits.lockstep import FixedPrior
from altmas.bandits.rewards import FindCostliest
from altmas.experiments.active_bayesian import ranking
from altmas.experiments.active_bayesian.groups import Asked, Effort, Table, proportions
from altmas.experiments.bench.cases import Case
from altmas.experiments.data.networks import SUPERCLASSES, Outcomes, superclass_of
from altmas.metrics import tally
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

COSTS = ("human", "superclass")
RATIOS = (1, 2, 5, 10)
COST_METHODS = ("random, uniform", "random, informed", "thompson, informed")
LABELS_BY_COST = {
    ("human", 1): ((9.6, 9.4, 5.0), (10.0, 10.0, 9.4)),
    ("human", 2): ((9.3, 9.3, 4.4), (9.8, 10.0, 8.4)),
    ("human", 5): ((9.5, 9.7, 4.5), (9.6, 10.0, 7.9)),
    ("human", 10): ((9.3, 9.1, 2.2), (9.6, 9.7, 7.4)),
    ("superclass", 1): ((9.9, 10.0, 2.2), (9.8, 9.9, 5.9)),
    ("superclass", 2): ((10.0, 10.0, 2.2), (9.9, 9.9, 5.2)),
    ("superclass", 5): ((9.9, 10.0, 1.8), (9.9, 9.9, 5.3)),
    ("superclass", 10): ((10.0, 9.8, 1.4), (9.9, 9.9, 4.0)),
}
"""Thousands of queries, on a ResNet-110 and 10,000 images: (cost, c) -> top 1 and top 10, by method."""

TINY_CLASSES = 10


def outcome_of(cost: str, home: IntArray, people: int) -> IntArray:
    """0 right, 1 cheap mistake, 2 dear mistake `[true, predicted]`; `home [C]` is each class's superclass.

    >>> outcome_of("superclass", np.array([0, 0, 1]), 1).tolist()
    [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
    >>> outcome_of("human", np.array([0, 0, 1]), 1).tolist()
    [[0, 1, 1], [1, 0, 1], [2, 2, 0]]
    """
    if cost == "human":
        dear = np.broadcast_to((home == people)[:, None], (len(home), len(home)))
    elif cost == "superclass":
        dear = home[:, None] != home[None, :]
    else:
        raise InputError("cost", f"be one of {', '.join(COSTS)}", repr(cost))
    outcome = np.where(dear, 2, 1)
    np.fill_diagonal(outcome, 0)
    return outcome


def summed(columns: FloatArray, outcome: IntArray) -> FloatArray:
    """Add up true classes of the same outcome: `columns [C, G]`, one per predicted class -> `[G, 3]`.

    >>> summed(np.array([[5.0], [2.0], [1.0]]), np.array([[0], [2], [2]])).tolist()
    [[5.0, 0.0, 3.0]]
    """
    return np.stack([np.where(outcome == o, columns, 0.0).sum(0) for o in range(3)], -1)


@dataclass(frozen=True, eq=False)
class CostArms:
    """Counts of right, cheap and dear answers per predicted class `truth [G, 3]`, and two priors of strength 1."""

    truth: IntArray
    uniform: FloatArray
    informed: FloatArray

    @property
    def theta(self) -> FloatArray:
        """Proportions on the full test set."""
        return proportions(self.truth)


def homes(outcomes: Outcomes) -> tuple[IntArray, int]:
    """Superclass of each class, and the one that is people; for digits, pairs of neighbours stand in."""
    if len(outcomes.classes) == TINY_CLASSES:
        return np.arange(TINY_CLASSES) // 2, 4
    return superclass_of(), list(SUPERCLASSES).index("people")


def cost_arms(outcomes: Outcomes, cost: str) -> CostArms:
    """Arms for one kind of cost; needs the whole softmax."""
    if outcomes.scores is None:
        raise InputError("scores", "be stored for every class", "none")
    classes, said = len(outcomes.classes), np.unique(outcomes.predictions)
    outcome = outcome_of(cost, *homes(outcomes))[:, said]
    confusion = tally(outcomes.labels, outcomes.predictions, classes)
    scores = np.stack([outcomes.scores[outcomes.predictions == k].mean(0) for k in said], -1)
    return CostArms(
        summed(confusion[:, said], outcome).astype(np.int64),
        summed(np.full(outcome.shape, 1 / classes), outcome),
        summed(scores, outcome),
    )


def costliest(both: Mapping[str, CostArms], cost: str, c: int, m: int, method: str, effort: Effort) -> dict[str, float]:
    """One cell of the tables."""
    arms = both[cost]
    prior = arms.informed if method.endswith("informed") else arms.uniform
    task = FindCostliest(np.tile([0.0, 1.0, float(c)], (len(prior), 1)))
    way = ranking.Way(ranking.rule_of(method), partial(FixedPrior, prior))
    found = ranking.identify(arms.truth, arms.theta, task, m, way, effort)
    return {**found, "thousands": found["percent"] / 100 * float(arms.truth.sum()) / 1000}


def cost_cases(network: str, asked: Asked) -> Iterable[Case]:
    """Both costs, every ratio, top 1 and top m, every method."""
    outcomes = ranking.load(network, asked.data)
    both = {cost: cost_arms(outcomes, cost) for cost in COSTS}
    tops = ranking.tops_and_methods(len(both[COSTS[0]].truth), COST_METHODS)
    ratios = (1, 10) if asked.smoke else RATIOS
    keys = [{"cost": cost, "c": c, **top} for cost, c, top in product(COSTS, ratios, tops)]
    return ranking.identification_cases(network, asked, 100, keys, partial(costliest, both))


def _paper(at: tuple[str, str, int, int]) -> tuple[float, ...] | None:
    cost, network, c, m = at
    return None if network == "digits" else LABELS_BY_COST[cost, c][m > 1]


def _show(rows: pd.DataFrame, asked: Asked) -> None:
    click.echo("Thousands of labels needed for a mean reciprocal rank above 0.99, classes of highest cost")
    text = ranking.wide(rows, ["cost", "network", "c", "m"], "thousands", COST_METHODS, 2).sort_index()
    click.echo(ranking.add_paper(text, COST_METHODS, _paper).to_string())


TABLE_10 = Table(("wideresnet_cifar100", "resnet20_cifar100"), cost_cases, _show)
