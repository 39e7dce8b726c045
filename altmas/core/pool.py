"""The pool: the fixed, unlabelled items, and what each model under test said about them."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from altmas.core.alignment import in_one_order
from altmas.core.checks import class_indices, same_length
from altmas.core.clusters import Clusters, read_clusters
from altmas.core.doubtful_scores import DoubtfulScoresWarning, scores_doubt
from altmas.core.first_phase import FirstPhase
from altmas.core.limits import few_classes
from altmas.core.no_answer import answered_classes, none_of
from altmas.core.pool_columns import (
    known_labels,
    pool_classes,
    pool_features,
    pool_groups,
    pool_ids,
    pool_scores,
    prediction_column,
)
from altmas.metrics.errors import InputError
from altmas.metrics.scores import Bound, ModelScores, ScoreMetric
from altmas.metrics.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.core.earlier import Earlier

NO_CLASS, NO_SCORE = "(no class)", "(no score)"
"""How an answer outside the declared classes is shown, and a missing score; nothing else may be called so."""


MOST_BELOW_CHANCE = 0.05
"""A confidence that is below 1 / C more often than this is no probability of the predicted class."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """What one model said: a class index per item (`C` = no class) and, if known, its scores `[N]` or `[N, C]`."""

    name: str
    predictions: IntArray
    scores: FloatArray | None = None
    unscored: BoolArray | None = None
    """Where a score was missing `[N]`: what stands there is the usual one, and tells nothing; None if none was."""

    @cached_property
    def scored(self) -> BoolArray:
        """Where the model gave a score `[N]`."""
        if self.scores is None:
            return np.zeros(len(self.predictions), dtype=bool)
        return np.ones(len(self.predictions), dtype=bool) if self.unscored is None else ~self.unscored

    @property
    def missing_scores(self) -> int:
        """How many scores are missing, of a model that gave some."""
        return 0 if self.unscored is None else int(self.unscored.sum())

    @cached_property
    def probable(self) -> bool:
        """Whether the scores can be read as probabilities: a column per class, or confidences that never exceed 1."""
        return self.scores is not None and (self.scores.ndim == 2 or bool(self.scores.max() <= 1))

    def below_chance(self, classes: int) -> float:
        """The share of items whose one score is below 1 / C, which the probability of the best class never is.

        >>> Outputs("model", np.array([0, 1]), np.array([0.9, 0.2])).below_chance(2)
        0.5
        """
        if self.scores is None or self.scores.ndim == 2:
            return 0.0
        return float((self.scores[self.scored] < 1 / classes - 1e-6).mean())

    def probable_among(self, classes: int) -> bool:
        """Whether the scores can be read as probabilities of what was predicted, where there are so many classes."""
        return self.probable and self.below_chance(classes) <= MOST_BELOW_CHANCE

    @cached_property
    def confidence(self) -> FloatArray | None:
        """The score of what was predicted `[N]`, if scores are known.

        >>> Outputs("model", np.array([0, 2]), np.array([[0.9, 0.1], [0.4, 0.6]])).confidence.tolist()  # 2: no class
        [0.9, 0.0]
        """
        if self.scores is None or self.scores.ndim == 1:
            return self.scores
        size, classes = self.scores.shape
        found = self.scores[np.arange(size), np.minimum(self.predictions, classes - 1)]
        return np.where(self.predictions < classes, found, 0.0)

    def bound(self, metric: ScoreMetric, classes: tuple[Hashable, ...]) -> Bound:
        """A metric of scores on those of this model; sorted once."""
        if metric not in self._bound:
            given = ModelScores(classes, self.predictions, self.scores, self.scored, self.probable)
            self._bound[metric] = metric.on(given)
        return self._bound[metric]

    @cached_property
    def _bound(self) -> dict[ScoreMetric, Bound]:
        return {}


@dataclass(frozen=True, eq=False)
class Pool:
    """The items to be assessed on; build it with `Pool.build`, which validates.

    `outputs` holds one entry per model under test, on the same items; `opinions` are other models' outputs, used only
    as evidence about the labels.
    """

    ids: Sequence[Hashable]
    classes: tuple[Hashable, ...]
    outputs: tuple[Outputs, ...]
    features: NDArray[Any] | None = None
    groups: Mapping[str, NDArray[Any]] = field(default_factory=lambda: MappingProxyType({}))
    opinions: tuple[Outputs, ...] = ()
    features_from: str = ""
    """What features were made of, in words; empty where they were given as numbers, or in an audit of before."""
    known: IntArray | None = None
    """Labels there were before any question `[N]`, -1 where there is none: they teach the belief, and weigh nothing."""
    clusters: Clusters | None = None
    """Which items belong together, where the numbers are to be about clusters like these."""
    earlier: Earlier | None = None
    """What an earlier audit, from which this one was renewed, leaves to it."""
    first_phase: FirstPhase | None = None
    """How the items were drawn from a larger whole, where the numbers are to be about that."""

    @classmethod
    def build(
        cls,
        predictions: Any,
        *,
        ids: Any = None,
        scores: Any = None,
        logits: bool = False,
        features: Any = None,
        groups: Any = None,
        opinions: Any = None,
        classes: Sequence[Hashable] | None = None,
        labels_seen: Sequence[Hashable] = (),
        not_a_class: Sequence[Hashable] = (),
        is_a_class: Sequence[Hashable] = (),
        features_from: str = "",
        clusters: Any = None,
    ) -> Pool:
        """Validate a user's arrays and freeze them into a pool.

        `predictions` is one class per item, or a mapping of model names to such columns (then `scores` is too).
        `opinions` maps names to other models' predictions, `(predictions, confidence)` or scores `[N, C]`.
        Without `classes`, they are the values in `predictions` and `labels_seen`, sorted. A blank prediction is no
        answer, and so is one that `not_a_class` names (`"ERROR"`, `"HTTP*"`); others that look like none are refused
        unless `is_a_class` names them. Columns that have an index of pandas are joined by it. `clusters` says which
        items belong together, such as those of one patient: the numbers are then about clusters like these.

        >>> pool = Pool.build(["cat", "dog", "cat"], scores=[0.9, 0.6, 0.8])
        >>> pool.classes, pool.size
        (('cat', 'dog'), 3)
        """
        given = in_one_order(
            {
                "predictions": predictions, "scores": scores, "features": features, "groups": groups,
                "opinions": opinions, "clusters": None if isinstance(clusters, Clusters) else clusters,
            }
        )  # fmt: skip
        predictions, scores, features, groups, opinions, joined = given.values()
        named = dict(predictions) if isinstance(predictions, Mapping) else {"model": predictions}
        if not named:
            raise InputError("predictions", "name at least one model", "an empty mapping")
        columns = {name: prediction_column(values) for name, values in named.items()}
        items = len(next(iter(columns.values())))
        if items == 0:
            raise InputError("predictions", "hold at least one item", "0 items")
        for column in columns.values():
            same_length("predictions", len(column), items, "class")
        columns = answered_classes(columns, not_a_class)
        known = pool_classes(classes, columns, labels_seen, is_a_class)
        none_of(known, not_a_class)
        few_classes(len(known), items)
        scored = (
            scores if isinstance(predictions, Mapping) and isinstance(scores, Mapping) else {next(iter(named)): scores}
        )
        if len(named) > 1 and scores is not None and not isinstance(scores, Mapping):
            raise InputError("scores", "be keyed by the models of predictions", type(scores).__name__)
        if len({str(name) for name in named}) < len(named):
            raise InputError("models", "have distinct names", list(named))
        if unknown := set(scored) - set(named):
            raise InputError("scores", "be keyed by the models of predictions", sorted(map(str, unknown)))
        _not_reserved("classes", known)
        said = {name: class_indices(column, known) for name, column in columns.items()}
        outputs = tuple(
            Outputs(str(name), places, *pool_scores(scored.get(name), logits, places, known))
            for name, places in said.items()
        )
        for one in outputs:
            if doubt := scores_doubt(one, known):
                warnings.warn(doubt, DoubtfulScoresWarning, stacklevel=2)
        grouped = pool_groups(groups, items)
        for name, values in grouped.items():
            _not_reserved(f"group {name!r}", set(values.tolist()))
        return cls(
            pool_ids(ids, items), known, outputs, pool_features(features, items), grouped,
            read_opinions(opinions, items, known), features_from,
            clusters=read_clusters(clusters if joined is None else joined, items),
        )  # fmt: skip

    def __reduce__(self) -> tuple[Any, ...]:
        # A view that cannot be changed cannot be pickled either; what it shows can.
        groups = dict(self.groups)
        return _restored, (
            self.ids, self.classes, self.outputs, self.features, groups, self.opinions, self.features_from, self.known,
            self.clusters, self.earlier, self.first_phase,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        from altmas.words.no_answer import failures
        from altmas.words.notebooks import page, table_html
        from altmas.words.wording import counted

        head = f"Pool of {counted(self.size, 'item')}, {counted(len(self.classes), 'class', 'classes')}"
        names = [*self.classes, NO_CLASS]
        counts = [np.bincount(one.predictions, minlength=len(names)) for one in self.outputs]
        rows = [[name, *(f"{one[k]:,}" for one in counts)] for k, name in enumerate(names) if k < self.columns]
        return page(head, failures(self), table_html(["predicted", *(one.name for one in self.outputs)], rows))

    @property
    def size(self) -> int:
        """Number of items, N."""
        return len(self.ids)

    @property
    def predictions(self) -> IntArray:
        """Class indices said by the model under test."""
        return self.outputs[0].predictions

    @property
    def scores(self) -> FloatArray | None:
        """Scores of the model under test."""
        return self.outputs[0].scores

    def with_features(self, features: Any, made_of: str = "") -> Pool:
        """The pool with other features, checked as `build` does."""
        return replace(self, features=pool_features(features, self.size), features_from=made_of)

    def with_known(self, labels: Any) -> Pool:
        """The pool with labels there are already: a mapping of ids to labels, or a column with None for the others.

        >>> Pool.build(["cat", "dog", "cat"]).with_known({2: "dog"}).known.tolist()
        [-1, -1, 1]
        """
        return replace(self, known=known_labels(labels, self.ids, self.classes))

    def drawn_from(self, first_phase: FirstPhase) -> Pool:
        """The pool as a sample of a larger whole, which the numbers are then about.

        >>> strata = np.array([0, 0, 1])
        >>> Pool.build(["cat", "cat", "dog"]).drawn_from(FirstPhase(strata, np.array([80, 1]), ("cat", "dog"))).whole
        81
        """
        same_length("strata of the first phase", len(first_phase.stratum), self.size, "item")
        if self.clusters is not None:
            raise InputError("clusters", "be left out where the pool is a sample of rows", repr(self.clusters.name))
        return replace(self, first_phase=first_phase)

    @property
    def whole(self) -> int:
        """How many rows the numbers are about: the pool's own, or those it was drawn from."""
        return self.size if self.first_phase is None else self.first_phase.whole

    def rows(self, member: BoolArray | None = None) -> int:
        """How many rows of the whole the pool's items stand for, or those that are a `member [N]`."""
        if self.first_phase is None:
            return self.size if member is None else int(np.count_nonzero(member))
        return self.first_phase.rows_of(member)

    def of_model(self, name: str | None) -> Pool:
        """The pool with one model under test only: the first, or by name."""
        names = [one.name for one in self.outputs]
        if name is not None and name not in names:
            raise InputError("model", f"be one of {', '.join(names)}", repr(name))
        chosen = self.outputs[0 if name is None else names.index(name)]
        return self if len(names) == 1 else replace(self, outputs=(chosen,))

    @property
    def scored(self) -> BoolArray:
        """Where the model under test gave a score `[N]`."""
        return self.outputs[0].scored

    def unanswered(self, model: int = 0) -> int:
        """On how many items a model gave no answer, or one that is no class; of a sample, on how many of all rows.

        >>> Pool.build(["cat", "dog", None]).unanswered()
        1
        """
        return self.rows(self.outputs[model].predictions == len(self.classes))

    @property
    def probable(self) -> bool:
        """Whether the scores of the model under test can be read as probabilities."""
        return self.outputs[0].probable

    @property
    def confidence(self) -> FloatArray | None:
        """The score that the model under test gave to what it predicted `[N]`."""
        return self.outputs[0].confidence

    @property
    def columns(self) -> int:
        """Predicted columns of a confusion: the classes, and one more if some answer is no class."""
        return len(self.classes) + int(any((o.predictions == len(self.classes)).any() for o in self.outputs))


