"""Metrics that see scores: Brier, log loss, top-k, AUROC, AUPRC, thresholds, calibration error.

A metric of counts needs to know what was predicted; these need a model's scores. Bound to them, each is a metric like
any other, of a confusion with a column per item, or per score: a value, and a slope for every label of every column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.confusion import ratio
from altmas.metrics.errors import InputError
from altmas.metrics.formulas import LinearMetric, Metric
from altmas.metrics.rankings import MeanOverClasses, OneAgainstRest, Order
from altmas.metrics.thresholds import AtThreshold, RecallAtRate
from altmas.metrics.types import BoolArray, FloatArray, IntArray

CLIP = float(np.finfo(np.float64).eps)
"""Log loss takes no probability to be nearer to 0 or 1, as scikit-learn does, unless another clip is named."""

BANDS = 10
"""Where a belief is corrected before a metric is linearised, scores are looked at in so many bands."""

BINS = 10
"""Calibration error has bins of equal width, so many."""

LOWER = ("brier", "log_loss", "ece", "fpr_at")
"""Kinds of which less is better."""


@dataclass(frozen=True, eq=False)
class ModelScores:
    """What one model said: predictions `[N]` (C = no class), and scores `[N]` or `[N, C]`, known where `scored [N]`."""

    classes: tuple[Hashable, ...]
    predictions: IntArray
    scores: FloatArray | None
    scored: BoolArray
    probable: bool  # whether scores can be read as probabilities

    def probabilities(self, subject: str) -> FloatArray:
        """A probability for every class `[N, C]`; of two classes, one confidence says both."""
        if self.scores is not None and self.scores.ndim == 2:
            return self.scores
        if self.scores is None or len(self.classes) != 2 or not self.probable:
            raise self._refusal(subject, "a probability for every class")
        said = np.where(self.predictions == 1, self.scores, 1 - self.scores)
        return np.stack([1 - said, said], axis=1)

    def ranks(self, subject: str, index: int) -> FloatArray:
        """Scores of one class `[N]` for what they say of the order of items: rounding does not break a tie."""
        return without_rounding(self.of_class(subject, index))

    def of_class(self, subject: str, index: int) -> FloatArray:
        """Scores of one class `[N]`; of two classes, any confidence does."""
        if self.scores is not None and self.scores.ndim == 2:
            return self.scores[:, index]
        if self.scores is None or len(self.classes) != 2:
            raise self._refusal(subject, "a score for every class")
        other = 1 - self.scores if self.probable else -self.scores
        return np.where(self.predictions == index, self.scores, other)

    @property
    def known(self) -> BoolArray:
        """Items that take part `[N]`: they have scores, and one confidence has a class that it speaks of."""
        if self.scores is None or self.scores.ndim == 2:
            return self.scored
        return np.asarray(self.scored & (self.predictions < len(self.classes)))

    def _refusal(self, subject: str, rule: str) -> InputError:
        if self.scores is None:
            got, hint = "no scores", "Give scores=... (on the command line --scores)."
        elif len(self.classes) != 2:
            got = f"one score per item for {len(self.classes)} classes"
            hint = "Give scores of shape [N, C], a column per class (on the command line --scores 'p_*')."
        else:
            got, hint = "scores that are no probabilities", "AUROC and AUPRC need only their order."
        return InputError(f"metric {subject!r}", f"be asked of {rule}", got, hint)


def without_rounding(scores: FloatArray) -> FloatArray:
    """Scores with their last bits dropped: whoever divides a row by its sum must not break a tie.

    >>> len(set(without_rounding(np.array([0.3, 0.1 + 0.2])).tolist()))
    1
    """
    mantissa, exponent = np.frexp(scores)
    return np.asarray(np.ldexp(np.rint(mantissa * _KEPT) / _KEPT, exponent))


_KEPT = 2.0**44


class Bound(NamedTuple):
    """A score metric on one model's scores: a metric of counts by label and column, and each item's column.

    An item in column -1 has no score, and takes no part. `bands [P]` are columns whose scores are alike.
    """

    metric: Metric
    columns: IntArray  # [N]
    width: int
    bands: IntArray  # [P]


class TopK(LinearMetric):
    """The share of items whose label is among the highest scores."""


@dataclass(frozen=True)
class ScoreMetric:
    """A metric by name that is bound to each model's scores: a kind, a class (None for all), and a number, if any."""

    name: str
    kind: str
    index: int | None = None
    number: float = 0.0
    bounds: tuple[float, float] = (0.0, 1.0)

    @property
    def lower_is_better(self) -> bool:
        """Whether less is better."""
        return self.kind in LOWER

    def on(self, given: ModelScores) -> Bound:
        """Bind it to a model's scores, or refuse them.

        >>> said, scores = np.array([1, 0, 1]), np.array([0.9, 0.7, 0.6])
        >>> model = ModelScores((0, 1), said, scores, np.ones(3, dtype=bool), True)
        >>> bound = ScoreMetric("auroc", "auroc").on(model)
        >>> float(bound.metric.value([[1, 0, 1], [0, 1, 0]]))  # columns by score: 0.3, 0.6, 0.9
        0.5
        """
        return _MAKERS[self.kind](self, given)

    def value(self, confusion: ArrayLike) -> FloatArray:
        """There is none of counts of predictions alone: whoever needs one is told so."""
        raise self._refusal()

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        """As for `value`."""
        raise self._refusal()

    def _refusal(self) -> InputError:
        hint = "Take method='certified' or 'random'."
        return InputError(f"metric {self.name!r}", "be asked of a method that sees scores", "counts alone", hint)


