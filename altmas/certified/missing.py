"""Questions without a label: what they could do to an estimate, at worst and at best.

An answer that is missing may be missing because of what it would have been: whoever skips the items that the model got
wrong makes it look perfect. Nothing in the other answers tells. So there are two worlds, one in which every missing
answer is what lowers the metric most, and one in which it is what raises it most; each has an ordinary interval, with
the chances of having been asked about, and whatever is true lies between the lower end of the one and the upper end of
the other as often as promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from altmas.certified.design import Interval, Sample, counts_of, designed, linearise, standard_error, wald
from altmas.core.answers import Answers
from altmas.core.estimates import on_answers
from altmas.core.targets import Target
from altmas.metrics.types import IntArray

Signed = Sequence[tuple[float, Target]]

PORTIONS = 8
"""Missing answers are filled in so many portions, each as the metric's slope is after those before it."""


def filled(signed: Signed, sample: Sample, missing: IntArray, *, up: bool) -> Answers:
    """The answers, and for each missing one the class that moves a target, or a difference, most upwards or downwards.

    A metric that is no sum over items has another slope when many answers have gone to one class; so portion by
    portion.
    """
    answers = sample.answers
    believed = [target.tally(sample.probabilities) for _, target in signed]
    for portion in np.array_split(missing, min(PORTIONS, len(missing))):
        now = Sample(sample.probabilities, answers, sample.inclusion)
        weighted = now.surprise / now.inclusion[answers.items][:, None]
        slopes = np.zeros((len(portion), sample.probabilities.shape[1]))
        for (sign, target), held in zip(signed, believed, strict=True):
            whole = counts_of(target, np.maximum(held + target.tally(weighted, answers.items), 0.0))
            slopes += sign * target.slopes(target.metric.gradient(whole), portion)
        labels = slopes.argmax(1) if up else slopes.argmin(1)
        answers = answers.extended(portion, labels, 0, np.ones(len(portion)))
    return answers


def worlds(signed: Signed, sample: Sample, missing: IntArray, level: float) -> tuple[Interval, Interval]:
    """The estimate with its interval where all missing answers lower it, and where all raise it.

    `sample` has the chances of having been asked about, whether or not an answer came.
    """
    out = []
    for up in (False, True):
        whole = Sample(sample.probabilities, filled(signed, sample, missing, up=up), sample.inclusion)
        found = designed(linearise(signed, whole), whole)
        interval = wald(found, level)
        # Many answers taken to one side lead far from where the metric was linearised; there its own value is better.
        if abs(found.nonlinearity) > standard_error(found):
            value = float(np.clip(np.clip(found.design, *found.bounds) + found.nonlinearity, *found.bounds))
            interval = replace(interval, estimate=value).reaching(value, value, level)
        out.append(interval)
    return out[0], out[1]


def worlds_of_answers(target: Target, sample: Sample, missing: IntArray, level: float) -> tuple[Interval, Interval]:
    """The same for the metric of the answers alone, as random sampling takes it."""
    out = []
    for up in (False, True):
        answers = filled([(1.0, target)], sample, missing, up=up)
        counts = target.tally(np.eye(sample.probabilities.shape[1])[answers.labels], answers.items)
        [found] = on_answers([target.metric], counts, len(sample.probabilities), level)
        out.append(Interval(found.estimate, found.low, found.high, 0.0))
    return out[0], out[1]
