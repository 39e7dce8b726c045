"""Rows of Tables 6, 9, 10 and 11 and of Figures 3, 11, 15, 16, 18 and 19: which classes are worst, and how soon.

A run on CIFAR-100 draws a million accuracies. So the paper's architecture has 250 runs where the labels go out one by
one, the other networks 100; 1,000 and 400 where ten go out at once, 500 where few classes are there, 1,000 where items
are asked about at random; and ImageNet, whose thousand classes take fifty thousand steps, 8 and 20. Of further rules,
strengths and costs a share of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from altmas.bandits.lockstep import FixedPrior
from altmas.bandits.rewards import FindCostliest, FindExtreme
from altmas.bandits.rules import mean_bins
from altmas.experiments.active_bayesian import ranking
from altmas.experiments.active_bayesian.costliest import RATIOS, cost_arms
from altmas.experiments.active_bayesian.curves import NO_PRIOR, Line, MostBiased
from altmas.experiments.active_bayesian.groups import LOOKS, Asked, Effort, by_class
from altmas.experiments.active_bayesian.passages import curve, identified, tidy
from altmas.experiments.active_bayesian.worst_classes import bin_arms, of_pool_bins, sample_filled_bins
from altmas.experiments.bench.cases import Case

Lines = Mapping[str, Line]

ACCURACY_LINES: Lines = {
    "random, 1e-6": Line("random", "uniform", NO_PRIOR),
    "random, uniform": Line("random", "uniform"),
    "random, informed": Line("random", "informed"),
    "Thompson, informed": Line("thompson", "informed"),
    "Thompson, uniform": Line("thompson", "uniform"),
    "Thompson, hierarchical": Line("thompson", "hierarchical"),
}
TOP_TWO_LINES: Lines = {"top-two, informed": Line("top-two", "informed")}
RULE_LINES: Lines = {
    "epsilon-greedy, uniform": Line("epsilon-greedy", "uniform"),
    "Bayesian UCB, uniform": Line("ucb", "uniform"),
}
STRENGTH_LINES: Lines = {f"Thompson, strength {n}": Line("thompson", "informed", n) for n in (10, 100)}
BIASED_LINES: Lines = {"Thompson": Line("thompson", "uniform"), "random": Line("random", "uniform")}

CALIBRATION_STRENGTHS = (2, 5, 10)
PAPERS_NETWORK = "resnet110_cifar100"
MOST_FEW = 20  # groups, of which a thousand runs are quick


def effort_for(asked: Asked, network: str, m: int, random: bool, groups: int, share: float = 1.0) -> Effort:
    """How many runs: by how many numbers a run has to draw, and most on the architecture of the paper."""
    if network.startswith("imagenet:"):
        usual = 100 if random else 20 if m > 1 else 8
    elif random:
        usual = 1000
    elif groups <= MOST_FEW:
        usual = 500
    elif network == PAPERS_NETWORK:
        usual = 1000 if m > 1 else 250
    else:
        usual = 400 if m > 1 else 100
    runs = 3 if asked.smoke else max(4, round(usual * share))
    return Effort(asked.replicates or runs, 10 if asked.smoke else LOOKS, asked.seed)


def _case(network: str, key: Mapping[str, Any], effort: Effort, run: Callable[..., pd.DataFrame]) -> Case:
    return Case({"network": network, **key, "runs": effort.replicates, "seed": effort.seed}, partial(run, effort))


def accuracy_cases(lines: Lines, tops: tuple[str, ...], share: float, network: str, asked: Asked) -> Iterator[Case]:
    """Curves of the least accurate classes: every line, `top 1` and `top m`."""
    arms = by_class(ranking.load(network, asked.data))
    groups = len(arms.names)

    def run(m: int, line: Line, effort: Effort) -> pd.DataFrame:
        return identified(arms.truth, arms.theta, FindExtreme(), m, line.way(arms), effort)

    if network.startswith("imagenet:"):
        lines = {name: line for name, line in lines.items() if line.prior != "hierarchical"}
    for top, (name, line) in product(tops, lines.items()):
        m = 1 if top == "top 1" else ranking.top_m(groups)
        effort = effort_for(asked, network, m, line.rule == "random", groups, share)
        yield _case(network, {"top": top, "line": name}, effort, partial(run, m, line))


def calibration_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Curves of the least calibrated classes by the strength of the informed prior; random sampling with the first."""
    outcomes = ranking.load(network, asked.data)
    first = bin_arms(outcomes)
    sample = sample_filled_bins(first.task.shares > 0)
    groups = len(first.truth)

    def run(m: int, random: bool, strength: float, effort: Effort) -> pd.DataFrame:
        arms = bin_arms(outcomes, strength=strength)
        belief = partial(FixedPrior, arms.prior, mean_bins)
        way = ranking.Way(ranking.rule_of("random" if random else "thompson"), belief, sample)
        return identified(arms.truth, arms.theta, arms.task, m, way, effort, of_pool_bins(arms.truth), True)

    strengths = CALIBRATION_STRENGTHS[:1] if network.startswith("imagenet:") else CALIBRATION_STRENGTHS
    tops = ("top m",) if network.startswith("imagenet:") else ("top 1", "top m")
    for top, strength, random in product(tops, strengths, (True, False)):
        m = 1 if top == "top 1" else ranking.top_m(groups)
        effort = effort_for(asked, network, m, random, groups, 0.06)
        name = f"{'random' if random else 'Thompson'}, strength {strength}"
        yield _case(network, {"top": top, "line": name}, effort, partial(run, m, random, strength))