def _restored(
    ids: Any,
    classes: Any,
    outputs: Any,
    features: Any,
    groups: dict[str, Any],
    opinions: Any,
    made_of: str = "",
    known: Any = None,
    clusters: Clusters | None = None,
    earlier: Any = None,
    first_phase: FirstPhase | None = None,
) -> Pool:
    shared = MappingProxyType(groups)
    return Pool(ids, classes, outputs, features, shared, opinions, made_of, known, clusters, earlier, first_phase)


def read_opinions(opinions: Any, items: int, classes: tuple[Hashable, ...]) -> tuple[Outputs, ...]:
    """Other models' outputs: predictions, `(predictions, confidence)`, or scores `[N, C]`, by name.

    >>> read_opinions({"other": (["cat", "?"], [0.9, 0.2])}, 2, ("cat", "dog"))[0].predictions.tolist()
    [0, 2]
    """
    if opinions is None:
        return ()
    if not isinstance(opinions, Mapping):
        raise InputError("opinions", "map names to predictions", type(opinions).__name__)
    return tuple(_opinion(str(name), one, items, classes) for name, one in opinions.items())


def _opinion(name: str, given: Any, items: int, classes: tuple[Hashable, ...]) -> Outputs:
    subject = f"opinion {name!r}"
    pair = _holds_columns(given)
    said, confidence = given if pair else (given, None)
    if confidence is None and _axes(said) == 2:
        nothing_said = np.zeros(items, dtype=np.int64)
        scores, missing = pool_scores(said, False, nothing_said, classes, f"scores of {subject}")
        if scores is None:
            raise InputError(f"scores of {subject}", "be there for some item", "none")
        highest = scores.argmax(1)
        return Outputs(name, highest if missing is None else np.where(missing, len(classes), highest), scores, missing)
    column = prediction_column(said, subject)
    same_length(subject, len(column), items, "prediction")
    predicted = class_indices(column, classes)
    if (predicted == len(classes)).all():
        raise InputError(subject, f"hold some of the classes {list(classes)[:12]}", f"none, e.g. {column[0]!r}")
    return Outputs(name, predicted, *pool_scores(confidence, False, predicted, classes, f"confidence of {subject}"))


def _holds_columns(given: Any) -> bool:
    """A pair of columns, the second perhaps None, not two predictions."""
    return isinstance(given, tuple) and len(given) == 2 and all(one is None or _axes(one) for one in given)


def _axes(values: Any) -> int:
    """How many axes values have; lists of different length are rows of nothing in particular."""
    try:
        return np.ndim(values)
    except ValueError:
        return 1


def _not_reserved(subject: str, names: Iterable[Hashable]) -> None:
    """Refuse names that stand for items without an answer or a score: groups called so are not told of as others."""
    for one in names:
        if one in (NO_CLASS, NO_SCORE):
            rule = f"not be called {NO_CLASS!r} or {NO_SCORE!r}"
            raise InputError(subject, rule, repr(one), "Rename it in the file.")
