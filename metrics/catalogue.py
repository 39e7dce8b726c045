"""The catalogue: from a name such as `recall:cat` to a metric on a pool's classes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Hashable, Sequence

from numpy.typing import ArrayLike

from altmas.metrics import formulas as f
from altmas.metrics.custom import expected_cost
from altmas.metrics.errors import InputError
from altmas.metrics.formulas import Metric, TotalsMetric
from altmas.metrics.scores import NAMES, score_metric

WHOLE: dict[str, tuple[f.Formula, tuple[float, float]]] = {
    "accuracy": (f.accuracy(), (0.0, 1.0)),
    "error_rate": (f.complement(f.accuracy()), (0.0, 1.0)),
    "balanced_accuracy": (f.balanced_accuracy(), (0.0, 1.0)),
    "mcc": (f.mcc(), (-1.0, 1.0)),
    "cohen_kappa": (f.cohen_kappa(), (-1.0, 1.0)),
}
"""Metrics of the whole confusion, with their bounds."""

AVERAGES: dict[str, Callable[[f.Terms], f.Formula]] = {
    "macro_KIND": f.macro,
    "micro_KIND": f.micro,
    "weighted_KIND": f.weighted,
    "macro_KIND_occurring": f.macro_occurring,
}
"""Averages over classes of a ratio of one class, `KIND`: precision, recall or F-beta."""

SETS = ("alt_mas_3", "alt_mas_21")
"""Names that stand for several metrics: the two sets of the ALT-MAS paper."""

_F_BETA = re.compile(r"f(\d+(?:\.\d+)?)\Z")
_AVERAGED = re.compile(r"(macro|micro|weighted)_([a-z0-9.]+)(_occurring)?\Z")


def metric_names() -> list[str]:
    """Every name the catalogue knows; CLASS and BETA stand for a class and a number, and so on.

    >>> metric_names()[:3]
    ['accuracy', 'error_rate', 'balanced_accuracy']
    """
    per_class = [f"{kind}:CLASS" for kind in ("precision", "recall", "fBETA", "specificity", "accuracy")]
    averaged = [how.replace("KIND", kind) for how in AVERAGES for kind in ("precision", "recall", "fBETA")]
    return [*WHOLE, *per_class, *averaged, "expected_cost", *NAMES, *SETS]


def metric(name: str, classes: Sequence[Hashable], *, cost: ArrayLike | None = None) -> Metric:
    """Look a metric up by name.

    >>> recall = metric("recall:cat", ["cat", "dog"])
    >>> float(recall.value([[8, 2], [1, 9]]))
    0.8
    """
    if name in WHOLE:
        return TotalsMetric(name, *WHOLE[name])
    if name == "expected_cost":
        if cost is None:
            raise InputError("expected_cost", "come with a cost matrix", "none", "Give cost=[[...]].")
        return expected_cost(cost)
    if (of_scores := score_metric(name, classes)) is not None:
        return of_scores
    kind, colon, class_name = name.partition(":")
    if colon:
        return TotalsMetric(name, _one_class(name, kind, _class_index(name, class_name, classes)))
    how, terms = _average(name)
    if terms is not None and how in AVERAGES:
        return TotalsMetric(name, AVERAGES[how](terms))
    raise _unknown(name)


def metrics_named(names: Sequence[str], classes: Sequence[Hashable], *, cost: ArrayLike | None = None) -> list[Metric]:
    """Look several metrics up, sets included, keeping their order.

    >>> [m.name for m in metrics_named(["alt_mas_21"], ["cat", "dog"])]
    ['accuracy', 'precision:cat', 'precision:dog', 'recall:cat', 'recall:dog']
    """
    return [metric(one, classes, cost=cost) for name in names for one in _members(name, classes)]


def only_occurring(name: str) -> bool:
    """Whether a metric is a mean over the classes that occur: which classes count then depends on the labels.

    >>> [only_occurring(one) for one in ("macro_recall_occurring", "macro_recall", "recall:none_occurring")]
    [True, False, False]
    """
    how, terms = _average(name)
    return terms is not None and how == "macro_KIND_occurring"


def _members(name: str, classes: Sequence[Hashable]) -> list[str]:
    if name == "alt_mas_3":
        return ["accuracy", "macro_precision", "macro_recall"]
    if name == "alt_mas_21":  # 21 for the paper's ten classes
        return ["accuracy", *(f"precision:{c}" for c in classes), *(f"recall:{c}" for c in classes)]
    return [name]


def _average(name: str) -> tuple[str, f.Terms | None]:
    """How a name averages over classes, as `AVERAGES` spells it, and of what; nothing where it does neither."""
    found = _AVERAGED.match(name)
    return (f"{found[1]}_KIND{found[3] or ''}", _terms(found[2])) if found else ("", None)


def _terms(kind: str) -> f.Terms | None:
    if kind == "precision":
        return f.precision_terms
    if kind == "recall":
        return f.recall_terms
    found = _F_BETA.match(kind)
    return f.f_beta_terms(float(found.group(1))) if found else None


def _one_class(name: str, kind: str, index: int) -> f.Formula:
    if kind == "specificity":
        return f.specificity(index)
    # Accuracy among the items predicted as a class is that class's precision.
    terms = f.precision_terms if kind == "accuracy" else _terms(kind)
    if terms is None:
        raise _unknown(name)
    return f.one_class(terms, index)


def _class_index(name: str, class_name: str, classes: Sequence[Hashable]) -> int:
    for index, known in enumerate(classes):
        if str(known) == class_name:
            return index
    shown = ", ".join(str(c) for c in list(classes)[:12])
    raise InputError(f"the class of metric {name!r}", f"be one of {shown}", repr(class_name))


def _unknown(name: str) -> InputError:
    known = metric_names()
    spelt = [one.replace("BETA", "1").replace(":SCORE[:CLASS]", "").replace(":RATE[:CLASS]", "") for one in known]
    near = difflib.get_close_matches(name, [*spelt, *(one.partition(":")[0] for one in spelt)], n=1)
    hint = f"Did you mean {near[0]}?" if near and near[0] != name else ""
    if f"{name}:CLASS" in known or _F_BETA.match(name):
        hint = f"Of which class? For example {name}:CLASS, or macro_{name}."
    return InputError("metric", f"be one of {', '.join(known)}", repr(name), hint)
