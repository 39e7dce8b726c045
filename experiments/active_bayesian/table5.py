"""Table 5 of "Active Bayesian Assessment": percentage error of the expected calibration error, score bins as groups.

python -m altmas.experiments.active_bayesian.table5 --data DIR --rows table5.csv [--bins weight]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
import numpy as np

from altmas.bandits.lockstep import Measure
from altmas.experiments.active_bayesian.common import (
    GroupMethod,
    GroupOutcomes,
    Options,
    PaperTable,
    bins_option,
    ece,
    options,
    print_tables,
    run_estimation,
)
from altmas.experiments.active_bayesian.table3 import NETWORKS
from altmas.metrics.types import FloatArray, IntArray

PAPER: PaperTable = {
    "CIFAR-100": [(76.7, 26.4, 28.7), (40.5, 23.4, 26.7), (25.7, 21.5, 23.2)],
    "ImageNet": [(198.7, 51.8, 36.4), (122.0, 55.3, 29.6), (66.0, 40.8, 22.1)],
    "20 News": [(54.0, 39.7, 46.1), (32.8, 28.9, 36.6), (24.7, 22.3, 28.7)],
}


def ece_error_percent(groups: GroupOutcomes) -> Measure:
    """|estimate - truth| / truth x 100, the estimate made of posterior means as the paper does."""
    truth = ece(groups.accuracy, groups.scores, groups.shares)

    def measure(seen: IntArray, mean: FloatArray) -> FloatArray:
        return np.asarray(100 * np.abs(ece(mean[..., 0], groups.scores, groups.shares) - truth) / truth)

    return measure


def measures(groups: GroupOutcomes, method: GroupMethod) -> Mapping[str, Measure]:
    """The paper's error."""
    return {"ece error": ece_error_percent(groups)}


@click.command()
@options
@bins_option
def main(bins: str, **asked: Any) -> None:
    """Print the table."""
    rows = run_estimation(Options(**asked), NETWORKS, bins, measures)
    print_tables(f"Error of ECE, % of its true value, ten bins of equal {bins}, by labels", rows, "ece error", PAPER)


if __name__ == "__main__":
    main()
