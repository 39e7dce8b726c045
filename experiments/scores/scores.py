"""Metrics of scores, certified beside random sampling: error, coverage and width.

    python -m altmas.experiments.scores.scores --data DIR --rows rows.csv [--seeds 40] [--first-seed 1000] [--jobs 2]

Nine models on CivilComments, M-MNIST-ES, and three models on an embedding of Fashion-MNIST; 400 labels, the other models
as opinions. A row per pool, opinions (`all` or `none`), seed and metric. `spread` is random sampling's error, as many
draws of as many labels have it.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

import altmas
from altmas.core.pool import Pool
from altmas.core.targets import resolve_metrics, targets_of
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import (
    data_option,
    jobs_option,
    need_data,
    rows_option,
    seeds_option,
    smoke_option,
)
from altmas.experiments.data.datasets import read_npz
from altmas.metrics.types import FloatArray, IntArray

LABELS = 400
RANDOM_DRAWS = 400
POOLS = (*(f"civil-{k}" for k in range(9)), "M-MNIST-ES", "fashion-good", "fashion-average", "fashion-poor")
OF_TWO, OF_MANY = ("brier", "log_loss", "auroc", "auprc"), ("brier", "log_loss", "top_k:3", "auroc", "auprc")


class Models(NamedTuple):
    """The truth, the scores `[N, C]` of the model under test, and those of the others."""

    truth: IntArray
    scores: FloatArray
    others: dict[str, FloatArray]


def one_run(pool: str, opinions: str, seed: int, data: Path | None, labels: int = LABELS) -> pd.DataFrame:
    """One assessment: each metric's estimate and interval, the truth, and random sampling's error."""
    given = models_of(pool, data)
    classes = given.scores.shape[1]
    names = OF_TWO if classes == 2 else OF_MANY
    found = altmas.assess(
        given.scores.argmax(1), given.scores, oracle=given.truth, classes=range(classes), metrics=names, budget=labels,
        opinions=given.others if opinions == "all" else None, seed=seed, progress=False,
    ).estimates  # fmt: skip
    known = truth_and_spread(pool, data, labels)
    told = found[["metric", "estimate", "low", "high", "plug_in", "design"]]
    return told.assign(truth=[known[one][0] for one in names], spread=[known[one][1] for one in names])


@cache
def truth_and_spread(pool: str, data: Path | None, labels: int) -> dict[str, tuple[float, float]]:
    """Each metric with everything labelled, and the error of random sampling."""
    given = models_of(pool, data)
    classes = given.scores.shape[1]
    built = Pool.build(given.scores.argmax(1), scores=given.scores, classes=range(classes))
    rng, told = np.random.default_rng(0), np.eye(classes)[given.truth]
    drawn = [rng.choice(built.size, labels, replace=False) for _ in range(RANDOM_DRAWS)]
    out = {}
    for target in targets_of(resolve_metrics(OF_TWO if classes == 2 else OF_MANY, built), built):
        value = float(target.metric.value(target.tally(told)))
        each = [float(target.metric.value(target.tally(told[items], items))) for items in drawn]
        out[target.name] = value, float(np.sqrt(np.mean(np.square(np.array(each) - value))))
    return out


@cache
def models_of(pool: str, data: Path | None) -> Models:
    """A pool's models; scikit-learn's digits without data."""
    if data is None:
        truth = load_digits().target.astype(np.int64)
        rng = np.random.default_rng(0)
        made = [_softmax(2 * np.eye(10)[truth] + rng.gumbel(size=(len(truth), 10))) for _ in range(3)]
        return Models(truth, made[0], {"second": made[1], "third": made[2]})
    kind, _, which = pool.partition("-")
    if kind == "civil":
        stored = read_npz(data / "civil_comments_9models.npz")
        each = {str(name): np.stack([1 - p, p], axis=1) for name, p in zip(stored["models"], stored["scores"], strict=True)}
        return _chosen(stored["labels"].astype(np.int64), each, str(stored["models"][int(which)]))
    if kind == "fashion":
        stored = read_npz(data / "fashion_embedding.npz")
        each = {name: _summing_to_one(stored[f"scores_{name}"]) for name in ("good", "average", "poor")}
        return _chosen(stored["labels"].astype(np.int64), each, which)
    stored, images = read_npz(data / "paper_models.npz"), read_npz(data / "mnist.npz")
    each = {name: _summing_to_one(stored[name]) for name in ("M-MNIST", "M-MNIST-ES", "M-FashionMNIST")}
    return _chosen(images["y_test"].astype(np.int64), each, pool)


def _chosen(truth: IntArray, each: dict[str, FloatArray], name: str) -> Models:
    return Models(truth, each[name], {other: scores for other, scores in each.items() if other != name})


def _summing_to_one(scores: Any) -> FloatArray:
    found = np.asarray(scores, dtype=np.float64)
    return np.asarray(found / found.sum(1, keepdims=True))


def _softmax(values: FloatArray) -> FloatArray:
    return _summing_to_one(np.exp(values))


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Error relative to random sampling's, coverage, bias in its own standard errors, and the width.

    `width` is a share of the shortest interval that would hold 95% of the time, of an estimate with this error.
    """
    table = table.assign(error=table["estimate"] - table["truth"], wide=table["high"] - table["low"])
    table["held"] = (table["low"] <= table["truth"] + 1e-12) & (table["truth"] <= table["high"] + 1e-12)
    by = table.groupby(["metric", "opinions", "pool"])
    rmse = np.sqrt(by["error"].agg(lambda one: np.mean(np.square(one))))
    out = pd.DataFrame({"of_random": rmse / by["spread"].first(), "held": by["held"].mean()})
    out["bias_z"] = by["error"].mean() / (by["error"].std() / np.sqrt(by.size()))
    return out.assign(width=by["wide"].mean() / (2 * 1.96 * rmse), runs=by.size())


@click.command()
@data_option
@seeds_option(40)
@click.option("--first-seed", default=0, show_default=True, help="The first of the seeds.")
@click.option("--pools", default=",".join(POOLS), show_default=True, help="With commas.")
@click.option("--opinions", default="all,none", show_default=True, help="With commas.")
@rows_option
@smoke_option
@jobs_option
def main(
    data: Path | None, seeds: int, first_seed: int, pools: str, opinions: str, rows: Path | None, smoke: bool, jobs: int
) -> None:
    """Run what the rows do not have yet, and print errors, coverage and widths."""
    need_data(data, smoke)
    labels = 60 if smoke else LABELS
    cases = [
        Case(
            {"pool": pool, "opinions": told, "seed": seed},
            partial(one_run, pool, told, seed, None if smoke else data, labels),
        )
        for seed in range(first_seed, first_seed + (2 if smoke else seeds))
        for pool in (["digits"] if smoke else pools.split(","))
        for told in opinions.split(",")
    ]
    found = summary(run_cases(cases, rows, jobs))
    click.echo(found.round(3).to_string())
    weights = found["runs"]
    overall = found.assign(of_random=np.log(found["of_random"])).groupby(["metric", "opinions"])
    click.echo(
        overall.apply(
            lambda one: pd.Series(
                {
                    "of_random": np.exp(one["of_random"].mean()),
                    "held": np.average(one["held"], weights=weights[one.index]),
                    "width": one["width"].mean(),
                }
            )
        ).round(3).to_string()
    )  # fmt: skip


if __name__ == "__main__":
    main()
