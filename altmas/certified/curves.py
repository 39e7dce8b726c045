"""What thresholds on the score of one class do: curves of recall, false-positive rate and precision, and of cost.

A threshold splits the pool in two, so every point of a curve is a target like any other, with two columns. A band holds
each point by itself or, together, all of them at once: errors at neighbouring thresholds go up and down together, and
how far the largest of them reaches is found from draws that are correlated as the answers' surprises are.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtri

from altmas.certified.design import Linearised
from altmas.certified.estimator import Estimator
from altmas.certified.interval import Interval
from altmas.core.checks import positive, whole_number
from altmas.core.pool import Outputs, Pool
from altmas.core.streams import stream
from altmas.core.targets import Target
from altmas.metrics.errors import InputError
from altmas.metrics.formulas import LinearMetric, Metric
from altmas.metrics.scores import ModelScores
from altmas.metrics.thresholds import AtThreshold
from altmas.metrics.types import BoolArray, FloatArray, IntArray

POINTS = 40
"""Thresholds of a curve, unless said."""

FOLDS = 5
"""A threshold is chosen on all parts of the pool but one, and its cost is told by that one."""

DRAWS = 4000
SHARES = (("precision", "all"), ("recall", "members"), ("fpr", "others"))


def class_of_interest(pool: Pool, name: Hashable | None) -> int:
    """The index of a class by name; of two classes the second, unless named."""
    if name is None and len(pool.classes) == 2:
        return 1
    for index, known in enumerate(pool.classes):
        if str(known) == str(name):
            return index
    shown = ", ".join(map(str, pool.classes[:12]))
    got, hint = ("none", "Name it: --of, of=...") if name is None else (repr(name), "")
    raise InputError("the class of a curve", f"be one of {shown}", got, hint)


def scores_of_class(pool: Pool, index: int) -> tuple[FloatArray, BoolArray]:
    """The scores of a class `[N]`, those that rounding alone parts made equal to the least of them; and who has one."""
    if pool.first_phase is not None:
        hint = "Calibration and metrics of a confusion can be had."
        raise InputError("curves", "be asked of a pool that is no sample", f"{pool.whole:,} rows in all", hint)
    one: Outputs = pool.outputs[0]
    given = ModelScores(pool.classes, one.predictions, one.scores, one.scored, one.probable)
    distinct, place = np.unique(given.ranks("curve", index), return_inverse=True)
    least = np.full(len(distinct), np.inf)
    np.minimum.at(least, place, given.of_class("curve", index))
    return least[place], given.known


def grid(scores: FloatArray, weights: FloatArray, points: int) -> FloatArray:
    """Distinct thresholds, ascending: half of them alike among all items, half among the likely members.

    >>> grid(np.linspace(0, 1, 11), np.ones(11), 4).tolist()
    [0.0, 0.5, 1.0]
    """
    order = np.argsort(scores, kind="stable")
    found = []
    for mass in (np.ones(len(scores)), weights + 1e-12):
        below = np.cumsum(mass[order]) / mass.sum()
        at = np.searchsorted(below, np.linspace(0, 1, max(points // 2 + 1, 2)) - 1e-9)
        found.append(scores[order[np.minimum(at, len(order) - 1)]])
    return np.unique(np.concatenate(found))


def threshold_curve(
    estimator: Estimator, of: Hashable | None = None, *, points: int = POINTS, together: bool = False
) -> pd.DataFrame:
    """A row per threshold: `share` of the pool at or above it, `recall`, `fpr` and `precision`, each `_low`, `_high`.

    The first row takes the highest score alone, the last takes everything. With `together` the bands of recall and
    false-positive rate hold at all thresholds at once, and so do those of precision.
    """
    whole_number("points", points, 2)
    index = class_of_interest(estimator.pool, of)
    scores, known = scores_of_class(estimator.pool, index)
    cuts = grid(scores[known], estimator.sample.belief.column(index)[known], points)[::-1]
    table = pd.DataFrame({"threshold": cuts, "share": [float((scores[known] >= cut).mean()) for cut in cuts]})
    wider = {}
    for name, among in SHARES:
        metric = AtThreshold(name, index, np.array([False, True]), among)  # type: ignore[arg-type]
        found = [estimator.of([(1.0, _split(metric, scores >= cut, known))]) for cut in cuts]
        reach = _reach([at for at, *_ in found], estimator) if together else 1.0
        wider[name] = reach
        intervals = [_wider(interval, reach) for *_, interval in found]
        values = np.array([one.estimate for one in intervals])
        # A lower threshold takes no fewer; estimates one by one may cross by a hair.
        table[name] = values if name == "precision" else np.maximum.accumulate(values)
        table[f"{name}_low"] = [one.low for one in intervals]
        table[f"{name}_high"] = np.maximum([one.high for one in intervals], table[name])
    table.attrs |= {"reach": wider, "of": estimator.pool.classes[index]}
    return table


@dataclass(frozen=True, eq=False)
class CostCurve:
    """What false positives and false negatives cost at every threshold, per item, and where that is least.

    `threshold` is the best one, `low_threshold` and `high_threshold` the ends of those that may be. `cost` with its
    interval is what choosing a threshold in this way costs: chosen on one part of the pool and told by another, so that
    choosing does not flatter.
    """

    table: pd.DataFrame  # threshold, cost, low, high, may_be_best
    threshold: float
    low_threshold: float
    high_threshold: float
    cost: float
    low: float
    high: float


def cost_curve(
    estimator: Estimator, false_positive: float, false_negative: float, of: Hashable | None = None, *,
    points: int = POINTS,
) -> CostCurve:  # fmt: skip
    """The expected cost at every threshold, with its band; the least, and where it may lie."""
    prices = _priced("false_positive", false_positive), _priced("false_negative", false_negative)
    whole_number("points", points, 2)
    index = class_of_interest(estimator.pool, of)
    scores, known = scores_of_class(estimator.pool, index)
    believed = estimator.sample.belief.column(index)
    cuts = np.append(grid(scores[known], believed[known], points), np.inf)  # taking nobody is a threshold too
    metric = _price(index, len(estimator.pool.classes), *prices)
    fold = stream(estimator.seed, "threshold").integers(FOLDS, size=estimator.pool.size)
    totals = _totals(estimator, scores, known, fold, cuts, index, prices)  # [folds, K]
    chosen = np.array([int((totals.sum(0) - totals[k]).argmin()) for k in range(FOLDS)])
    best = int(totals.sum(0).argmin())
    out_of_fold = _split(metric, scores >= cuts[chosen][fold], known)
    least = estimator.of([(1.0, out_of_fold)])[2]
    rows, may_be = [], []
    for cut in cuts:
        target = _split(metric, scores >= cut, known)
        interval = estimator.of([(1.0, target)])[2]
        dearer = estimator.of([(1.0, target), (-1.0, out_of_fold)])[2]
        may_be.append(bool(dearer.low <= 0) or cut == cuts[best])
        rows.append({"threshold": cut, "cost": interval.estimate, "low": interval.low, "high": interval.high})
    some = cuts[np.array(may_be)]
    table = pd.DataFrame(rows).assign(may_be_best=may_be)
    table.attrs["of"] = estimator.pool.classes[index]
    return CostCurve(
        table, float(cuts[best]), float(some.min()), float(some.max()), least.estimate, least.low, least.high
    )


def _priced(subject: str, value: float) -> float:
    if not math.isfinite(positive(subject, value)):
        raise InputError(subject, "be a finite number", repr(value))
    return float(value)


def _price(index: int, classes: int, false_positive: float, false_negative: float) -> LinearMetric:
    weights = np.zeros((classes, 2))
    weights[:, 1] = false_positive
    weights[index] = false_negative, 0.0
    return LinearMetric("cost", weights)


def _split(metric: Metric, above: BoolArray, known: BoolArray) -> Target:
    """The pool in two columns, below and above a threshold; without a score, in none."""
    members = None if known.all() else np.flatnonzero(known)
    columns = np.where(known, above.astype(np.int64), -1)
    return Target(metric.name, metric, columns, 2, members=members, bands=np.arange(2))


def _totals(
    estimator: Estimator, scores: FloatArray, known: BoolArray, fold: IntArray, cuts: FloatArray, index: int,
    prices: tuple[float, float],
) -> FloatArray:  # fmt: skip
    """The cost of every threshold in every part of the pool, as the design has it `[folds, K]`.

    An item's chance to be a member, corrected by its surprise where it has an answer, costs a false negative below the
    threshold and what is left of it a false positive above: sums over sorted scores.
    """
    sample = estimator.sample
    member = sample.belief.column(index)
    items = sample.answers.items
    member[items] += sample.counted[:, index] / sample.inclusion[items]
    place = np.searchsorted(cuts, scores, side="right")  # thresholds up to its own score take it
    out = np.zeros((FOLDS, len(cuts)))
    for k in range(FOLDS):
        inside = known & (fold == k)
        missed = np.bincount(place[inside], member[inside], len(cuts) + 1)
        others = np.bincount(place[inside], 1 - member[inside], len(cuts) + 1)
        # Cut j takes items whose place lies above j.
        out[k] = prices[1] * np.cumsum(missed)[:-1] + prices[0] * (others.sum() - np.cumsum(others)[:-1])
    return out


def _reach(each: Sequence[Linearised], estimator: Estimator) -> float:
    """How much wider a band is that holds at all points at once, from how their errors go together."""
    sample = estimator.sample
    drawn = sample.inclusion[sample.answers.items]
    moved = np.stack([at.counted(sample) for at in each]) * np.sqrt(1 - drawn) / drawn  # [K, n]
    size = np.sqrt(np.square(moved).sum(1))
    some = size > 1e-12 * max(float(size.max(initial=0.0)), 1e-300)
    if some.sum() < 2:
        return 1.0
    noise = stream(estimator.seed, "band", len(sample.answers)).standard_normal((DRAWS, moved.shape[1]))
    largest = np.abs(noise @ (moved[some] / size[some, None]).T).max(1)
    return max(float(np.quantile(largest, estimator.level)) / float(ndtri((1 + estimator.level) / 2)), 1.0)


def _wider(interval: Interval, reach: float) -> Interval:
    if reach == 1.0:
        return interval
    low = interval.estimate - reach * (interval.estimate - interval.low)
    high = interval.estimate + reach * (interval.high - interval.estimate)
    return Interval(interval.estimate, max(low, 0.0), min(high, 1.0), interval.error)
