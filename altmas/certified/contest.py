"""A contest from one certified sample: the models ranked, each with its intervals, and what choosing now may cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from altmas.certified.estimator import Estimator
from altmas.certified.functionals import Ratio, mean_difference, model_difference
from altmas.certified.interval import SIDE_NORMAL, Interval
from altmas.certified.standing import Standing, standing
from altmas.core.contest import HOPELESS, Contest, Leading, ranked_models
from altmas.core.estimates import EXACT, Estimate, whatever_missing
from altmas.core.targets import Target, lower_is_better
from altmas.metrics.formulas import LinearMetric, TotalsMetric
from altmas.metrics.types import FloatArray

WARY = 1.1
"""Errors are taken for so many times as large: a model that leads was chosen for seeming the best."""

LEAST_ERROR = 0.5
"""No error is less than this share of what the interval of a gap amounts to: a belief may not have been tried yet."""

Ends = tuple[float, float]
AllLooks = Callable[[int, Sequence[int]], tuple[list[Ends], str]]
"""By how much some models are behind the leader, at all looks together: ends for each, and what they promise."""


def where_they_stand(estimator: Estimator, targets: Sequence[Target]) -> Standing:
    """Where models stand by one metric, a target of each; no contender is much surer than the interval of its gap."""
    each = [estimator.linearised(one) for one in targets]
    sign = lower_is_better(targets[0].metric)
    now = standing(each, estimator.sample, estimator.seed, lower_is_better=sign)
    below, above = WARY * now.below, WARY * now.above
    for place in now.contenders[1:].tolist():
        found = estimator.of(behind(targets, now.leader, place))[2]
        # Ahead is the opposite of behind. Whatever the missing answers are, the whole interval allows for them.
        # Nor is what a belief knows of this pool any help with other clusters, or other rows.
        least = 1.0 if estimator.lost or estimator.more_to_know(targets) else LEAST_ERROR
        doubt = 0.0 if _borne_out(now.ahead[place], found) else abs(now.ahead[place]) / SIDE_NORMAL
        below[place] = max(below[place], least * found.above, doubt)
        above[place] = max(above[place], least * found.below, doubt)
    return now.widened(below, above)


def _borne_out(ahead: float, behind: Interval) -> bool:
    """Whether the interval of how far a model is behind, its 95% ends whatever its level, says that too."""
    low, high = behind.estimate - SIDE_NORMAL * behind.below, behind.estimate + SIDE_NORMAL * behind.above
    return low > 0 if ahead < 0 else high < 0


def leading(now: Standing, names: Sequence[str], level: float) -> Leading:
    """The leader, and what choosing it would cost."""
    p_best, losses = now.p_best, now.losses
    average = float(losses.mean())
    bound = max(float(np.quantile(losses, level)), average)  # a quantile may lie below the mean, which reads absurd
    contenders = int((p_best >= HOPELESS).sum())
    return Leading(names[now.leader], float(p_best[now.leader]), average, bound, contenders)


def contest(
    estimator: Estimator,
    targets: Sequence[Target],
    each: Sequence[Estimate] | None = None,
    all_looks: AllLooks | None = None,
) -> Contest:
    """Every model by one metric, best first.

    `each` are the models' own estimates, where others than this one's are told. `all_looks` gives gaps with intervals
    that hold at all looks together.
    """
    names = [one.model for one in targets]
    now = where_they_stand(estimator, targets)
    found = leading(now, names, estimator.level)
    each = [estimator.estimate(one) for one in targets] if each is None else each
    ends, promise = _ordinary(estimator, targets, now)
    if all_looks is not None:
        others = [place for place in range(len(targets)) if place != now.leader]
        looks, promise = all_looks(now.leader, others)
        for place, pair in zip(others, looks, strict=True):
            ends[place] = pair
        bound = max(0.0, *(-low for low, _ in looks))
        found = Leading(found.leader, found.p_best, min(found.expected_loss, bound), bound, found.contenders)
    value = np.array([one.estimate for one in each])
    better = -value if lower_is_better(targets[0].metric) else value
    order = ranked_models(names, now.p_best, better, now.leader)
    table = pd.DataFrame(
        {
            "model": names, "p_best": now.p_best, "estimate": value, "low": [one.low for one in each],
            "high": [one.high for one in each], "behind": np.clip(-now.ahead, *np.transpose(ends)) + 0.0,
            "behind_low": ends[:, 0], "behind_high": ends[:, 1],
        }
    ).iloc[order]  # fmt: skip
    table["ruled_out"] = table["behind_low"] > 0
    labels = len(estimator.sample.answers)
    exact = estimator.exact(targets) and not estimator.more_to_know(targets)
    promise = EXACT if exact else promise + whatever_missing(estimator.lost)
    return Contest(targets[0].name, found, table.reset_index(drop=True), labels, estimator.level, promise)


def _ordinary(estimator: Estimator, targets: Sequence[Target], now: Standing) -> tuple[FloatArray, str]:
    """By how much each model is behind the leader, `[H, 2]`, with the interval of one look."""
    ends = np.zeros((len(targets), 2))
    for place in range(len(targets)):
        if place != now.leader:
            found = estimator.of(behind(targets, now.leader, place))[2]
            ends[place] = found.low, found.high
    return ends, estimator.promised(targets)


def behind(targets: Sequence[Target], leader: int, place: int) -> list[tuple[float, Target]]:
    """How much worse a model is than the leader, as a signed sum."""
    pair = (leader, place) if not lower_is_better(targets[0].metric) else (place, leader)
    return [(1.0, targets[pair[0]]), (-1.0, targets[pair[1]])]


def ratio_behind(targets: Sequence[Target], leader: int, place: int, classes: int) -> Ratio | None:
    """How much worse a model is than the leader, as one ratio to bet on; None where there is no such form."""
    lower = lower_is_better(targets[0].metric)
    first, second = (targets[k] for k in ((place, leader) if lower else (leader, place)))
    if first.bands is not None:  # of scores: every model has costs of its own
        return mean_difference(first, second)
    if lower or (isinstance(first.metric, TotalsMetric) and first.metric.name == "accuracy"):
        cost = first.metric if isinstance(first.metric, LinearMetric) else None
        said, other = first.columns, second.columns
        if lower and cost is None:  # an error rate: the accuracies the other way round
            said, other = other, said
        return model_difference(said, other, classes, cost)
    return None


def between_own(alone: Sequence[Ends], targets: Sequence[Target], leader: int, place: int) -> Ends:
    """How much worse a model is than the leader, from intervals of both that hold together."""
    lower = lower_is_better(targets[0].metric)
    more, less = (alone[k] for k in ((place, leader) if lower else (leader, place)))
    return more[0] - less[1], more[1] - less[0]


def share_of_level(level: float, models: int) -> float:
    """The level of one of all pairs of models, for all of them to hold together at `level` (Bonferroni).

    Of all pairs, for which model leads was seen from the same answers.

    >>> round(share_of_level(0.95, 4), 6)  # six pairs
    0.991667
    """
    return 1 - (1 - level) / max(models * (models - 1) / 2, 1)
