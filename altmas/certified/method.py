"""The certified method: draw by worth with known chances, believe out of fold, correct the belief by its surprises.

Right on average by design, whatever the surrogate believes; precise when the surrogate is good. What a round does is
in `altmas.certified.state`; this is the method's place in the catalogue, and its run in the loop or from a log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar

from altmas.beliefs.learners import AUTO, Learners
from altmas.beliefs.worths import WORTHS
from altmas.certified.anytime import ratios_of
from altmas.certified.findings import CertifiedFindings
from altmas.certified.people import readings_drawn, readings_per_answer
from altmas.certified.refits import Refit
from altmas.certified.setup import Setup
from altmas.certified.state import (
    REFIT_GROWTH,
    State,
    advance,
    draw,
    follow,
    refit,
    replay,
    start,
)
from altmas.core.answers import Answers, Circumstances
from altmas.core.checks import fraction, is_number
from altmas.core.contest import Leading
from altmas.core.estimates import Estimate
from altmas.core.loop import CONTEST_BATCH, CONTEST_INITIAL, USUAL_BATCH, USUAL_INITIAL
from altmas.core.method import ArrayMap, AskedRound, Job, ReadRound
from altmas.core.policies import Choice
from altmas.metrics.errors import InputError

INTERVALS = ("wald", "anytime")


@dataclass(frozen=True)
class Certified:
    """`worth` decides what is drawn: neyman, information, expected_loss, xwed or uniform. `interval`: wald or anytime.

    `floor` is the share of the ideal chances that is blind to what the surrogate believes (None: adapted to how well it
    does); `temperature` sharpens (below 1) or flattens the worth. `learners` on features are `"auto"`, or a list of
    names (kernel, linear, neighbours, network) and classifiers of scikit-learn; an empty one leaves features alone.
    `best` is a metric by whose name the best of several models is sought: questions are then drawn to tell the leader
    from those who may be ahead of it.
    """

    worth: str = "neyman"
    interval: str = "wald"
    floor: float | None = None
    temperature: float = 1.0
    learners: Learners = AUTO
    best: str | None = None
    name: str = "certified"
    refit_growth: ClassVar[float] = REFIT_GROWTH
    several_models: ClassVar[bool] = True
    sees_scores: ClassVar[bool] = True

    @property
    def takes_readings(self) -> bool:
        """Whether experts may correct answers: bets for all looks are placed on the answers themselves."""
        return self.interval == "wald"

    @property
    def takes_clusters(self) -> bool:
        """Whether the intervals may be about clusters like the pool's: bets for all looks are about its items alone."""
        return self.interval == "wald"

    @property
    def initial(self) -> int:
        """Questions before the first fit: the fewer the sooner a leader shows."""
        return USUAL_INITIAL if self.best is None else CONTEST_INITIAL

    @property
    def batch(self) -> int:
        """Questions at a time after it."""
        return USUAL_BATCH if self.best is None else CONTEST_BATCH

    def begin(self, job: Job) -> CertifiedRun:
        """Check the options and gather the evidence."""
        if self.worth not in WORTHS:
            raise InputError("worth", f"be one of {', '.join(WORTHS)}", repr(self.worth))
        if self.interval not in INTERVALS:
            raise InputError("interval", f"be one of {', '.join(INTERVALS)}", repr(self.interval))
        if self.floor is not None and (isinstance(self.floor, bool) or self.floor != 1):
            fraction("floor", self.floor)
        if not is_number(self.temperature) or not self.temperature > 0:
            raise InputError("temperature", "be a number above 0", repr(self.temperature))
        if self.best is not None:
            self._check_contest(job)
        setup = Setup(job, self)
        if self.interval == "anytime":
            setup = replace(setup, watched=_watched(setup))
        return CertifiedRun(start(setup))

    def _check_contest(self, job: Job) -> None:
        if len(job.pool.outputs) < 2:
            hint = 'Give predictions={"ours": ..., "theirs": ...}.'
            raise InputError("predictions", "be several models' to find the best of them", "one model", hint)
        if self.best not in [one.name for one in job.metrics]:
            known = ", ".join(one.name for one in job.metrics)
            raise InputError("best", "be one of the metrics", repr(self.best), f"They are {known}.")
        if self.worth not in ("neyman", "uniform"):
            raise InputError("worth", "be neyman or uniform to find the best model", repr(self.worth))

    def replay(self, job: Job, rounds: Sequence[AskedRound]) -> LoggedRun:
        """The run that a log of rounds tells of. Bets are placed again only when they are asked for."""
        return LoggedRun(replay(Setup(job, self), rounds), tuple(rounds))


