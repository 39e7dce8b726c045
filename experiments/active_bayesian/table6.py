"""Active Bayesian assessment, Table 6: per cent of labels needed to identify the least accurate predicted classes.

    python -m altmas.experiments.active_bayesian.table6 --data DIR --rows table6.csv

Top 1 by Thompson sampling, top m by multiple-play Thompson sampling with m arms a step. `never`: with everything
labelled the prior still ranks the classes otherwise than their plain accuracies do. P(worst) says whether the data can
name a worst class at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pandas as pd

from altmas.bandits.lockstep import FixedPrior, LearntPrior
from altmas.bandits.rewards import FindExtreme
from altmas.bandits.rules import RandomItems, Thompson
from altmas.core.streams import stream
from altmas.experiments import aba_ranking as ranking
from altmas.experiments.data.networks import NETWORKS
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.groups.hierarchical import regressor

METHODS = ("random, uniform", "random, informed", "thompson, informed", "thompson, hierarchical")
POOLED = f"{METHODS[-1]}, of the pool"
"""The same runs, ranked by the posterior mean of the pool's accuracy instead of that of the process behind it."""

PAPER = {
    ("CIFAR-100", 1): (81.1, 83.4, 24.9),
    ("CIFAR-100", 10): (99.8, 99.8, 55.1),
    ("ImageNet", 1): (96.9, 94.7, 9.3),
    ("ImageNet", 10): (99.6, 98.5, 17.1),
    ("20 News", 1): (53.9, 55.4, 16.9),
    ("20 News", 3): (92.0, 92.5, 42.5),
}
"""Table 6 in the order of the first three methods; its networks are not ours but for the architecture of ResNet-110."""


def way(name: str, arms: ranking.ClassArms) -> ranking.Way:
    """A method by name.

    >>> from altmas.experiments.data.networks import load_network
    >>> way("random, uniform", ranking.class_arms(load_network("digits", None))).rule
    RandomItems()
    """
    rule, _, prior = name.partition(", ")
    groups = len(arms.truth)
    if prior == "hierarchical":
        x = regressor(arms.scores, groups)
        return ranking.Way(Thompson(), lambda: LearntPrior(x))
    counts = ranking.informed_prior(arms.scores) if prior == "informed" else ranking.uniform_prior(groups)
    return ranking.Way(Thompson() if rule == "thompson" else RandomItems(), lambda: FixedPrior(counts))


def worst_chances(arms: ranking.ClassArms, seed: int, draws: int = 20_000, shown: int = 4) -> pd.Series[float]:
    """P(worst) of the likeliest classes with everything labelled and a uniform prior."""
    right, wrong = (arms.truth + ranking.uniform_prior(len(arms.truth))).T
    worst = BetaPosterior.of(right, wrong).draw(draws, stream(seed, "worst")).argmin(-1)
    chance = pd.Series(np.bincount(worst, minlength=len(right)) / draws, index=[str(n) for n in arms.groups.names])
    return chance.sort_values(ascending=False).head(shown)


def table(rows: pd.DataFrame) -> str:
    """Ours by method, the paper's beside."""
    wide = rows.pivot(index=["network", "m"], columns="method", values="percent").reindex(columns=list(METHODS))
    wide = wide.reindex(pd.MultiIndex.from_frame(rows[["network", "m"]].drop_duplicates()))
    pooled = rows[rows["method"] == METHODS[-1]].set_index(["network", "m"])["percent_pool"]
    wide[POOLED] = pooled
    for place, name in enumerate(METHODS[:3]):
        found = [PAPER.get((ranking.PAPER_DATA.get(network, ""), m)) for network, m in wide.index]
        wide[f"paper: {name}"] = [row[place] if row else np.nan for row in found]
    ours = [*METHODS, POOLED]
    paper = [str(column) for column in wide if column not in ours]
    text = {c: wide[c].map(lambda v: "never" if np.isnan(v) else f"{v:.1f}") for c in ours}
    text |= {c: wide[c].map(lambda v: "" if np.isnan(v) else f"{v:.1f}") for c in paper}
    return pd.DataFrame(text).to_string()


def cases(networks: tuple[str, ...], data: Path | None) -> Iterator[ranking.Case]:
    """Every network, top 1 and top m, every method."""
    for network in networks:
        most = ranking.top_m(len(ranking.load(network, data).classes))
        for m in (1, most):
            yield from ({"network": network, "m": m, "method": method} for method in METHODS)


@click.command()
@ranking.options
@click.option("--imagenet", default=ranking.IMAGENET, show_default=True, help="ImageNet network; empty for none.")
def main(data: Path | None, smoke: bool, replicates: int | None, seed: int, rows: Path | None, imagenet: str) -> None:
    """Print the table, and the chances to be the worst."""
    ranking.require_data(data, smoke)
    effort = ranking.effort_of(smoke, replicates, seed, 1000)
    networks = ("digits",) if smoke else (*NETWORKS, *filter(None, [imagenet]))
    arms = {network: ranking.class_arms(ranking.load(network, data)) for network in networks}

    def run(case: ranking.Case) -> dict[str, float]:
        mine, amount = arms[case["network"]], ranking.scaled(case["network"], effort)
        return ranking.identify(mine.truth, mine.theta, FindExtreme(), case["m"], way(case["method"], mine), amount)

    click.echo("Per cent of the labels needed for a mean reciprocal rank above 0.99")
    click.echo(table(ranking.sweep(ranking.with_effort(cases(networks, data), effort), run, rows)))
    for network in networks:
        chances = ", ".join(f"{name} {chance:.2f}" for name, chance in worst_chances(arms[network], seed).items())
        click.echo(f"P(worst), everything labelled, {network}: {chances}")


if __name__ == "__main__":
    main()
