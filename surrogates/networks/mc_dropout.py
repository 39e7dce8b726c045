"""MC-dropout classifiers (Gal and Ghahramani 2016) in scikit-learn's style."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from altmas.metrics.errors import InputError
from altmas.metrics.types import Float32Array, FloatArray, IntArray
from altmas.surrogates.networks.architectures import MLP, Architecture, LeNet, draw_probabilities
from altmas.surrogates.networks.network import Network


class _MCDropout(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What the two classifiers share: training, draws, and the compiled network kept between fits."""

    def __init__(
        self,
        dropout: float = 0.25,
        learning_rate: float = 1e-3,
        epochs: int = 100,
        batch_size: int = 64,
        max_steps: int = 1000,
        random_state: int = 0,
    ) -> None:
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.max_steps = max_steps
        self.random_state = random_state

    def _architecture(self) -> Architecture:
        raise TypeError("use MCDropoutMLP or MCDropoutLeNet")

    def check_items(self, item: tuple[int, ...]) -> None:
        """Refuse items of a shape this network cannot take, before anything is spent on them."""
        self._architecture().weight_shapes(item, outputs=2)

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        n_classes: int | None = None,
        rng: np.random.Generator | None = None,
        sample_weight: FloatArray | None = None,
    ) -> Self:
        """Train from new weights on rows `X` and class indices `y`.

        Takes `epochs` passes in shuffled batches, or `max_steps` steps if that is less. With `sample_weight` rows come
        as often as their weights say, none more than `epochs` times. The compiled network is kept and used again by
        the next fit on items of the same shape.
        """
        labels = np.asarray(y, dtype=np.int64)
        if len(labels) == 0 or len(labels) != len(X):
            raise InputError("y", "be one label per row of X, and at least one", f"{len(labels)} for {len(X)} rows")
        if not 0 < self.dropout < 1:
            raise InputError("dropout", "be between 0 and 1, both excluded", self.dropout)
        outputs = int(labels.max()) + 1 if n_classes is None else n_classes
        if labels.min() < 0 or labels.max() >= outputs:
            raise InputError("y", f"be class indices below {outputs}", int(labels.max()))
        rng = rng or np.random.default_rng(self.random_state)
        key = (self._architecture(), tuple(X.shape[1:]), outputs)
        if getattr(self, "_network_key", None) != key:
            self._network, self._network_key = Network(*key), key
        if sample_weight is None:
            order = training_order(len(labels), self.batch_size, self.epochs, self.max_steps, rng)
        else:
            order = weighted_order(sample_weight, self.batch_size, self.epochs, self.max_steps, rng)
        # With a cap on the steps a large set is only visited in part: read no more of it than that.
        used, order = np.unique(order, return_inverse=True)
        rows = np.asarray(X[used], dtype=np.float32)
        self.loss_ = self._network.train(
            rows, labels[used], order.reshape(-1, min(self.batch_size, len(labels))),
            learning_rate=self.learning_rate, keep=1 - self.dropout, rng=rng,
        )  # fmt: skip
        self.classes_ = np.arange(outputs)
        return self

    def draw(self, X: Any, *, draws: int, rng: np.random.Generator) -> Float32Array:
        """Class probabilities `[M, n, C]`; a draw is one dropout mask per layer, shared by all items.

        Generators in the same state give the same masks, so a pool may be drawn a block at a time.
        """
        if not hasattr(self, "classes_"):
            raise InputError("the surrogate", "be fitted before it draws", "no fit yet")
        masks = self._network.masks(1 - self.dropout, draws, rng)
        return self._probabilities(np.asarray(X, dtype=np.float32), masks)

    def _probabilities(self, X: Float32Array, masks: list[Float32Array]) -> Float32Array:
        return self._network.probabilities(X, masks)

    def predict_proba(self, X: Any, draws: int = 50) -> Float32Array:
        """Mean of the draws `[n, C]`."""
        mean: Float32Array = self.draw(X, draws=draws, rng=np.random.default_rng(self.random_state)).mean(0)
        return mean

    def predict(self, X: Any) -> IntArray:
        """Most probable class index."""
        best: IntArray = self.predict_proba(X).argmax(1)
        return best

    def __getstate__(self) -> dict[str, Any]:
        # Compiled functions do not travel between processes; the settings do, and a fit makes the rest again.
        state: dict[str, Any] = super().__getstate__()
        return {k: v for k, v in state.items() if k not in ("_network", "_network_key", "classes_")}


