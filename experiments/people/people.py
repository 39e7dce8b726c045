"""What wrong and missing answers do to estimates, with and without what altmas does about them.

    python -m altmas.experiments.people.people --data DIR --rows rows.csv [--seeds 200] [--first-seed 1000] [--jobs 2]

Three models on CIFAR-10 (`paper_models.npz`), 300 answers. A row per model, world, labelling, seed and metric.
Worlds: `cifar10h`, one of about 51 people's labels for each image (`cifar10h_counts.npz`); `random-10`, `class-10`: 10%
of answers wrong, at random or always naming one class; `skips`, where people skip 10% of what the model has right and
30% of what it has wrong. Labelling: `answers` alone, `readings` (75 second readings by an expert), `experts` (300 of
their labels), `same-money` (135, what answers and readings cost where an expert costs five answers).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

import altmas
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import (
    data_option,
    jobs_option,
    need_data,
    rows_option,
    seeds_option,
    smoke_option,
)
from altmas.experiments.data.datasets import load_images, read_npz
from altmas.experiments.data.paper_outputs import outputs_of
from altmas.metrics import metrics_named
from altmas.metrics.types import FloatArray, IntArray

MODELS = ("M-CIFAR10", "M-CIFAR10-ES", "M-SVHN")
METRICS = ("accuracy", "macro_precision", "macro_recall")
ANSWERS, READINGS, COST = 300, 75, 5
SKIPS = (0.1, 0.3)
"""Chance of a question to be skipped where the model is right, and where it is wrong."""

LABELLING = {
    "cifar10h": ("answers", "readings", "experts", "same-money"),
    "random-5": ("answers", "readings"), "random-10": ("answers", "readings"), "random-20": ("answers", "readings"),
    "class-5": ("answers", "readings"), "class-10": ("answers", "readings"), "class-20": ("answers", "readings"),
    "skips": ("answers",),
}  # fmt: skip


def one_run(model: str, world: str, labelling: str, seed: int, data: Path | None) -> pd.DataFrame:
    """One assessment: each metric's estimate and interval, and the truth."""
    truth, scores, counts = _pool(model, data)
    classes, said = scores.shape[1], scores.argmax(1)
    confusion = np.zeros((classes, classes))
    np.add.at(confusion, (truth, said), 1)
    answers = _answers(world, truth, said, counts, np.random.default_rng([seed, 1]))
    most = min(ANSWERS, len(truth) // 2)
    budget = (most + COST * most // 4) // COST if labelling == "same-money" else most
    expert: dict[str, Any] = {}
    if labelling == "readings":
        expert = {"expert": truth, "second_readings": READINGS * most // ANSWERS}
    oracle = truth if labelling in ("experts", "same-money") else None
    found = altmas.assess(
        said, scores, oracle=_asked(answers) if oracle is None else oracle, classes=range(classes), metrics=METRICS,
        budget=budget, seed=seed, progress=False, **expert,
    ).estimates  # fmt: skip
    values = [float(one.value(confusion)) for one in metrics_named(METRICS, range(classes))]
    return found[["metric", "estimate", "low", "high"]].assign(truth=values)


def _asked(answers: IntArray) -> Any:
    return lambda item: None if answers[item] < 0 else int(answers[item])


def _pool(model: str, data: Path | None) -> tuple[IntArray, FloatArray, FloatArray | None]:
    """Labels, scores, and how often people gave each label; scikit-learn's digits without data."""
    if data is None:
        truth = load_digits().target.astype(np.int64)
        noise = np.random.default_rng(0).gumbel(size=(len(truth), 10))
        scores = np.exp(noise + 3 * np.eye(10)[truth])
        return truth, scores / scores.sum(1, keepdims=True), None
    truth = load_images("cifar10", data, download=False).labels.astype(np.int64)
    scores = outputs_of(model, data, truth).astype(np.float64)
    return truth, scores / scores.sum(1, keepdims=True), read_npz(data / "cifar10h_counts.npz")["counts"].astype(float)


def _answers(
    world: str, truth: IntArray, said: IntArray, counts: FloatArray | None, rng: np.random.Generator
) -> IntArray:
    """What an annotator answers about each item, -1 where they skip it."""
    classes, (kind, _, percent) = int(truth.max()) + 1, world.partition("-")
    chance = rng.random(len(truth))
    if kind == "skips":
        return np.where(chance < np.where(said == truth, *SKIPS), -1, truth)
    if kind == "cifar10h" and counts is not None:
        below = np.cumsum(counts / counts.sum(1, keepdims=True), axis=1) < chance[:, None]
        return np.asarray(np.minimum(below.sum(1), classes - 1))
    wrong = chance < float(percent or 5) / 100
    other = np.where(truth == 0, 1, 0) if kind == "class" else (truth + rng.integers(1, classes, len(truth))) % classes
    return np.where(wrong, other, truth)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Bias with its standard error, coverage, width, and the width as a share of that of as many experts' labels."""
    table = table.assign(error=table["estimate"] - table["truth"], width=table["high"] - table["low"])
    table["held"] = (table["low"] <= table["truth"] + 1e-12) & (table["truth"] <= table["high"] + 1e-12)
    by = table.groupby(["model", "metric", "world", "labelling"])
    out = by[["error", "held", "width"]].mean().rename(columns={"error": "bias"})
    out["se"] = by["error"].std() / np.sqrt(by.size())
    of = out["width"][(out.index.get_level_values("labelling") == "experts")].groupby(["model", "metric"]).first()
    known = [of.get((model, metric), np.nan) for model, metric, *_ in out.index]
    return out.assign(of_experts=out["width"] / known)


@click.command()
@data_option
@seeds_option(200)
@click.option("--first-seed", default=0, show_default=True, help="The first of the seeds.")
@click.option("--worlds", default=",".join(LABELLING), show_default=True, help="With commas.")
@rows_option
@smoke_option
@jobs_option
def main(
    data: Path | None, seeds: int, first_seed: int, worlds: str, rows: Path | None, smoke: bool, jobs: int
) -> None:
    """Run what the rows do not have yet, and print bias, coverage and width."""
    need_data(data, smoke)
    cases = [
        Case(
            {"model": model, "world": world, "labelling": labelling, "seed": seed},
            partial(one_run, model, world, labelling, seed, None if smoke else data),
        )
        for seed in range(first_seed, first_seed + (2 if smoke else seeds))
        for model in (MODELS[:1] if smoke else MODELS)
        for world in worlds.split(",")
        for labelling in LABELLING[world]
    ]
    click.echo(summary(run_cases(cases, rows, jobs)).round(4).to_string())


if __name__ == "__main__":
    main()
