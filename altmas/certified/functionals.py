"""Metrics as ratios of two sums over the pool's items, `sum u / sum v`: the form that anytime intervals need."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from altmas.core.targets import Target
from altmas.metrics import InputError, Metric, metric
from altmas.metrics.belief import Belief
from altmas.metrics.catalogue import only_occurring
from altmas.metrics.confusion import ratio
from altmas.metrics.formulas import LinearMetric, TotalsMetric
from altmas.metrics.thresholds import AtThreshold
from altmas.metrics.types import FloatArray, IntArray

_F_BETA = re.compile(r"f(\d+(?:\.\d+)?)\Z")


@dataclass(frozen=True, eq=False)
class Ratio:
    """`sum_i u_i / sum_i v_i`, with `u_i = top_weight[i] top[y_i, columns[i]]` and v_i likewise; 0 where v sums to 0.

    `columns [N]` is what is known of an item beforehand, mostly its predicted class; the label y_i is what is asked.
    The bottom is never negative, and where it is 0 so is the top. `bounds` hold the value whatever the labels are.

    >>> half = Ratio("accuracy", np.eye(2), np.ones((2, 2)), np.array([0, 1, 1, 0]))
    >>> half.value(np.array([0, 1, 0, 1])), half.terms(2, 1)
    (0.5, (1.0, 1.0))
    """

    name: str
    top: FloatArray  # [C, J]
    bottom: FloatArray  # [C, J]
    columns: IntArray  # [N]
    top_weight: FloatArray | None = None  # [N]
    bottom_weight: FloatArray | None = None  # [N]
    bounds: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        if self.top.shape != self.bottom.shape or self.top.ndim != 2:
            got = f"shapes {self.top.shape} and {self.bottom.shape}"
            raise InputError(f"top and bottom of {self.name!r}", "be two tables [C, J] of one shape", got)
        if self.columns.ndim != 1 or len(self.columns) == 0:
            raise InputError(f"columns of {self.name!r}", "be one column per item", f"shape {self.columns.shape}")
        if self.columns.min() < 0 or self.columns.max() >= self.top.shape[1]:
            got = f"{self.columns.min()} to {self.columns.max()}"
            raise InputError(f"columns of {self.name!r}", f"lie in 0 to {self.top.shape[1] - 1}", got)
        for subject, weight in (("top_weight", self.top_weight), ("bottom_weight", self.bottom_weight)):
            if weight is not None and (weight.shape != self.columns.shape or not np.isfinite(weight).all()):
                got = f"shape {weight.shape} for {len(self.columns):,} items"
                raise InputError(f"{subject} of {self.name!r}", "be one finite number per item", got)
        if not (np.isfinite(self.top).all() and np.isfinite(self.bottom).all()):
            raise InputError(f"top and bottom of {self.name!r}", "be finite", "NaN or infinity")
        if self.bottom.min() < 0 or (self.bottom_weight is not None and self.bottom_weight.min() < 0):
            raise InputError(f"the bottom of {self.name!r}", "not be negative", "a number below 0")
        lone = bool(((self.bottom == 0) & (self.top != 0)).any())
        if self.bottom_weight is not None:
            lone |= bool(((self.bottom_weight == 0) & (self.top_weight is None or self.top_weight != 0)).any())
        if lone:
            raise InputError(f"the top of {self.name!r}", "be 0 where the bottom is 0", "a ratio without a value")
        if not (np.isfinite(self.bounds).all() and self.bounds[0] <= self.bounds[1]):
            raise InputError(f"bounds of {self.name!r}", "be two finite numbers in order", self.bounds)

    @property
    def size(self) -> int:
        """Number of items, N."""
        return len(self.columns)

    def terms(self, item: int, label: int) -> tuple[float, float]:
        """(u, v) of one item with this label."""
        column = self.columns[item]
        u, v = float(self.top[label, column]), float(self.bottom[label, column])
        if self.top_weight is not None:
            u *= float(self.top_weight[item])
        if self.bottom_weight is not None:
            v *= float(self.bottom_weight[item])
        return u, v

    def value(self, labels: IntArray) -> float:
        """The ratio itself, with every label `[N]` known."""
        u, v = self.top[labels, self.columns], self.bottom[labels, self.columns]
        u = u if self.top_weight is None else u * self.top_weight
        v = v if self.bottom_weight is None else v * self.bottom_weight
        return float(ratio(u.sum(), v.sum()))

    def expected(self, belief: Belief) -> tuple[FloatArray, FloatArray]:
        """What a belief expects u and v to be, each `[N]`.

        >>> sure = Belief.dense(np.array([[0.9, 0.1], [0.2, 0.8]]))
        >>> accuracy(np.array([0, 1]), 2).expected(sure)[0].tolist()
        [0.9, 0.8]
        """
        u, v = belief.moved(self.top, self.columns), belief.moved(self.bottom, self.columns)
        u = u if self.top_weight is None else u * self.top_weight
        return u, v if self.bottom_weight is None else v * self.bottom_weight


# --- makers: `said [N]` are predicted class indices, `classes` stands for an answer that is no class -----------------


def accuracy(said: IntArray, classes: int) -> Ratio:
    """Right predictions over all.

    >>> accuracy(np.array([0, 1, 2]), 2).value(np.array([0, 1, 1]))  # the last answer is no class
    0.6666666666666666
    """
    return Ratio("accuracy", _right(classes), np.ones((classes, classes + 1)), said)


def error_rate(said: IntArray, classes: int) -> Ratio:
    """Wrong predictions over all."""
    return Ratio("error_rate", 1 - _right(classes), np.ones((classes, classes + 1)), said)


def precision(said: IntArray, classes: int, index: int) -> Ratio:
    """Right among the items predicted as one class; 0 without such items."""
    top, bottom = _one(classes, index), np.zeros((classes, classes + 1))
    bottom[:, index] = 1
    return Ratio(f"precision:{index}", top, bottom, said, bounds=_if_said(said, index))


def recall(said: IntArray, classes: int, index: int) -> Ratio:
    """Right among the true members of one class.

    >>> recall(np.array([0, 1, 1]), 2, 1).value(np.array([1, 1, 0]))
    0.5
    """
    top, bottom = _one(classes, index), np.zeros((classes, classes + 1))
    bottom[index] = 1
    return Ratio(f"recall:{index}", top, bottom, said, bounds=_if_said(said, index))


def f_beta(said: IntArray, classes: int, index: int, beta: float = 1.0) -> Ratio:
    """`(1 + b) hit / (b true + said)` of one class, with `b = beta^2`."""
    b = beta * beta
    top, bottom = (1 + b) * _one(classes, index), np.zeros((classes, classes + 1))
    bottom[index] = b
    bottom[:, index] += 1
    return Ratio(f"f{beta:g}:{index}", top, bottom, said, bounds=_if_said(said, index))


def specificity(said: IntArray, classes: int, index: int) -> Ratio:
    """Not predicted as a class, among the items that are not of it."""
    _one(classes, index)  # refuses what is no class
    bottom = np.ones((classes, classes + 1))
    bottom[index] = 0
    top = bottom.copy()
    top[:, index] = 0
    return Ratio(f"specificity:{index}", top, bottom, said)


def mean_cost(said: IntArray, cost: LinearMetric) -> Ratio:
    """Expected cost, or any other mean over items of a number per cell; items in column -1 take no part."""
    inside = said >= 0
    weight = None if inside.all() else inside.astype(np.float64)
    columns = said if weight is None else np.maximum(said, 0)
    return Ratio(cost.name, cost.weights, np.ones(cost.weights.shape), columns, weight, weight, cost.bounds)


def at_threshold(places: IntArray, classes: int, wanted: AtThreshold) -> Ratio:
    """Precision or recall of a class where everything with a score above a threshold is taken for it.

    `places [N]` are columns of the metric, by score, below 0 without one.
    """
    columns = np.where(places < 0, 2, wanted.above[np.maximum(places, 0)].astype(np.int64))  # below, above, no score
    top, bottom = replace(wanted, above=np.array([False, True, False])).cells(classes)
    bottom = bottom & (np.arange(3) < 2)
    return Ratio(wanted.name, (top & bottom).astype(np.float64), bottom.astype(np.float64), columns)


def macro_precision(said: IntArray, classes: int) -> Ratio:
    """The mean precision: one sum, because how often each class was said is known beforehand.

    >>> macro_precision(np.array([0, 0, 1]), 2).value(np.array([0, 1, 1]))
    0.75
    """
    counts = np.bincount(said, minlength=classes + 1).astype(np.float64)
    top = _right(classes) * ratio(len(said), classes * counts)
    most = float((counts[:classes] > 0).sum() / classes)
    return Ratio("macro_precision", top, np.ones((classes, classes + 1)), said, bounds=(0.0, most))


def group_accuracy(said: IntArray, classes: int, group: NDArray[np.bool_]) -> Ratio:
    """Accuracy among the items of a group, given as a mask `[N]`.

    >>> group_accuracy(np.array([0, 1, 1]), 2, np.array([True, True, False])).value(np.array([0, 0, 1]))
    0.5
    """
    inside = _mask("group", group, said)
    return Ratio("group_accuracy", _right(classes), np.ones((classes, classes + 1)), said, inside, inside)


def group_difference(said: IntArray, classes: int, group: NDArray[np.bool_], other: NDArray[np.bool_]) -> Ratio:
    """Accuracy in one group minus accuracy in another, each given as a mask `[N]`.

    >>> first = np.array([True, True, False, False])
    >>> group_difference(np.array([0, 1, 1, 0]), 2, first, ~first).value(np.array([0, 1, 1, 1]))
    0.5
    """
    g, h = _mask("group", group, said), _mask("other", other, said)
    each = np.full(len(said), 1.0 / len(said))
    weight = g / g.sum() - h / h.sum()
    table = np.ones((classes, classes + 1))
    return Ratio("group_difference", _right(classes), table, said, weight, each, (-1.0, 1.0))


def model_difference(said: IntArray, other: IntArray, classes: int, cost: LinearMetric | None = None) -> Ratio:
    """Accuracy, or mean cost, of one model minus that of another; where they agree nothing need be asked.

    >>> model_difference(np.array([0, 1, 1]), np.array([0, 1, 0]), 2).value(np.array([0, 0, 1]))
    0.3333333333333333
    """
    if len(said) != len(other):
        raise InputError("predictions", "be of the same items", f"{len(said):,} and {len(other):,}")
    pairs = np.where(said == other, -1, said * (classes + 1) + other)
    kinds, columns = np.unique(pairs, return_inverse=True)
    each = _right(classes) if cost is None else cost.weights
    most = 1.0 if cost is None else float(np.ptp(cost.bounds))
    first, second = np.divmod(np.maximum(kinds, 0), classes + 1)
    top = np.where(kinds < 0, 0.0, each[:, first] - each[:, second])
    return Ratio("model_difference", top, np.ones(top.shape), columns.astype(np.int64), bounds=(-most, most))


def mean_difference(first: Target, second: Target) -> Ratio | None:
    """The mean over items of one target minus that of another; None of others, or where an item takes part in one only.

    Of metrics of scores, every item has numbers of its own.
    """
    a, b = first.metric, second.metric
    if not (isinstance(a, LinearMetric) and isinstance(b, LinearMetric)):
        return None
    inside = first.columns >= 0
    if (inside != (second.columns >= 0)).any():
        return None
    top = a.weights[:, first.columns] - b.weights[:, second.columns]
    low, high = a.bounds[0] - b.bounds[1], a.bounds[1] - b.bounds[0]
    weight = None if inside.all() else inside.astype(np.float64)
    one = np.ones(top.shape)
    return Ratio("mean_difference", top, one, np.arange(len(inside)), weight, weight, bounds=(low, high))


# --- from the catalogue ----------------------------------------------------------------------------------------------


def functionals_of(name: str | Metric, said: IntArray, classes: Sequence[Hashable]) -> tuple[Ratio, ...] | None:
    """The ratios whose mean is a metric of the catalogue; None where it has no such form.

    One ratio is the metric itself. Several, one per class, are those of a macro recall, which are bet on together
    (`macro`), or of a macro F: `mean_interval` runs each of C at level `1 - alpha / C` and averages the ends. Without
    such a form are MCC, kappa, averages weighted by true counts (but for recall, which is accuracy), balanced accuracy
    and macro averages of the classes that occur (which classes count depends on the labels) and functions of a user.

    >>> [one.name for one in functionals_of("macro_recall", np.array([0, 1, 1]), ["cat", "dog"])]
    ['recall:cat', 'recall:dog']
    >>> functionals_of("mcc", np.array([0, 1, 1]), ["cat", "dog"]) is None
    True
    """
    if isinstance(name, LinearMetric | AtThreshold):
        return (mean_cost(said, name) if isinstance(name, LinearMetric) else at_threshold(said, len(classes), name),)
    if not isinstance(name, str | TotalsMetric):
        return None
    text, count = name if isinstance(name, str) else name.name, len(classes)
    metric(text, classes)  # the catalogue's own sentence for a name it does not know
    kind, colon, class_name = text.partition(":")
    if colon:
        index = next(i for i, known in enumerate(classes) if str(known) == class_name)
        return (_named(text, _of_class(kind, said, count, index)),)
    if only_occurring(text):
        return None
    if text == "macro_recall" or text.startswith("macro_f"):
        part = text.removeprefix("macro_")
        return tuple(_named(f"{part}:{c}", _of_class(part, said, count, k)) for k, c in enumerate(classes))
    whole = _of_whole(text, said, count)
    return None if whole is None else (_named(text, whole),)


def _of_class(kind: str, said: IntArray, classes: int, index: int) -> Ratio:
    if kind == "recall":
        return recall(said, classes, index)
    if kind == "specificity":
        return specificity(said, classes, index)
    found = _F_BETA.match(kind)
    if found:
        return f_beta(said, classes, index, float(found.group(1)))
    return precision(said, classes, index)  # "accuracy:CLASS" is the catalogue's other name for it


def _of_whole(name: str, said: IntArray, classes: int) -> Ratio | None:
    if name in ("accuracy", "micro_recall", "weighted_recall"):
        return accuracy(said, classes)
    if name == "error_rate":
        return error_rate(said, classes)
    if name == "macro_precision":
        return macro_precision(said, classes)
    if not name.startswith("micro_"):
        return None
    # Pooled over classes there are n true labels, and as many predictions as are some class.
    found = _F_BETA.match(name.removeprefix("micro_"))
    b = float(found.group(1)) ** 2 if found else 0.0
    bottom = np.full((classes, classes + 1), b + 1)
    bottom[:, classes] = b
    return Ratio(name, (1 + b) * _right(classes), bottom, said)


def _named(name: str, one: Ratio) -> Ratio:
    return Ratio(name, one.top, one.bottom, one.columns, one.top_weight, one.bottom_weight, one.bounds)


def _right(classes: int) -> FloatArray:
    return np.eye(classes, classes + 1)


def _one(classes: int, index: int) -> FloatArray:
    if not 0 <= index < classes:
        raise InputError("class index", f"lie in 0 to {classes - 1}", index)
    table = np.zeros((classes, classes + 1))
    table[index, index] = 1
    return table


def _if_said(said: IntArray, index: int) -> tuple[float, float]:
    """A class that is never predicted is never hit: its precision, recall and F are 0 without asking."""
    return (0.0, 1.0) if (said == index).any() else (0.0, 0.0)


def _mask(subject: str, mask: NDArray[np.bool_], said: IntArray) -> FloatArray:
    inside = np.asarray(mask)
    if inside.dtype != np.bool_ or inside.shape != said.shape or not inside.any():
        got = f"{inside.dtype} of shape {inside.shape}, {int(np.count_nonzero(inside)):,} not zero"
        raise InputError(subject, "be a boolean per item, with at least one member", got)
    return inside.astype(np.float64)
