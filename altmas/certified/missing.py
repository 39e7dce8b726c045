"""Questions without a label: what they could do to an estimate, at worst and at best."""

from __future__ import annotations

import numpy as np

from altmas.certified.design import Sample, designed, linearise, standard_error, wald
from altmas.certified.models import lower_is_better
from altmas.core.answers import Answers
from altmas.core.targets import Target
from altmas.metrics.types import IntArray


def filled(target: Target, sample: Sample, missing: IntArray, *, best: bool) -> Answers:
    """The answers, and for each missing one the class that moves the metric most against the model, or for it."""
    at = linearise([(1.0, target)], sample)
    slopes = at.parts[0].target.slopes(at.parts[0].gradient, missing)
    upwards = best != lower_is_better(target.metric)
    labels = slopes.argmax(1) if upwards else slopes.argmin(1)
    return sample.answers.extended(missing, labels, 0, np.ones(len(missing)))


def bounds_of_answers(target: Target, sample: Sample, missing: IntArray) -> tuple[float, float]:
    """The same for the metric of the answers alone, as random sampling takes it."""
    out = []
    for best in (False, True):
        answers = filled(target, sample, missing, best=best)
        one_hot = np.eye(sample.probabilities.shape[1])[answers.labels]
        out.append(float(target.metric.value(target.tally(one_hot, answers.items))))
    return out[0], out[1]


def bounds(target: Target, sample: Sample, missing: IntArray, level: float) -> tuple[float, float]:
    """The estimate if all missing answers were against the model under test, and if all were for it."""
    out = []
    for best in (False, True):
        whole = Sample(sample.probabilities, filled(target, sample, missing, best=best), sample.inclusion)
        found = designed(linearise([(1.0, target)], whole), whole)
        estimate = wald(found, level).estimate
        # Many answers taken to one side lead far from where the metric was linearised; there its own value is better.
        if abs(found.nonlinearity) > standard_error(found):
            estimate = float(np.clip(np.clip(found.design, *found.bounds) + found.nonlinearity, *found.bounds))
        out.append(estimate)
    return out[0], out[1]
