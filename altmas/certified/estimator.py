"""Estimates of anything from one certified sample: metrics chosen later, cells of the confusion, plans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from altmas.certified.absent import absent_for, spanning
from altmas.certified.clustered import UNSEEN_DEGREES, Between
from altmas.certified.corrected import HARDLY, LeftOut
from altmas.certified.design import Designed, Linearised, designed, labels_of_endless_pool, linearise, minus
from altmas.certified.interval import Interval, share_between, standard_error, wald
from altmas.certified.missing import worlds
from altmas.certified.sample import Sample
from altmas.certified.two_phases import rows_alike, settled, spread_of_cells
from altmas.core.estimates import EXACT, Estimate
from altmas.core.pool import NO_CLASS, Pool
from altmas.core.result import without_model
from altmas.core.targets import Target, lower_is_better, target_of
from altmas.metrics import metric
from altmas.metrics.belief import Belief
from altmas.metrics.types import FloatArray, IntArray

ROUNDING = 1e-12
"""What moves a metric no further than this moves it by rounding alone."""


def _unmoved(at: Linearised, found: Designed) -> bool:
    """Whether no label of any item could change the value; one of scores that is undefined yet does not move either."""
    if any(part.target.bands is not None for part in at.parts) and found.answers_only[0] < found.answers_only[1]:
        return False
    most = max(float(np.abs(moves).max(initial=0.0)) for moves in (at.mean, at.variance))
    return most * len(at.mean) <= ROUNDING


def _point(value: float) -> Interval:
    return Interval(value, value, value, 0.0)


@dataclass(frozen=True, eq=False)
class Estimator:
    """A pool, what is believed and drawn, and a level: estimates anything from them.

    `missing` are positions asked about that have no answer, `asked [N]` the chances of having been asked about; every
    interval allows for whatever the missing answers are.
    """

    pool: Pool
    sample: Sample
    level: float
    seed: int = 0
    missing: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    asked: FloatArray | None = None
    readings: int = 0  # by experts
    left_out: LeftOut | None = None  # by experts who were to read them
    of_answered: Belief | None = None  # about items that are answered, where that is another

    def of(self, signed: Sequence[tuple[float, Target]]) -> tuple[Linearised, Designed, Interval]:
        """One target, or a difference of two."""
        at = self.linearised(signed[0][1])
        if len(signed) > 1:
            at = minus(at, self.linearised(signed[1][1]), self.sample)
        found = designed(at, self.sample)
        if self.exact([target for _, target in signed]):  # nothing is left to believe
            if self.more_to_know([target for _, target in signed]):
                return self._all_labelled(signed)
            value = sum(sign * self._exact(target) for sign, target in signed)
            return at, replace(found, plug_in=value, design=value), Interval(value, value, value, 0.0)
        interval = (
            wald(found, self.level) if found.between is None or not _unmoved(at, found) else _point(found.plug_in)
        )
        if (gone := absent_for(signed, self.sample, self.level)) is not None:
            at, found, interval = spanning(signed, self.sample, gone, self.level, (at, found, interval))
        if (between := self.worlds(signed)) is not None:
            interval = interval.reaching(between[0].low, between[1].high, self.level)
        return at, found, interval

    def linearised(self, target: Target) -> Linearised:
        """A target; what the last refit has made of it, or whoever asked last, or anew."""
        known = self.sample.recent
        made = self.sample.linearised.get(target) or next((one for mine, one in known if mine is target), None)
        if made is None:
            made = linearise([(1.0, target)], self.sample)
            if target.members is None:
                known[:] = [(target, made)]
        return made

    def worlds(self, signed: Sequence[tuple[float, Target]]) -> tuple[Interval, Interval] | None:
        """What missing answers could make of it, at the lowest and at the highest; None where none take part."""
        part = np.zeros(len(self.missing), dtype=bool)
        for _, target in signed:
            part |= target.columns[self.missing] >= 0
        if not part.any() and self.left_out is None:
            return None
        return worlds(signed, self.asked_sample, self.missing[part], self.level, self.left_out)

    @cached_property
    def asked_sample(self) -> Sample:
        """The sample with the chances of having been asked about, whether or not an answer came."""
        asked = self.sample.inclusion if self.asked is None else self.asked
        believed = self.sample.belief if self.of_answered is None else self.of_answered
        sample = self.sample
        return Sample(believed, sample.answers, asked, corrected=sample.corrected, clusters=sample.clusters)

    def exact(self, targets: Sequence[Target]) -> bool:
        """Whether every item that takes part has its answer: nothing is left to believe."""
        labels = len(self.sample.answers)
        if any(target.taking_part > labels for target in targets):  # as nearly always
            return False
        answered = np.zeros(self.pool.size, dtype=bool)
        certain = slice(None) if self.sample.corrected is None else self.sample.corrected.read
        answered[self.sample.answers.items[certain]] = True
        return all(bool(answered[target.columns >= 0].all()) for target in targets)

    def more_to_know(self, targets: Sequence[Target]) -> bool:
        """Whether something is left open with every item labelled: the numbers are about more than these items."""
        phase = targets[0].first_phase
        if phase is None or self.sample.clusters is not None:
            return self.sample.clusters is not None
        return not settled(phase, np.logical_or.reduce([target.columns >= 0 for target in targets]))

    def _all_labelled(self, signed: Sequence[tuple[float, Target]]) -> tuple[Linearised, Designed, Interval]:
        """About clusters like these, or a larger whole, where every item has its label: the pool has no others."""
        sample = self.sample
        known = sample.belief.rows()
        known[sample.answers.items] = sample.one_hot
        whole = Sample(Belief.dense(known), sample.answers, np.ones(self.pool.size), clusters=sample.clusters)
        at = linearise(signed, whole)
        found = designed(at, whole)
        return at, found, wald(found, self.level)

    def _exact(self, target: Target) -> float:
        return float(target.metric.value(target.tally(self.sample.one_hot, self.sample.answers.items)))

    def estimate(self, target: Target) -> Estimate:
        """One target, with the ordinary interval and what it promises."""
        at, found, interval = self._alike.of([(1.0, target)])
        alike = Estimate(
            target.name, interval.estimate, interval.low, interval.high, len(self.sample.answers),
            self._promise(target, at, found), found.plug_in, found.design, target.model,
        )  # fmt: skip
        between = self.worlds([(1.0, target)])
        return alike if between is None else allowing(alike, target, self.lost, between)

    @property
    def lost(self) -> int:
        """Answers and readings that are missing."""
        return len(self.missing) + (0 if self.left_out is None else len(self.left_out.rows))

    @property
    def _alike(self) -> Estimator:
        """The same, with whatever is missing like the rest."""
        return replace(self, missing=self.missing[:0], left_out=None)

    def promised(self, targets: Sequence[Target]) -> str:
        """What the ordinary interval of targets, or of a difference, promises."""
        clusters, labelled = self.sample.clusters, self.exact(targets)
        if labelled and not self.more_to_know(targets):
            return EXACT
        kind = approximately(
            self.level, experts=self.sample.corrected is not None, clusters=0 if clusters is None else clusters.count
        )
        return f"{kind}; every item is labelled" if labelled else kind

    def _promise(self, target: Target, at: Linearised, found: Designed) -> str:
        if self.exact([target]) and not self.more_to_know([target]):
            some = self.sample.corrected is None and 0 < self.readings < len(self.sample.answers)
            return f"{EXACT}, by annotators; experts read {self.readings:,} and changed none" if some else EXACT
        if _unmoved(at, found):
            return "certain: no label could change it"
        apart, error = abs(found.plug_in - found.design), standard_error(found)
        kind = self.promised([target])
        if apart <= 2 * error + ROUNDING:
            return kind
        return f"{kind}; surrogate and design disagree by {apart / max(error, 1e-300):.1f} standard errors"

    def confusion(self, model: int = 0) -> pd.DataFrame:
        """Every cell's count with its interval; a row per true and predicted class."""
        pool = self.pool
        target = target_of(metric("accuracy", pool.classes), pool.outputs[model], pool)
        names = [*pool.classes, NO_CLASS]
        cells = list(np.ndindex(len(pool.classes), pool.columns))
        named = pd.DataFrame({"true": [names[c] for c, _ in cells], "predicted": [names[a] for _, a in cells]})
        return named.join(self._counts(target))

    def class_counts(self) -> pd.DataFrame:
        """How many items of each class the pool holds, with its interval; a row per class."""
        pool = self.pool
        alike = np.zeros(pool.size, dtype=np.int64)  # whatever is predicted: a confusion of one column
        any_class = metric("accuracy", pool.classes)
        found = self._counts(Target("classes", any_class, alike, 1, first_phase=pool.first_phase))
        return pd.DataFrame({"class": list(pool.classes)}).join(found)

    def _counts(self, target: Target) -> pd.DataFrame:
        """Every cell's count, allowing for whatever the missing answers are."""
        table = pd.DataFrame(self._cells(target, self.sample, self.sample.one_hot))
        if not (target.columns[self.missing] >= 0).any():
            return table
        # Each cell by itself: none of the missing answers belongs to it, or all of its column's do.
        lost = self.missing
        empty = self.asked_sample.answers.extended(lost, np.zeros_like(lost), 0, np.ones(len(lost)))
        asked = self.asked_sample.with_certain(empty)
        ends = []
        for member in (0.0, 1.0):
            one_hot = asked.one_hot.copy()
            one_hot[len(self.sample.answers) :] = member
            ends.append(self._cells(target, asked, one_hot))
        return table.assign(
            low=np.minimum(table["low"], ends[0]["low"]), high=np.maximum(table["high"], ends[1]["high"])
        )

    def _cells(self, target: Target, sample: Sample, one_hot: FloatArray) -> dict[str, list[float]]:
        """Estimate, low and high of every cell's count, given which cells of its column each answer belongs to."""
        items, drawn = sample.answers.items, sample.inclusion[sample.answers.items][:, None]
        believed = sample.believed(target)
        fixed = corrected.read if (corrected := sample.corrected) is not None else np.ones(len(items), dtype=bool)
        known = target.tally(one_hot[fixed], items[fixed], 0)
        asked = np.bincount(target.columns[items[fixed]], minlength=believed.shape[1])
        p = sample.of_answers
        r = (one_hot if corrected is None else corrected.known(one_hot)) - p
        counted = (one_hot if corrected is None else corrected.counted(one_hot)) - p
        design = believed + target.tally(counted / drawn, items)
        plug_in = np.maximum(believed + target.tally(r, items), 0.0)
        each = (1 - drawn) * np.square(counted / drawn)
        expected = _expected_by_cell(target, sample.belief, sample.odds_against)
        if corrected is not None:
            each = each + corrected.shown(drawn[:, 0])[:, None] * np.square(one_hot - corrected.likely)
            doubt = corrected.likely * (1 - corrected.likely)
            expected = expected + target.tally(corrected.expected(drawn[:, 0])[:, None] * doubt, items, 2)
        # Whether experts may well find none, or nothing else, of a class among what they have not read in a column.
        no_one, all_of_them = (np.ones_like(believed, dtype=bool) for _ in range(2))
        if corrected is not None:
            unread = np.where(fixed[:, None], 0.0, 1.0)
            with np.errstate(divide="ignore"):
                logs = [np.maximum(np.log(one), -99.0) * unread for one in (1 - corrected.likely, corrected.likely)]
            no_one, all_of_them = (target.tally(one, items, 0) >= np.log(HARDLY) for one in logs)
        observed, fourth = target.tally(each, items, 2), target.tally(np.square(each), items, 4)
        surprised = target.tally(np.square(r) / (np.square(r) + p * (1 - p) + 1e-300), items, 0)
        phase = target.first_phase
        said = np.bincount(target.columns, None if phase is None else phase.weights, believed.shape[1])
        of_rows = drawn[:, 0] if phase is None else rows_alike(phase, drawn[:, 0], items)
        labels = [labels_of_endless_pool(of_rows[target.columns[items] == a]) for a in range(len(said))]
        more = spread_of_cells(target, sample, one_hot)
        out: dict[str, list[float]] = {"estimate": [], "low": [], "high": []}
        for c, a in np.ndindex(*design.shape):
            here, answered, most = float(known[c, a]), float(asked[a]), float(said[a])
            shown, square = float(observed[c, a]), float(fourth[c, a])
            found = Designed(
                plug_in=float(plug_in[c, a]), design=float(design[c, a]), observed=shown,
                expected=float(expected[c, a]), degrees_of_freedom=shown**2 / square if square > 0 else 0.0,
                surprises=float(surprised[c, a]), nonlinearity=0.0, labels=labels[a],
                # A cell of which the column's answers were none, or all, may hold none, or all.
                answers_only=(
                    0.0 if here == 0 and no_one[c, a] else most / 2,
                    most if here == answered and all_of_them[c, a] else most / 2,
                ),
                bounds=(0.0, most),
                between=None if more is None or more[c, a] == 0
                else Between(float(more[c, a]), UNSEEN_DEGREES, labels[a], float(surprised[c, a])),
            )  # fmt: skip
            interval = wald(found, self.level)
            high = min(interval.high, most - (answered - here))
            low = min(max(interval.low, here), high)
            for name, value in (("estimate", min(max(interval.estimate, low), high)), ("low", low), ("high", high)):
                out[name].append(value)
        return out

    def forecast(
        self, targets: Sequence[Target], halves: Sequence[float], to: float | None, lost: Sequence[float]
    ) -> pd.DataFrame:
        """Labels for +- `to`, and what random sampling would have needed for the half-widths there are now.

        `lost` is the part of each that missing answers are to blame for, which labels do not lessen. Nor do they lessen
        what the pool's being a sample adds: `least_half_width` is what is left with every item labelled.
        """
        labels, size = len(self.sample.answers), self.pool.size
        quantile = float(ndtri((1 + self.level) / 2))
        rows = []
        for target, half, less in zip(targets, halves, lost, strict=True):
            at, found, _ = self._alike.of([(1.0, target)])
            share = share_between(found)
            whole = max(half - less, 0.0)
            drawn, least = whole * math.sqrt(1 - share), whole * math.sqrt(share)
            row: dict[str, Any] = {"model": target.model, "metric": target.name, "labels": labels, "half_width": half}
            row["random_needed"] = random_labels_for(drawn, at.under_random(), quantile, self.pool.whole)
            if to is not None:
                left = math.sqrt(max((to - less) ** 2 - least**2, 0.0)) if to > less else 0.0
                row["labels_needed"] = labels_for(drawn, labels, size, left) if left > 0 else math.nan
                goal = math.sqrt(max(to**2 - least**2, 0.0))
                row["random_needed_for_goal"] = random_labels_for(goal, at.under_random(), quantile, self.pool.whole)
            if self.more_to_know([target]):
                row["least_half_width"] = least + less
            rows.append(row)
        return without_model(pd.DataFrame(rows))


