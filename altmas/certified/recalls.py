"""Recall of every true class: how many of its items are found, each class with its interval and P(worst)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from altmas.certified.estimator import Estimator, ends
from altmas.core.ranking import RANKING_DRAWS, draws_of, probability_among_lowest
from altmas.core.streams import stream
from altmas.core.targets import target_of
from altmas.metrics import metric

_TOLD = ("estimate", "low", "high", "plug_in", "design", "error", "below", "above")


def recalls(estimator: Estimator) -> pd.DataFrame:
    """A row per class: `labels` that named it, `estimate`, `low` and `high` of its recall, and `p_worst`.

    The numbers are those of the metric `recall:CLASS`. A class that no label named has no recall to tell, and takes no
    part in which is worst.
    """
    pool, answers = estimator.pool, estimator.sample.answers
    named, rows = answers.per_class(pool), []
    for name, labels in zip(pool.classes, named, strict=True):
        row = {"class": name, "labels": int(labels)}
        if labels:
            target = target_of(metric(f"recall:{name}", pool.classes), pool.outputs[0], pool)
            _, found, interval = estimator.of([(1.0, target)])
            errors = {"error": interval.error, "below": interval.below, "above": interval.above}
            row |= {**ends(interval, found), **errors}
        rows.append(row)
    table = pd.DataFrame(rows).reindex(columns=["class", "labels", *_TOLD])
    told = table["estimate"].notna().to_numpy()
    noise = stream(estimator.seed, "worst", "recall").standard_normal((RANKING_DRAWS, int(told.sum())))
    p_worst = np.full(len(table), np.nan)
    p_worst[told] = probability_among_lowest(draws_of(table[told], noise))
    return table.assign(p_worst=p_worst)
