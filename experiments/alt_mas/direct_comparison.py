"""Both backends on the same labels: the network methods and the group bandits, one pool, the same seeds.

    python -m altmas.experiments.alt_mas.direct_comparison --data DIR --out DIR [--model M-MNIST-ES]

MNIST with one of the ALT-MAS paper's models under test, accuracy and macro metrics, 100 initial labels and 200 queries.
One table of mean relative error, one figure of its course.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pandas as pd

from altmas.assessment import assess
from altmas.core.loop import Plan
from altmas.core.pool import Pool
from altmas.core.result import Result
from altmas.demo import relative_errors, vendor_digits
from altmas.experiments.data.datasets import load_images
from altmas.experiments.data.paper_outputs import outputs_of
from altmas.metrics import metrics_named, tally
from altmas.metrics.confusion import FloatArray, IntArray
from altmas.plots.displays import CurvesDisplay
from altmas.plots.history import save

METHODS = ("altmas", "bald", "random", "thompson", "hierarchical-thompson")
METRICS = "alt_mas_3"


def load(model: str, data: Path | None) -> tuple[Pool, IntArray]:
    """The pool and its labels; the bundled digits where there is no data directory."""
    if data is None:
        vendor = vendor_digits()
        return Pool.build(vendor.predictions, scores=vendor.scores, features=vendor.images), vendor.labels
    digits, scores = load_images("mnist", data), outputs_of(model, data).astype(np.float64)
    scores /= scores.sum(1, keepdims=True)
    return Pool.build(scores.argmax(1), scores=scores, features=digits.images, classes=range(10)), digits.labels


def run(pool: Pool, labels: IntArray, method: str, seed: int, plan: Plan) -> Result:
    """One method, one seed."""
    return assess(
        pool.predictions, pool.scores, pool.features, classes=range(10), oracle=labels, metrics=METRICS, method=method,
        budget=plan.budget, initial=plan.initial, batch=plan.batch, level=plan.level, seed=seed, progress=False,
    )  # fmt: skip


def errors(pool: Pool, labels: IntArray, seeds: int, plan: Plan) -> dict[str, tuple[IntArray, FloatArray]]:
    """Labels `[T]` and mean relative error over the metrics `[T, R]` of each method."""
    confusion = tally(labels, pool.predictions, 10)
    truth = {one.name: float(one.value(confusion)) for one in metrics_named([METRICS], range(10))}
    curves = {}
    for method in METHODS:
        each = []
        for seed in range(seeds):
            series = relative_errors(run(pool, labels, method, seed, plan).history, truth)
            each.append(series)
            click.echo(f"{method}, seed {seed}: {100 * series.iloc[-1]:.2f}%", err=True)
        curves[method] = (each[0].index.to_numpy(dtype=np.int64), np.stack([s.to_numpy() for s in each], -1))
    return curves


def summary(curves: dict[str, tuple[IntArray, FloatArray]]) -> pd.DataFrame:
    """Mean relative error in percent, over the curve and at its end with its standard error."""
    rows = {}
    for method, (_, values) in curves.items():
        end = 100 * values[-1]
        spread = end.std(ddof=1) / np.sqrt(len(end)) if len(end) > 1 else np.nan
        rows[method] = {"curve": 100 * values.mean(), "end": end.mean(), "end_se": spread}
    return pd.DataFrame(rows).T.round(2)


@click.command()
@click.option(
    "--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder with the stored data."
)
@click.option("--model", default="M-MNIST-ES", show_default=True, help="Model under test.")
@click.option("--seeds", default=3, show_default=True, help="Repetitions.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the figure.")
@click.option("--smoke", is_flag=True, help="Bundled digits, few labels, one seed.")
def main(data: Path | None, model: str, seeds: int, out: Path | None, smoke: bool) -> None:
    """Print the table, draw the figure."""
    if not smoke and data is None:
        raise click.UsageError("Give --data, or --smoke.")
    plan = Plan(40, 30, 5, 0.95) if smoke else Plan(300, 100, 20, 0.95)
    pool, labels = load(model, None if smoke else data)
    curves = errors(pool, labels, 1 if smoke else seeds, plan)
    click.echo(summary(curves).to_string())
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        percent = {name: (x, 100 * y) for name, (x, y) in curves.items()}
        ax = CurvesDisplay.from_curves(percent, quantity="relative error, % (mean over metrics)").plot()
        for kind in ("svg", "png"):
            save(ax, str(out / f"direct-comparison.{kind}"))


if __name__ == "__main__":
    main()
