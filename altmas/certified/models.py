"""Several models from one label stream: paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from altmas.certified.contest import where_they_stand
from altmas.certified.estimator import Estimator, ends
from altmas.certified.standing import Standing
from altmas.core.ranking import probability_below
from altmas.core.targets import lower_is_better, targets_of
from altmas.metrics import Metric

FEW = 8
"""Of more models than this only the leader is compared with each of the others."""


def differences(estimator: Estimator, metrics: Sequence[Metric]) -> pd.DataFrame:
    """How much higher the first of two models is, with an interval and the probability that it is higher.

    Of every two models; of many, of the leader and each of the others.
    """
    rows = []
    for one in metrics:
        targets = targets_of((one,), estimator.pool)
        now, places = where_they_stand(estimator, targets), range(len(targets))
        pairs = list(combinations(places, 2))
        if len(targets) > FEW:
            pairs = [(now.leader, place) for place in places if place != now.leader]
        for first, second in pairs:
            _, found, interval = estimator.of([(1.0, targets[first]), (-1.0, targets[second])])
            lower = probability_below(0.0, interval.estimate, interval.below, interval.above)
            higher = _higher(now, first, second, lower_is_better=lower_is_better(one))
            pair = {"metric": one.name, "first": targets[first].model, "second": targets[second].model}
            rows.append({**pair, **ends(interval, found), "p_first_higher": 1 - lower if higher is None else higher})
    return pd.DataFrame(rows)


def _higher(now: Standing, first: int, second: int, *, lower_is_better: bool) -> float | None:
    """P(first is higher), as P(best) has it; None where one of them is no contender."""
    place = {int(model): column for column, model in enumerate(now.contenders)}
    if first not in place or second not in place:
        return None
    apart = now.draws[:, place[first]] - now.draws[:, place[second]]
    better = float(np.mean(apart > 0) + np.mean(apart == 0) / 2)
    return 1 - better if lower_is_better else better
