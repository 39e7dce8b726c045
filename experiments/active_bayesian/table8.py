"""Table 8 of "Active Bayesian Assessment": RMSE x 100 of the accuracy per score bin.

python -m altmas.experiments.active_bayesian.table8 --data DIR --rows table8.csv [--bins weight]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from altmas.bandits.lockstep import Measure
from altmas.experiments.active_bayesian.common import (
    GroupMethod,
    GroupOutcomes,
    Options,
    PaperTable,
    bins_option,
    options,
    print_tables,
    rmse_percent,
    run_estimation,
)
from altmas.experiments.active_bayesian.table3 import NETWORKS

PAPER: PaperTable = {
    "CIFAR-100": [(23.2, 12.8, 11.9), (15.7, 11.3, 10.0), (11.0, 9.3, 8.1)],
    "ImageNet": [(23.0, 11.5, 10.6), (16.0, 10.6, 9.0), (11.1, 8.8, 7.1)],
    "20 News": [(19.6, 11.5, 9.0), (12.4, 9.6, 7.7), (8.9, 7.6, 6.4)],
}


def measures(groups: GroupOutcomes, method: GroupMethod) -> Mapping[str, Measure]:
    """The paper's error."""
    return {"rmse": rmse_percent(groups)}


@click.command()
@options
@bins_option
def main(bins: str, **asked: Any) -> None:
    """Print the table."""
    rows = run_estimation(Options(**asked), NETWORKS, bins, measures)
    print_tables(f"RMSE x 100 of accuracy per score bin, ten bins of equal {bins}, by labels", rows, "rmse", PAPER)


if __name__ == "__main__":
    main()
