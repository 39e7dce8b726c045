"""The design-based estimate: the belief about the whole pool, corrected by the weighted surprises of the answers.

With label probabilities pi_i made without item i's own label, and p_i the probability that item i was drawn by now,

    T = sum_i pi_i (x) e(A_i)  +  sum_{i answered} (1 / p_i) (e(y_i) - pi_i) (x) e(A_i)

has the pool's confusion as its mean, whatever the pi_i are, as long as neither they nor the chances react to the
answers: a good belief makes the surprises small, a bad one makes them large, neither shifts them. (They do react; what
that adds is of second order, and measured in docs/certified.md.) A metric Q is estimated by one Newton step from the
plug-in confusion P (answers as given, the rest as believed), or from where between P and T the confusion is known best,
B: D = Q(B) + grad Q(B) . (T - B), and its variance from the same influences, g_i = grad Q at item i's cell. The
surprises r_i = g_i(y_i) - E g_i have the Horvitz-Thompson variance

    V = sum_{i answered} (1 - p_i) (r_i / p_i)^2,       and the belief expects   sum_i Var(g_i) (1 - p_i) / p_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from altmas.certified.centre import banded_counts, best_confusion, corrected_by_band
from altmas.certified.clustered import Between, between_clusters
from altmas.certified.corrected import Corrected
from altmas.certified.influences import Part, expected_influences, inside, ranges_of, slopes_of
from altmas.certified.sample import Sample
from altmas.certified.two_phases import rows_alike, whole_sample
from altmas.core.answers import Answers
from altmas.core.first_phase import FirstPhase
from altmas.core.targets import Target
from altmas.metrics.custom import LabelFunction, whole_counts
from altmas.metrics.scores import TopK
from altmas.metrics.thresholds import AtThreshold, RecallAtRate
from altmas.metrics.types import BoolArray, FloatArray, IntArray

TRACE, NOTHING = 1e-9, 1e-12
ALL_BUT_CERTAIN = 0.999


@dataclass(frozen=True, eq=False)
class Linearised:
    """A target, or a difference of two, linearised at the confusion as one belief and its answers know it best."""

    name: str
    model: str
    parts: tuple[Part, ...]
    plug_in: float  # the metric of the plug-in confusion
    value: float  # what the line through the best confusion has there
    known: int  # answers that confusion counted as known: the first so many
    mean: FloatArray  # [N] of each item's influence, under the belief
    variance: FloatArray  # [N] of it: what its label is worth
    fourth: FloatArray | None = None  # [N], its fourth central moment; of metrics of scores alone

    @property
    def bounds(self) -> tuple[float, float]:
        """Of the value."""
        ends = [sorted(part.sign * end for end in part.target.metric.bounds) for part in self.parts]
        return sum(low for low, _ in ends), sum(high for _, high in ends)

    @property
    def first_phase(self) -> FirstPhase | None:
        """How the items were drawn from a larger whole, if they were."""
        return self.parts[0].target.first_phase

    @property
    def ranges(self) -> FloatArray:
        """How far each item's label can move it, at most `[N]`."""
        return self.parts[0].ranges if len(self.parts) == 1 else self._ranges_of_several

    @cached_property
    def _ranges_of_several(self) -> FloatArray:
        return ranges_of(self.parts)

    @property
    def ranges_of_parts(self) -> FloatArray:
        """The same part by part, which is quick: more than the range itself where parts cancel out."""
        return np.asarray(sum(part.ranges for part in self.parts))

    def slopes(self, items: IntArray | slice) -> FloatArray:
        """How each label of each of these items moves it `[n, C]`."""
        return slopes_of(self.parts, items)

    def moves(self, answers: Answers) -> FloatArray:
        """g_i(y_i) of each answer `[n]`."""
        return self.moves_at(answers.items, answers.labels)

    def moves_at(self, items: IntArray, labels: IntArray) -> FloatArray:
        """g_i(y_i) of items with these labels `[n]`."""
        return np.asarray(sum(part.moves(items, labels) for part in self.parts))

    def surprises(self, sample: Sample) -> FloatArray:
        """r_i of each answer `[n]`, as far as its label is known."""
        items = sample.answers.items
        if sample.corrected is None:
            return self.moves(sample.answers) - self.mean[items]
        return self._sums(items, sample.corrected.known(sample.one_hot)) - self.mean[items]

    def counted(self, sample: Sample) -> FloatArray:
        """The same as the design counts it, s_i `[n]`."""
        if sample.corrected is None:
            return self.surprises(sample)
        items = sample.answers.items
        return self._sums(items, sample.corrected.counted(sample.one_hot)) - self.mean[items]

    def corrections(self, sample: Sample) -> tuple[FloatArray, FloatArray]:
        """c_i of each answer, 0 where it was not read, and its variance as expected before it was `[n]`."""
        corrected, items = sample.corrected, sample.answers.items
        if corrected is None:
            return np.zeros(len(items)), np.zeros(len(items))
        slopes = self.slopes(items)
        mean = np.einsum("ic,ic->i", corrected.likely, slopes)
        spread = np.einsum("ic,ic,ic->i", corrected.likely, slopes, slopes) - np.square(mean)
        told = self.moves(sample.answers)
        return np.where(corrected.read, told - mean, 0.0), np.maximum(spread, 0.0)

    def _sums(self, items: IntArray, weights: FloatArray) -> FloatArray:
        """What weights of labels `[n, C]` move it by in all `[n]`."""
        return np.asarray(np.einsum("ic,ic->i", weights, self.slopes(items)))

    def under_random(self) -> float:
        """n times the variance of the metric on n random answers, for n far below N."""
        size, total = len(self.mean), float(self.mean.sum())
        if self.first_phase is not None:  # of random rows of the whole
            size, each = self.first_phase.whole, (self.variance + np.square(self.mean)) / self.first_phase.weights
            return size * max(float(each.sum()) - total**2 / size, 0.0)
        squares = float(np.einsum("i,i->", self.mean, self.mean))
        return size * max(float(self.variance.sum()) + squares - total**2 / size, 0.0)


