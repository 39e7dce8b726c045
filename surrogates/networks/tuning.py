"""Tuning learning rate, epochs and dropout by Bayesian optimisation of the held-out likelihood of the answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from altmas.metrics.errors import InputError
from altmas.metrics.types import IntArray
from altmas.surrogates.networks.mc_dropout import MCDropoutLeNet, MCDropoutMLP

RANGES = {"learning_rate": (1e-4, 1e-2), "epochs": (10, 200), "dropout": (0.05, 0.75)}
"""Where each setting is searched; the learning rate on a log scale."""

FEWEST_LABELS = 10


@dataclass(frozen=True)
class Tuned:
    """The best settings found, their held-out loss in nats per label, and every trial in order."""

    settings: dict[str, float]
    loss: float
    trials: tuple[tuple[dict[str, float], float], ...]


def tune(
    estimator: MCDropoutMLP | MCDropoutLeNet,
    X: Any,
    y: Any,
    *,
    n_classes: int | None = None,
    calls: int = 15,
    folds: int = 3,
    draws: int = 20,
    rng: np.random.Generator | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tuned:
    """Search for the settings with the lowest cross-validated log loss of the mean of the draws.

    `estimator` is left with the best settings. `progress(done, calls)` is called after each trial.
    """
    from skopt import Optimizer
    from skopt.space import Integer, Real

    check_tunable(estimator)
    labels = np.asarray(y, dtype=np.int64)
    if len(labels) < FEWEST_LABELS:
        raise InputError("labels to tune on", f"be at least {FEWEST_LABELS}", len(labels))
    rng = rng or np.random.default_rng(0)
    classes = int(labels.max()) + 1 if n_classes is None else n_classes
    space = [
        Real(*RANGES["learning_rate"], prior="log-uniform"),
        Integer(*RANGES["epochs"]),
        Real(*RANGES["dropout"]),
    ]
    # skopt draws from numpy's older generator; a seed of ours makes it repeatable.
    search = Optimizer(space, random_state=int(rng.integers(2**31 - 1)), n_initial_points=min(6, calls))
    fold = rng.permutation(len(labels)) % folds
    seed = int(rng.integers(2**63 - 1))  # the same noise for every trial
    trials: list[tuple[dict[str, float], float]] = []
    with warnings.catch_warnings():  # skopt says so when it would try a point again, and takes another one
        warnings.filterwarnings("ignore", message="The objective has been evaluated at point")
        for done in range(1, calls + 1):
            point = search.ask()
            values = (value.item() if hasattr(value, "item") else value for value in point)
            settings = dict(zip(RANGES, values, strict=True))
            estimator.set_params(**settings)
            loss = held_out_loss(estimator, X, labels, fold, classes, draws, np.random.default_rng(seed))
            search.tell(point, loss)
            trials.append((settings, loss))
            if progress is not None:
                progress(done, calls)
    settings, loss = min(trials, key=lambda trial: trial[1])
    estimator.set_params(**settings)
    return Tuned(settings, loss, tuple(trials))


def check_tunable(estimator: Any) -> None:
    """Refuse an estimator without the settings that are tuned."""
    if not all(hasattr(estimator, name) for name in RANGES):
        raise InputError("a surrogate to tune", f"have the settings {', '.join(RANGES)}", type(estimator).__name__)


def held_out_loss(
    estimator: Any, X: Any, y: IntArray, fold: IntArray, classes: int, draws: int, rng: np.random.Generator
) -> float:
    """Mean negative log probability of each label when its fold was left out of training."""
    total = 0.0
    for k in np.unique(fold):
        out = np.flatnonzero(fold == k)
        rest = np.flatnonzero(fold != k)
        estimator.fit(X[rest], y[rest], n_classes=classes, rng=rng)
        mean = estimator.draw(X[out], draws=draws, rng=rng).mean(0)
        total -= float(np.log(np.maximum(mean[np.arange(len(out)), y[out]], 1e-7)).sum())
    return total / len(y)
