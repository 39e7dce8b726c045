"""The pools of the experiments on scores: their models, the truth, and random sampling's error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from altmas.core.pool import Pool
from altmas.core.targets import resolve_metrics, targets_of
from altmas.experiments.data.datasets import read_npz
from altmas.metrics.types import FloatArray, IntArray

RANDOM_DRAWS = 400
POOLS = (*(f"civil-{k}" for k in range(9)), "M-MNIST-ES", "fashion-good", "fashion-average", "fashion-poor")
OF_TWO, OF_MANY = ("brier", "log_loss", "auroc", "auprc"), ("brier", "log_loss", "top_k:3", "auroc", "auprc")


class Models(NamedTuple):
    """The truth, the scores `[N, C]` of the model under test, and those of the others."""

    truth: IntArray
    scores: FloatArray
    others: dict[str, FloatArray]


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
        each = {
            str(name): np.stack([1 - p, p], axis=1) for name, p in zip(stored["models"], stored["scores"], strict=True)
        }
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