COST_LINES = {"random, uniform": "random, uniform", "random, informed": "random, informed",
              "Thompson, informed": "thompson, informed"}  # fmt: skip


def cost_cases(cost: str, network: str, asked: Asked) -> Iterator[Case]:
    """Curves of the costliest classes at every ratio of costs."""
    outcomes = ranking.load(network, asked.data)
    arms = cost_arms(outcomes, cost)

    def run(c: int, m: int, method: str, effort: Effort) -> pd.DataFrame:
        prior = arms.informed if method.endswith("informed") else arms.uniform
        task = FindCostliest(np.tile([0.0, 1.0, float(c)], (len(prior), 1)))
        way = ranking.Way(ranking.rule_of(method), partial(FixedPrior, prior))
        return identified(arms.truth, arms.theta, task, m, way, effort)

    for c, top, (name, method) in product((1, 10) if asked.smoke else RATIOS, ("top 1", "top m"), COST_LINES.items()):
        m = 1 if top == "top 1" else ranking.top_m(len(arms.truth))
        random = method.startswith("random")
        effort = effort_for(asked, network, m, random, len(arms.truth), 0.2)
        yield _case(network, {"c": c, "top": top, "line": name}, effort, partial(run, c, m, method))


def biased_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Success rates for the least accurate and the most biased class (the workshop paper's Figures 3, 7 and 10)."""
    arms = by_class(ranking.load(network, asked.data))

    def run(task: FindExtreme | MostBiased, line: Line, effort: Effort) -> pd.DataFrame:
        at, values = line.way(arms).spend(arms.truth, task, 1, [ranking.success_of(task, arms.theta)], effort)
        return tidy(pd.concat([curve(at, values[0], "success rate"), _within(at, values[0])]))

    biased: FindExtreme | MostBiased = MostBiased(arms.scores)
    tasks = (("least accurate", FindExtreme()), ("most biased", biased))
    for (panel, task), (name, line) in product(tasks, BIASED_LINES.items()):
        effort = effort_for(asked, network, 1, line.rule == "random", len(arms.names), 0.2)
        yield _case(network, {"top": panel, "line": name}, effort, partial(run, task, line))


def _within(at: list[int], right: np.ndarray[Any, Any]) -> pd.DataFrame:
    """The number of labels from which every run has the right class, and half of the runs."""
    percent = 100 * np.array(at) / at[-1]
    steady = np.minimum.accumulate(right.mean(-1)[::-1])[::-1]
    rows = []
    for name, level in (("all runs", 1 - 1e-9), ("nine in ten", 0.9), ("half", 0.5)):
        held = np.flatnonzero(steady >= level)
        rows.append((name, at[held[0]] if held.size else np.nan, percent[held[0]] if held.size else np.nan, np.nan))
    return pd.DataFrame(rows, columns=pd.Index(["measure", "labels", "mean", "se"]))
