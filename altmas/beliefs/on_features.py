"""From estimators on arrays to a belief about a pool's items."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from altmas.beliefs.features import FeatureView, view_of
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.progress import Reporter
from altmas.metrics.types import Float32Array, IntArray, Probabilities

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

    def bind(self, pool: Pool) -> Surrogate:
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

    def fit(self, items: IntArray, labels: IntArray, *, rng: np.random.Generator) -> None:
        """Fit the label estimator."""
        self.labels.fit(LazyRows(self.view, items), labels, n_classes=len(self.pool.classes), rng=rng)

    def draw(self, items: IntArray, *, draws: int, rng: np.random.Generator) -> Probabilities:
        """Draws of the label estimator."""
        p: Probabilities = self.labels.draw(self.view.rows(items), draws=draws, rng=rng)
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


@dataclass(frozen=True, eq=False)
class LazyRows:
    """Features of some items that are read only where they are indexed: training visits few of a million rows."""

    view: FeatureView
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
