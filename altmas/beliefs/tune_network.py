"""Tuning a network outside an assessment, with a progress bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.core.progress import reporter

if TYPE_CHECKING:
    from altmas.surrogates import Tuned


def tune_network(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_classes: int | None = None,
    calls: int = 15,
    seed: int = 0,
    progress: bool = True,
) -> Tuned:
    """Find the learning rate, epochs and dropout with the best held-out likelihood; the estimator keeps them.

    >>> from altmas.surrogates import MCDropoutMLP
    >>> X, y = np.repeat(np.eye(2, dtype=np.float32), 10, axis=0), np.repeat([0, 1], 10)
    >>> found = tune_network(MCDropoutMLP(hidden=(8,), max_steps=20), X, y, calls=3, progress=False)
    >>> sorted(found.settings)
    ['dropout', 'epochs', 'learning_rate']
    """
    from altmas.surrogates import tune

    with reporter(progress) as tell:
        return tune(
            estimator, X, y, n_classes=n_classes, calls=calls, rng=np.random.default_rng(seed),
            progress=lambda done, total: tell.step(done, total, "tuning", "trials"),
        )  # fmt: skip
