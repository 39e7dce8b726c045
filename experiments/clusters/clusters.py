"""How often intervals hold the value for patients like those of the pool, with clusters and without.

    python -m altmas.experiments.clusters.clusters --rows rows.csv [--seeds 500] [--first-seed 1000] [--jobs 2]

Made-up pools of patients, each with several items; models are right or wrong on a patient's items together. The truth
is that of all patients, found once from very many. A row per world, seed, metric and kind of interval: `clusters`, what
`clusters=` promises, and `plain`, of the same labels about the pool's own items. `difference` is of two models'
accuracies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from scipy.special import expit

import altmas
from altmas.certified.findings import CertifiedFindings
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import jobs_option, rows_option, seeds_option, smoke_option
from altmas.metrics.types import FloatArray, IntArray

METRICS = ("accuracy", "macro_recall")
ENOUGH = 1_200_000
"""Items, about, that the truth is found from."""


@dataclass(frozen=True)
class World:
    """Patients, items of each on average and how these differ, and by how much patients differ in difficulty.

    `leaning` is the Dirichlet strength of a patient's classes: small where a patient's items are nearly all of one.
    """

    patients: int
    items: int
    sizes: str = "equal"  # or geometric, heavy
    classes: int = 3
    spread: float = 1.5
    level: float = 1.8
    leaning: float = 100.0
    harder_last: float = 0.0


WORLDS = {
    "equal": World(150, 20),
    "uneven": World(150, 20, "geometric", leaning=1.0, level=1.5),
    "heavy": World(200, 20, "heavy", classes=2, spread=2.0, leaning=1.0, level=1.5),
    "one-class": World(200, 15, leaning=0.2, level=2.0, harder_last=1.0),
    "accurate": World(100, 30, classes=2, spread=2.0, level=4.5),
    "few": World(30, 40, spread=1.2),
    "alone": World(2500, 1),
}


@dataclass(frozen=True, eq=False)
class Patients:
    """A pool: labels, what two models said, the confidence of the first, and the patient of each item."""

    labels: IntArray
    first: IntArray
    second: IntArray
    confidence: FloatArray
    patient: IntArray

    def truth(self, classes: int) -> dict[str, float]:
        """The metrics of the first model, and how much more accurate it is than the second."""
        right = self.first == self.labels
        recalls = [right[self.labels == c].mean() for c in range(classes)]
        apart = right.mean() - (self.second == self.labels).mean()
        return {"accuracy": right.mean(), "macro_recall": float(np.mean(recalls)), "difference": apart}


def patients_of(world: World, rng: np.random.Generator) -> Patients:
    """Patients drawn at random, with all of their items."""
    count, classes = world.patients, world.classes
    if world.sizes == "geometric":
        sizes = np.minimum(1 + rng.geometric(1 / world.items, count), 20 * world.items)
    elif world.sizes == "heavy":  # a few patients have most items
        sizes = 1 + np.minimum(0.4 * world.items * (1 + rng.pareto(1.5, count)), 20 * world.items).astype(int)
    else:
        sizes = np.full(count, world.items)
    patient = np.repeat(np.arange(count), sizes)
    leaning = np.cumsum(rng.dirichlet(np.full(classes, world.leaning), count), axis=1)[patient]
    labels = np.minimum((rng.random((len(patient), 1)) > leaning).sum(1), classes - 1)
    hard, other = world.spread * rng.standard_normal((2, count))
    item = rng.standard_normal(len(patient))
    level = world.level - world.harder_last * (labels == classes - 1)
    first, second = (
        np.where(rng.random(len(patient)) < expit(log_odds), labels, _another(labels, classes, rng))
        for log_odds in (level + hard[patient] + item, level - 0.3 + (0.5 * hard + other)[patient] + 0.5 * item)
    )
    seen = world.level + 0.3 * hard[patient] + 0.7 * item + 0.5 * rng.standard_normal(len(patient))
    return Patients(labels, first, second, (1 + (classes - 1) * expit(seen)) / classes, patient)


def _another(labels: IntArray, classes: int, rng: np.random.Generator) -> IntArray:
    return np.asarray((labels + rng.integers(1, classes, len(labels))) % classes)


@cache
def truth_of(world: World) -> dict[str, float]:
    """What holds of all patients."""
    many = replace(world, patients=ENOUGH // world.items)
    return patients_of(many, np.random.default_rng(0)).truth(world.classes)


def one_run(world: World, labels: int, seed: int) -> pd.DataFrame:
    """One assessment: each metric with both intervals, and the truth."""
    pool = patients_of(world, np.random.default_rng([seed, 1]))
    found = altmas.assess(
        {"first": pool.first, "second": pool.second}, {"first": pool.confidence}, oracle=pool.labels,
        classes=range(world.classes), metrics=METRICS, clusters=pool.patient, budget=min(labels, len(pool.labels)),
        initial=100, batch=100, seed=seed, progress=False,
    ).findings  # fmt: skip
    assert isinstance(found, CertifiedFindings)
    rows = []
    for kind, told in (("clusters", found), ("plain", found.of_this_pool())):
        rows += [{"interval": kind, **row} for row in _rows(told)]
    truth = truth_of(world)
    return pd.DataFrame(rows).assign(truth=[truth[row["metric"]] for row in rows])


def _rows(found: CertifiedFindings) -> list[dict[str, Any]]:
    mine = [one for one in found.estimates if one.model == "first"]
    rows = [{"metric": one.metric, "estimate": one.estimate, "low": one.low, "high": one.high} for one in mine]
    apart = found.differences()
    assert apart is not None
    one = apart[apart["metric"] == "accuracy"].iloc[0]
    return [*rows, {"metric": "difference", **{name: float(one[name]) for name in ("estimate", "low", "high")}}]


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Coverage, bias, error and half-width of each kind of interval."""
    table = table.assign(error=table["estimate"] - table["truth"], half_width=(table["high"] - table["low"]) / 2)
    table["held"] = (table["low"] <= table["truth"]) & (table["truth"] <= table["high"])
    by = table.groupby(["world", "metric", "interval"])
    out = by[["held", "error", "half_width"]].mean().rename(columns={"error": "bias"})
    return out.assign(rmse=by["error"].agg(lambda one: float(np.sqrt(np.square(one).mean()))), runs=by.size())


@click.command()
@seeds_option(500)
@click.option("--first-seed", default=0, show_default=True, help="The first of the seeds.")
@click.option("--labels", default=600, show_default=True, help="In all.")
@click.option("--worlds", default=",".join(WORLDS), show_default=True, help="With commas.")
@rows_option
@smoke_option
@jobs_option
def main(seeds: int, first_seed: int, labels: int, worlds: str, rows: Path | None, smoke: bool, jobs: int) -> None:
    """Run what the rows do not have yet, and print how often the intervals held."""
    cases = [
        Case({"world": name, "labels": labels, "seed": seed}, partial(one_run, WORLDS[name], labels, seed))
        for seed in range(first_seed, first_seed + (2 if smoke else seeds))
        for name in worlds.split(",")
    ]
    click.echo(summary(run_cases(cases, rows, jobs)).round(4).to_string())


if __name__ == "__main__":
    main()
