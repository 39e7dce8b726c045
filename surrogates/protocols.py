"""What a surrogate must be able to do; bring your own by matching this protocol."""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from altmas.metrics.types import Float32Array


@runtime_checkable
class DrawingEstimator(Protocol):
    """A classifier in scikit-learn's style that also gives draws.

    A draw is one coherent world: the same weights for every item. `draw` with generators in the same state must give
    the same worlds, whichever items are asked for; that is what lets a pool be read a block at a time.
    """

    def fit(self, X: Any, y: Any, *, n_classes: int | None = None, rng: np.random.Generator | None = None) -> Self:
        """Learn labels `y`, class indices below `n_classes`, from rows `X`."""
        ...

    def draw(self, X: Any, *, draws: int, rng: np.random.Generator) -> Float32Array:
        """Class probabilities `[M, n, C]`."""
        ...
