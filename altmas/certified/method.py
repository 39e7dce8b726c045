"""The certified method: draw by worth with known chances, believe out of fold, correct the belief by its surprises.

Right on average by design, whatever the surrogate believes; precise when the surrogate is good.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from altmas.beliefs.cross_fit import Belief, CrossFit
from altmas.beliefs.label_models import label_models
from altmas.beliefs.worths import best_floor, chances
from altmas.certified.anytime import Anytime, bet_round
from altmas.certified.betting import BettingSequence
from altmas.certified.design import Designed, Linearised, Sample, designed, linearise
from altmas.certified.estimator import approximately
from altmas.certified.functionals import Ratio
from altmas.certified.models import pairs
from altmas.certified.race import Race, catch_up
from altmas.certified.wald import standard_error, wald
from altmas.certified.worth import WORTHS, worth_of_items
from altmas.core.answers import Answers
from altmas.core.checks import fraction, is_number
from altmas.core.estimates import Estimate
from altmas.core.method import Job, Run
from altmas.core.policies import Choice, choose_uniformly, draw_in_turn
from altmas.core.streams import stream
from altmas.core.targets import Target, targets_of
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray

AHEAD = 1.3
"""Chances are set so that the inclusion probabilities would be right after this many times the answers so far."""

GROWTH, SLOW_GROWTH = 1.2, 1.5
"""A belief is made anew, and a network trained again, when the answers have grown by these factors."""

INTERVALS = ("wald", "anytime")
ANYTIME_FLOOR = 0.4
"""Share of a uniform choice in every draw, where intervals are to hold at all looks."""


@dataclass(frozen=True)
class Certified:
    """`worth` decides what is drawn: neyman, information, expected_loss, xwed or uniform. `interval`: wald or anytime.

    `floor` is the uniform share of the ideal chances (None: adapted to how well the surrogate does); `temperature`
    sharpens (below 1) or flattens the worth. With features, `network=True` adds the MC-dropout network to the
    surrogate's candidates, or `surrogate`, a drawing estimator or scikit-learn ensemble, in its place.
    """

    worth: str = "neyman"
    interval: str = "wald"
    floor: float | None = None
    temperature: float = 1.0
    network: bool = True
    surrogate: Any = None
    name: str = "certified"

    def begin(self, job: Job) -> Run:
        """Check the options and gather the evidence."""
        if self.worth not in WORTHS:
            raise InputError("worth", f"be one of {', '.join(WORTHS)}", repr(self.worth))
        if self.interval not in INTERVALS:
            raise InputError("interval", f"be one of {', '.join(INTERVALS)}", repr(self.interval))
        if self.floor is not None and (isinstance(self.floor, bool) or self.floor != 1):
            fraction("floor", self.floor)
        if not is_number(self.temperature) or not self.temperature > 0:
            raise InputError("temperature", "be a number above 0", repr(self.temperature))
        if self.surrogate is not None and (job.pool.features is None or not self.network):
            raise InputError("surrogate", "come with features, and network=True", "neither or one")
        return CertifiedRun(job, self)


def next_chances(ideal: FloatArray, hazard: FloatArray, drawn: int, recipe: Certified) -> FloatArray:
    """Chances of the next round `[N]`, after so many draws, to bring the inclusion probabilities to the ideal ones."""
    caught = catch_up(ideal, hazard, math.ceil(AHEAD * (drawn + 1)))
    if recipe.interval != "anytime":
        return caught
    # Betting must survive the worst draw, so its intervals suffer from small chances more than the estimate gains.
    return chances(caught, floor=ANYTIME_FLOOR)


@dataclass(eq=False)
class CertifiedRun:
    """The certified method at work. A belief is made when the answers have grown; everything else follows each answer.

    The state is what the past decided: each item's hazard, and the belief and chances of the last update.
    """

    job: Job
    recipe: Certified
    also: tuple[Ratio, ...] = ()  # further ratios to bet on, for anytime intervals of groups and differences

    def __post_init__(self) -> None:
        pool = self.job.pool
        self.targets: list[Target] = targets_of(self.job.metrics, pool)
        models = label_models(pool, network=self.recipe.network, estimator=self.recipe.surrogate)
        self.cross_fit = CrossFit(models, pool.size, len(pool.classes), self.job.seed)
        self._start()

    def _start(self) -> None:
        """The state before the first answer."""
        pool = self.job.pool
        self.answers, self.round = Answers(), 0
        self.watch = Anytime(self.targets, pool) if self.recipe.interval == "anytime" else None
        self.bets = [BettingSequence(one, pool.size) for one in self.also]
        self.race = Race(pool.size)
        self.chances: FloatArray = np.full(pool.size, 1.0 / pool.size)
        self.belief: Belief | None = None
        self._believed_at = self._trained_at = 0

    def update(self, answers: Answers, round: int) -> None:
        """Take the new answers round by round, as they were drawn; a log given at once leads to the same state."""
        if not answers.goes_on_from(self.answers):
            self._start()
        for number in np.unique(answers.rounds[len(self.answers) :]):
            self._take(answers.first(int(np.searchsorted(answers.rounds, number, side="right"))), int(number) + 1)
        self.round = round

    def _take(self, answers: Answers, round: int) -> None:
        """Let the race run to the answers of one more round, and believe anew where there are enough of them."""
        new = len(answers) - len(self.answers)
        if self.watch is not None:
            self.watch.bet(self.chances, self.belief, answers, new)
        for one in self.bets:
            bet_round(one, self.chances, self.belief, answers, new)
        self.race.run(self.chances, self.answers.unlabelled(self.job.pool), new)
        self.answers, self.round = answers, round
        if len(answers) >= GROWTH * self._believed_at:
            self._believe()
        if len(answers) < self.job.pool.size:
            self.chances = self._next_chances()

    def choose(self, count: int) -> Choice:
        """Drawn with the chances of this round; uniformly before the first answer."""
        if len(self.answers) == 0:
            return choose_uniformly(self.job, self.answers, self.round, count)
        open_items = self.answers.unlabelled(self.job.pool)
        return draw_in_turn(open_items, self.chances[open_items], count, stream(self.job.seed, "race", self.round))

    def estimate(self, level: float) -> list[Estimate]:
        """Every metric of every model."""
        if len(self.answers) == self.job.pool.size:
            return [self._exact(target) for target in self.targets]
        sample = self.sample()
        return [self._estimate(at, designed(at, sample), level) for at in self.linearised]

    def sample(self) -> Sample:
        """What the estimator sees now."""
        assert self.belief is not None, "a belief is made at the first answer"
        return Sample(self.belief.probabilities, self.answers, self.inclusion())

    def inclusion(self) -> FloatArray:
        """Probability of each item to have been asked about by now `[N]`."""
        return self.race.inclusion()

    def believe(self, answers: Answers, hazard: FloatArray, round: int) -> tuple[FloatArray, Belief]:
        """What to make of answers drawn with these hazards, wherever they were kept: ideal chances, and the belief."""
        self._start()
        self.answers, self.round, self.race.hazard = answers, round, hazard
        self._believe()
        assert self.belief is not None
        return self.ideal, self.belief

    def _believe(self) -> None:
        answers = self.answers
        train = len(answers) >= SLOW_GROWTH * self._trained_at
        # Halfway between none and full weighting: the belief is to be right where most of the pool is, but full weights
        # would leave it few answers to learn from.
        weights = 1 / np.sqrt(self.race.inclusion()[answers.items])
        self.belief = self.cross_fit.fit(answers, weights / weights.mean(), refit_slow=train)
        self._believed_at = len(answers)
        self._trained_at = len(answers) if train else self._trained_at
        sample = self.sample()
        self.linearised: list[Linearised] = [linearise([(1.0, t)], t.name, t.model, sample) for t in self.targets]
        # Where several models are assessed, what their differences need is drawn for too.
        gaps = [linearise([(1.0, a), (-1.0, b)], a.name, "", sample) for a, b in pairs(self.targets)]
        self.wanted = [*self.linearised, *gaps]
        worth = worth_of_items(self.recipe.worth, self, sample)
        self.ideal = chances(worth, floor=self._floor(worth, sample), temperature=self.recipe.temperature)

    def _floor(self, worth: FloatArray, sample: Sample) -> float | FloatArray:
        if self.recipe.floor is not None:
            return self.recipe.floor
        fold, weights = self.cross_fit.fold, 1 / sample.inclusion[self.answers.items]
        squares = [np.square(at.surprises(self.answers)) for at in self.wanted]
        variances = [at.variance for at in self.wanted]
        by_fold = best_floor(
            worth, variances, squares, weights, self.answers.items, fold, temperature=self.recipe.temperature
        )
        return np.asarray(by_fold[fold])

    def _next_chances(self) -> FloatArray:
        return next_chances(self.ideal, self.race.hazard, len(self.answers), self.recipe)

    def _estimate(self, at: Linearised, found: Designed, level: float) -> Estimate:
        interval = wald(found, level)
        low, high = interval.low, interval.high
        promise = approximately(level)
        if self.watch is not None:
            low, high, promise = self.watch.interval(at.name, at.model, level)
        error = standard_error(found)
        if abs(found.plug_in - found.design) > 2 * error:
            apart = abs(found.plug_in - found.design) / max(error, 1e-300)
            promise += f"; surrogate and design disagree by {apart:.1f} standard errors"
        return Estimate(
            at.name, float(np.clip(interval.estimate, low, high)), low, high, len(self.answers), promise,
            found.plug_in, found.design, at.model,
        )  # fmt: skip

    def _exact(self, target: Target) -> Estimate:
        one_hot = np.eye(len(self.job.pool.classes))[self.answers.labels]
        value = float(target.metric.value(target.tally(one_hot, self.answers.items)))
        exact = "exact: every item is labelled"
        return Estimate(target.name, value, value, value, len(self.answers), exact, value, value, target.model)
