"""The candidates of the certified method's belief: each turns answers into label probabilities for other items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from altmas.beliefs.on_features import OnFeatures, Surrogate
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.metrics.types import Float32Array, FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.outputs.evidence import Evidence


Predict = Callable[[IntArray], FloatArray]
"""Items `[n]` -> label probabilities `[n, C]`."""

NETWORK_DRAWS = 20
_ITEMS_PREDICTED_AT_ONCE = 1 << 13


class LabelModel(Protocol):
    """One way to learn the labels of a pool."""

    @property
    def name(self) -> str: ...

    @property
    def quick(self) -> bool:
        """Whether a fit costs milliseconds; the others are fitted less often."""
        ...

    def fit(self, answers: Answers, weights: FloatArray, rng: np.random.Generator) -> Predict:
        """Learn from these answers."""
        ...


@dataclass(frozen=True, eq=False)
class FromOutputs:
    """Agreement learnt from what the models said (score-calibrated, or by predicted class alone)."""

    name: str
    evidence: Evidence
    quick: bool = True

    def fit(self, answers: Answers, weights: FloatArray, rng: np.random.Generator) -> Predict:
        """A few Newton steps."""
        from altmas.surrogates.outputs.score_calibrated import ScoreCalibrated

        belief = ScoreCalibrated(self.evidence)
        belief.fit(answers.items, answers.labels, weights)
        return belief.probabilities


@dataclass(eq=False)
class FromFeatures:
    """The MC-dropout network on the pool's features, with or without ALT-MAS's pseudo-labels."""

    pool: Pool
    pseudo_labels: bool
    estimator: Any = None
    quick: bool = False
    surrogate: Surrogate = field(init=False)

    def __post_init__(self) -> None:
        self.surrogate = OnFeatures(self.estimator).bind(self.pool)

    @property
    def name(self) -> str:
        """What it is called in the table of weights."""
        return "network with pseudo-labels" if self.pseudo_labels else "network"

    def fit(self, answers: Answers, weights: FloatArray, rng: np.random.Generator) -> Predict:
        """Train; the mean over draws is the belief."""
        taught = np.zeros(0, np.int64)
        if self.pseudo_labels:
            taught = self.surrogate.agreeing(answers, draws=NETWORK_DRAWS, rng=rng)
        items = np.concatenate([answers.items, taught])
        labels = np.concatenate([answers.labels, self.pool.predictions[taught]])
        self.surrogate.fit(items, labels, rng=rng)
        seed = int(rng.integers(1 << 31))

        def predict(wanted: IntArray) -> FloatArray:
            parts = [wanted[i : i + _ITEMS_PREDICTED_AT_ONCE] for i in range(0, len(wanted), _ITEMS_PREDICTED_AT_ONCE)]
            draws = (
                self.surrogate.draw(p, draws=NETWORK_DRAWS, rng=np.random.default_rng(seed)).mean(0) for p in parts
            )
            return np.concatenate(list(draws)).astype(np.float64)

        return predict


def label_models(pool: Pool, *, network: bool, estimator: Any = None) -> list[LabelModel]:
    """The candidates for this pool.

    For each model under test: agreement from its own outputs with every other model as an opinion. For the first: by
    predicted class alone. With features, the network with and without pseudo-labels.

    >>> [one.name for one in label_models(Pool.build([0, 1, 1], scores=[0.9, 0.8, 0.7]), network=False)]
    ['scores', 'groups']
    """
    from altmas.surrogates.outputs.evidence import evidence_by_class, evidence_from

    said, classes = (*pool.outputs, *pool.opinions), len(pool.classes)
    found: list[LabelModel] = []
    for index, outputs in enumerate(pool.outputs):
        name = "scores" if len(pool.outputs) == 1 else f"scores of {outputs.name}"
        found.append(FromOutputs(name, evidence_from(outputs, classes, said[:index] + said[index + 1 :])))
    found.append(FromOutputs("groups", evidence_by_class(said[0], classes)))
    if network and pool.features is not None:
        found += [FromFeatures(pool, pseudo, estimator) for pseudo in (False, True)]
    return found


FOLDS = 5
PRIOR = 4.0
"""The first candidate starts with the credit of this many answers: another has to be better, not only lucky."""


@dataclass(frozen=True, eq=False)
class Belief:
    """Label probabilities `[N, C]` of the whole pool, what each candidate counts for, and what slow ones said."""

    probabilities: FloatArray
    weights: dict[str, float]
    slow: dict[str, Float32Array] = field(default_factory=dict)


class CrossFit:
    """Splits the pool into folds once; what is believed about an item comes from the answers outside its fold."""

    def __init__(self, models: Sequence[LabelModel], size: int, classes: int, seed: int) -> None:
        self.models, self.classes, self.seed = models, classes, seed
        self.fold = stream(seed, "folds").permutation(size) % FOLDS

    def fit(self, answers: Answers, weights: FloatArray, kept: Mapping[str, Float32Array] | None = None) -> Belief:
        """Fit every candidate out of fold, and mix them by how well they predicted the answers.

        What slow candidates said is taken from `kept` where it has it, and comes back in `slow`.
        """
        each: list[NDArray[Any]] = []
        slow: dict[str, Float32Array] = {}
        for one in self.models:
            if one.quick:
                each.append(self._out_of_fold(one, answers, weights))
                continue
            known = kept is not None and one.name in kept
            said = kept[one.name] if kept and known else self._out_of_fold(one, answers, weights)
            slow[one.name] = said.astype(np.float32)  # in single precision, as a file keeps it
            each.append(slow[one.name])
        if len(each) == 1:
            return Belief(np.asarray(each[0], dtype=np.float64), {self.models[0].name: 1.0}, slow)
        rows, labels = answers.items, answers.labels
        share = stack(np.stack([p[rows, labels] for p in each], axis=1), weights)
        mixed = sum(w * p for w, p in zip(share, each, strict=True))
        names = [one.name for one in self.models]
        return Belief(np.asarray(mixed), dict(zip(names, share.tolist(), strict=True)), slow)

    def _out_of_fold(self, model: LabelModel, answers: Answers, weights: FloatArray) -> FloatArray:
        out = np.empty((len(self.fold), self.classes))
        for k in range(FOLDS):
            others = np.flatnonzero(self.fold[answers.items] != k)
            rng = stream(self.seed, "fit", model.name, len(answers), k)
            inside = np.flatnonzero(self.fold == k)
            if len(others) == 0 and not model.quick:  # nothing to train a network on
                out[inside] = 1.0 / self.classes
                continue
            predict = model.fit(answers.at(others), weights[others], rng)
            out[inside] = predict(inside)
        return out


def stack(likelihood: FloatArray, weights: FloatArray) -> FloatArray:
    """Mixture weights `[S]` of candidates that gave the answers these out-of-fold probabilities `[n, S]`.

    >>> stack(np.array([[0.9, 0.1]] * 20), np.ones(20)).round(2).tolist()
    [1.0, 0.0]
    """
    from altmas.surrogates.outputs.wrong_labels import mixture_weights

    prior = PRIOR * (np.arange(likelihood.shape[1]) == 0)
    scale = len(weights) / max(float(weights.sum()), 1e-12)
    return mixture_weights(np.maximum(likelihood, 1e-9), prior, weights * scale, steps=200)