@dataclass(frozen=True, eq=False)
class CalibrationError:
    """`sum_b |sum of scores in bin b - right predictions there| / n`, over bins of equal width."""

    name: str
    confidence: FloatArray  # [P]
    predicted: IntArray  # [P]
    bins: IntArray  # [P]
    bounds: tuple[float, float] = (0.0, 1.0)

    def value(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        return ratio(np.abs(self._gaps(counts)).sum(-1), counts.sum((-2, -1)))

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        sign = np.sign(self._gaps(counts))[..., self.bins]
        out = np.repeat((sign * self.confidence)[..., None, :], counts.shape[-2], axis=-2)
        some = np.flatnonzero(self.predicted < counts.shape[-2])
        out[..., self.predicted[some], some] -= sign[..., some]
        return ratio(out - self.value(counts)[..., None, None], counts.sum((-2, -1))[..., None, None])

    def _gaps(self, counts: FloatArray) -> FloatArray:
        """Of each bin `[..., B]`: scores less right predictions, summed."""
        padded = np.concatenate([counts, np.zeros((*counts.shape[:-2], 1, counts.shape[-1]))], axis=-2)
        right = padded[..., np.minimum(self.predicted, counts.shape[-2]), np.arange(counts.shape[-1])]
        apart = counts.sum(-2) * self.confidence - right
        return np.stack([apart[..., self.bins == b].sum(-1) for b in range(BINS)], -1)


# --- from names -------------------------------------------------------------------------------------------------------

WHOLE = ("brier", "log_loss", "ece")
RANKED = ("auroc", "auprc")
NUMBERED = {"precision_at": "a score", "recall_at": "a score", "fpr_at": "a score", "recall_at_fpr": "a rate"}
_AMONG: dict[str, Literal["all", "members", "others"]] = {
    "precision_at": "all", "recall_at": "members", "fpr_at": "others",
}  # fmt: skip

NAMES = (
    "brier", "log_loss", "log_loss:CLIP", "top_k:K", "ece", "auroc", "auroc:CLASS", "macro_auroc", "auprc",
    "auprc:CLASS", "macro_auprc", "precision_at:SCORE[:CLASS]", "recall_at:SCORE[:CLASS]", "fpr_at:SCORE[:CLASS]",
    "recall_at_fpr:RATE[:CLASS]",
)  # fmt: skip
"""Names of score metrics, for people; words in capitals stand for a class or a number."""

_MACRO = re.compile(r"macro_(auroc|auprc)\Z")


def score_metric(name: str, classes: Sequence[Hashable]) -> ScoreMetric | None:
    """A score metric by name; None where the name is of no such metric.

    Without a class, `auprc` and thresholds of two classes are those of the second, as scikit-learn has it.

    >>> score_metric("recall_at_fpr:0.05:cat", ["cat", "dog"]).index, score_metric("accuracy", ["cat", "dog"])
    (0, None)
    """
    kind, _, rest = name.partition(":")
    if found := _MACRO.match(name):
        return ScoreMetric(name, f"macro_{found[1]}")
    if kind in WHOLE and (not rest or kind == "log_loss"):
        clip = CLIP if not rest else _number(name, rest, "a clip", 0.0, 0.5)
        most = {"brier": 1.0 if len(classes) == 2 else 2.0, "log_loss": -float(np.log(clip)), "ece": 1.0}[kind]
        return ScoreMetric(name, kind, None, clip, (0.0, most))
    if kind == "top_k":
        if rest not in map(str, range(1, len(classes) + 1)):
            rule = f"be K from 1 to {len(classes)}, the number of classes"
            raise InputError(f"what follows the colon in metric {name!r}", rule, repr(rest), f"For example {kind}:2.")
        return ScoreMetric(name, kind, None, float(rest))
    if kind in RANKED:
        return ScoreMetric(name, kind, _class_index(name, rest, classes) if rest else None)
    if kind in NUMBERED:
        number, _, of = rest.partition(":")
        value = _number(name, number, NUMBERED[kind], *((0.0, 1.0) if kind == "recall_at_fpr" else (-np.inf, np.inf)))
        if not of and len(classes) != 2:
            hint = f"For example {kind}:{number}:{classes[0]}."
            raise InputError(
                f"metric {name!r}", "name a class where there are not two", f"{len(classes)} classes", hint
            )
        return ScoreMetric(name, kind, _class_index(name, of, classes) if of else 1, value)
    return None


def _number(name: str, text: str, what: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low < value < high:
        rule = f"be {what}" + (f" between {low:g} and {high:g}" if np.isfinite([low, high]).all() else ", a number")
        raise InputError(f"what follows the colon in metric {name!r}", rule, repr(text))
    return value


def _class_index(name: str, class_name: str, classes: Sequence[Hashable]) -> int:
    for index, known in enumerate(classes):
        if str(known) == class_name:
            return index
    shown = ", ".join(str(c) for c in list(classes)[:12])
    raise InputError(f"the class of metric {name!r}", f"be one of {shown}", repr(class_name))


# --- bound to scores --------------------------------------------------------------------------------------------------


def _own_columns(known: BoolArray) -> IntArray:
    """A column for every item, -1 for those that take no part."""
    return np.where(known, np.arange(len(known)), -1)


def _mean_of(
    wanted: ScoreMetric, given: ModelScores, of_labels: Callable[[FloatArray], FloatArray],
    kind: type[LinearMetric] = LinearMetric,
) -> Bound:  # fmt: skip
    """A mean over items of what each label costs or gains, `of_labels(p) [N, C]`."""
    p = given.probabilities(wanted.name)
    metric = kind(wanted.name, np.ascontiguousarray(of_labels(p).T), wanted.lower_is_better)
    return Bound(metric, _own_columns(given.known), len(p), p.argmax(1))


def _brier(wanted: ScoreMetric, given: ModelScores) -> Bound:
    def loss(p: FloatArray) -> FloatArray:
        if p.shape[1] == 2:  # of two classes one is enough, as scikit-learn has it
            return np.square(1 - p)
        return np.asarray(np.square(p).sum(1, keepdims=True) - 2 * p + 1)

    return _mean_of(wanted, given, loss)


def _log_loss(wanted: ScoreMetric, given: ModelScores) -> Bound:
    clip = wanted.number
    return _mean_of(wanted, given, lambda p: -np.log(np.clip(p, clip, 1 - clip)))


def _top_k(wanted: ScoreMetric, given: ModelScores) -> Bound:
    def within(p: FloatArray) -> FloatArray:
        # Of classes with one score the last comes first, as scikit-learn sorts them.
        first = np.argsort(p, axis=1, kind="stable")[:, ::-1][:, : int(wanted.number)]
        out = np.zeros(p.shape)
        np.put_along_axis(out, first, 1.0, axis=1)
        return out

    return _mean_of(wanted, given, within, TopK)


def _by_score(wanted: ScoreMetric, given: ModelScores, index: int) -> tuple[FloatArray, IntArray, IntArray]:
    """The distinct scores of a class, ascending; each item's place among them, -1 without one; and their bands."""
    known = given.known
    values, places = np.unique(given.ranks(wanted.name, index)[known], return_inverse=True)
    columns = np.full(len(known), -1)
    columns[known] = places
    counts = np.cumsum(np.bincount(places, minlength=len(values)))
    bands = np.minimum((counts - 0.5) / max(int(known.sum()), 1) * BANDS, BANDS - 1).astype(np.int64)
    return values, columns, bands


def _one_against_rest(wanted: ScoreMetric, given: ModelScores) -> Bound:
    if wanted.index is None and len(given.classes) != 2:
        return _macro(wanted, given)
    index = 1 if wanted.index is None else wanted.index
    values, columns, bands = _by_score(wanted, given, index)
    return Bound(OneAgainstRest(wanted.name, wanted.kind, index, Order(values)), columns, len(values), bands)


def _macro(wanted: ScoreMetric, given: ModelScores) -> Bound:
    kind = wanted.kind.removeprefix("macro_")
    orders = [Order(given.ranks(wanted.name, c)) for c in range(len(given.classes))]
    each = tuple(OneAgainstRest(wanted.name, kind, c, one) for c, one in enumerate(orders))
    return Bound(MeanOverClasses(wanted.name, each), _own_columns(given.known), len(given.scored),
                 np.minimum(given.predictions, len(given.classes) - 1))  # fmt: skip


def _at_threshold(wanted: ScoreMetric, given: ModelScores) -> Bound:
    index = wanted.index or 0
    values, columns, bands = _by_score(wanted, given, index)
    metric = AtThreshold(wanted.name, index, values >= without_rounding(np.array([wanted.number])), _AMONG[wanted.kind])
    return Bound(metric, columns, len(values), bands)


def _recall_at_rate(wanted: ScoreMetric, given: ModelScores) -> Bound:
    index = wanted.index or 0
    values, columns, bands = _by_score(wanted, given, index)
    return Bound(RecallAtRate(wanted.name, index, Order(values), wanted.number), columns, len(values), bands)


def _calibration_error(wanted: ScoreMetric, given: ModelScores) -> Bound:
    if given.scores is None or not given.probable:
        raise InputError("ece", "be asked of scores that are probabilities", "none such")
    scores, said = given.scores, given.predictions
    if scores.ndim == 2:
        padded = np.concatenate([scores, np.zeros((len(scores), 1))], axis=1)
        scores = padded[np.arange(len(padded)), said]
    bins = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
    return Bound(CalibrationError(wanted.name, scores, said, bins), _own_columns(given.scored), len(said), bins)


_MAKERS: dict[str, Callable[[ScoreMetric, ModelScores], Bound]] = {
    "brier": _brier,
    "log_loss": _log_loss,
    "top_k": _top_k,
    "ece": _calibration_error,
    "auroc": _one_against_rest,
    "auprc": _one_against_rest,
    "macro_auroc": _macro,
    "macro_auprc": _macro,
    "precision_at": _at_threshold,
    "recall_at": _at_threshold,
    "fpr_at": _at_threshold,
    "recall_at_fpr": _recall_at_rate,
}
