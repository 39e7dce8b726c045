"""A contest from one certified sample: the models ranked, each with its intervals, and what choosing now may cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from altmas.certified.design import SIDE_NORMAL
from altmas.certified.estimator import EXACT, Estimator, approximately
from altmas.certified.standing import Standing, standing
from altmas.core.contest import HOPELESS, Contest, Leading, ranked_models
from altmas.core.estimates import whatever_missing
from altmas.core.targets import Target, lower_is_better
from altmas.metrics.types import FloatArray

Ends = tuple[float, float]
AllLooks = Callable[[int, Sequence[int]], tuple[list[Ends], str]]
"""By how much some models are behind the leader, at all looks together: ends for each, and what they promise."""


def where_they_stand(estimator: Estimator, targets: Sequence[Target]) -> Standing:
    """Where models stand by one metric, a target of each; nothing is surer than the interval of its gap."""
    each = [estimator.linearised(one) for one in targets]
    sign = lower_is_better(targets[0].metric)
    now = standing(each, estimator.sample, estimator.seed, lower_is_better=sign)
    below, above = np.zeros(len(targets)), np.zeros(len(targets))
    for place in now.contenders[1:].tolist():
        found = estimator.of(behind(targets, now.leader, place))[2]
        if len(estimator.missing):  # whatever the missing answers are: ahead is the opposite of behind
            below[place], above[place] = found.above, found.below
        elif found.low <= 0 <= found.high:
            below[place] = above[place] = abs(now.ahead[place]) / SIDE_NORMAL
    return now.widened(below, above)


def leading(now: Standing, names: Sequence[str], level: float) -> Leading:
    """The leader, and what choosing it would cost."""
    p_best, losses = now.p_best, now.losses
    average = float(losses.mean())
    bound = max(float(np.quantile(losses, level)), average)  # a quantile may lie below the mean, which reads absurd
    contenders = int((p_best >= HOPELESS).sum())
    return Leading(names[now.leader], float(p_best[now.leader]), average, bound, contenders)


def contest(estimator: Estimator, targets: Sequence[Target], all_looks: AllLooks | None = None) -> Contest:
    """Every model by one metric, best first. `all_looks` gives intervals that hold at all looks together."""
    names = [one.model for one in targets]
    now = where_they_stand(estimator, targets)
    found = leading(now, names, estimator.level)
    each = [estimator.of([(1.0, one)])[2] for one in targets]
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
    hopeless = (table["p_best"] < HOPELESS) & (table["behind"] > 0)
    table["ruled_out"] = (hopeless if all_looks is None else False) | (table["behind_low"] > 0)
    labels = len(estimator.sample.answers)
    promise = EXACT if estimator.exact(targets) else promise + whatever_missing(len(estimator.missing))
    return Contest(targets[0].name, found, table.reset_index(drop=True), labels, estimator.level, promise)


def _ordinary(estimator: Estimator, targets: Sequence[Target], now: Standing) -> tuple[FloatArray, str]:
    """By how much each model is behind the leader, `[H, 2]`, with the interval of one look."""
    ends = np.zeros((len(targets), 2))
    for place in range(len(targets)):
        if place != now.leader:
            found = estimator.of(behind(targets, now.leader, place))[2]
            ends[place] = found.low, found.high
    return ends, approximately(estimator.level)


def behind(targets: Sequence[Target], leader: int, place: int) -> list[tuple[float, Target]]:
    """How much worse a model is than the leader, as a signed sum."""
    pair = (leader, place) if not lower_is_better(targets[0].metric) else (place, leader)
    return [(1.0, targets[pair[0]]), (-1.0, targets[pair[1]])]


def share_of_level(level: float, models: int) -> float:
    """The level of one of all pairs of models, for all of them to hold together at `level` (Bonferroni).

    Of all pairs, for which model leads was seen from the same answers.

    >>> round(share_of_level(0.95, 4), 6)  # six pairs
    0.991667
    """
    return 1 - (1 - level) / max(models * (models - 1) / 2, 1)
