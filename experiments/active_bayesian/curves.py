"""MRR and success curves: Figures 11, 15, 16 and 18 of active Bayesian assessment, Figure 3 of the workshop paper.

    python -m altmas.experiments.active_bayesian.curves --data DIR --out figures --rows curves.csv

Columns are networks. Rows are top 1 and top m; in the workshop paper's figure, the least accurate and the most biased
class. The Bayesian UCB takes the exact Beta quantile instead of Monte Carlo. 100 runs by default, not the paper's 1000.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import pandas as pd
from scipy.special import betaincinv

from altmas.bandits.lockstep import Measure
from altmas.bandits.rewards import ArmTask, FindExtreme
from altmas.bandits.rules import ArmRule, EpsilonGreedy, RandomItems, Sampler, Thompson, TopTwoThompson, best_arms
from altmas.experiments.active_bayesian import ranking
from altmas.experiments.active_bayesian.estimation import as_rows
from altmas.experiments.active_bayesian.groups import Asked, GroupOutcomes, asked_options, by_class
from altmas.experiments.bench.options import NEW_FOLDER
from altmas.experiments.data.networks import NETWORKS
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVE_LOOKS = 100
NO_PRIOR = 1e-6
"""Pseudo-counts of the plain frequencies: enough to call an unlabelled class half right, and no more."""


@dataclass(frozen=True, eq=False)
class MostBiased:
    """Find the arms whose mean score exceeds their accuracy the most; `scores [G]`."""

    scores: FloatArray

    def worth(self, theta: FloatArray, alpha: FloatArray) -> FloatArray:
        """The sampled calibration bias."""
        return self.value(theta)

    def value(self, theta: FloatArray) -> FloatArray:
        """The calibration bias s_k - theta_k."""
        return np.asarray(self.scores - theta[..., 0])


@dataclass(frozen=True, eq=False)
class LowestQuantile:
    """Bayesian UCB for the least accurate arm under a uniform prior of strength 2: the lowest 2.5% quantile.

    `table [right, wrong]` holds the quantiles of all counts an arm can reach, so that a step only looks them up.
    """

    table: FloatArray

    @classmethod
    def up_to(cls, count: int, tail: float = 0.025) -> LowestQuantile:
        """For arms of at most `count` items."""
        right, wrong = np.ogrid[: count + 1, : count + 1]
        return cls(np.asarray(betaincinv(right + 1.0, wrong + 1.0, tail)))

    def choose(
        self, alpha: FloatArray, task: ArmTask, left: IntArray, count: int, sample: Sampler, rng: np.random.Generator
    ) -> IntArray:
        """The arms that may be worst."""
        seen = np.rint(alpha - 1).astype(np.int64)
        return best_arms(-self.table[seen[..., 0], seen[..., 1]], left, count, rng)


@dataclass(frozen=True)
class Line:
    """A method of a figure: rule, kind of prior and its strength; `pooled` ranks by the pool's own proportions."""

    rule: str
    prior: str
    strength: float = 2.0
    pooled: bool = False

    def way(self, arms: GroupOutcomes) -> ranking.Way:
        """Its rule and belief."""
        rule = LowestQuantile.up_to(int(arms.truth.sum(-1).max())) if self.rule == "ucb" else RULES[self.rule]
        return ranking.Way(rule, ranking.belief_of(self.prior, arms, self.strength))


RULES: dict[str, ArmRule] = {
    "random": RandomItems(),
    "thompson": Thompson(),
    "top-two": TopTwoThompson(),
    "epsilon-greedy": EpsilonGreedy(),
}


@dataclass(frozen=True)
class CurveSheet:
    """A figure: its lines by name, its panels from top to bottom, and what is measured."""

    lines: dict[str, Line]
    panels: tuple[str, ...] = ("top 1", "top m")
    quantity: str = "mean reciprocal rank"


