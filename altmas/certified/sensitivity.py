"""What the estimates would be if labellers were wrong some of the time: nothing in their answers alone tells.

At random: a share e of all answers names another class, each alike. What labellers say of a confusion T is then M T
with M = (1 - e C / (C - 1)) I + e / (C - 1) J, so the metric is taken of the confusion that led there, M^-1 T, and its
interval with it. At worst: wrong are those answers, standing for a share e of all items, whose other label moves the
metric most: all of them down, or all of them up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from altmas.certified.design import designed, linearise
from altmas.certified.estimator import Estimator
from altmas.certified.interval import Interval, wald
from altmas.core.targets import Target
from altmas.metrics import Metric
from altmas.metrics.custom import LabelFunction
from altmas.metrics.types import FloatArray

RATES = (0.01, 0.05, 0.1)


@dataclass(frozen=True, eq=False)
class OfTruth:
    """A metric of the confusion with the truth, given that with labellers who are wrong at random, at a `rate`."""

    metric: Metric
    rate: float

    @property
    def name(self) -> str:
        """The metric's."""
        return self.metric.name

    @property
    def bounds(self) -> tuple[float, float]:
        """The metric's."""
        return self.metric.bounds

    def value(self, confusion: ArrayLike) -> FloatArray:
        """Of counts `[..., C, P]`."""
        return self.metric.value(np.maximum(self._undone(confusion), 0.0))

    def gradient(self, confusion: ArrayLike) -> FloatArray:
        """By the counts: M^-1 is symmetric."""
        return np.asarray(self._undone(self.metric.gradient(np.maximum(self._undone(confusion), 0.0))))

    def _undone(self, confusion: ArrayLike) -> FloatArray:
        counts = np.asarray(confusion, dtype=np.float64)
        classes = counts.shape[-2]
        wrong = self.rate / (classes - 1)
        return np.asarray((counts - wrong * counts.sum(-2, keepdims=True)) / (1 - self.rate - wrong))


def sensitivity(estimator: Estimator, targets: Sequence[Target], rates: Sequence[float] = RATES) -> pd.DataFrame:
    """Every target if labellers are wrong so often: at random, and at worst.

    A row each: `wrong`, the rate, `how`, with the estimate and its interval. At worst, the interval reaches from its
    lower end where every wrong answer was in the model's favour to its upper end where every one was against it.
    """
    rows = []
    for target in targets:
        named = {"model": target.model, "metric": target.name}
        usual = estimator.of([(1.0, target)])[2]
        for rate in rates:
            if not isinstance(target.metric, LabelFunction) and rate < 1 - 1 / estimator.sample.belief.classes:
                _, _, found = estimator.of([(1.0, replace(target, metric=OfTruth(target.metric, rate)))])
                ends = {"estimate": found.estimate, "low": found.low, "high": found.high}
                rows.append({**named, "wrong": rate, "how": "at random", **ends})
            down, up = (_world(estimator, target, rate, up=up) for up in (False, True))
            ends = {"estimate": usual.estimate, "low": min(down.low, usual.low), "high": max(up.high, usual.high)}
            rows.append({**named, "wrong": rate, "how": "at worst", **ends})
    table = pd.DataFrame(rows)
    return table.drop(columns="model") if (table["model"] == "").all() else table


def _world(estimator: Estimator, target: Target, rate: float, *, up: bool) -> Interval:
    """The interval where the wrong answers are those that matter most."""
    sample = estimator.sample
    answers, at = sample.answers, estimator.linearised(target)
    slopes = np.stack([at.moves_at(answers.items, np.full(len(answers), c)) for c in range(sample.belief.classes)])
    best = slopes.argmax(0) if up else slopes.argmin(0)
    gain = np.abs(slopes[best, np.arange(len(answers))] - at.moves(answers))
    weight = 1 / sample.inclusion[answers.items]
    order = np.argsort(-gain, kind="stable")
    wrong = order[np.cumsum(weight[order]) <= rate * weight.sum()]
    labels = answers.labels.copy()
    labels[wrong] = best[wrong]
    world = sample.relabelled(answers.relabelled(labels))
    return wald(designed(linearise([(1.0, target)], world), world), estimator.level)
