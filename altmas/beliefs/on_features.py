"""From estimators on arrays to a belief about a pool's items."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.progress import Reporter
from altmas.metrics.types import Float32Array, FloatArray, IntArray, Probabilities

FURTHEST = 6.0
"""Features are held within this many standard deviations: a pixel that is hardly ever lit must not drown the others."""

_NUMBERS_SUMMED_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class FeatureView:
    """Rows of an array, shifted and scaled as they are read, so that a memory-mapped pool stays on disk."""

    array: NDArray[Any]
    shift: NDArray[Any]
    scale: NDArray[Any]

    def rows(self, items: IntArray) -> Float32Array:
        """Scaled features of some items `[n, ...]`, outliers held at `FURTHEST`.

        The difference is taken in the precision of the shift: float64, for a time stamp would vanish in float32.
        """
        part = (self.array[items] - self.shift) * self.scale
        np.clip(part, -FURTHEST, FURTHEST, out=part)
        return np.asarray(part, dtype=np.float32)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one item."""
        return self.array.shape[1:]


def view_of(pool: Pool) -> FeatureView:
    """The pool's features; without any, the vendor's outputs.

    Bytes are pixels and are divided by 255; anything else is standardised by column over the pool.

    >>> view_of(Pool.build([0, 1, 1], features=[[0.0], [2.0], [4.0]])).rows(np.array([1]))
    array([[0.]], dtype=float32)
    """
    if pool.features is None:
        return _outputs_view(pool)
    array = pool.features
    if array.dtype == np.uint8:
        return FeatureView(array, np.zeros((), np.float32), np.array(1 / 255, np.float32))
    return FeatureView(array, *_standardising(array))


def _outputs_view(pool: Pool) -> FeatureView:
    outputs = vendor_outputs(pool)
    shift, scale = _standardising(outputs)
    shift[: pool.columns], scale[: pool.columns] = 0.0, 1.0  # a rare class is no outlier
    return FeatureView(outputs, shift, scale)