@dataclass(frozen=True)
class Designed:
    """An estimate: the plug-in P, the design-based D, and what is known of D's error."""

    plug_in: float
    design: float
    observed: float  # variance of D as the answers show it
    expected: float  # variance of D as the belief expects it
    degrees_of_freedom: float  # how many answers the observed variance rests on
    surprises: float  # how many answers were real surprises, for what the belief expected of them
    labels: float  # answers that take part in this target, in labels of an endless pool
    nonlinearity: float  # what the linearisation leaves out: Q(T) - D
    answers_only: tuple[
        float, float
    ]  # the metric of the answers alone, what they do not show taken as wrong and as right
    bounds: tuple[float, float]
    corrected: bool = False  # by experts
    one_answer: float | None = None  # variance of one random answer, where that is not a proportion's
    between: Between | None = None  # what the pool's being a sample, of clusters or of a larger whole, adds
    backing: float = 0.0  # surprises that the belief expects the observed variance to rest on, of metrics of scores
    steps: bool = False  # whether a threshold decides whom it is about: then most surprises tell nothing of it
    nearly_all: bool = False  # whether it is a share that is often all but 1, and the belief seldom so sure


def linearise(signed: Sequence[tuple[float, Target]], sample: Sample) -> Linearised:
    """Prepare a signed sum of targets: one target, or the difference of two."""
    known = len(sample.answers) if sample.known is None else sample.known
    parts, plug_in, value = [], 0.0, 0.0
    for sign, target in signed:
        believed = sample.believed(target)
        counts = np.maximum(believed + target.tally(sample.surprise[:known], sample.answers.items[:known]), 0.0)
        whole = counts_of(target, counts)
        at = whole if isinstance(target.metric, LabelFunction) else _centre(target, sample, believed, counts, known)
        gradient = target.metric.gradient(at)
        plug_in += sign * float(target.metric.value(whole))
        value += sign * float(target.metric.value(at) + (gradient * (counts - at)).sum())
        parts.append(Part(sign, target, gradient, believed))
    moments = expected_influences(parts, sample.belief)
    return Linearised(signed[0][1].name, signed[0][1].model, tuple(parts), plug_in, value, known, *moments)


def minus(first: Linearised, second: Linearised, sample: Sample) -> Linearised:
    """The difference of two that were linearised with one belief and the same answers."""
    parts = (*first.parts, *(part._replace(sign=-part.sign) for part in second.parts))
    _, variance, fourth = expected_influences(parts, sample.belief)
    return Linearised(
        first.name, first.model, parts, first.plug_in - second.plug_in, first.value - second.value, first.known,
        first.mean - second.mean, variance, fourth,
    )  # fmt: skip


def _centre(target: Target, sample: Sample, believed: FloatArray, plug_in: FloatArray, known: int) -> FloatArray:
    """Where a metric is linearised: the confusion as it is best known.

    A metric of scores has columns of single items, of which nothing is known but what is believed. The belief is
    corrected there band by band of scores, as cells of a confusion are.
    """
    if target.bands is None:
        return _best_confusion(target, sample, plug_in, known)
    columns = np.append(target.bands, -1)[target.columns]
    banded = Target(target.name, target.metric, columns, int(target.bands.max()) + 1)
    by_band = banded_counts(plug_in, target.bands, banded.width)
    best = _best_confusion(banded, sample, by_band, known)
    return corrected_by_band(target.metric, believed, best, target.bands)