SHEETS = {
    "figure11": CurveSheet(
        {"Thompson": Line("thompson", "informed"), "top-two Thompson": Line("top-two", "informed")}, ("top 1",)
    ),
    "figure15": CurveSheet(
        {
            "Thompson": Line("thompson", "uniform"),
            "epsilon-greedy": Line("epsilon-greedy", "uniform"),
            "Bayesian UCB": Line("ucb", "uniform"),
        }
    ),
    "figure16": CurveSheet(
        {
            "informed": Line("thompson", "informed"),
            "uniform": Line("thompson", "uniform"),
            "hierarchical": Line("thompson", "hierarchical"),
            "hierarchical, of the pool": Line("thompson", "hierarchical", pooled=True),
        }
    ),
    "figure18": CurveSheet(
        {
            **{f"Thompson, strength {n}": Line("thompson", "informed", n) for n in (2, 10, 100)},
            "random, no prior": Line("random", "uniform", NO_PRIOR),
        }
    ),
    "workshop_figure3": CurveSheet(
        {"Thompson": Line("thompson", "uniform"), "random": Line("random", "uniform")},
        ("least accurate", "most biased"),
        "success rate",
    ),
}


def panel_task(panel: str, arms: GroupOutcomes, pooled: bool) -> tuple[ArmTask, int, Measure]:
    """What a panel is about: the task, the arms pulled a step, the measure."""
    if panel == "most biased":
        biased = MostBiased(arms.scores)
        return biased, 1, ranking.success_of(biased, arms.theta)
    task = FindExtreme()
    if panel == "least accurate":
        return task, 1, ranking.success_of(task, arms.theta)
    m = ranking.top_m(len(arms.truth)) if panel == "top m" else 1
    return task, m, ranking.mrr_of(task, arms.theta, m, ranking.of_pool(arms.truth.sum(-1)) if pooled else None)


Curves = dict[tuple[str, str], dict[str, tuple[list[int], FloatArray]]]
"""(panel, network) -> line -> labels and values."""


def draw(sheet: CurveSheet, curves: Curves) -> Figure:
    """Panels down, networks across."""
    from matplotlib.figure import Figure

    from altmas.plots.displays import CurvesDisplay

    networks = list(dict.fromkeys(network for _, network in curves))
    size = (5 * len(networks), 3.6 * len(sheet.panels))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(sheet.panels), len(networks), squeeze=False)
    for (panel, network), lines in curves.items():
        ax = axes[sheet.panels.index(panel), networks.index(network)]
        CurvesDisplay.from_curves(lines, quantity=sheet.quantity, target=None).plot(ax=ax)
        ax.set_title(f"{network}, {panel}", fontsize=10)
    return figure


@click.command()
@asked_options
@click.option("--out", type=NEW_FOLDER, help="Folder for the figures.")
@click.option("--figure", "wanted", multiple=True, type=click.Choice(list(SHEETS)), help="Only these; default all.")
def main(out: Path | None, wanted: tuple[str, ...], **options: Any) -> None:
    """Print the mean of each curve; write the curves to --rows and the pictures to --out."""
    asked = Asked(**options)
    arms = {name: by_class(ranking.load(name, asked.data)) for name in asked.networks(NETWORKS)}
    parts = []
    for name in wanted or tuple(SHEETS):
        sheet, curves = SHEETS[name], Curves()
        for panel, (network, mine) in product(sheet.panels, arms.items()):
            for label, line in sheet.lines.items():
                task, step, measure = panel_task(panel, mine, line.pooled)
                effort = asked.effort(network, 100, CURVE_LOOKS)
                at, values = line.way(mine).spend(mine.truth, task, step, [measure], effort)
                curves.setdefault((panel, network), {})[label] = (at, values[0])
                found = as_rows([sheet.quantity], at, values)
                parts.append(found.assign(figure=name, panel=panel, network=network, line=label))
                click.echo(f"{name}, {panel}, {network}, {label}: mean {values.mean():.3f}", err=True)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            draw(sheet, curves).savefig(out / f"aba_{name}.png", dpi=120)
    found = pd.concat(parts, ignore_index=True)
    if asked.rows is not None:
        found.to_csv(asked.rows, index=False)
    whole = found.groupby(["figure", "panel", "network", "line"], sort=False)["mean"].mean()
    click.echo(whole.round(3).to_string())  # a single number per line: higher is sooner


if __name__ == "__main__":
    main()
