"""The tables of "Active Bayesian Assessment of Black-Box Classifiers" beside ours.

    python -m altmas.experiments.active_bayesian.tables 3 --data DIR --rows table3.csv

| table | is about |
|---|---|
| 3, 8 | RMSE of the accuracy per predicted class, and per score bin |
| 4 | error of the confusion matrix |
| 5 | error of the expected calibration error |
| 6, 9 | labels needed to identify the least accurate, and the least calibrated predicted classes |
| 7 | labels needed to compare the accuracies of two groups |
| 10 (and 11) | labels needed to identify the predicted classes of highest cost |
"""

from __future__ import annotations

from typing import Any

import click

from altmas.experiments.active_bayesian.comparison import TABLE_7
from altmas.experiments.active_bayesian.confusion import TABLE_4
from altmas.experiments.active_bayesian.costliest import TABLE_10
from altmas.experiments.active_bayesian.estimation import TABLE_3, TABLE_5, TABLE_8
from altmas.experiments.active_bayesian.groups import Asked, asked_options
from altmas.experiments.active_bayesian.worst_classes import TABLE_6, TABLE_9
from altmas.experiments.bench.cases import run_cases

TABLES = {
    "3": TABLE_3, "4": TABLE_4, "5": TABLE_5, "6": TABLE_6, "7": TABLE_7, "8": TABLE_8, "9": TABLE_9, "10": TABLE_10,
}  # fmt: skip


@click.command()
@click.argument("number", type=click.Choice(list(TABLES)))
@asked_options
@click.option("--bins", type=click.Choice(["width", "weight"]), default="weight", show_default=True, help="Equal.")
def main(number: str, **options: Any) -> None:
    """Print a table, the paper's numbers beside ours."""
    table, asked = TABLES[number], Asked(**options)
    cases = (case for network in asked.networks(table.networks) for case in table.cases(network, asked))
    table.show(run_cases(cases, asked.rows), asked)


if __name__ == "__main__":
    main()
