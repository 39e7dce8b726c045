"""Tables 3, 5 and 8 of "Active Bayesian Assessment": accuracies and calibration errors of groups, estimated.

An error is measured against the accuracies of the pool, as in the paper. The intervals of a posterior are about the
accuracies behind the pool, which differ from the pool's by the luck of its items: some 0.05 for a class of 50 or 100.
So coverage is measured twice, of the posterior itself and of what it predicts for the pool.

The paper's text gives its baseline a uniform Beta(1, 1); the numbers it prints fit pseudo-counts of 1e-6. Both are run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
import numpy as np
import pandas as pd

from altmas.bandits.lockstep import ArmBelief, FixedPrior, LearntPrior, Measure, simulate
from altmas.bandits.rewards import EstimateArms
from altmas.bandits.rules import ArmRule, RandomItems, Thompson
from altmas.experiments.active_bayesian.groups import (
    PER_GROUP,
    SCORE_BINS,
    SETTINGS,
    TINY,
    Asked,
    GroupOutcomes,
    Table,
    by_bin,
    by_class,
)
from altmas.experiments.bench.cases import Case
from altmas.experiments.data.networks import load_network
from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.groups.hierarchical import fit_prior, regressor
from altmas.surrogates.groups.priors import informed, uniform

PAPER_COLUMN = {"uniform, 1e-6": 0, "uniform": 0, "informed": 1, "informed + Thompson": 2}
"""Which column of the paper's tables (UPrior, IPrior, IPrior+TS) stands beside a method of ours."""

PaperNumbers = Mapping[str, Sequence[tuple[float, float, float]]]
"""Data set -> for 2, 5 and 10 labels per group: UPrior, IPrior, IPrior+TS."""

ACCURACY_PER_CLASS: PaperNumbers = {
    "CIFAR-100": [(30.7, 15.0, 15.3), (20.5, 13.6, 13.8), (13.3, 10.9, 11.4)],
    "ImageNet": [(29.4, 13.2, 13.2), (18.8, 12.1, 11.6), (11.8, 9.5, 9.4)],
    "20 News": [(23.9, 12.3, 11.7), (15.3, 10.8, 10.3), (10.4, 8.7, 8.8)],
}
CALIBRATION_ERROR: PaperNumbers = {
    "CIFAR-100": [(76.7, 26.4, 28.7), (40.5, 23.4, 26.7), (25.7, 21.5, 23.2)],
    "ImageNet": [(198.7, 51.8, 36.4), (122.0, 55.3, 29.6), (66.0, 40.8, 22.1)],
    "20 News": [(54.0, 39.7, 46.1), (32.8, 28.9, 36.6), (24.7, 22.3, 28.7)],
}
ACCURACY_PER_BIN: PaperNumbers = {
    "CIFAR-100": [(23.2, 12.8, 11.9), (15.7, 11.3, 10.0), (11.0, 9.3, 8.1)],
    "ImageNet": [(23.0, 11.5, 10.6), (16.0, 10.6, 9.0), (11.1, 8.8, 7.1)],
    "20 News": [(19.6, 11.5, 9.0), (12.4, 9.6, 7.7), (8.9, 7.6, 6.4)],
}


@dataclass(frozen=True, eq=False)
class GroupMethod:
    """A rule for the next group, the belief it acts on, and the accuracies' posterior after outcomes `[R, G, 2]`."""

    rule: ArmRule
    belief: Callable[[], ArmBelief]
    posterior: Callable[[IntArray], BetaPosterior]


def group_methods(scores: FloatArray) -> dict[str, GroupMethod]:
    """The paper's methods and ours, for groups of these mean scores."""
    flat, sure, x = uniform(len(scores)), informed(scores), regressor(scores, len(scores))
    random, thompson = RandomItems(), Thompson()

    def fixed(rule: ArmRule, prior: FloatArray) -> GroupMethod:
        return GroupMethod(rule, partial(FixedPrior, prior), lambda seen: BetaPosterior.of(*_split(seen + prior)))

    def learnt(rule: ArmRule) -> GroupMethod:
        def posterior(seen: IntArray) -> BetaPosterior:
            return fit_prior(*_split(seen), x).posterior(*_split(seen)).matched()

        return GroupMethod(rule, partial(LearntPrior, x), posterior)

    return {
        "uniform, 1e-6": fixed(random, TINY * flat),
        "uniform": fixed(random, flat),
        "informed": fixed(random, sure),
        "informed + Thompson": fixed(thompson, sure),
        "hierarchical": learnt(random),
        "hierarchical + Thompson": learnt(thompson),
    }


def _split(counts: Any) -> tuple[Any, Any]:
    return counts[..., 0], counts[..., 1]


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


def rmse_percent(groups: GroupOutcomes, method: GroupMethod | None = None) -> Measure:
    """RMSE x 100 of the posterior means."""
    return lambda seen, mean: 100 * rmse(mean[..., 0], groups.accuracy, groups.shares)


def ece_error_percent(groups: GroupOutcomes, method: GroupMethod | None = None) -> Measure:
    """|estimate - truth| / truth x 100, the estimate made of posterior means as the paper does."""
    truth = ece(groups.accuracy, groups.scores, groups.shares)
    return lambda seen, mean: np.asarray(100 * np.abs(ece(mean[..., 0], groups.scores, groups.shares) - truth) / truth)


def coverage_percent(groups: GroupOutcomes, method: GroupMethod, level: float = 0.95) -> Measure:
    """Percentage of groups whose accuracy lies in the posterior's credible interval."""
    return lambda seen, mean: _covered(groups.accuracy, method.posterior(seen).interval(level))


