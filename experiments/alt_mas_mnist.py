"""ALT-MAS on MNIST with the paper's three models under test: mean relative error, pseudo-labels counted or not.

    python -m altmas.experiments.alt_mas_mnist --data DIR --rows rows.csv

100 initial labels, then 200 queries in batches of 10, `alt_mas_3`, three seeds. Rows are appended as runs finish, so an
interrupted run goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from altmas.assessment import assess
from altmas.demo import vendor_digits
from altmas.experiments.pools import load_images, model_outputs
from altmas.loop import Plan
from altmas.method import Method
from altmas.methods import make_method
from altmas.metrics import metrics_named, tally
from altmas.metrics.confusion import IntArray

MODELS = ("M-MNIST", "M-MNIST-ES", "M-FashionMNIST")
VARIANTS: dict[str, Method] = {
    "altmas, counted": make_method("altmas", counted=True),
    "altmas, not counted": make_method("altmas", counted=False),
    "bald": make_method("bald"),
    "random": make_method("random"),
}
METRICS = "alt_mas_3"


@dataclass(frozen=True, eq=False)
class TestSet:
    """What a model under test said about some images, and the truth."""

    predictions: IntArray
    images: NDArray[np.uint8]
    labels: IntArray


def run(pool: TestSet, variant: str, seed: int, plan: Plan) -> pd.DataFrame:
    """One method on one pool: the relative error of each metric after each batch."""
    result = assess(
        pool.predictions, features=pool.images, oracle=pool.labels, classes=range(10), metrics=METRICS,
        method=VARIANTS[variant], seed=seed, progress=False,
        budget=plan.budget, initial=plan.initial, batch=plan.batch, level=plan.level,
    )  # fmt: skip
    confusion = tally(pool.labels, pool.predictions, 10)
    truth = {one.name: float(one.value(confusion)) for one in metrics_named([METRICS], range(10))}
    history = result.history[["metric", "labels", "estimate"]].copy()
    history["truth"] = history["metric"].map(truth)
    history["relative_error"] = (history["estimate"] - history["truth"]).abs() / history["truth"]
    return history.assign(variant=variant, seed=seed)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean relative error over metrics and seeds, in percent: over the whole curve, and at the last label."""
    by = ["model", "variant"]
    curve = rows.groupby(by, sort=False)["relative_error"].mean()
    last = rows[rows["labels"] == rows["labels"].max()].groupby(by, sort=False)["relative_error"]
    spread = last.std() / np.sqrt(last.count())
    return (100 * pd.DataFrame({"curve": curve, "end": last.mean(), "end_se": spread})).round(2)


def finished(path: Path | None) -> pd.DataFrame:
    """Rows of an earlier run."""
    return pd.read_csv(path) if path is not None and path.is_file() else pd.DataFrame()


def sweep(data: Path | None, rows: Path | None, seeds: Iterable[int], plan: Plan, smoke: bool) -> pd.DataFrame:
    """Every model, variant and seed that is not in `rows` yet."""
    done = finished(rows)
    parts = [done] if len(done) else []
    seen = set(done[["model", "variant", "seed"]].itertuples(index=False, name=None)) if len(done) else set()
    for model in ("vendor digits",) if smoke else MODELS:
        pool = _pool(model, data)
        for variant in VARIANTS:
            for seed in seeds:
                if (model, variant, seed) in seen:
                    continue
                part = run(pool, variant, seed, plan).assign(model=model)
                parts.append(part)
                if rows is not None:
                    part.to_csv(rows, mode="a", header=not rows.is_file(), index=False)
                error = 100 * part.groupby("labels")["relative_error"].mean().iloc[-1]
                click.echo(f"{model}, {variant}, seed {seed}: {error:.2f}% at {part['labels'].max()} labels", err=True)
    return pd.concat(parts, ignore_index=True)


def _pool(model: str, data: Path | None) -> TestSet:
    if data is None or model == "vendor digits":
        vendor = vendor_digits()
        return TestSet(vendor.predictions, vendor.images, vendor.labels)
    digits = load_images("mnist", data)
    return TestSet(model_outputs(model, data).argmax(1).astype(np.int64), digits.images, digits.labels)


@click.command()
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with mnist.npz and paper_models.npz.",
)
@click.option("--rows", type=click.Path(dir_okay=False, path_type=Path), help="CSV to append to, and to go on from.")
@click.option("--seeds", default=3, show_default=True, help="Repetitions.")
@click.option("--smoke", is_flag=True, help="Seconds instead of minutes: bundled digits, few labels, one seed.")
def main(data: Path | None, rows: Path | None, seeds: int, smoke: bool) -> None:
    """Print the table."""
    plan = Plan(40, 30, 5, 0.95) if smoke else Plan(300, 100, 10, 0.95)
    if not smoke and data is None:
        raise click.UsageError("Give --data, or --smoke.")
    click.echo(summary(sweep(data, rows, range(1 if smoke else seeds), plan, smoke)).to_string())


if __name__ == "__main__":
    main()
