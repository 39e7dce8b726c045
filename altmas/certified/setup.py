"""What stays the same throughout a certified run: the job and the recipe, and what follows before the first answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from altmas.beliefs.cross_fit import CrossFit, cross_fit_on
from altmas.beliefs.worths import ALIKE, ALIKE_IN_SAMPLE, blind_chances, chances, neyman
from altmas.certified.anytime import Watched
from altmas.certified.design import Linearised, linearise, minus
from altmas.certified.race import Laps
from altmas.certified.rereading import reading_clocks
from altmas.certified.sample import Sample
from altmas.certified.standing import Standing, standing
from altmas.certified.telling_apart import chances_to_tell_apart
from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.policies import clocks
from altmas.core.targets import Target, lower_is_better, targets_of
from altmas.metrics import metric
from altmas.metrics.scores import CalibrationError, ScoreMetric
from altmas.metrics.types import FloatArray

if TYPE_CHECKING:
    from altmas.certified.method import Certified

FIRST_FLOOR = 0.5
"""Share of the blind choice before the first answer: what the outputs say of themselves is not known to be true."""

T = TypeVar("T")

ANYTIME_FLOOR = 0.4
"""Share of a uniform choice in every draw, where intervals are to hold at all looks."""


@dataclass(frozen=True, eq=False)
class Setup:
    """What stays the same throughout a run: the job, the recipe, and the ratios that are bet on."""

    job: Job
    recipe: Certified
    watched: tuple[Watched, ...] = ()

    @cached_property
    def targets(self) -> list[Target]:
        """Every metric of every model."""
        return targets_of(self.job.metrics, self.job.pool)

    @cached_property
    def drawn_targets(self) -> list[Target]:
        """Those that questions are drawn for: calibration error follows from the accuracy of bins, and has none."""
        drawn = [one for one in self.targets if not isinstance(one.metric, CalibrationError)]
        return drawn or targets_of((metric("accuracy", self.job.pool.classes),), self.job.pool)

    @cached_property
    def contested_targets(self) -> list[Target]:
        """The metric of a contest, of every model; its own where other metrics are asked for afterwards."""
        drawn_for = self.job.metrics if self.job.drawn_for is None else self.job.drawn_for
        mine = [one for one in self.targets if one.name == self.recipe.best]
        return mine or targets_of(tuple(one for one in drawn_for if one.name == self.recipe.best), self.job.pool)

    def contested(self, sample: Sample) -> list[Linearised]:
        """What a contest is about: its metric of every model, linearised."""
        return [linearise([(1.0, one)], sample) for one in self.contested_targets]

    def standing(self, each: Sequence[Linearised], sample: Sample) -> Standing:
        """Where the models stand in the contest."""
        lower = lower_is_better(self.contested_targets[0].metric)
        return standing(each, sample, self.job.seed, lower_is_better=lower)

    def telling_apart(self, now: Standing) -> FloatArray:
        """The chances that tell the leader from the others, `[N]`."""
        return chances_to_tell_apart(now, self.recipe.floor, self.recipe.temperature)

    def _once(self, what: str, make: Callable[[], T]) -> T:
        """What does not depend on the metrics asked for, worked out once for all jobs that differ in those alone."""
        job = self.job
        held_by = (job.pool, self.recipe, job.metrics if job.drawn_for is None else job.drawn_for)
        key = (job.seed, job.even_start, job.voteless_start, *map(id, held_by))
        held = job.shared.setdefault(key, (held_by, {}))[-1]  # they are kept with it: nothing else gets their ids
        if what not in held:
            held[what] = make()
        found: T = held[what]
        return found

    @cached_property
    def clocks(self) -> FloatArray:
        """When each item's clock rings."""
        return self._once("clocks", lambda: clocks(self.job.seed, self.job.pool.size))

    @cached_property
    def reading_clocks(self) -> FloatArray:
        """When each answer's clock rings, for second readings."""
        return reading_clocks(self.job.seed, self.job.pool.size)

    @cached_property
    def laps(self) -> Laps:
        """The last laps of the race, for whoever runs it again."""
        return self._once("laps", Laps)

    @cached_property
    def lap_times(self) -> dict[bytes, tuple[float, float]]:
        """How long rounds lasted, as expected and until the last item rang, by what led there: small, so of all."""
        return self._once("lap times", dict)

    @cached_property
    def last_chances(self) -> Laps:
        """The chances of the last round."""
        return self._once("last chances", lambda: Laps(0))

    @cached_property
    def first_chances(self) -> FloatArray:
        """Chances before the first answer `[N]`: half blind, half by what the outputs alone lead to expect."""
        return self._once("first chances", self._first_chances)

    def _first_chances(self) -> FloatArray:
        size, recipe = self.job.pool.size, self.recipe
        if self.job.even_start or recipe.worth == "uniform":
            return np.full(size, 1.0 / size)
        voteless = self.job.voteless_start
        outputs = cross_fit_on(self.job.pool, self.job.seed, (), vote=False) if voteless else self.outputs_alone
        believed = Sample(outputs.before_answers(np.arange(size)), Answers(), np.ones(size))
        if recipe.best is not None:
            first = self.telling_apart(self.standing(self.contested(believed), believed))
            return chances(first, floor=ANYTIME_FLOOR) if recipe.interval == "anytime" else first
        drawn_for = self.job.drawn_for
        targets = self.drawn_targets if drawn_for is None else targets_of(drawn_for, self.job.pool)
        at = linearised(targets, believed, every_pair=voteless)
        blind = blind_chances([one.ranges_of_parts if voteless else one.ranges for one in at], self.alike)
        first = chances(neyman([one.variance for one in at]), floor=max(FIRST_FLOOR, recipe.floor or 0.0), blind=blind)
        return chances(first, floor=ANYTIME_FLOOR) if recipe.interval == "anytime" else first

    @cached_property
    def outputs_alone(self) -> CrossFit:
        """The candidates that need no features: learners on them take seconds to prepare, and know nothing yet."""
        job = self.job
        if job.pool.features is None:
            return self.cross_fit
        every = self.every_label
        return self._once("belief of outputs", lambda: cross_fit_on(job.pool, job.seed, (), every_label=every))

    @cached_property
    def cross_fit(self) -> CrossFit:
        """The candidates of the belief, and the folds."""
        job, learners, every = self.job, self.recipe.learners, self.every_label
        return self._once("belief", lambda: cross_fit_on(job.pool, job.seed, learners, every_label=every))

    @property
    def alike(self) -> float:
        """Share of the blind choice that is alike for all items."""
        return ALIKE if self.job.pool.whole == self.job.pool.size else ALIKE_IN_SAMPLE

    @property
    def every_label(self) -> bool:
        """Whether questions are drawn for metrics of scores, which ask how probable every label is."""
        drawn_for = self.job.metrics if self.job.drawn_for is None else self.job.drawn_for
        return any(isinstance(one, ScoreMetric) and one.kind != "ece" for one in drawn_for)


def linearised(targets: list[Target], sample: Sample, *, every_pair: bool = False) -> list[Linearised]:
    """Every target and, where several models are assessed, how far the others are from the one that seems best.

    Differences are drawn for too; not those of every two, as in older versions, which is work for every pair of models.
    """
    each = [linearise([(1.0, target)], sample) for target in targets]
    apart = []
    for name in dict.fromkeys(one.name for one in targets):
        some = [one for one in each if one.name == name]
        if every_pair:
            apart += [minus(a, b, sample) for a, b in combinations(some, 2)]
            continue
        sign = -1 if lower_is_better(some[0].parts[0].target.metric) else 1
        leader = max(some, key=lambda one: sign * one.plug_in)
        apart += [minus(one, leader, sample) for one in some if one is not leader]
    return each + apart
