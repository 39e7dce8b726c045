"""Table 4 of "Active Bayesian Assessment": error of the confusion matrix, relative to scores without any label.

    RMSE = (sum_k p_k sum_j (theta_jk - estimate_jk)^2)^(1/2),    theta_jk = P(true class j | predicted class k)

divided by the RMSE of the informed prior with no labels. Only networks whose whole softmax is stored.

The paper's numbers cannot be this quantity. Its baseline falls twentyfold, by e^3, from 2 to 5 labels per class of
CIFAR-100: as the chance falls that a class was never asked about. True labels scatter, and no count of them gets that
close that fast. A squared error does, with pseudo-counts of 1e-6, if the predicted class is counted as the true one, so
that the first answer settles a column; the authors' published code counts so and takes no root. Three tables are
printed: the RMSE as defined, its square, and the square with predicted classes counted as true, whose shape is the
paper's. The first is the one to believe.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from altmas.bandits.lockstep import FixedPrior, Measure
from altmas.bandits.rules import ArmRule, RandomItems, Thompson
from altmas.experiments.active_bayesian.estimation import PaperNumbers, Sheet, measured, show_sheets
from altmas.experiments.active_bayesian.groups import PER_GROUP, TINY, Asked, GroupOutcomes, Table
from altmas.experiments.bench.cases import Case
from altmas.experiments.data.networks import Outcomes, load_network
from altmas.metrics import tally
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

THOMPSON_RUNS = 20
"""Each step of each run draws a hundred columns of a hundred classes."""

CONFUSION_ERROR: PaperNumbers = {
    "CIFAR-100": [(1.463, 0.077, 0.025), (0.071, 0.012, 0.004), (0.001, 0.002, 0.001)],
    "20 News": [(3.405, 0.018, 0.005), (0.188, 0.004, 0.001), (0.011, 0.001, 0.000)],
}


def confusion_columns(outcomes: Outcomes) -> GroupOutcomes:
    """A group per predicted class that occurs; its outcomes are the true classes.

    >>> two = Outcomes("", ("a", "b"), np.array([0, 1, 1]), np.array([0, 0, 1]), np.full(3, 0.9), np.full((3, 2), 0.5))
    >>> confusion_columns(two).truth.tolist()
    [[1, 1], [0, 1]]
    """
    if outcomes.scores is None:
        raise InputError("scores", "be stored for every class", f"the top one alone, for {outcomes.name}")
    classes = len(outcomes.classes)
    counts = tally(outcomes.labels, outcomes.predictions, classes).T.astype(np.int64)
    sizes = counts.sum(1)
    totals = np.zeros((classes, classes))
    np.add.at(totals, outcomes.predictions, outcomes.scores)
    some = sizes > 0
    names = tuple(np.array(outcomes.classes)[some].tolist())
    return GroupOutcomes(names, counts[some], sizes[some] / sizes.sum(), totals[some] / sizes[some, None])


def counted_as_predicted(outcomes: Outcomes) -> GroupOutcomes:
    """The same groups if every predicted class were the true one: for the third table, and for nothing else."""
    return confusion_columns(replace(outcomes, labels=outcomes.predictions))


def squared_error(estimate: FloatArray, theta: FloatArray, shares: FloatArray) -> FloatArray:
    """sum_k p_k sum_j (theta_jk - estimate_jk)^2 `[...]`, for arrays `[..., G, C]`.

    >>> float(squared_error(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]]), np.array([1.0])))
    0.5
    """
    return np.asarray((shares * ((estimate - theta) ** 2).sum(-1)).sum(-1))


def scaled(columns: GroupOutcomes, scale: float, root: bool) -> Measure:
    """Squared error of the posterior means over `scale`, or the root of that."""

    def measure(seen: IntArray, mean: FloatArray) -> FloatArray:
        ratio = squared_error(mean, columns.theta, columns.shares) / scale
        return np.sqrt(ratio) if root else ratio

    return measure


def column_methods(columns: GroupOutcomes) -> dict[str, tuple[ArmRule, FloatArray]]:
    """The paper's methods: a rule and Dirichlet pseudo-counts `[G, C]` that add up to N0 = 1, or to 1e-6."""
    flat = np.full(columns.scores.shape, 1 / columns.scores.shape[1])
    return {
        "uniform, 1e-6": (RandomItems(), TINY * flat),
        "uniform": (RandomItems(), flat),
        "informed": (RandomItems(), columns.scores),
        "informed + Thompson": (Thompson(), columns.scores),
    }


def confusion_cases(network: str, asked: Asked) -> Iterable[Case]:
    """Every method on one network."""
    outcomes = load_network(network, asked.data)
    columns = confusion_columns(outcomes)
    wrongly = counted_as_predicted(outcomes)
    labels = [per_group * len(columns.shares) for per_group in PER_GROUP]
    scale = float(squared_error(columns.scores, columns.theta, columns.shares))
    rightly = {"rmse": scaled(columns, scale, True), "squared": scaled(columns, scale, False)}
    tried = ((columns, rightly), (wrongly, {"predicted as true": scaled(wrongly, scale, False)}))

    def run(rule: ArmRule, prior: FloatArray, runs: int) -> pd.DataFrame:
        belief = partial(FixedPrior, prior)
        return pd.concat(measured(groups, rule, belief, wanted, labels, runs, asked.seed) for groups, wanted in tried)

    for name, (rule, prior) in column_methods(columns).items():
        runs = asked.runs(len(columns.shares))
        if isinstance(rule, Thompson):
            runs = min(runs, THOMPSON_RUNS)
        key: dict[str, str | int] = {"network": network, "method": name, "replicates": runs, "seed": asked.seed}
        yield Case(key, partial(run, rule, prior, runs))


SHEETS_4 = (
    Sheet("Scaled RMSE of the confusion matrix, by labels", "rmse", CONFUSION_ERROR, 3),
    Sheet("The same squared", "squared", CONFUSION_ERROR, 3),
    Sheet(
        "Squared, and the predicted class counted as the true one: what the paper's numbers look like",
        "predicted as true", CONFUSION_ERROR, 3,
    ),
)  # fmt: skip
WHOLE_SOFTMAX = ("wideresnet_cifar100", "resnet20_cifar100", "news20")
"""Networks of which all scores are stored."""

TABLE_4 = Table(WHOLE_SOFTMAX, confusion_cases, partial(show_sheets, SHEETS_4))
