"""Active Bayesian assessment, Table 6: per cent of labels needed to identify the least accurate predicted classes.

Top 1 by Thompson sampling, top m by multiple-play Thompson sampling with m arms a step. `never`: with everything
labelled the prior still ranks the classes otherwise than their plain accuracies do. P(worst) says whether the data can
name a worst class at all.
"""

from __future__ import annotations

from collections.abc import Iterable

import click
import numpy as np
import pandas as pd

from altmas.bandits.rewards import FindExtreme
from altmas.core.streams import stream
from altmas.experiments.active_bayesian import ranking
from altmas.experiments.active_bayesian.groups import Asked, Effort, GroupOutcomes, Table, by_class, uniform_prior
from altmas.experiments.bench.cases import Case
from altmas.surrogates.groups.beta_posterior import BetaPosterior

ACCURACY_METHODS = ("random, uniform", "random, informed", "thompson, informed", "thompson, hierarchical")
POOLED = f"{ACCURACY_METHODS[-1]}, of the pool"
"""The same runs, ranked by the posterior mean of the pool's accuracy instead of that of the process behind it."""

LABELS_TO_LEAST_ACCURATE = {
    ("CIFAR-100", 1): (81.1, 83.4, 24.9),
    ("CIFAR-100", 10): (99.8, 99.8, 55.1),
    ("ImageNet", 1): (96.9, 94.7, 9.3),
    ("ImageNet", 10): (99.6, 98.5, 17.1),
    ("20 News", 1): (53.9, 55.4, 16.9),
    ("20 News", 3): (92.0, 92.5, 42.5),
}
"""Table 6 in the order of the first three methods; its networks are not ours but for the architecture of ResNet-110."""


def worst_chances(arms: GroupOutcomes, seed: int, draws: int = 20_000, shown: int = 4) -> pd.Series[float]:
    """P(worst) of the likeliest classes with everything labelled and a uniform prior."""
    right, wrong = (arms.truth + uniform_prior(len(arms.truth))).T
    worst = BetaPosterior.of(right, wrong).draw(draws, stream(seed, "worst")).argmin(-1)
    chance = pd.Series(np.bincount(worst, minlength=len(right)) / draws, index=list(arms.names))
    return chance.sort_values(ascending=False).head(shown)


def least_accurate_cases(network: str, asked: Asked) -> Iterable[Case]:
    """Top 1 and top m, every method."""
    outcomes = ranking.load(network, asked.data)
    arms = by_class(outcomes)

    def run(m: int, method: str, effort: Effort) -> dict[str, float]:
        way = ranking.Way(ranking.rule_of(method), ranking.belief_of(method.partition(", ")[2], arms))
        return ranking.identify(arms.truth, arms.theta, FindExtreme(), m, way, effort)

    keys = ranking.tops_and_methods(len(outcomes.classes), ACCURACY_METHODS)
    return ranking.identification_cases(network, asked, 1000, keys, run)


def _show(rows: pd.DataFrame, asked: Asked) -> None:
    click.echo("Per cent of the labels needed for a mean reciprocal rank above 0.99")
    text = ranking.wide(rows, ["network", "m"], "percent", ACCURACY_METHODS)
    text[POOLED] = ranking.wide(rows, ["network", "m"], "percent_pool", ACCURACY_METHODS)[ACCURACY_METHODS[-1]]
    click.echo(ranking.add_paper(text, ACCURACY_METHODS[:3], ranking.numbers_of(LABELS_TO_LEAST_ACCURATE)).to_string())
    for network in dict.fromkeys(rows["network"]):
        likely = worst_chances(by_class(ranking.load(network, asked.data)), asked.seed)
        chances = ", ".join(f"{name} {chance:.2f}" for name, chance in likely.items())
        click.echo(f"P(worst), everything labelled, {network}: {chances}")


TABLE_6 = Table(ranking.IDENTIFIED_ON, least_accurate_cases, _show)
