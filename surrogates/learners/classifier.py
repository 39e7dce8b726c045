"""Any classifier of scikit-learn as a learner."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.learners.hidden import Hidden, LearntByHiding, hidden_parts, visible
from altmas.surrogates.learners.protocol import Lesson
from altmas.surrogates.learners.sharpness import LEAST
from altmas.surrogates.learners.space import Space

_DRAWS = 20


@dataclass(frozen=True)
class Classifier:
    """A classifier with `fit` and `predict_proba`, or one that `draw`s; it sees the features as flat rows.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> Classifier(GaussianNB()).name
    'GaussianNB'
    """

    estimator: Any
    quick: bool = False

    def __post_init__(self) -> None:
        says = hasattr(self.estimator, "predict_proba") or hasattr(self.estimator, "draw")
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit") or not says:
            of_class = isinstance(self.estimator, type)
            given = f"the class {self.estimator.__name__}" if of_class else type(self.estimator).__name__
            hint = f"Make one: {self.estimator.__name__}()." if of_class else ""
            raise InputError("learner", "be a name, or a classifier with fit and predict_proba", given, hint)

    @property
    def name(self) -> str:
        """The name of its class."""
        return type(self.estimator).__name__

    def bind(self, space: Space) -> BoundClassifier:
        """Nothing to prepare."""
        return BoundClassifier(self.estimator, space)


@dataclass(frozen=True, eq=False)
class BoundClassifier:
    """A classifier on one pool."""

    estimator: Any
    space: Space

    def learn(self, lesson: Lesson) -> LearntByHiding:
        """Train a copy for every set of parts to hide."""
        trained = {
            hidden: _train(self.estimator, self.space, lesson, hidden, lesson.seed + number)
            for number, hidden in enumerate(hidden_parts(lesson))
        }

        def say(items: IntArray, hidden: Hidden) -> FloatArray:
            out = np.empty((len(items), lesson.classes))
            for block in self.space.blocks(len(items)):
                out[block] = trained[hidden].predict(self.space.flat(items[block]), lesson.classes)
            return out

        return LearntByHiding(lesson, say)


@dataclass(frozen=True, eq=False)
class _Trained:
    """A fitted copy (None: there was nothing to learn), and the classes it has seen or may have been."""

    estimator: Any
    seen: IntArray
    seed: int

    def predict(self, rows: NDArray[Any], classes: int) -> FloatArray:
        """Probabilities `[n, C]`, with a trace of an even guess for classes it never saw."""
        out = np.full((len(rows), classes), LEAST / classes)
        if self.estimator is None:
            out[:, self.seen] += (1 - LEAST) / max(len(self.seen), 1)
        elif len(rows):
            out[:, self.seen] += (1 - LEAST) * self._said(rows)
        return np.asarray(out / out.sum(1, keepdims=True))

    def _said(self, rows: NDArray[Any]) -> FloatArray:
        if hasattr(self.estimator, "predict_proba"):
            said = np.asarray(self.estimator.predict_proba(rows), dtype=np.float64)
        else:
            drawn = self.estimator.draw(rows, draws=_DRAWS, rng=np.random.default_rng(self.seed))
            said = np.asarray(drawn.mean(0), dtype=np.float64)
        if said.shape != (len(rows), len(self.seen)):
            rule = "give a probability for each class it was shown"
            raise InputError(f"learner {type(self.estimator).__name__}", rule, f"shape {said.shape}")
        return np.clip(np.nan_to_num(said), 0.0, 1.0)


def _train(estimator: Any, space: Space, lesson: Lesson, hidden: Hidden, seed: int) -> _Trained:
    rows = visible(lesson, hidden)
    seen, numbered = np.unique(lesson.labels[rows], return_inverse=True)
    if len(seen) < 2:
        return _Trained(None, seen, seed)
    fresh = copy.deepcopy(estimator)
    if hasattr(fresh, "get_params") and "random_state" in fresh.get_params():
        fresh.set_params(random_state=seed % (1 << 31))
    try:
        fresh.fit(space.flat(lesson.items[rows]), numbered)
        trained = _Trained(fresh, seen, seed)
        trained.predict(space.flat(lesson.items[rows[:1]]), lesson.classes)  # some fail only then
    except Exception as error:  # labels were spent: go on without it, and say so
        told = _FAILED.format(type(fresh).__name__, len(rows))
        warnings.warn(f"{told} {type(error).__name__}: {error}", stacklevel=2)
        return _Trained(None, np.arange(lesson.classes), seed)
    return trained


_FAILED = "learner {} cannot learn from {} answers, and is taken to know nothing:"
