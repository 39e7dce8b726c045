"""Several models from one label stream: paired differences, and the probability that a model is the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr

from altmas.certified.design import Linearised
from altmas.certified.estimator import Estimator, ends
from altmas.core.ranking import RANKING_DRAWS
from altmas.core.streams import stream
from altmas.core.targets import pairs, targets_of
from altmas.metrics import Metric
from altmas.metrics.formulas import LinearMetric
from altmas.metrics.types import FloatArray


def differences(estimator: Estimator, metrics: Sequence[Metric]) -> pd.DataFrame:
    """How much higher the first of two models is, with an interval and the probability that it is higher."""
    rows = []
    for first, second in pairs(targets_of(tuple(metrics), estimator.pool)):
        _, found, interval = estimator.of([(1.0, first), (-1.0, second)])
        sign = np.sign(interval.estimate)
        z = interval.estimate / interval.error if interval.error > 0 else sign * np.inf if sign else 0.0
        pair = {"metric": first.name, "first": first.model, "second": second.model}
        rows.append({**pair, **ends(interval, found), "p_first_higher": float(ndtr(z))})
    return pd.DataFrame(rows)


def best(estimator: Estimator, metrics: Sequence[Metric]) -> pd.DataFrame:
    """P(best) by metric: the probability that a model's value is the highest, or the lowest of an error or a cost.

    Approximate: what each model has more or less than the first, with normal errors, drawn together; so that for two
    models it says what their difference says.
    """
    rows = []
    for one in metrics:
        first, *others = targets_of((one,), estimator.pool)
        values = [estimator.of([(1.0, target)])[2].estimate for target in (first, *others)]
        gaps = [estimator.of([(1.0, other), (-1.0, first)]) for other in others]
        centre = np.array([interval.estimate for *_, interval in gaps])
        covariance = _covariance(estimator, [at for at, *_ in gaps], [interval.error for *_, interval in gaps])
        rng = stream(estimator.seed, "best", one.name)
        more = (
            rng.multivariate_normal(centre, covariance, RANKING_DRAWS, method="eigh")
            if others
            else np.zeros((RANKING_DRAWS, 0))
        )
        draws = np.concatenate([np.zeros((RANKING_DRAWS, 1)), more], axis=1)
        good = -draws if lower_is_better(one) else draws
        share = np.bincount(good.argmax(1), minlength=len(values)) / RANKING_DRAWS
        rows += [
            {"metric": one.name, "model": outputs.name, "estimate": value, "p_best": p}
            for outputs, value, p in zip(estimator.pool.outputs, values, share.tolist(), strict=True)
        ]
    return pd.DataFrame(rows)


def lower_is_better(metric: Metric) -> bool:
    """Whether a metric counts what goes wrong.

    >>> from altmas.metrics import expected_cost
    >>> lower_is_better(expected_cost(1 - np.eye(2)))
    True
    """
    return metric.name == "error_rate" or isinstance(metric, LinearMetric)


def _covariance(estimator: Estimator, at: Sequence[Linearised], errors: Sequence[float]) -> FloatArray:
    """Correlations as the surprises show them, deviations as the intervals have them."""
    answers = estimator.sample.answers
    drawn = estimator.sample.inclusion[answers.items]
    scaled = np.stack([one.surprises(answers) for one in at]) * np.sqrt(1 - drawn) / drawn
    sums = scaled @ scaled.T + 1e-300 * np.eye(len(at))
    root = np.sqrt(np.diag(sums))
    return np.asarray(sums / np.outer(root, root) * np.outer(errors, errors))
