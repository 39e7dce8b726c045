"""Everything the labels of the certified method tell, asked for when it is wanted.

The same object stands behind a result of `assess`, an audit, its report and its commands. Random sampling, whose
chances are as well known, is asked the same way.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from altmas.certified import models, slices
from altmas.certified.anytime import Bets, Watched, interval_of, mean_interval, promise, ratios_of
from altmas.certified.contest import (
    behind,
    between_own,
    contest,
    leading,
    ratio_behind,
    share_of_level,
    where_they_stand,
)
from altmas.certified.curves import POINTS, CostCurve, cost_curve, threshold_curve
from altmas.certified.estimator import Estimator, allowing
from altmas.certified.functionals import Ratio, group_accuracy, group_difference
from altmas.certified.gate import gate
from altmas.certified.missing import Signed, filled, worlds_of_answers
from altmas.certified.opinions_worth import opinions_worth
from altmas.certified.people import left_out, reading_table
from altmas.certified.race import inclusion_at
from altmas.certified.recalls import recalls
from altmas.certified.result import CertifiedResult
from altmas.certified.sensitivity import RATES, sensitivity
from altmas.certified.shared_draws import correlations
from altmas.certified.state import State, follow, logged, replay, start
from altmas.certified.threshold import Threshold, ThresholdTest
from altmas.core.answers import Answers
from altmas.core.checks import fraction, positive
from altmas.core.clusters import Clusters
from altmas.core.contest import Contest, Leading, best_by_metric
from altmas.core.estimates import Estimate, whatever_missing
from altmas.core.findings import FeaturesWorth, Findings, OpinionsWorth
from altmas.core.gate import Gate
from altmas.core.groups import groups_by
from altmas.core.loop import Round
from altmas.core.method import AskedRound, Job
from altmas.core.plain import plain_rows
from altmas.core.policies import Choice
from altmas.core.ranking import compared, ranked
from altmas.core.requirements import Requirement
from altmas.core.result import estimates_table
from altmas.core.targets import Target, lower_is_better, resolve_metrics, targets_of
from altmas.metrics.errors import InputError
from altmas.metrics.scores import CalibrationError
from altmas.metrics.types import FloatArray, IntArray
from altmas.words.groups import comparison_verdict, ranking_verdict, worst_by

MOST_MODELS = 6
"""So many models are gone into where all would be too many."""


@dataclass(frozen=True, eq=False)
class CertifiedFindings:
    """What a state tells at a level. `anytime` has the intervals hold at all looks together.

    `rounds` are those of a log, with their refits; without any, rounds are made again from the answers. `plain` are the
    estimates of another method that drew with known chances: they are its own, everything else is as for certified.
    `this_pool` has numbers about this pool alone, where they would be about clusters like its own.
    """

    state: State
    level: float
    rounds: tuple[AskedRound, ...] | None = None
    anytime: bool = False
    plain: tuple[Estimate, ...] | None = None
    this_pool: bool = False
    unanswered: Mapping[int, Choice] | None = None  # questions of each round that have no answer

    def of_this_pool(self) -> CertifiedFindings:
        """The same about the items of this pool, and not about clusters like its own; as it is without clusters."""
        return replace(self, this_pool=True)

    @property
    def clusters(self) -> Clusters | None:
        """What the pool is a sample of; None where the numbers are about the pool itself."""
        return None if self.this_pool else self.job.pool.clusters

    @property
    def job(self) -> Job:
        """What was to be found out."""
        return self.state.setup.job

    @property
    def answers(self) -> Answers:
        """The labels this rests on."""
        return self.state.answers

    @property
    def inclusion(self) -> FloatArray:
        """Probability of each item to have been asked about and answered `[N]`."""
        return self.state.inclusion

    @cached_property
    def opinions(self) -> OpinionsWorth | None:
        """What opinions saved; None where there are none, or another method estimates."""
        return None if self.plain is not None else opinions_worth(self.state)

    @property
    def asked(self) -> FloatArray:
        """Probability of each item to have been asked about `[N]`."""
        return inclusion_at(self.state.hazard)

    @cached_property
    def estimator(self) -> Estimator:
        """The sample, ready to estimate anything from."""
        sample = replace(self.state.sample(), clusters=self.clusters)
        return Estimator(
            self.job.pool, sample, self.level, self.job.seed, self.state.missing, self.asked,
            self.state.readings, left_out(self.state),
            None if self.state.response is None else self.state.believed.belief(self.state.setup.job.pool),
        )  # fmt: skip

    def of_model(self, model: str | None) -> Estimator:
        """The same with one model under test in front."""
        return self.estimator if model is None else replace(self.estimator, pool=self.job.pool.of_model(model))

    # Estimates

    @cached_property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every metric of every model."""
        if self.plain is not None:
            return tuple(map(self._allowing, self.plain, self.state.setup.targets))
        if not self.anytime:
            return self.ordinary
        return tuple(_within(*pair) for pair in zip(self.ordinary, self._looks(), strict=True))

    @cached_property
    def ordinary(self) -> tuple[Estimate, ...]:
        """Every metric of every model, with ordinary intervals."""
        return tuple(map(self._told, self.state.setup.targets))

    def _told(self, target: Target) -> Estimate:
        """A target with its ordinary interval; a calibration error as its bins have it."""
        if not isinstance(target.metric, CalibrationError):
            return self.estimator.estimate(target)
        found = self.ece(target.model or None)
        assert found is not None  # it was bound to scores that are probabilities
        lost = len(self.state.missing)
        promise = f"approximate {self.level:.0%} coverage, bins as they are{whatever_missing(lost)}"
        return Estimate(target.name, *found, len(self.answers), promise, model=target.model)

    def estimate(self, metrics: Any, cost: Any = None) -> pd.DataFrame:
        """Metrics chosen after the labels were drawn, with ordinary intervals, as valid as those chosen before."""
        targets = targets_of(resolve_metrics(metrics, self.job.pool, cost), self.job.pool)
        return estimates_table([self._told(target) for target in targets])

    def _allowing(self, plain: Estimate, target: Target) -> Estimate:
        """An estimate of another method, with an interval that allows for missing answers."""
        missing = self.state.missing
        if len(missing) == 0:
            return plain
        between = worlds_of_answers(target, self.estimator.asked_sample, missing, self.level)
        return allowing(plain, target, len(missing), between)

    def alike(self, earlier: Findings, place: IntArray) -> dict[tuple[str, str], float]:
        """The correlation of each estimate's error with that of an earlier audit whose labels were kept.

        By model and metric; none where it is not known. `place [N]` is where items stood in the earlier pool.
        """
        before = self.job.pool.earlier
        if not isinstance(earlier, CertifiedFindings) or before is None or before.hazard is None:
            return {}
        if any(one.plain is not None or one.anytime for one in (self, earlier)):
            return {}
        return correlations(
            (self.estimator, self.state.setup.targets), (earlier.estimator, earlier.state.setup.targets), before.hazard,
            place,
        )  # fmt: skip

    # People

    @property
    def readings(self) -> int:
        """How many answers experts have read."""
        return self.state.readings

    def reading_table(self) -> pd.DataFrame:
        """A row per answer that an expert read: its id, the answer, the expert's label, the chance of being read."""
        return reading_table(self.state)

    def sensitivity(self, rates: Sequence[float] = RATES, *, main: bool = False) -> pd.DataFrame:
        """The estimates if labellers are wrong so often, at random and at worst; of what answers alone tell.

        With `main`, of the first metric and the first few models only.
        """
        if self.state.readings:
            hint = "Their second readings are in the estimates already."
            raise InputError("sensitivity", "be asked where no expert has read", f"{self.readings:,} readings", hint)
        for one in rates:
            fraction("rate", one)
        targets = self.state.setup.targets
        if main:
            targets = [one for one in targets if one.name == targets[0].name][:MOST_MODELS]
        return sensitivity(self.estimator, targets, rates)

    def confusion(self, model: str | None = None) -> pd.DataFrame:
        """Counts per true and predicted class on the whole pool, each with its interval."""
        return self.of_model(model).confusion()

    def class_counts(self) -> pd.DataFrame:
        """How many items of each class the pool holds, with its interval."""
        return self.estimator.class_counts()

    def recalls(self, model: str | None = None) -> pd.DataFrame:
        """How many items of each true class are found, with its interval, and P(worst)."""
        return recalls(self.of_model(model))

    # Groups

    def groups(
        self, by: str = "class", metric: str = "accuracy", model: str | None = None, *, anytime: bool = False
    ) -> pd.DataFrame:
        """A metric per group with its interval, and P(worst).

        With `anytime=True`, accuracies with intervals that hold at all looks together, each by itself.
        """
        estimator = self.of_model(model)
        table = slices.by_group(estimator, by, metric)
        if not anytime:
            return table
        _accuracy_only(metric)
        pool, found = estimator.pool, groups_by(estimator.pool, by)
        masks = [found.index == k for k in np.flatnonzero(found.told)]
        ends = self.looks_at(*(group_accuracy(pool.predictions, len(pool.classes), mask) for mask in masks))
        return table.assign(low=[low for low, _ in ends], high=[high for _, high in ends])

    def ranking(
        self, by: str = "class", metric: str = "accuracy", m: int = 1, model: str | None = None
    ) -> pd.DataFrame:
        """Groups with `p`, the probability to be among the m worst; `attrs["verdict"]` says it in words."""
        table = self.groups(by, metric, model)
        highest = lower_is_better(resolve_metrics(metric, self.job.pool)[0])
        table = ranked(table, by, m, self.level, self.job.seed, highest=highest)
        rows, what = plain_rows(table, ("group",)), worst_by(metric, by, highest=highest)
        table.attrs["verdict"] = ranking_verdict(what, rows, m, table.attrs["together"], self.level)
        return table

    def difference(
        self, by: str, a: Hashable, b: Hashable, metric: str = "accuracy", model: str | None = None, *,
        anytime: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """How much higher a metric is in group `a` than in group `b`; `anytime` as for `groups`."""
        estimator = self.of_model(model)
        row = slices.compare(estimator, by, a, b, metric)
        if not anytime:
            return row
        _accuracy_only(metric)
        pool, found = estimator.pool, groups_by(estimator.pool, by)
        first, second = (found.index == found.names.index(one) for one in (a, b))
        [(low, high)] = self.looks_at(group_difference(pool.predictions, len(pool.classes), first, second))
        return {**row, "low": low, "high": high}

    def compare(
        self, by: str, a: Hashable, b: Hashable, metric: str = "accuracy", rope: float = 0.05, model: str | None = None
    ) -> dict[str, Any]:
        """The difference, and the probabilities that it is lower, equal within `rope`, or higher, with a verdict."""
        fraction("rope", rope)
        row = compared(self.difference(by, a, b, metric, model), rope)
        return {**row, "verdict": comparison_verdict(row, rope, self.level)}

    # Calibration, models, plans

    def calibration(self, model: str | None = None) -> pd.DataFrame | None:
        """Score and accuracy per score bin; None without scores that are probabilities."""
        found = self._calibrated(model)
        return None if found is None else found.copy()

    def ece(self, model: str | None = None) -> tuple[float, float, float] | None:
        """Expected calibration error: estimate, low, high; None without scores that are probabilities."""
        found = self._calibrated(model)
        return None if found is None else slices.ece(self.of_model(model), found)

    def _calibrated(self, model: str | None) -> pd.DataFrame | None:
        """The bins of a model, worked out once: the error is made of them."""
        if model not in self._calibrations:
            estimator = self.of_model(model)
            self._calibrations[model] = slices.calibration(estimator) if estimator.pool.probable else None
        return self._calibrations[model]

    @cached_property
    def _calibrations(self) -> dict[str | None, pd.DataFrame | None]:
        return {}

    def thresholds(
        self, of: Hashable | None = None, model: str | None = None, *, points: int = POINTS, together: bool = False
    ) -> pd.DataFrame:
        """Recall, false-positive rate and precision of a class at every threshold of its score, with bands.

        They are the ROC and the precision-recall curve. With `together`, a band holds at all thresholds at once.
        """
        return threshold_curve(self.of_model(model), of, points=points, together=together)

    def cost_curve(
        self, false_positive: float, false_negative: float, of: Hashable | None = None, model: str | None = None, *,
        points: int = POINTS,
    ) -> CostCurve:  # fmt: skip
        """What false positives and false negatives cost at every threshold, and the threshold that costs least."""
        return cost_curve(self.of_model(model), false_positive, false_negative, of, points=points)

    def differences(self) -> pd.DataFrame | None:
        """Paired differences of every two models, or of many with the leader; None for one."""
        return models.differences(self.estimator, self.job.metrics) if len(self.job.pool.outputs) > 1 else None

    def contest(self, metric: str | None = None) -> Contest:
        """Which model is best by a metric: that of the contest, or the first, unless named."""
        targets = self._contested(metric)
        looks = partial(self._all_looks_behind, targets) if self.anytime else None
        return contest(self.estimator, targets, self._told_of(targets), looks)

    def _told_of(self, targets: Sequence[Target]) -> list[Estimate] | None:
        """The models' own estimates, where they are another method's or hold at all looks; None if they are usual."""
        if self.plain is None and not self.anytime:
            return None
        known = {(one.model, one.metric): one for one in self.estimates}
        if any((one.model, one.name) not in known for one in targets):
            return None
        return [known[one.model, one.name] for one in targets]

    def best(self) -> pd.DataFrame | None:
        """The contest by every metric, one below the other; None for one model."""
        if len(self.job.pool.outputs) < 2:
            return None
        return best_by_metric([self.contest(one.name) for one in self.job.metrics])

    def leading(self, metric: str | None = None) -> Leading:
        """Which model leads by a metric, and what choosing it now may cost."""
        if self.anytime:
            return self.contest(metric).leading
        return self._leading if metric is None else self._leading_by(metric)

    @cached_property
    def _leading(self) -> Leading:
        return self._leading_by(None)

    def _leading_by(self, metric: str | None) -> Leading:
        targets = self._contested(metric)
        if metric is None and self.state.believed.contenders:  # the others had no chance at the last refit
            targets = [targets[place] for place in self.state.believed.contenders]
        return leading(where_they_stand(self.estimator, targets), [one.model for one in targets], self.level)

    def _contested(self, metric: str | None) -> list[Target]:
        setup, several = self.state.setup, len(self.job.pool.outputs)
        if several < 2:
            hint = "Give the predictions of several models."
            raise InputError("models under test", "be several, for one to be the best", several, hint)
        name = metric or setup.recipe.best or self.job.metrics[0].name
        if name == setup.recipe.best:
            return setup.contested_targets
        if mine := [one for one in setup.targets if one.name == name]:
            return mine
        drawn_for = [one for one in self.job.drawn_for or () if one.name == name]
        found = tuple(drawn_for) or resolve_metrics(name, self.job.pool)
        if len(found) > 1:
            raise InputError("metric of a contest", "be one metric", f"{name!r}, which is {len(found)}")
        return targets_of(found, self.job.pool)

    def _all_looks_behind(
        self, targets: Sequence[Target], leader: int, others: Sequence[int]
    ) -> tuple[list[tuple[float, float]], str]:
        """By how much models are behind the leader, at all looks and for all pairs of models together."""
        classes = self.job.pool.classes
        words = f"at least {100 * self.level:.6g}% coverage at all looks and for all models together"
        apart = [ratio_behind(targets, leader, h, len(classes)) for h in others]
        if None not in apart:
            each = share_of_level(self.level, len(targets))
            ratios = [(one,) for one in apart if one is not None]
            return self._ends([behind(targets, leader, h) for h in others], ratios, each), words
        # Of other metrics each model's own interval, at a level for all of them together.
        share = 1 - (1 - self.level) / len(targets)
        own = [ratios_of(one, classes) for one in targets]
        alone = self._ends([[(1.0, one)] for one in targets], own, share)
        return [between_own(alone, targets, leader, h) for h in others], words

    def forecast(self, within: float | None = None) -> pd.DataFrame:
        """Labels needed in all for +- `within`, and what random sampling would have needed for the present precision.

        Precision is that of the intervals these findings have, those of one look for another method's. What missing
        answers add to an interval does not shrink with further labels: where that alone is more than `within`, no
        number of labels is enough.
        """
        goal = None if within is None else positive("within", within)
        halves = [(one.high - one.low) / 2 for one in (self.estimates if self.plain is None else self.ordinary)]
        lost = [_lost(one) for one in self.ordinary]
        return self.estimator.forecast(self.state.setup.targets, halves, goal, lost)

    @property
    def features(self) -> FeaturesWorth | None:
        """What features were worth, as the answers that the last refit knew have it."""
        made = self.state.believed
        if self.plain is not None or made.features_error is None:
            return None
        return FeaturesWorth(made.features_error, made.learners)

    # All looks together

    def at_all_looks(self) -> CertifiedFindings:
        """The same, with intervals that hold at all looks together."""
        self._check_unread()
        return replace(self, anytime=True)

    def _check_unread(self) -> None:
        """Refuse bets where experts have read: those are placed on the answers as they were given; and on a sample."""
        if self.job.pool.first_phase is not None:
            hint = "Intervals of one look are about the whole."
            rule = "be asked for where the pool is the whole, as nothing is bet on rows that are not in it"
            got = f"{self.job.pool.size:,} of {self.job.pool.whole:,} rows"
            raise InputError("intervals at all looks", rule, got, hint)
        if self.clusters is not None:
            hint = "About the items of this pool alone they can be had: of_this_pool(), --of-this-pool."
            rule = "be asked for without clusters, as nothing is bet on others like these"
            raise InputError("intervals at all looks", rule, f"{self.clusters.count:,} clusters", hint)
        if self.state.readings:
            hint = "Intervals of one look have what they read."
            rule = "be asked for where no expert has read"
            raise InputError("intervals at all looks", rule, f"{self.readings:,} readings", hint)

    def looks_at(self, *ratios: Ratio) -> list[tuple[float, float]]:
        """Intervals of any ratios (`altmas.certified.functionals`) that hold at all looks together, one by one.

        The run is made again from its answers, betting on these as it goes.
        """
        self._check_unread()
        return [interval_of(one, self.level) for one in self._bets(ratios)]

    def gate(self, requirements: Sequence[str | Requirement], *, model: str | None = None, cost: Any = None) -> Gate:
        """Whether requirements are met, as it may be asked after every label; `cost` is what an expected cost needs."""
        self._check_unread()
        return gate(self, requirements, model, cost)

    def tests(self, thresholds: Sequence[Threshold]) -> tuple[ThresholdTest, ...]:
        """Tests of these thresholds, placed again; a missing answer is what is worst for each side."""
        if not thresholds:
            return ()
        setup = replace(self.state.setup, watched=tuple(thresholds))
        found = follow(start(setup), self.answers) if self._made_again else replay(setup, self._logged)
        return tuple(one for one in found.bets if isinstance(one, ThresholdTest))

    def ends_of(self, target: Target, ratios: tuple[Watched, ...], level: float) -> tuple[float, float]:
        """The interval of a target, the mean of its ratios, at all looks together."""
        [ends] = self._ends([[(1.0, target)]], [ratios], level)
        return ends

    @property
    def _made_again(self) -> bool:
        """Whether rounds follow from the answers; questions without an answer are in a log only."""
        return self.rounds is None and not len(self.state.missing)

    @cached_property
    def _logged(self) -> tuple[AskedRound, ...]:
        """The rounds with the refits they were drawn with."""
        return logged(self.state.setup, self.answers, self.unanswered) if self.rounds is None else self.rounds

    def _bets(self, ratios: Sequence[Watched], answers: Answers | None = None) -> tuple[Bets, ...]:
        """Bets on these ratios, placed again; with other answers, where missing ones are filled in."""
        setup = replace(self.state.setup, watched=tuple(ratios))
        if self._made_again:
            return follow(start(setup), self.answers).bets
        if answers is None and len(self.state.missing):
            hint = "Intervals of one look allow for them."
            rule = "all be there for intervals of groups that hold at all looks together"
            raise InputError("answers", rule, f"{len(self.state.missing)} missing", hint)
        labels = np.full(self.job.pool.size, -1)
        known = self.answers if answers is None else answers
        labels[known.items] = known.labels
        return replay(setup, [replace(one, labels=labels[one.items]) for one in self._logged]).bets

    def _looks(self) -> list[tuple[float, float, str]]:
        """Low, high and promise of each target, at all looks together."""
        targets, classes = self.state.setup.targets, self.job.pool.classes
        ratios = [ratios_of(target, classes) for target in targets]
        found = self._ends([[(1.0, target)] for target in targets], ratios, self.level, self.state.bets)
        return [(low, high, promise(len(some), self.level)) for (low, high), some in zip(found, ratios, strict=True)]

    def _ends(
        self, signed: Sequence[Signed], ratios: Sequence[tuple[Watched, ...]], level: float, made: Sequence[Bets] = ()
    ) -> list[tuple[float, float]]:
        """Intervals of signed sums of targets, each the mean of its ratios, at all looks together; `made` are its bets.

        A bet needs its answer. Where some are missing, the lower end is of the world in which all of those lower it,
        the upper end of that in which they raise it.
        """
        if len(self.state.missing):
            return [self._between_worlds(one, some, level) for one, some in zip(signed, ratios, strict=True)]
        left = iter(made or self._bets([one for some in ratios for one in some]))
        return [mean_interval([next(left) for _ in some], level) for some in ratios]

    def _between_worlds(self, signed: Signed, ratios: tuple[Watched, ...], level: float) -> tuple[float, float]:
        sample, missing = self.estimator.asked_sample, self.state.missing
        worlds = [filled(signed, sample, missing, up=up) for up in (False, True)]
        lows, highs = zip(*(mean_interval(self._bets(ratios, one), level) for one in worlds), strict=True)
        return min(lows), max(highs)

    def result(self, method: str, seen: Sequence[Round]) -> CertifiedResult | None:
        """The result of `assess` that holds these findings; another method's has nothing to add."""
        return CertifiedResult.of(method, seen, self) if self.plain is None else None


def _within(ordinary: Estimate, look: tuple[float, float, str]) -> Estimate:
    """An estimate with another interval, which it cannot lie outside of."""
    if ordinary.promise.startswith("exact"):
        return ordinary
    low, high, promise = look
    disagreement = ordinary.promise.partition(";")[1:]
    words = promise + whatever_missing(ordinary.missing) + "".join(disagreement)
    value = float(np.clip(ordinary.estimate, low, high))
    return replace(ordinary, estimate=value, low=low, high=high, promise=words)


def _lost(one: Estimate) -> float:
    """Half of what missing answers add to the width of an interval."""
    return (one.high - one.low - (one.high_alike - one.low_alike)) / 2 if one.missing else 0.0


def _accuracy_only(metric: str) -> None:
    if metric != "accuracy":
        raise InputError("metric", "be accuracy for anytime intervals of groups", repr(metric))
