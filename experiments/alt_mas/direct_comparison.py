"""Both backends on the same labels: the network methods and the group bandits, one pool, the same seeds.

    python -m altmas.experiments.alt_mas.direct_comparison --data DIR --out DIR [--model M-MNIST-ES]

MNIST with one of the ALT-MAS paper's models under test, accuracy and macro metrics, 100 initial labels and 200 queries.
One table of mean relative error, one figure of its course.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pandas as pd

from altmas.core.progress import reporter
from altmas.experiments.alt_mas.results_rows import relative_errors
from altmas.experiments.bench.options import NEW_FOLDER, jobs_option, need_data, study_options
from altmas.experiments.bench.rows import to_frame
from altmas.experiments.bench.spec import Sweep, parse_sweep
from altmas.experiments.bench.sweep import Workers, described, run_sweep
from altmas.plots.displays import CurvesDisplay
from altmas.plots.history import save

COMPARED_METHODS = ("altmas", "bald", "random", "thompson", "hierarchical-thompson")


def comparison(pool: str, data: Path | None, seeds: int, smoke: bool) -> Sweep:
    """Every method with the same seeds; those with a network see the images.

    >>> len(comparison("digits", None, 1, True).cells())
    5
    """
    sees: dict[str, list[str]] = {"altmas": ["features"], "bald": ["features"]}
    methods = [{"name": name, "sees": sees.get(name, [])} for name in COMPARED_METHODS]
    sizes = {"initial": 30, "budgets": [40], "batch": 5} if smoke else {"initial": 100, "budgets": [300], "batch": 20}
    where = {"pools": [pool], "data": str(data.resolve()) if data is not None else ""}
    return parse_sweep({**where, "methods": methods, "metrics": ["alt_mas_3"], "seeds": seeds, **sizes})


def summary(errors: pd.DataFrame) -> pd.DataFrame:
    """Mean relative error in percent, over the curve and at its end with its standard error.

    >>> rows = pd.DataFrame({"method": "m", "seed": [0, 0, 1, 1], "labels": [9, 10] * 2, "error": [0.3, 0.1, 0.4, 0.2]})
    >>> summary(rows).loc["m"].tolist()
    [25.0, 15.0, 5.0]
    """
    percent = errors.assign(error=100 * errors["error"])
    end = percent[percent["labels"] == percent["labels"].max()].groupby("method", sort=False)["error"]
    curve = percent.groupby("method", sort=False)["error"].mean()
    return pd.DataFrame({"curve": curve, "end": end.mean(), "end_se": end.sem()}).rename_axis(None).round(2)


@click.command()
@study_options(3, jobs_option)
@click.option("--model", default="M-MNIST-ES", show_default=True, help="Model under test.")
@click.option("--out", type=NEW_FOLDER, help="Folder for the figure.")
def main(
    data: Path | None, model: str, seeds: int, rows: Path | None, out: Path | None, jobs: int, smoke: bool
) -> None:
    """Print the table, draw the figure."""
    need_data(data, smoke)
    sweep = comparison("digits" if smoke else model, data, 1 if smoke else seeds, smoke)
    with TemporaryDirectory() as folder, reporter(True) as tell:
        path = rows or Path(folder) / "rows.jsonl"
        done = run_sweep(sweep, path, Workers(jobs), resume=True, reporter=tell)
        if done.failed:
            raise click.ClickException("\n".join(map(described, done.failed)))
        errors = relative_errors(to_frame(path, sweep.cells()))
    click.echo(summary(errors).to_string())
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        curves = {}
        for method, part in errors.groupby("method", sort=False):
            wide = part.pivot(index="labels", columns="seed", values="error")
            curves[str(method)] = (wide.index.to_numpy(), 100 * wide.to_numpy())
        ax = CurvesDisplay.from_curves(curves, quantity="relative error, % (mean over metrics)").plot()
        for kind in ("svg", "png"):
            save(ax, str(out / f"direct-comparison.{kind}"))


if __name__ == "__main__":
    main()