def _standardising(array: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Mean and inverse standard deviation of each column, in blocks of rows; 0 for a constant column."""
    count, total, squares = len(array), np.zeros(array.shape[1:]), np.zeros(array.shape[1:])
    first = np.asarray(array[0], dtype=np.float64)  # subtracted to keep the sums of squares accurate
    step = max(_NUMBERS_SUMMED_AT_ONCE // max(first.size, 1), 1)
    for start in range(0, count, step):
        part = np.asarray(array[start : start + step], dtype=np.float64) - first
        total += part.sum(0)
        squares += (part * part).sum(0)
    mean = total / count
    deviation = np.sqrt(np.maximum(squares / count - mean * mean, 0.0))
    scale = np.where(deviation > 1e-12, 1.0 / np.maximum(deviation, 1e-12), 0.0)
    return mean + first, scale


def vendor_outputs(pool: Pool) -> Float32Array:
    """Features made of what the model under test said: its prediction one-hot, and the logit of its scores.

    >>> vendor_outputs(Pool.build([0, 1])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    parts = [np.eye(pool.columns, dtype=np.float32)[pool.predictions]]
    if pool.scores is not None:
        scores = pool.scores.reshape(pool.size, -1)
        if pool.probable:  # other confidences are taken as they are
            scores = logit(np.clip(scores, 1e-6, 1 - 1e-6))
        parts.append(scores.astype(np.float32))
    return np.concatenate(parts, axis=1)


@dataclass(frozen=True, eq=False)
class JoinedView:
    """Features as flat rows, followed by what the model under test said."""

    features: FeatureView
    outputs: FeatureView

    def rows(self, items: IntArray) -> Float32Array:
        """Of some items `[n, D + P + ...]`."""
        own = self.features.rows(items)
        return np.concatenate([own.reshape(len(own), -1), self.outputs.rows(items)], axis=1)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one item."""
        return (int(np.prod(self.features.shape)) + self.outputs.shape[0],)


_CANDIDATES_AT_ONCE = 1 << 13


class Surrogate(Protocol):
    """Our belief about the labels of one pool, able to give draws."""

    def fit(self, items: IntArray, labels: IntArray, *, rng: np.random.Generator) -> None:
        """Learn from items whose labels are known or assumed."""
        ...

    def draw(self, items: IntArray, *, draws: int, rng: np.random.Generator) -> Probabilities:
        """Class probabilities `[M, n, C]`; generators in the same state give the same worlds."""
        ...

    def agreeing(self, answers: Answers, *, draws: int, rng: np.random.Generator) -> IntArray:
        """Open items whose prediction is believed to be right (ALT-MAS, section 3.1), in the pool's order."""
        ...

    def tune(self, answers: Answers, *, rng: np.random.Generator, reporter: Reporter) -> dict[str, float]:
        """Find better settings for the coming fits, and name them."""
        ...


class SurrogateRecipe(Protocol):
    """Something that can be bound to a pool and then is a surrogate."""

    def bind(self, pool: Pool) -> Surrogate: ...


@dataclass(frozen=True)
class OnFeatures:
    """A drawing estimator, or a scikit-learn ensemble, on the pool's features. None chooses a network to fit them."""

    estimator: Any = None
    tuned: bool = False

    def bind(self, pool: Pool) -> FeatureSurrogate:
        """Prepare the features of this pool, and check that the estimator can take them."""
        from altmas.surrogates import as_drawing

        view = view_of(pool)
        chosen = self.estimator if self.estimator is not None else _network_for(view.shape)
        drawing = as_drawing(chosen)
        if self.tuned:
            from altmas.surrogates import check_tunable

            check_tunable(drawing)
        if hasattr(drawing, "check_items"):
            drawing.check_items(view.shape)
        # Copies: a method may be used for several jobs, and the agreement classifier is a second network.
        return FeatureSurrogate(pool, view, as_drawing(copy.deepcopy(chosen)), as_drawing(copy.deepcopy(chosen)))


@dataclass(eq=False)
class FeatureSurrogate:
    """A label estimator and an agreement estimator of the same architecture, on one pool's features."""

    pool: Pool
    view: FeatureView
    labels: Any
    agreement: Any
    with_outputs: bool = False  # whether the label estimator last learnt from the model's outputs as well

    def fit(
        self,
        items: IntArray,
        labels: IntArray,
        *,
        rng: np.random.Generator,
        weights: FloatArray | None = None,
        with_outputs: bool = False,
    ) -> None:
        """Fit the label estimator; items have weights if it knows what to do with them.

        Of features and outputs together it learns where there are both, and it is a network that takes flat rows.
        """
        from altmas.surrogates import MCDropoutMLP

        takes_both = isinstance(self.labels, MCDropoutMLP) and self.pool.features is not None
        self.with_outputs = with_outputs and takes_both
        known = weights is not None and takes_weights(self.labels)
        more = {"sample_weight": weights} if known else {}
        self.labels.fit(LazyRows(self.learnt_from, items), labels, n_classes=len(self.pool.classes), rng=rng, **more)

    @property
    def learnt_from(self) -> FeatureView | JoinedView:
        """What the label estimator sees of an item."""
        return self._joined if self.with_outputs else self.view

    @cached_property
    def _joined(self) -> JoinedView:
        return JoinedView(self.view, _outputs_view(self.pool))

    def draw(self, items: IntArray, *, draws: int, rng: np.random.Generator) -> Probabilities:
        """Draws of the label estimator."""
        p: Probabilities = self.labels.draw(self.learnt_from.rows(items), draws=draws, rng=rng)
        return p

    def agreeing(self, answers: Answers, *, draws: int, rng: np.random.Generator) -> IntArray:
        """Pseudo-labelled items. An answer that is no class never agrees."""
        from altmas.surrogates import pseudo_label

        said = self.pool.predictions
        candidates = answers.unlabelled(self.pool)
        candidates = candidates[said[candidates] < len(self.pool.classes)]

        def blocks() -> Iterator[Float32Array]:
            for start in range(0, len(candidates), _CANDIDATES_AT_ONCE):
                yield self.view.rows(candidates[start : start + _CANDIDATES_AT_ONCE])

        if len(candidates) == 0:
            return candidates
        agrees = answers.labels == said[answers.items]
        rows = self.view.rows(answers.items)
        found = pseudo_label(self.agreement, rows, agrees, blocks, draws=draws, rng=rng)
        return candidates[found.rows]

    def tune(self, answers: Answers, *, rng: np.random.Generator, reporter: Reporter) -> dict[str, float]:
        """Tune the label estimator on the answers; the agreement estimator takes over its settings."""
        from altmas.surrogates import tune

        found = tune(
            self.labels,
            self.view.rows(answers.items),
            answers.labels,
            n_classes=len(self.pool.classes),
            rng=rng,
            progress=lambda done, calls: reporter.step(done, calls, "tuning", "trials"),
        )
        self.agreement.set_params(**found.settings)
        return found.settings


def takes_weights(estimator: Any) -> bool:
    """Whether an estimator's fit takes scikit-learn's `sample_weight`: a user's own need not.

    >>> from altmas.surrogates import MCDropoutMLP
    >>> takes_weights(MCDropoutMLP())
    True
    """
    return "sample_weight" in inspect.signature(estimator.fit).parameters


@dataclass(frozen=True, eq=False)
class LazyRows:
    """Features of some items that are read only where they are indexed: training visits few of a million rows."""

    view: FeatureView | JoinedView
    items: IntArray

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, rows: Any) -> Float32Array:
        return self.view.rows(self.items[rows])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Float32Array:
        return np.asarray(self.view.rows(self.items), dtype=dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, then the shape of one item."""
        return (len(self.items), *self.view.shape)


def _network_for(item: tuple[int, ...]) -> Any:
    """LeNet for colour images, as in the paper; the MLP for everything else."""
    from altmas.surrogates import MCDropoutLeNet, MCDropoutMLP

    return MCDropoutLeNet() if len(item) == 3 and min(item[:2]) >= 16 else MCDropoutMLP()
