"""Parts of the pool from one certified sample: groups, two groups compared, score bins and calibration."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from altmas.certified.corrected import LeftOut
from altmas.certified.estimator import Estimator, ends
from altmas.certified.interval import Interval
from altmas.certified.sample import Sample
from altmas.core.groups import groups_by, required_confidence
from altmas.core.pool import Outputs
from altmas.core.ranking import RANKING_DRAWS, draws_of, probability_among_lowest
from altmas.core.streams import stream
from altmas.core.targets import Target, lower_is_better, target_of, within
from altmas.metrics import metric
from altmas.metrics.belief import Belief
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray


def by_group(estimator: Estimator, by: str, name: str = "accuracy") -> pd.DataFrame:
    """A metric in each group, with its interval and P(worst): the chance that no group is worse.

    Items on which the model gave no answer are no group, and no worst one.
    """
    grouped = groups_by(estimator.pool, by)
    if by == "class" and name not in ("accuracy", "error_rate"):
        hint = "How many of a true class are found is recall:CLASS, of the whole pool."
        raise InputError("metric", "be accuracy or error_rate by predicted class", repr(name), hint)
    if name == "accuracy":
        estimator = right_or_wrong(estimator)
    base = _base(estimator, name)
    rows = []
    for k in np.flatnonzero(grouped.told):
        member, group = grouped.index == k, grouped.names[k]
        _, found, interval = estimator.of([(1.0, within(base, member, str(group)))])
        asked = int(member[estimator.sample.answers.items].sum())
        row = {"group": group, "size": estimator.pool.rows(member), "labels": asked, **ends(interval, found)}
        rows.append({**row, **_errors(interval)})
    table = pd.DataFrame(rows)
    noise = stream(estimator.seed, "worst", by).standard_normal((RANKING_DRAWS, len(rows)))
    values = draws_of(table, noise)
    return table.assign(p_worst=probability_among_lowest(-values if lower_is_better(base.metric) else values))


def right_or_wrong(estimator: Estimator) -> Estimator:
    """The same sample about one question, whether the prediction is right: two classes, however many the pool has."""
    pool, sample = estimator.pool, estimator.sample
    said, answers = pool.predictions, sample.answers
    right = sample.belief.chance(pool.predictions)
    labels = (answers.labels != said[answers.items]).astype(np.int64)
    whole = Outputs(pool.outputs[0].name, np.zeros(pool.size, dtype=np.int64))
    corrected = sample.corrected
    if corrected is not None:
        likely = np.append(corrected.likely, np.zeros((len(answers), 1)), axis=1)
        corrected = corrected.as_binary(likely[np.arange(len(answers)), said[answers.items]])
    left_out = estimator.left_out
    if left_out is not None:
        likely = np.append(left_out.corrected.likely, np.zeros((len(answers), 1)), axis=1)
        mine = likely[np.arange(len(answers)), said[answers.items]]
        left_out = LeftOut(left_out.rows, left_out.corrected.as_binary(mine))
    belief = Belief.dense(np.stack([right, 1 - right], axis=1))
    two = Sample(
        belief, replace(answers, labels=labels), sample.inclusion, corrected=corrected,
        clusters=sample.clusters,
    )  # fmt: skip
    missing = estimator.missing[
        said[estimator.missing] < len(pool.classes)
    ]  # what is no class is wrong, answered or not
    two_classes = replace(pool, classes=(True, False), outputs=(whole,), opinions=())
    return replace(estimator, pool=two_classes, sample=two, missing=missing, of_answered=None, left_out=left_out)


def compare(estimator: Estimator, by: str, a: Hashable, b: Hashable, name: str = "accuracy") -> dict[str, Any]:
    """How much higher a metric is in group a than in group b, estimated together."""
    grouped = groups_by(estimator.pool, by)
    base = _base(estimator, name)
    signed = []
    if a == b:
        raise InputError("groups to compare", "be two", f"{a!r} twice")
    for sign, one in ((1.0, a), (-1.0, b)):
        if one not in grouped.names:
            raise InputError("group", f"be one of {list(grouped.names)[:12]}", repr(one))
        signed.append((sign, within(base, grouped.index == grouped.names.index(one), str(one))))
    _, found, interval = estimator.of(signed)
    return {"metric": name, "a": a, "b": b, **ends(interval, found), **_errors(interval)}


def calibration(estimator: Estimator) -> pd.DataFrame:
    """Per equal-width score bin: the mean score, the accuracy with its interval and error, and their gap, the bias.

    Items without a score are left out.
    """
    score, bins = _probabilities(estimator), groups_by(estimator.pool, "score")
    table = by_group(estimator, "score").rename(columns={"group": "bin"}).drop(columns="p_worst")
    phase = estimator.pool.first_phase
    mean = bins.mean(score, None if phase is None else phase.weights)[bins.told]
    return table.assign(score=mean, bias=mean - table["estimate"])


def ece(estimator: Estimator, table: pd.DataFrame | None = None) -> tuple[float, float, float]:
    """Expected calibration error over equal-width bins, sum_b share_b |score_b - accuracy_b|: estimate, low, high.

    `table` is what `calibration` has made of the bins, where that is known.

    Noise adds to an absolute value whatever its sign, so each bin's squared gap is lessened by its squared error first;
    the upper end starts from the gaps as they are. It is never below the gap of the whole pool, where that is clear:
    bins can only add to it.
    """
    table = calibration(estimator) if table is None else table
    share, scored = table["size"].to_numpy() / table["size"].sum(), estimator.pool.scored
    gap, error = table["bias"].to_numpy(), table["error"].to_numpy()
    lessened = float(share @ np.sqrt(np.maximum(gap**2 - error**2, 0.0)))
    two = right_or_wrong(estimator)
    base = _base(two, "accuracy")
    _, _, accuracy = two.of([(1.0, base if scored.all() else within(base, scored, "scored"))])
    phase = estimator.pool.first_phase
    mean = np.average(_probabilities(estimator)[scored], weights=None if phase is None else phase.weights[scored])
    whole = abs(float(mean) - accuracy.estimate)
    lessened = max(lessened, whole if whole > 2 * accuracy.error else 0.0)
    reach = float(ndtri((1 + estimator.level) / 2) * np.sqrt(np.square(share * error).sum()))
    low, high = max(lessened - reach, 0.0), min(max(float(share @ np.abs(gap)), lessened) + reach, 1.0)
    if len(estimator.missing) == 0 and estimator.left_out is None:
        return lessened, low, high
    # Whatever the missing answers are, each bin's accuracy is within its interval, which allows for them.
    score, least, most = (table[name].to_numpy() for name in ("score", "low", "high"))
    near, far = np.maximum(least - score, score - most), np.maximum(score - least, most - score)
    return lessened, min(low, float(share @ np.maximum(near, 0.0))), max(high, float(share @ far))


def _errors(interval: Interval) -> dict[str, float]:
    return {"error": interval.error, "below": interval.below, "above": interval.above}


def _base(estimator: Estimator, name: str) -> Target:
    pool = estimator.pool
    return target_of(metric(name, pool.classes), pool.outputs[0], pool.of_model(None))


def _probabilities(estimator: Estimator) -> FloatArray:
    if not estimator.pool.probable:
        raise InputError("calibration", "be asked of scores that are probabilities", "none such")
    return required_confidence(estimator.pool)