def _best_confusion(target: Target, sample: Sample, plug_in: FloatArray, known: int) -> FloatArray:
    items, r = sample.answers.items[:known], sample.surprise[:known]
    drawn = (sample.inclusion if sample.drawn_then is None else sample.drawn_then)[items, None]
    believed = sample.of_answers[:known]
    odds = (1 - drawn) / np.square(drawn)
    shown, expected = odds * np.square(sample.counted[:known]), odds * believed * (1 - believed)
    if sample.corrected is None:
        gap = target.tally(r * (1 - drawn) / drawn, items)
    else:
        gap = target.tally(sample.counted[:known] / drawn - r, items)
        likely = sample.corrected.likely[:known]
        more = sample.corrected.shown(drawn[:, 0])[:, None] * np.square(sample.one_hot[:known] - likely)
        shown, expected = (
            shown + more,
            expected + sample.corrected.expected(drawn[:, 0])[:, None] * likely * (1 - likely),
        )
    variance = np.maximum(target.tally(shown, items, 2), target.tally(expected, items, 2))
    certain = sample.one_hot[:known]
    if sample.corrected is not None:  # what nobody read is not known
        certain = certain * sample.corrected.read[:known, None]
    return best_confusion(plug_in, gap, variance, target.tally(certain, items, 0))


def designed(at: Linearised, sample: Sample) -> Designed:
    """The estimate from all answers so far, which may be more than the belief was made with."""
    answers, drawn = sample.answers, sample.inclusion[sample.answers.items]
    r = at.surprises(sample)
    low, high = at.bounds
    design = float(at.value + (at.counted(sample) / drawn).sum() - r[: at.known].sum())
    each = variances_shown(at, sample)
    fourth = float(np.square(each).sum())
    # Of labels as far as they are known: corrections of great weight lead further away than the truth can be.
    straight, weighted = float(at.value + (r / drawn).sum() - r[: at.known].sum()), sample.surprise / drawn[:, None]
    full = sum(part.sign * _value(part, part.believed, weighted, answers) for part in at.parts)
    curved = not any(isinstance(part.target.metric, LabelFunction) for part in at.parts)
    least, most = zip(*(_answers_only(part, sample) for part in at.parts), strict=True)
    surprises = count_surprises(r, at.variance[answers.items], NOTHING * _steepest(at))
    of_rows = drawn if at.first_phase is None else rows_alike(at.first_phase, drawn, answers.items)
    labels = labels_of_endless_pool(of_rows[_taking_part(at, answers)])
    return Designed(
        plug_in=float(np.clip(at.plug_in + r[at.known :].sum(), low, high)),
        design=design,
        observed=float(each.sum()),
        expected=variance_expected(at, sample),
        degrees_of_freedom=float(each.sum()) ** 2 / fourth if fourth > 0 else 0.0,
        surprises=surprises,
        labels=labels,
        nonlinearity=float(np.clip(np.nan_to_num(full), low, high) - np.clip(straight, low, high)) if curved else 0.0,
        answers_only=(sum(least), sum(most)),
        bounds=(low, high),
        corrected=sample.corrected is not None,
        one_answer=at.under_random() if any(part.target.bands is not None for part in at.parts) else None,
        between=whole_sample(at, sample, each, labels, surprises)
        if sample.clusters is None
        else between_clusters(at, sample, each, inside(at.parts)),
        backing=backing(at, sample),
        steps=any(isinstance(part.target.metric, AtThreshold | RecallAtRate) for part in at.parts),
        nearly_all=any(isinstance(part.target.metric, TopK) for part in at.parts),
    )


def variances_shown(at: Linearised, sample: Sample) -> FloatArray:
    """What each answer adds to the variance of D, as it turned out `[n]`."""
    drawn = sample.inclusion[sample.answers.items]
    first = (1 - drawn) * np.square(at.counted(sample) / drawn)
    if sample.corrected is None:
        return np.asarray(first)
    return np.asarray(first + sample.corrected.shown(drawn) * np.square(at.corrections(sample)[0]))


def variance_expected(at: Linearised, sample: Sample) -> float:
    """The variance of D as the belief expects it, and where experts correct answers, what those are believed to be."""
    first = float(np.einsum("i,i->", at.variance, sample.odds_against))  # no threads, which `@` would wait for
    if sample.corrected is None:
        return first
    drawn = sample.inclusion[sample.answers.items]
    return first + float(sample.corrected.expected(drawn) @ at.corrections(sample)[1])


def backing(at: Linearised, sample: Sample) -> float:
    """How many surprises, alike in weight, the belief expects the observed variance to rest on: V^2 / Var V.

    That is for metrics of scores without experts, whose belief is of every label; of others it is not asked, and 0.
    """
    if at.fourth is None or sample.corrected is not None:
        return 0.0
    spread = float(np.einsum("i,i->", at.fourth, sample.odds_of_fourth))
    return variance_expected(at, sample) ** 2 / spread if spread > 0 else 0.0