def _expected_by_cell(target: Target, belief: Belief, odds_against: FloatArray) -> FloatArray:
    """What the belief expects of the variance of each cell `[C, P]`, in blocks of items."""
    found = np.zeros((belief.classes, target.width))
    for block, p in belief.blocks():
        found += target.tally(p * (1 - p) * odds_against[block, None], block, 2)
    return found


def allowing(alike: Estimate, target: Target, missing: int, between: tuple[Interval, Interval]) -> Estimate:
    """An estimate that took the missing answers to be like the others, with an interval that does not."""
    lowest, highest = between
    worst, best = (highest, lowest) if lower_is_better(target.metric) else (lowest, highest)
    return alike.allowing_for(missing, worst.estimate, best.estimate, lowest.low, highest.high)


def ends(interval: Interval, found: Designed) -> dict[str, float]:
    """An estimate's columns in a table."""
    return {
        "estimate": interval.estimate, "low": interval.low, "high": interval.high, "plug_in": found.plug_in,
        "design": found.design,
    }  # fmt: skip


def approximately(level: float, *, experts: bool = False, clusters: int = 0) -> str:
    """What the ordinary interval promises; of what `experts` would say, where they have read answers.

    Where the pool is a sample of so many `clusters`, it is about clusters like these.

    >>> approximately(0.95)
    'approximate 95% coverage, whatever the surrogate believes'
    >>> approximately(0.95, clusters=120)
    'approximate 95% coverage for clusters like these 120, whatever the surrogate believes'
    """
    words = "approximate {} coverage{}{}, whatever the surrogate believes{}"
    of, people = (" of the experts' truth", " and annotators say") if experts else ("", "")
    return words.format(f"{level:.0%}", of, f" for clusters like these {clusters:,}" if clusters else "", people)


def labels_for(half_width: float, labels: int, pool_size: int, within: float) -> int:
    """Labels in all after which an interval that is `half_width` wide on each side now will be `within`.

    Errors shrink as sqrt(1/n - 1/N): with the root of the labels, and to nothing when the pool is used up.

    >>> labels_for(0.06, 100, 1_000_000, 0.03)
    400
    """
    if half_width <= within:
        return labels
    now = 1 / labels - 1 / pool_size
    wanted = now * (within / half_width) ** 2 + 1 / pool_size
    return min(math.ceil(1 / wanted - 1e-6), pool_size)


def random_labels_for(within: float, under_random: float, quantile: float, pool_size: int) -> int:
    """Labels that random sampling needs for a half-width: `quantile * sqrt(under_random * (1/n - 1/N))`.

    >>> random_labels_for(0.03, 0.25, 1.96, 1_000_000)  # a share near one half
    1066
    """
    if under_random <= 0 or not math.isfinite(within):
        return 1
    wanted = within**2 / (quantile**2 * under_random) + 1 / pool_size
    return min(math.ceil(1 / wanted - 1e-6), pool_size)
