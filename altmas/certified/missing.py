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

from altmas.certified.corrected import LeftOut
from altmas.certified.design import counts_of, designed, linearise
from altmas.certified.interval import Interval, standard_error, wald
from altmas.certified.sample import Sample
from altmas.core.answers import Answers
from altmas.core.estimates import on_answers
from altmas.core.score_estimates import scored_on_answers
from altmas.core.targets import Target
from altmas.metrics.custom import LabelFunction
from altmas.metrics.formulas import LinearMetric
from altmas.metrics.types import FloatArray, IntArray

Signed = Sequence[tuple[float, Target]]

PORTIONS = 8
"""Missing answers are filled in so many portions, each as the metric's slope is after those before it."""

MOST_SEARCHED, SWEEPS = 12, 3
"""Up to this many classes, further fillings are tried, in so many sweeps; with more it would take too long."""


def filled(signed: Signed, sample: Sample, missing: IntArray, *, up: bool) -> Answers:
    """The answers, and for each missing one the class that moves a target, or a difference, most upwards or downwards.

    A metric that is no sum over items has another slope when many answers have gone to one class; so portion by
    portion.
    """
    answers = sample.answers
    believed = [sample.believed(target) for _, target in signed]
    if not len(missing):
        return answers
    for portion in np.array_split(missing, min(PORTIONS, len(missing))):
        now = sample.with_certain(answers)
        weighted = now.counted / now.inclusion[answers.items][:, None]
        slopes = np.zeros((len(portion), sample.belief.classes))
        for (sign, target), held in zip(signed, believed, strict=True):
            whole = counts_of(target, np.maximum(held + target.tally(weighted, answers.items), 0.0))
            slopes += sign * target.slopes(target.metric.gradient(whole), portion)
        labels = slopes.argmax(1) if up else slopes.argmin(1)
        answers = answers.extended(portion, labels, 0, np.ones(len(portion)))
    if sample.belief.classes > MOST_SEARCHED or not all(_is_curved(target) for _, target in signed):
        return answers
    return _searched(signed, believed, sample, answers, len(missing), up=up)


def _is_curved(target: Target) -> bool:
    """Whether a metric of counts is no sum over items, so that slopes do not say all.

    Functions of labels are left alone, and metrics of scores: no two items are alike there, to be moved together.
    """
    sums = ("accuracy", "error_rate", "macro_precision")
    counts = target.bands is None and not isinstance(target.metric, LinearMetric | LabelFunction)
    return counts and target.metric.name not in sums


def _searched(
    signed: Signed, believed: Sequence[FloatArray], sample: Sample, answers: Answers, missing: int, *, up: bool
) -> Answers:
    """A better filling, if there is one: from the greedy one on, and from each class for all, in turn.

    A metric that is no sum has extremes that its slopes do not lead to. Items that are predicted alike are moved from
    class to class together, while that helps.
    """
    classes, known = sample.belief.classes, len(answers) - missing
    lost, given = answers.items[known:], answers.items[:known]
    weights = 1 / sample.inclusion[lost]
    columns, kind = np.unique(np.stack([t.columns[lost] for _, t in signed], axis=1), axis=0, return_inverse=True)
    kind = kind.ravel()
    surprise = sample.counted / sample.inclusion[given][:, None]
    unanswered = weights[:, None] * sample.belief.at(lost).rows()
    bases = [
        held + target.tally(surprise, given) - target.tally(unanswered, lost)
        for (_, target), held in zip(signed, believed, strict=True)
    ]

    def value(filling: FloatArray) -> FloatArray:
        """Of weights by kind and class, `[..., kinds, C]`."""
        total = np.zeros(filling.shape[:-2])
        for k, ((sign, target), base) in enumerate(zip(signed, bases, strict=True)):
            counts = np.broadcast_to(base, (*filling.shape[:-2], *base.shape)).copy()
            for row, column in enumerate(columns[:, k]):
                if column >= 0:
                    counts[..., column] += filling[..., row, :]
            total = total + sign * np.asarray(target.metric.value(np.maximum(counts, 0.0)))
        return total if up else -total

    phase = signed[0][1].first_phase
    rows = weights if phase is None else phase.times(weights, lost)  # that each missing answer stands for

    def laid_out(labels: IntArray) -> FloatArray:
        filling = np.zeros((len(columns), classes))
        np.add.at(filling, (kind, labels), rows)
        return filling

    greedy = answers.labels[known:]
    best, reached = greedy, float(value(laid_out(greedy)))
    for start in (greedy, *(np.full(missing, c) for c in range(classes))):
        labels, filling = start, laid_out(start)
        now = float(value(filling))
        for _ in range(SWEEPS):
            before = now
            for row in range(len(columns)):
                tried = np.broadcast_to(filling, (classes, *filling.shape)).copy()
                tried[:, row] = np.eye(classes) * filling[row].sum()
                found = value(tried)
                c = int(found.argmax())
                if found[c] > now:
                    labels, filling, now = np.where(kind == row, c, labels), tried[c], float(found[c])
            if now <= before:
                break
        if now > reached:
            best, reached = labels, now
    return replace(answers, labels=np.append(answers.labels[:known], best))


def _read_otherwise(signed: Signed, sample: Sample, left_out: LeftOut, *, up: bool) -> Sample:
    """The sample if experts had read what they left out, each reading being what moves a target most to one side."""
    items = sample.answers.items
    weighted = sample.counted / sample.inclusion[items][:, None]
    slopes = np.zeros((len(left_out.rows), sample.belief.classes))
    for sign, target in signed:
        held = sample.believed(target) + target.tally(weighted, items)
        gradient = target.metric.gradient(counts_of(target, np.maximum(held, 0.0)))
        slopes += sign * target.slopes(gradient, items[left_out.rows])
    labels = sample.answers.labels.copy()
    labels[left_out.rows] = slopes.argmax(1) if up else slopes.argmin(1)
    answers = sample.answers.relabelled(labels)
    corrected = left_out.as_read()
    return Sample(sample.belief, answers, sample.inclusion, corrected=corrected, clusters=sample.clusters)


def worlds(
    signed: Signed, sample: Sample, missing: IntArray, level: float, left_out: LeftOut | None = None
) -> tuple[Interval, Interval]:
    """The estimate with its interval where all missing answers lower it, and where all raise it.

    `sample` has the chances of having been asked about, whether or not an answer came. Readings that experts `left_out`
    are missing in the same way.
    """
    out = []
    for up in (False, True):
        some = sample if left_out is None else _read_otherwise(signed, sample, left_out, up=up)
        whole = some.with_certain(filled(signed, some, missing, up=up))
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
        if target.bands is not None:
            one = scored_on_answers(target, answers.items, answers.labels, sample.belief.classes, level)
            out.append(Interval(one.estimate, one.low, one.high, 0.0))
            continue
        counts = target.tally(np.eye(sample.belief.classes)[answers.labels], answers.items)
        [found] = on_answers([target.metric], counts, sample.belief.size, level)
        out.append(Interval(found.estimate, found.low, found.high, 0.0))
    return out[0], out[1]