def count_surprises(surprises: FloatArray, variances: FloatArray, least: float = 0.0) -> float:
    """How many answers were surprises: each counts r^2 / (r^2 + v).

    That is near 1 where an answer was hardly expected, and near 0 where the belief was sure and right. No more than
    `least` is rounding: two models that say the same differ by what their slopes do in the last digit.

    >>> round(count_surprises(np.array([0.99, -0.01]), np.array([0.0099, 0.0099])), 2)
    1.0
    """
    squares = np.square(surprises)
    told = np.abs(surprises) > least
    return float(np.divide(squares, squares + variances, out=np.zeros_like(squares), where=told).sum())


def labels_of_endless_pool(inclusion: FloatArray) -> float:
    """Labels from an endless pool that would tell as much as answers with these inclusion probabilities.

    One that was all but certain to be asked about tells as much as a thousand: more would be rounding.

    >>> labels_of_endless_pool(np.full(50, 0.5))
    100.0
    """
    return float((1 / (1 - np.minimum(inclusion, ALL_BUT_CERTAIN))).sum())


def _taking_part(at: Linearised, answers: Answers) -> BoolArray:
    """Answers that move the value; where none does, as for a precision of which all were right, those that could."""
    least = NOTHING * _steepest(at)
    moving = np.abs(at.moves(answers)) > least
    return moving if moving.any() else at.ranges[answers.items] > least


def _steepest(at: Linearised) -> float:
    return max(float(np.abs(part.gradient).max()) for part in at.parts)


def _value(part: Part, counts: FloatArray, more: FloatArray, answers: Answers) -> float:
    return float(part.target.metric.value(counts_of(part.target, counts + part.target.tally(more, answers.items))))


def _answers_only(part: Part, sample: Sample) -> tuple[float, float]:
    """The metric of the answers alone, with a trace of wrong, and of right, in every cell: least and most, signed.

    The trace moves nothing that was seen, and decides what was not: a class without an answer may be either. Nor is it
    seen what annotators alone say, as long as experts may well say otherwise.
    """
    if part.target.bands is not None:
        return _scored_answers_only(part, sample)
    classes, columns = part.believed.shape
    right = TRACE * np.eye(classes, columns)
    seen = [sample.one_hot] * 2
    if sample.corrected is not None:
        seen = [np.eye(classes)[_leaning(part, sample, sample.corrected, right=one)] for one in (False, True)]
    values = [
        part.sign * _value(part, trace, told, sample.answers)
        for trace, told in zip((TRACE - right, right), seen, strict=True)
    ]
    return min(values), max(values)


def _scored_answers_only(part: Part, sample: Sample) -> tuple[float, float]:
    """The same of a metric of scores: what the answers leave open is the metric's to say."""
    metric, tells = part.target.metric, getattr(part.target.metric, "possible", None)
    values = []
    for right in (False, True):
        labels = sample.answers.labels
        if sample.corrected is not None:
            labels = _leaning(part, sample, sample.corrected, right=right)
        counts = part.target.tally(np.eye(len(part.believed))[labels], sample.answers.items)
        ends = tells(counts) if tells is not None else (float(metric.value(counts)),) * 2
        values += [part.sign * end for end in ends]
    return min(values), max(values)


def _leaning(part: Part, sample: Sample, corrected: Corrected, *, right: bool) -> IntArray:
    """The labels if predictions were right, or wrong, where nobody read: as far as that may well be."""
    labels, said = sample.answers.labels, part.target.columns[sample.answers.items]
    if part.target.bands is not None:
        slopes = part.target.slopes(part.sign * part.gradient, sample.answers.items)
        wished = slopes.argmax(1) if right else slopes.argmin(1)
        rows = np.arange(len(labels))
        return corrected.at_best(labels, wished, np.abs(slopes[rows, wished] - slopes[rows, labels]))
    rows, named = np.arange(len(labels)), (said >= 0) & (said < len(part.believed))
    place = np.where(named, said, 0)
    others = corrected.likely.copy()
    others[rows[named], place[named]] = -1.0
    wished = np.where(named, place, labels) if right else np.where(labels == said, others.argmax(1), labels)
    gains = np.abs(part.gradient[wished, said] - part.gradient[labels, said])
    return corrected.at_best(labels, wished, np.where(named & (wished != labels), gains, 0.0))


def counts_of(target: Target, confusion: FloatArray) -> FloatArray:
    """A function of labels takes whole counts only, of the same total."""
    return whole_counts(confusion) if isinstance(target.metric, LabelFunction) else confusion
