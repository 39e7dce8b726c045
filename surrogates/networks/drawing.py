"""What a surrogate must be able to do; and a scikit-learn ensemble as one: each member is a draw."""

from __future__ import annotations

import copy
import inspect
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.errors import InputError
from altmas.metrics.types import Float32Array, FloatArray


@runtime_checkable
class DrawingEstimator(Protocol):
    """A classifier in scikit-learn's style that also gives draws; bring your own by matching this protocol.

    A draw is one coherent world: the same weights for every item. `draw` with generators in the same state must give
    the same worlds, whichever items are asked for; that is what lets a pool be read a block at a time. If `fit` takes
    scikit-learn's `sample_weight`, answers keep their weight among many pseudo-labels; it need not.
    """

    def fit(self, X: Any, y: Any, *, n_classes: int | None = None, rng: np.random.Generator | None = None) -> Self:
        """Learn labels `y`, class indices below `n_classes`, from rows `X`."""
        ...

    def draw(self, X: Any, *, draws: int, rng: np.random.Generator) -> Float32Array:
        """Class probabilities `[M, n, C]`."""
        ...


class EnsembleSurrogate:
    """Wraps a scikit-learn ensemble whose fitted `estimators_` each have `predict_proba`.

    With fewer members than draws the members repeat in turn, so that draws stay evenly spread over them.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> forest = EnsembleSurrogate(RandomForestClassifier(10, random_state=0))
    >>> p = forest.fit(np.eye(3), [0, 1, 1], n_classes=3).draw(np.eye(3), draws=4, rng=np.random.default_rng(0))
    >>> p.shape, float(p[..., 2].max())
    ((4, 3, 3), 0.0)
    """

    def __init__(self, ensemble: Any) -> None:
        self.ensemble = ensemble
        self._classes = 0
        self._seen = np.zeros(0, np.int64)

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        n_classes: int | None = None,
        rng: np.random.Generator | None = None,
        sample_weight: FloatArray | None = None,
    ) -> Self:
        """Fit the ensemble on flattened rows; its `random_state` is set from `rng`. It gets weights if it takes any."""
        labels = np.asarray(y, dtype=np.int64)
        self._classes = int(labels.max()) + 1 if n_classes is None else n_classes
        if rng is not None and "random_state" in self.ensemble.get_params():
            self.ensemble.set_params(random_state=int(rng.integers(2**31 - 1)))
        # Numbered without gaps, because some ensembles hand their members labels and others numbers of labels.
        self._seen, numbered = np.unique(labels, return_inverse=True)
        weighed = sample_weight is not None and "sample_weight" in inspect.signature(self.ensemble.fit).parameters
        self.ensemble.fit(_flat(X), numbered, **({"sample_weight": sample_weight} if weighed else {}))
        if not hasattr(self.ensemble, "estimators_"):
            raise InputError("ensemble", "have members in estimators_", type(self.ensemble).__name__)
        return self

    def check_items(self, item: tuple[int, ...]) -> None:
        """Refuse an ensemble whose members are no beliefs about the labels, by a trial on made-up rows.

        One-vs-rest members, say, are binary: their mean is not what the ensemble predicts.
        """
        rng = np.random.default_rng(0)
        labels = np.repeat([0, 1, 2], 12)
        size = int(np.prod(item))
        centres = rng.normal(size=(3, size)) * (4 / np.sqrt(size))
        rows = centres[labels] + 0.1 * rng.normal(size=(36, size))
        trial = EnsembleSurrogate(copy.deepcopy(self.ensemble))
        try:
            drawn = trial.fit(rows, labels, rng=rng).draw(rows, draws=10, rng=rng).mean(0).argmax(1)
        except InputError:
            raise
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise InputError("ensemble", "have members that predict class probabilities", said) from error
        if (drawn == trial.ensemble.predict(rows)).mean() < 0.5:
            raise InputError("ensemble", "average its members", type(self.ensemble).__name__)

    def draw(self, X: Any, *, draws: int, rng: np.random.Generator) -> Float32Array:
        """Class probabilities `[M, n, C]`, one member each; classes never seen in training have probability 0."""
        rows = _flat(X)
        members = np.asarray(self.ensemble.estimators_, dtype=object).ravel()
        subsets = getattr(self.ensemble, "estimators_features_", [None] * len(members))
        out = np.zeros((draws, len(rows), self._classes), np.float32)
        for j in range(min(draws, len(members))):
            seen = rows if subsets[j] is None else rows[:, subsets[j]]
            columns = self._seen[np.asarray(members[j].classes_, dtype=np.int64)]
            out[j][:, columns] = members[j].predict_proba(seen)
        for j in range(len(members), draws):
            out[j] = out[j % len(members)]
        return out


def as_drawing(estimator: Any) -> DrawingEstimator:
    """The estimator itself if it draws, else wrapped as an ensemble.

    >>> from sklearn.ensemble import BaggingClassifier
    >>> type(as_drawing(BaggingClassifier())).__name__
    'EnsembleSurrogate'
    """
    if isinstance(estimator, DrawingEstimator):
        return estimator
    if all(hasattr(estimator, part) for part in ("fit", "predict_proba", "get_params")):
        return EnsembleSurrogate(estimator)
    raise InputError("surrogate", "have fit and draw, or be a scikit-learn ensemble", type(estimator).__name__)


def _flat(X: Any) -> NDArray[Any]:
    rows = np.asarray(X)
    return rows.reshape(len(rows), -1)
