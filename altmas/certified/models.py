"""Several models from one label stream: paired differences, and the probability that a model is the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from altmas.certified.design import Linearised
from altmas.certified.estimator import Estimator, ends
from altmas.core.ranking import RANKING_DRAWS, draws_of, probability_below
from altmas.core.streams import stream
from altmas.core.targets import lower_is_better, pairs, targets_of
from altmas.metrics import Metric
from altmas.metrics.types import FloatArray


def differences(estimator: Estimator, metrics: Sequence[Metric]) -> pd.DataFrame:
    """How much higher the first of two models is, with an interval and the probability that it is higher."""
    rows = []
    for first, second in pairs(targets_of(tuple(metrics), estimator.pool)):
        _, found, interval = estimator.of([(1.0, first), (-1.0, second)])
        lower = probability_below(0.0, interval.estimate, interval.below, interval.above)
        pair = {"metric": first.name, "first": first.model, "second": second.model}
        rows.append({**pair, **ends(interval, found), "p_first_higher": 1 - lower})
    return pd.DataFrame(rows)


def best(estimator: Estimator, metrics: Sequence[Metric]) -> pd.DataFrame:
    """P(best) by metric: the probability that a model's value is the highest, or the lowest of an error or a cost.

    Approximate: what each model has more or less than the first, with normal errors as wide as the intervals, drawn
    together; so that for two models it says what their difference says.
    """
    rows = []
    for one in metrics:
        first, *others = targets_of((one,), estimator.pool)
        values = [estimator.of([(1.0, target)])[2].estimate for target in (first, *others)]
        gaps = [estimator.of([(1.0, other), (-1.0, first)]) for other in others]
        found = pd.DataFrame({"estimate": i.estimate, "below": i.below, "above": i.above} for *_, i in gaps)
        correlation = _correlation(estimator, [at for at, *_ in gaps])
        rng = stream(estimator.seed, "best", one.name)
        noise = (
            rng.multivariate_normal(np.zeros(len(gaps)), correlation, RANKING_DRAWS, method="eigh") if gaps else None
        )
        more = np.zeros((RANKING_DRAWS, 0)) if noise is None else draws_of(found, noise)
        draws = np.concatenate([np.zeros((RANKING_DRAWS, 1)), more], axis=1)
        good = -draws if lower_is_better(one) else draws
        share = np.bincount(good.argmax(1), minlength=len(values)) / RANKING_DRAWS
        rows += [
            {"metric": one.name, "model": outputs.name, "estimate": value, "p_best": p}
            for outputs, value, p in zip(estimator.pool.outputs, values, share.tolist(), strict=True)
        ]
    return pd.DataFrame(rows)


def _correlation(estimator: Estimator, at: Sequence[Linearised]) -> FloatArray:
    """Correlations of estimates, as the surprises show them."""
    answers = estimator.sample.answers
    drawn = estimator.sample.inclusion[answers.items]
    if not at:
        return np.zeros((0, 0))
    scaled = np.stack([one.surprises(answers) for one in at]) * np.sqrt(1 - drawn) / drawn
    sums = scaled @ scaled.T + 1e-300 * np.eye(len(at))
    root = np.sqrt(np.diag(sums))
    return np.asarray(sums / np.outer(root, root))