class MCDropoutMLP(_MCDropout):
    """A multi-layer perceptron with dropout after each hidden layer, left on at prediction.

    >>> x = np.repeat(np.eye(2, dtype=np.float32), 20, axis=0)
    >>> net = MCDropoutMLP(hidden=(16,), epochs=60).fit(x, [0] * 20 + [1] * 20)
    >>> net.predict(np.eye(2)).tolist()
    [0, 1]
    """

    def __init__(
        self,
        hidden: tuple[int, ...] = (256, 256),
        dropout: float = 0.5,
        learning_rate: float = 1e-3,
        epochs: int = 100,
        batch_size: int = 64,
        max_steps: int = 1000,
        random_state: int = 0,
    ) -> None:
        super().__init__(dropout, learning_rate, epochs, batch_size, max_steps, random_state)
        self.hidden = hidden

    def _architecture(self) -> Architecture:
        return MLP(tuple(self.hidden))

    def _probabilities(self, X: Float32Array, masks: list[Float32Array]) -> Float32Array:
        return draw_probabilities(X, self._network.weights, masks)


class MCDropoutLeNet(_MCDropout):
    """LeNet for images, with dropout before each ReLU, left on at prediction."""

    def _architecture(self) -> Architecture:
        return LeNet()


GOLDEN = (5**0.5 - 1) / 2
"""Steps of this length, modulo 1, spread evenly however many there are."""


def training_order(items: int, batch: int, epochs: int, most: int, rng: np.random.Generator) -> IntArray:
    """Rows `[steps, batch]`: shuffled passes over the items, laid end to end and cut into full batches.

    >>> training_order(3, 2, epochs=2, most=10, rng=np.random.default_rng(0)).shape
    (3, 2)
    """
    batch = min(batch, items)
    steps = max(1, min(most, epochs * items // batch))
    return _passes(items, steps * batch, rng).reshape(steps, batch)


def weighted_order(weights: FloatArray, batch: int, epochs: int, most: int, rng: np.random.Generator) -> IntArray:
    """Rows `[steps, batch]` as often as their weights say, the heaviest `epochs` times.

    Rows of equal weight are a group; every batch has the group's share, rounded so that the shares come out right over
    the batches, and in a group the rows take turns. With equal weights this is `training_order`.

    >>> order = weighted_order(np.repeat([1.0, 0.25], [2, 8]), 4, epochs=20, most=50, rng=np.random.default_rng(0))
    >>> order.shape, np.unique((order < 2).sum(1)).tolist()   # two rows weigh as much as the other eight
    ((20, 4), [2])
    """
    batch = min(batch, len(weights))
    values, group = np.unique(weights, return_inverse=True)
    sizes = np.bincount(group)
    total = float((sizes * values).sum())
    steps = max(1, min(most, int(epochs * total / (values[-1] * batch) + 1e-9)))
    # A comb of `batch` teeth over the groups' shares, shifted from step to step: shares are rounded either way.
    shifts = (np.arange(steps) * GOLDEN) % 1
    teeth = (np.arange(batch) + shifts[:, None]) / batch
    of_group = np.searchsorted(np.cumsum(sizes * values)[:-1] / total, teeth.ravel(), side="right")
    order = np.empty(steps * batch, dtype=np.int64)
    for one in range(len(values)):
        places = np.flatnonzero(of_group == one)
        order[places] = np.flatnonzero(group == one)[_passes(int(sizes[one]), len(places), rng)]
    return order.reshape(steps, batch)


def _passes(items: int, count: int, rng: np.random.Generator) -> IntArray:
    """So many of the rows: shuffled passes over them, laid end to end."""
    passes = max(1, -(-count // items))
    return np.concatenate([rng.permutation(items) for _ in range(passes)])[:count]