def pool_coverage_percent(groups: GroupOutcomes, method: GroupMethod, level: float = 0.95) -> Measure:
    """The same for intervals of the pool's own accuracies: what was seen is certain, the other items are drawn."""
    sizes = groups.truth.sum(-1)
    return lambda seen, mean: _covered(groups.accuracy, pool_interval(method.posterior(seen), seen, sizes, level))


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


Measures = Mapping[str, Callable[[GroupOutcomes, GroupMethod], Measure]]


def estimation_cases(measures: Measures, classes: bool, network: str, asked: Asked) -> Iterable[Case]:
    """Every method on the groups of a network; the measures at 2, 5 and 10 labels per group."""
    outcomes = load_network(network, asked.data)
    groups = by_class(outcomes) if classes else by_bin(outcomes, asked.bins)
    counted = len(groups.names) if classes else SCORE_BINS  # the paper counts empty bins too
    labels = [per_group * counted for per_group in PER_GROUP]
    runs = asked.runs(len(groups.names))

    def run(method: GroupMethod) -> pd.DataFrame:
        wanted = {name: measure(groups, method) for name, measure in measures.items()}
        return measured(groups, method.rule, method.belief, wanted, labels, runs, asked.seed)

    key = {"network": network, "by": "class" if classes else asked.bins}
    for name, method in group_methods(groups.scores).items():
        yield Case({**key, "method": name, "replicates": runs, "seed": asked.seed}, partial(run, method))


def measured(
    groups: GroupOutcomes, rule: ArmRule, belief: Callable[[], ArmBelief], measures: Mapping[str, Measure],
    labels: Sequence[int], runs: int, seed: int,
) -> pd.DataFrame:  # fmt: skip
    """The rows of one method: every measure at every number of labels."""
    values = simulate(
        groups.truth, EstimateArms(groups.shares), rule, belief, list(measures.values()),
        replicates=runs, checkpoints=labels, seed=seed,
    )  # fmt: skip
    return as_rows(list(measures), labels, values)


def as_rows(measures: Sequence[str], labels: Sequence[int], values: FloatArray) -> pd.DataFrame:
    """Means and standard errors over replicates of values `[K, T, R]`, a row per measure and number of labels."""
    runs = values.shape[-1]
    error = values.std(-1, ddof=1) / np.sqrt(runs) if runs > 1 else np.full(values.shape[:-1], np.nan)
    names, looks = np.repeat(measures, len(labels)), np.tile(labels, len(measures))
    return pd.DataFrame({"measure": names, "labels": looks, "mean": values.mean(-1).ravel(), "se": error.ravel()})


def beside(rows: pd.DataFrame, paper: Sequence[tuple[float, float, float]] | None, digits: int) -> pd.DataFrame:
    """Cells of text, methods down and labels across; the paper's numbers belong to the labels in their order.

    >>> rows = pd.DataFrame({"method": ["informed"], "labels": [200], "mean": [18.41], "se": [0.03]})
    >>> beside(rows, [(30.7, 15.0, 15.3)], 1).loc["informed", "200"]
    '18.4 ± 0.0 [15.0]'
    """
    cells: dict[str, dict[str, str]] = {}
    for place, (labels, column) in enumerate(rows.groupby("labels", sort=True)):
        texts = cells.setdefault(f"{labels:,}", {})
        for row in column.to_dict("records"):
            known = PAPER_COLUMN.get(str(row["method"]))
            there = "" if paper is None or known is None else f" [{paper[place][known]:.{digits}f}]"
            texts[str(row["method"])] = f"{row['mean']:.{digits}f} ± {row['se']:.{digits}f}{there}"
    order: list[Any] = list(dict.fromkeys(rows["method"]))
    return pd.DataFrame(cells).reindex(order)


@dataclass(frozen=True)
class Sheet:
    """What is printed of the rows: a title (of `{bins}`, where it says so), a measure, and the paper's numbers."""

    title: str
    measure: str
    paper: PaperNumbers
    digits: int = 1


def show_sheets(sheets: Sequence[Sheet], rows: pd.DataFrame, asked: Asked) -> None:
    """A table per sheet and network: our mean, its standard error, and in brackets the paper's number if it has one."""
    for one in sheets:
        click.echo(f"{one.title.format(bins=asked.bins)}\nOurs ± standard error [the paper's].")
        for network, part in rows[rows["measure"] == one.measure].groupby("network", sort=False):
            dataset, note = SETTINGS.get(str(network), ("", "not in the paper"))
            click.echo(f"\n{network}, {part['replicates'].iloc[0]} replicates; {note}")
            click.echo(beside(part, one.paper.get(dataset), one.digits).to_string())
        click.echo("")


def _table(measures: Measures, classes: bool, *sheets: Sheet) -> Table:
    networks = tuple(name for name in SETTINGS if name != "digits")
    return Table(networks, partial(estimation_cases, measures, classes), partial(show_sheets, sheets))


COVERAGE = "Coverage of 95% intervals, % of classes (not in the paper)"
TABLE_3 = _table(
    {"rmse": rmse_percent, "coverage": coverage_percent, "pool coverage": pool_coverage_percent},
    True,
    Sheet("RMSE x 100 of accuracy per predicted class, by labels", "rmse", ACCURACY_PER_CLASS),
    Sheet(f"{COVERAGE}: of the posterior", "coverage", {}),
    Sheet(f"{COVERAGE}: of the posterior's prediction for the pool", "pool coverage", {}),
)
TABLE_5 = _table(
    {"ece error": ece_error_percent},
    False,
    Sheet("Error of ECE, % of its true value, ten bins of equal {bins}, by labels", "ece error", CALIBRATION_ERROR),
)
TABLE_8 = _table(
    {"rmse": rmse_percent},
    False,
    Sheet("RMSE x 100 of accuracy per score bin, ten bins of equal {bins}, by labels", "rmse", ACCURACY_PER_BIN),
)
