"""How the accuracies of arms are spread (Table 13 and Figure 14 of the appendix), and a picture of it.

    python -m altmas.experiments.surface.arms --data DIR --rows benchmarks/results/surface-arms.csv

Only CelebA's arms are the paper's. The other pools have other services, data and attributes: they show whether other
surfaces have that shape too. No fit, and no labels but the pool's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
import pandas as pd

from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import data_option, need_data, rows_option, smoke_option, together
from altmas.experiments.surface.pools import SurfacePool, load_surface_pool

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POOLS = ("celeba", "adult", "compas", "imagenet")
QUANTILES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Figure 14a's."""

WORST = 25
"""Arms in Figure 14b."""


def spread(pool: SurfacePool) -> pd.DataFrame:
    """Sizes, the mean, quantiles and worst accuracies over active arms, a row for each number.

    >>> rows = spread(load_surface_pool("smoke", None)).set_index(["measure", "place"])["value"]
    >>> bool(rows["worst", 1] == rows["quantile", 0] <= rows["quantile", 0.5])
    True
    """
    active = pool.arms.active()
    truth = np.sort(pool.truth[active])
    rows = [
        ("attributes", 0.0, float(len(pool.arms.attributes))),
        ("arms", 0.0, float(pool.arms.size)),
        ("active arms", 0.0, float(active.sum())),
        ("items", 0.0, float(len(pool.labels))),
        ("accuracy", 0.0, float(pool.right.mean())),
        ("mean", 0.0, float(truth.mean())),
        *(("quantile", q, float(np.quantile(truth, q))) for q in QUANTILES),
        *(("worst", float(place), float(value)) for place, value in enumerate(truth[:WORST], 1)),
    ]
    return pd.DataFrame(rows, columns=["measure", "place", "value"]).round(6)


def arm_cases(pools: Sequence[str], data: Path | None) -> Iterator[Case]:
    """A case a pool."""
    for name in pools:
        yield Case({"pool": name}, partial(_case, name, data))


def _case(name: str, data: Path | None) -> pd.DataFrame:
    return spread(load_surface_pool(name, data))


def draw_arms(rows: pd.DataFrame) -> Figure:
    """Figure 14: mean and quantiles of the arms' accuracies, and the least accurate arms."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 2.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for place, (name, own) in enumerate(rows.groupby("pool", sort=False)):
        told = own[own["measure"] == "quantile"]
        left.plot([place] * len(told), told["value"], "_", color="#0072b2", markersize=16)
        left.plot([place], own.loc[own["measure"] == "mean", "value"], "o", color="#d55e00", markersize=5)
        worst = own[own["measure"] == "worst"]
        right.plot(worst["place"], worst["value"], linewidth=1.3, label=str(name))
    left.set_xticks(range(rows["pool"].nunique()), list(rows["pool"].unique()))
    left.set_ylabel("accuracy of an arm")
    left.set_title("mean (dot) and quantiles 0, .1, .3, .5, .7, .9, 1")
    right.set_xlabel("arms, the least accurate first")
    right.set_title(f"the {WORST} least accurate")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.set_ylim(0, 1.02)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


@click.command()
@together(data_option, rows_option, smoke_option)
def main(data: Path | None, rows: Path | None, smoke: bool) -> None:
    """Print Table 13 and the quantiles of Figure 14a."""
    need_data(data, smoke)
    found = run_cases(arm_cases(("smoke",) if smoke else POOLS, data), rows)
    few = found[found["measure"] != "worst"]
    names = few["measure"] + few["place"].map(lambda place: f" {place:g}" if place else "")
    click.echo(few.assign(number=names).pivot(index="number", columns="pool", values="value").round(3).to_string())


if __name__ == "__main__":
    main()
