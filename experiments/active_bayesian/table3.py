"""Table 3 of "Active Bayesian Assessment": RMSE x 100 of the accuracy per predicted class, and what intervals cover.

    python -m altmas.experiments.active_bayesian.table3 --data DIR --rows table3.csv

1000 replicates, 50 for ImageNet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from altmas.bandits.lockstep import Measure
from altmas.experiments.active_bayesian.common import (
    SETTINGS,
    GroupMethod,
    GroupOutcomes,
    Options,
    PaperTable,
    coverage_percent,
    options,
    pool_coverage_percent,
    print_tables,
    rmse_percent,
    run_estimation,
)

NETWORKS = tuple(name for name in SETTINGS if name != "digits")

PAPER: PaperTable = {
    "CIFAR-100": [(30.7, 15.0, 15.3), (20.5, 13.6, 13.8), (13.3, 10.9, 11.4)],
    "ImageNet": [(29.4, 13.2, 13.2), (18.8, 12.1, 11.6), (11.8, 9.5, 9.4)],
    "20 News": [(23.9, 12.3, 11.7), (15.3, 10.8, 10.3), (10.4, 8.7, 8.8)],
}


def measures(groups: GroupOutcomes, method: GroupMethod) -> Mapping[str, Measure]:
    """The paper's error, and the coverage of 95% intervals."""
    return {
        "rmse": rmse_percent(groups),
        "coverage": coverage_percent(groups, method),
        "pool coverage": pool_coverage_percent(groups, method),
    }


@click.command()
@options
def main(**asked: Any) -> None:
    """Print the tables."""
    rows = run_estimation(Options(**asked), NETWORKS, "class", measures)
    print_tables("RMSE x 100 of accuracy per predicted class, by labels", rows, "rmse", PAPER)
    title = "Coverage of 95% intervals, % of classes (not in the paper)"
    print_tables(f"{title}: of the posterior", rows, "coverage", {})
    print_tables(f"{title}: of the posterior's prediction for the pool", rows, "pool coverage", {})


if __name__ == "__main__":
    main()