def _watched(setup: Setup) -> tuple[Any, ...]:
    """What is bet on as the run goes. Of a contest nothing: which gaps matter shows later, then bets are made again."""
    every = tuple(one for target in setup.targets for one in ratios_of(target, setup.job.pool.classes))
    return every if setup.recipe.best is None else ()  # what has no anytime interval is refused all the same


class CertifiedRun:
    """The certified method in the loop: it follows the answers round by round, and refits when they have grown."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._unanswered: dict[int, Choice] = {}  # by round
        self._looked: CertifiedFindings | None = None
        _ = state.setup.cross_fit  # what is wrong with a surrogate is said before any label is spent

    def update(self, answers: Answers, round: int) -> None:
        """Take the new answers round by round, as they were drawn; a log given at once leads to the same state."""
        if not answers.goes_on_from(self.state.answers):
            self.state = start(self.state.setup)
        self.state = follow(self.state, answers, self._unanswered)

    def left_unanswered(self, choice: Choice, round: int) -> None:
        """Questions that have no answer; others stand for them."""
        self._unanswered[round] = choice

    def choose(self, count: int) -> Choice:
        """Drawn with the chances of this round; by what the outputs alone lead to expect before the first answer."""
        return draw(self.state, count)

    def choose_readings(self, count: int) -> ReadRound:
        """Drawn in proportion to the correction that is expected, never without a chance."""
        return readings_drawn(self.state, count)

    def read(self, round: ReadRound) -> None:
        """Take what experts read."""
        self.state = self.state.with_readings(round)

    def readings_per_answer(self, cost: float) -> float:
        """Readings per answer that make the intervals narrowest."""
        return readings_per_answer(self.state, cost)

    def estimate(self, level: float) -> list[Estimate]:
        """Every metric of every model; in a contest that of the leader, for most models are out of it."""
        found = self.findings(level)
        if self.state.setup.recipe.best is None:
            return list(found.estimates)
        leader = self.leading(level).leader
        return [found.estimator.estimate(one) for one in self.state.setup.contested_targets if one.model == leader]

    def leading(self, level: float) -> Leading:
        """Which model leads, as one look has it."""
        return self._one_look(level).leading()

    def _one_look(self, level: float) -> CertifiedFindings:
        if self._looked is None or self._looked.level != level or self._looked.state is not self.state:
            self._looked = CertifiedFindings(self.state, level)
        return self._looked

    def findings(self, level: float) -> CertifiedFindings:
        """Everything the answers tell."""
        anytime = self.state.setup.recipe.interval == "anytime"
        return CertifiedFindings(self.state, level, anytime=anytime, unanswered=dict(self._unanswered))


@dataclass(frozen=True, eq=False)
class LoggedRun:
    """The certified method as a log has it: the same rounds, with what its refits left behind."""

    state: State
    rounds: tuple[AskedRound, ...]

    def after(self, rounds: Sequence[AskedRound]) -> LoggedRun:
        """After these further rounds."""
        return LoggedRun(reduce(advance, rounds, self.state), (*self.rounds, *rounds))

    def with_kept(self, kept: tuple[ArrayMap, int]) -> LoggedRun:
        """With another refit in force."""
        return replace(self, state=self.state.with_refit(Refit(*kept)))

    def with_people(self, readings: Sequence[ReadRound], circumstances: Circumstances) -> LoggedRun:
        """With what experts read, and how the answers came about."""
        state = replace(self.state, circumstances=circumstances).with_readings(*readings)
        return replace(self, state=state)

    def choose_readings(self, count: int) -> ReadRound:
        """The next answers for an expert to read."""
        return readings_drawn(self.state, count)

    def readings_per_answer(self, cost: float) -> float:
        """Readings per answer that make the intervals narrowest."""
        return readings_per_answer(self.state, cost)

    def refit(self) -> ArrayMap:
        """Believe anew from the answers so far: the arrays to keep."""
        return refit(self.state).arrays

    def choose(self, count: int) -> Choice:
        """The next round's items."""
        return draw(self.state, count)

    def findings(self, level: float) -> CertifiedFindings:
        """Everything the answers tell."""
        anytime = self.state.setup.recipe.interval == "anytime"
        return CertifiedFindings(self.state, level, rounds=self.rounds, anytime=anytime)
