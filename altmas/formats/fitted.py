"""A fitted classifier and its items, in place of what it said: scikit-learn's kind, Keras models, and their like."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from altmas.core.checks import plain, sorted_classes, unwrapped
from altmas.core.pool_columns import classes_of_both
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray


@dataclass(frozen=True, eq=False)
class Fitted:
    """What models say of the items: predictions and scores by model, and the classes they know."""

    predictions: Any
    scores: Any
    classes: tuple[Hashable, ...] | None


def fitted_outputs(
    model: Any, items: Any, classes: Sequence[Hashable] | None = None, labels: Sequence[Hashable] = ()
) -> Fitted:
    """What a fitted classifier, or several by name, says of the items: `predict`, and `predict_proba` where it has one.

    A network that predicts a row of probabilities per item names its classes by position, unless `classes` does.

    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0], [1], [2]], ["cat", "dog", "cat"])
    >>> found = fitted_outputs(model, [[3], [4]])
    >>> found.predictions.tolist(), found.scores.shape, found.classes
    (['cat', 'cat'], (2, 2), ('cat', 'dog'))
    """
    if isinstance(model, Mapping):
        each = {str(name): _one(one, items, classes, labels) for name, one in model.items()}
        known = None if classes is None else tuple(classes)
        if known is None and all(one.classes is not None for one in each.values()):
            known = sorted_classes(c for one in each.values() for c in one.classes or ())
        return Fitted(
            {name: one.predictions for name, one in each.items()},
            {name: _widened(one, known) for name, one in each.items()},
            known,
        )
    found = _one(model, items, classes, labels)
    known = found.classes if classes is None else tuple(classes)
    return Fitted(found.predictions, _widened(found, known), known)


def _one(model: Any, items: Any, classes: Sequence[Hashable] | None, labels: Sequence[Hashable]) -> Fitted:
    if isinstance(model, type):
        raise InputError("model", "be fitted", f"the class {model.__name__} itself")
    if not callable(getattr(model, "predict", None)):
        raise InputError("model", "have predict(items), as a fitted classifier does", type(model).__name__)
    if _is_regressor(model):
        raise InputError("model", "be a classifier", type(model).__name__)
    said = unwrapped(_asked(model, "predict", items))
    if getattr(said, "ndim", 1) == 2:
        return _of_rows(np.asarray(said, dtype=np.float64), classes, labels)
    if not callable(getattr(model, "predict_proba", None)):
        return Fitted(said, None, None)
    scores = unwrapped(_asked(model, "predict_proba", items))
    known = getattr(model, "classes_", None)
    if known is None or getattr(scores, "ndim", 1) != 2 or np.shape(scores)[1] != len(known):
        return Fitted(said, None, None)
    own = [plain(one) for one in known]
    every = classes_of_both(own, list(labels))
    table = np.zeros((len(scores), len(every)))
    table[:, [every.index(one) for one in own]] = np.asarray(scores, dtype=np.float64)
    return Fitted(said, table, every)


def _is_regressor(model: Any) -> bool:
    from sklearn.base import BaseEstimator, is_regressor

    known = isinstance(model, BaseEstimator) and is_regressor(model)
    return bool(known) or type(model).__name__.endswith("Regressor")


def _of_rows(rows: FloatArray, classes: Sequence[Hashable] | None, labels: Sequence[Hashable]) -> Fitted:
    """Probabilities per class, as a network predicts them; a single column is that of the second of two classes."""
    if rows.shape[1] == 1:
        rows = np.concatenate([1 - rows, rows], axis=1)
    if rows.min() < 0 or np.abs(rows.sum(1) - 1).max() > 1e-3:
        hint = "Call it yourself, and pass predictions, and scores with logits=True."
        raise InputError("model", "predict classes, or probabilities that sum to 1", "other numbers", hint)
    known = tuple(classes) if classes is not None else tuple(range(rows.shape[1]))
    if len(known) != rows.shape[1]:
        raise InputError("classes", f"be {rows.shape[1]}, as many as the model predicts", len(known))
    if classes is None and not set(labels) <= set(known):
        hint = "Name its classes, in the order of its outputs: classes=[...]."
        raise InputError("labels", f"be among 0 to {rows.shape[1] - 1}, the model's outputs", repr(labels[0]), hint)
    return Fitted([known[i] for i in rows.argmax(1)], rows, known)


def _widened(found: Fitted, classes: tuple[Hashable, ...] | None) -> Any:
    """Scores with a column for each class of the pool; only the confidence where a class of the model is none of it."""
    if found.scores is None or found.classes is None or found.classes == classes:
        return found.scores
    if classes is None or not set(found.classes) <= set(classes):
        return found.scores.max(1)
    table = np.zeros((len(found.scores), len(classes)))
    table[:, [classes.index(one) for one in found.classes]] = found.scores
    return table


def _asked(model: Any, question: str, items: Any) -> Any:
    from sklearn.exceptions import NotFittedError

    try:
        return getattr(model, question)(items)
    except NotFittedError:
        raise InputError("model", "be fitted", f"a {type(model).__name__} that is not") from None
