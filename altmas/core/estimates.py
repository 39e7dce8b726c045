"""Estimates: a metric's value, its interval, and what the interval promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaincinv, ndtri

from altmas.metrics import Metric
from altmas.metrics.catalogue import only_occurring
from altmas.metrics.custom import LabelFunction
from altmas.metrics.types import FloatArray

if TYPE_CHECKING:
    from altmas.core.answers import Answers
    from altmas.core.method import Job


EXACT = "exact: every item is labelled"
"""What an estimate promises where nothing is left to believe."""


@dataclass(frozen=True)
class Estimate:
    """A metric's value with its interval `[low, high]` and, in words, what that interval promises.

    The certified method also gives the two numbers the estimate lies between: the surrogate's `plug_in`, and the
    design-based `design`. `model` is named where several are assessed. Where answers are `missing`, the interval allows
    for whatever they are; `worst_case` and `best_case` are the estimates if they all are against the model or for it,
    `low_alike` and `high_alike` the interval if they are like the others.
    """

    metric: str
    estimate: float
    low: float
    high: float
    labels: int
    promise: str
    plug_in: float = float("nan")
    design: float = float("nan")
    model: str = ""
    missing: int = 0
    worst_case: float = float("nan")
    best_case: float = float("nan")
    low_alike: float = float("nan")
    high_alike: float = float("nan")

    def allowing_for(self, missing: int, worst: float, best: float, low: float, high: float) -> Estimate:
        """The same where answers are missing: its two cases, and an interval that reaches as far as they allow.

        >>> alike = Estimate("accuracy", 0.9, 0.86, 0.94, 80, "approximate 95% coverage")
        >>> found = alike.allowing_for(20, 0.72, 0.92, 0.67, 0.95)
        >>> found.low, found.high, found.low_alike, found.promise
        (0.67, 0.95, 0.86, 'approximate 95% coverage, and whatever the 20 missing answers are')
        """
        # Drawing towards the plug-in is not monotone: by a hair, an estimate may lie outside of its own two cases.
        least, *_, most = sorted((worst, best, self.estimate))
        kind, mark, more = self.promise.partition("; ")
        return replace(
            self, low=min(self.low, low), high=max(self.high, high), low_alike=self.low, high_alike=self.high,
            promise=f"{kind}{whatever_missing(missing)}{mark}{more}", missing=missing,
            worst_case=least if worst <= best else most, best_case=most if worst <= best else least,
        )  # fmt: skip


def whatever_missing(missing: int) -> str:
    """What an interval promises besides, where it allows for missing answers.

    >>> whatever_missing(1), whatever_missing(0)
    (', and whatever the missing answer is', '')
    """
    return f", and whatever the {f'{missing:,} missing answers are' if missing > 1 else 'missing answer is'}" * (
        missing > 0
    )


def plug_in(metrics: Sequence[Metric], confusions: FloatArray, labels: int, level: float) -> list[Estimate]:
    """Eq. 3: the mean over draws of the metric, with the draws' central spread at `level`.

    >>> from altmas.metrics import metric
    >>> one = plug_in([metric("accuracy", "ab")], np.array([[[3.0, 1], [0, 4]], [[4, 0], [0, 4]]]), 5, 0.9)[0]
    >>> one.estimate, one.promise
    (0.9375, 'spread of 2 draws, not coverage')
    """
    out = []
    tails = [(1 - level) / 2, (1 + level) / 2]
    for one in metrics:
        values = one.value(confusions)
        # The mean of equal numbers may be off by a rounding; then the number itself is the mean.
        mean = values[0] if np.ptp(values) == 0 else values.mean()
        low, high = np.quantile(values, tails)
        promise = f"spread of {len(values)} draws, not coverage"
        if np.ptp(values) == 0:
            promise = f"all {len(values)} draws agree, which is not coverage"
        out.append(Estimate(one.name, float(mean), float(low), float(high), labels, promise))
    return out


def on_answers(metrics: Sequence[Metric], confusion: FloatArray, pool_size: int, level: float) -> list[Estimate]:
    """The metric of the answers alone, for items chosen uniformly at random, with an approximate interval.

    The standard error is the delta method on counts to which half a right and half a wrong answer per predicted
    class were added, so that it is not zero before the first error is seen; it is turned into the Beta interval of a
    proportion with the same error (Korn and Graubard 1998, with Jeffreys tails), and shrinks as the pool is used up.
    A class without a label or a prediction among the answers might be all right or all wrong: the interval spans both.

    >>> from altmas.metrics import metric
    >>> one = on_answers([metric("accuracy", "ab")], np.array([[10.0, 0], [0, 10]]), 1000, 0.95)[0]
    >>> one.estimate, round(one.low, 2), one.high
    (1.0, 0.85, 1.0)
    """
    labels = int(confusion.sum())
    if labels == pool_size:
        exact = "exact: every item is labelled"
        values = [float(one.value(confusion)) for one in metrics]
        return [Estimate(m.name, v, v, v, labels, exact) for m, v in zip(metrics, values, strict=True)]
    worlds = _worlds_of_unseen_classes(confusion, 1e-6 * labels / len(confusion))
    # Where a class counts by its members, up to one, a trace of it would not be noticed: it takes a whole one.
    with_members = _worlds_of_unseen_classes(confusion, 1.0)
    promise = f"approximate {level:.0%} coverage under random sampling"
    if len(worlds) > 1:
        unseen, classes = len(_unseen(confusion)), len(confusion)
        promise += f"; {unseen} of {classes} classes not seen, taken as all right and as all wrong"
    out = []
    for one in metrics:
        seen = with_members if only_occurring(one.name) else worlds
        seen = seen[:1] if isinstance(one, LabelFunction) else seen  # such functions take whole counts only
        ends = np.array([_interval(one, world, pool_size, level) for world in seen])
        value = float(one.value(confusion))
        out.append(Estimate(one.name, value, float(ends[:, 0].min()), float(ends[:, 1].max()), labels, promise))
    return out


def everything_labelled(job: Job, answers: Answers, level: float) -> list[Estimate] | None:
    """The exact metrics, once there is nothing left to estimate."""
    if len(answers) < job.pool.size:
        return None
    return on_answers(job.metrics, answers.confusion(job.pool), job.pool.size, level)


def _unseen(confusion: FloatArray) -> list[int]:
    classes = len(confusion)
    missing = (confusion.sum(1) == 0) | (confusion[:, :classes].sum(0) == 0)
    return [int(k) for k in np.flatnonzero(missing)]


def _worlds_of_unseen_classes(confusion: FloatArray, trace: float) -> list[FloatArray]:
    """The counts as they are and, if some class is unseen, with a trace of it right, and with a trace of it wrong.

    A small trace is enough to define a ratio, and too little to move a sum.
    """
    unseen = _unseen(confusion)
    if not unseen:
        return [confusion]
    right, wrong = confusion.copy(), confusion.copy()
    for k in unseen:
        other = (k + 1) % len(confusion)
        right[k, k] += trace
        wrong[k, other] += trace
        wrong[other, k] += trace
    return [confusion, right, wrong]


def _interval(one: Metric, confusion: FloatArray, pool_size: int, level: float) -> tuple[float, float]:
    value, labels = float(one.value(confusion)), float(confusion.sum())
    left = 1 - labels / pool_size  # the finite-pool factor of the variance
    bottom, top = one.bounds
    if top == bottom:
        return value, value
    smooth = _smoothed(confusion)
    if isinstance(one, LabelFunction):
        smooth = smooth * (2 * len(smooth) * (len(smooth) - 1))  # whole counts, in the same proportions
    variance = _variance(one, smooth, labels) * left
    if not np.isfinite([bottom, top]).all():
        reach = float(ndtri((1 + level) / 2)) * np.sqrt(variance)
        return value - reach, value + reach
    width = top - bottom
    share, centre = (value - bottom) / width, (float(one.value(smooth)) - bottom) / width
    size = centre * (1 - centre) * width**2 / variance if variance > 0 else labels / left
    low, high = beta_interval(share, size, level)
    reach = _reach_of_none(size * left, left, level)
    if share >= 1:
        low = min(low, 1 - reach)
    if share <= 0:
        high = max(high, reach)
    return bottom + min(low, share) * width, bottom + max(high, share) * width


def beta_interval(share: float, size: float, level: float) -> tuple[float, float]:
    """The Jeffreys interval of a share seen among so many labels; open at an end that it lies at.

    >>> [round(end, 2) for end in beta_interval(0.5, 100, 0.95)]
    [0.4, 0.6]
    """
    right, wrong = share * size + 0.5, (1 - share) * size + 0.5
    low = 0.0 if share <= 0 else float(betaincinv(right, wrong, (1 - level) / 2))
    high = 1.0 if share >= 1 else float(betaincinv(right, wrong, (1 + level) / 2))
    return low, high


def _reach_of_none(labels: float, left: float, level: float) -> float:
    """How large a share can be of which none was seen among `labels` drawn from a finite pool.

    K members of N stay unseen with probability at most (1 - n/N)^K; solved for the error rate.
    """
    size = labels / max(1 - left, 1e-12)
    members = np.log(1 - level) / np.log(max(left, 1e-12))
    return float(min(members, size * left) / size)


def _smoothed(confusion: FloatArray) -> FloatArray:
    classes, columns = confusion.shape
    extra = np.full((classes, columns), 0.5 / max(classes - 1, 1))
    np.fill_diagonal(extra, 0.5)
    extra[:, classes:] = 1.0 / classes
    return np.asarray(confusion + extra)


def _variance(one: Metric, confusion: FloatArray, labels: float) -> float:
    """Delta method for a multinomial sample of `labels` items with these cell shares."""
    shares = confusion / confusion.sum()
    slope = one.gradient(confusion) * confusion.sum()
    mean = (shares * slope).sum()
    return float(max((shares * (slope - mean) ** 2).sum(), 0.0) / labels)
