"""The certified method's state: one frozen value, and `advance`, the only way it goes on.

    start -> chances -> draw -> answers -> advance(state, round) -> refit, when due -> chances -> ...

A run of the loop, an audit's replay of its events and a log of answers all come through here. Nothing else computes
chances or hazards, or places bets.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.beliefs.worths import best_floor, blind_chances, chances, worth_of_items
from altmas.certified.anytime import Bets, first_bets
from altmas.certified.corrected import Corrected
from altmas.certified.design import Linearised
from altmas.certified.features_worth import share_of_error
from altmas.certified.kept_belief import arrays_of
from altmas.certified.people import corrected_answers, read_labels
from altmas.certified.race import catch_up, hazard_at, inclusion_at, lap_time
from altmas.certified.refits import Refit
from altmas.certified.rereading import Rereading
from altmas.certified.response import Response, response
from altmas.certified.sample import Sample
from altmas.certified.setup import ANYTIME_FLOOR, Setup, linearised
from altmas.core.answers import Answers, Circumstances
from altmas.core.method import AskedRound, ReadRound
from altmas.core.policies import Choice, draw_in_turn
from altmas.core.streams import stream
from altmas.metrics.belief import Belief
from altmas.metrics.errors import InputError
from altmas.metrics.types import BoolArray, FloatArray, IntArray

LOOK_AHEAD = 1.3
"""Chances are set so that the inclusion probabilities would be right after this many times the answers so far."""

REFIT_GROWTH = 1.2
"""Refits come due when the answers have grown by this factor."""

WEIGHTING = 0.25
"""An answer teaches the belief by the inverse of its inclusion probability to this power: 1 is full weighting."""

LEAST = 1e-12
"""What a clock has left at the least: rounding must not let one have rung that was not drawn."""


@dataclass(frozen=True, eq=False)
class State:
    """What the rounds so far decided: who was asked, what was answered, each item's hazard, and the refit in force.

    `asked` are positions in the order drawn. Those that have no answer are missing, and others stand for them.
    """

    setup: Setup
    asked: IntArray
    answers: Answers
    hazard: FloatArray
    run: FloatArray  # how far each item's clock has run, `[N]`
    bets: tuple[Bets, ...]
    reread: Rereading
    rounds: int = 0
    refit: Refit | None = None
    circumstances: Circumstances = field(default_factory=Circumstances)
    path: bytes | None = b""  # what hazards follow from, who was asked and drawn with what; None if nobody can tell

    @property
    def open_items(self) -> IntArray:
        """Positions not asked about yet."""
        return Answers(items=self.asked).unlabelled(self.setup.job.pool)

    @cached_property
    def missing(self) -> IntArray:
        """Positions asked about that have no answer."""
        return self.asked[~np.isin(self.asked, self.answers.items)]

    @cached_property
    def inclusion(self) -> FloatArray:
        """Probability of each item to have been asked about and answered by now `[N]`; of an answer with its label."""
        asked = inclusion_at(self.hazard)
        if self.response is None:
            return asked * response_rate(asked, self.answers.items, self.missing) if len(self.missing) else asked
        items, found = self.answers.items, asked * self.response.answered
        found[items] = asked[items] * self.response.kept(items, self.labels.labels)
        return found

    @cached_property
    def response(self) -> Response | None:
        """Who answers what; None where every question was answered, or nothing is believed yet."""
        if self.refit is None or not len(self.missing) or not len(self.answers):
            return None
        labels = np.full(self.setup.job.pool.size, -1)
        labels[self.answers.items] = self.labels.labels
        late = np.isin(self.asked, self.circumstances.late) & (labels[self.asked] >= 0)
        fold, pool = self.setup.cross_fit.fold, self.setup.job.pool
        return response(pool, self.refit.belief(pool), self.asked, labels[self.asked], late, fold)

    @cached_property
    def labels(self) -> Answers:
        """The answers with their labels: as an expert read them, or as they were given."""
        known = self.read >= 0
        if not known.any():
            return self.answers
        return self.answers.relabelled(np.where(known, self.read, self.answers.labels))

    @cached_property
    def read(self) -> IntArray:
        """The label that an expert read for each answer `[n]`, below 0 without one."""
        return read_labels(self)

    @property
    def read_again(self) -> BoolArray:
        """Which answers experts have read `[n]`; what they settled had no answer to be read again."""
        return (self.read >= 0) & ~np.isin(self.answers.items, self.circumstances.settled)

    @property
    def readings(self) -> int:
        """How many answers experts have read."""
        return int(self.read_again.sum())

    @cached_property
    def corrected(self) -> Corrected | None:
        """The answers as experts correct them; None while no reading differs from its answer."""
        return corrected_answers(self)

    @cached_property
    def believed_of_all(self) -> Belief:
        """The belief about all items, whether or not they would be answered."""
        found = self.believed.belief(self.setup.job.pool)
        return found if self.response is None else self.response.believed(found)

    @property
    def due(self) -> bool:
        """Whether the answers have grown enough for a refit."""
        return len(self.answers) > 0 and len(self.answers) >= REFIT_GROWTH * (self.refit.known if self.refit else 0)

    def with_refit(self, made: Refit | None) -> State:
        """The same rounds, with another refit in force."""
        return replace(self, refit=made)

    @cached_property
    def believed(self) -> Refit:
        """The refit in force; before the first, what one would be now."""
        return self.refit if self.refit is not None else refit(self)

    def sample(self) -> Sample:
        """What the estimates rest on."""
        now, answers = self.believed, self.labels
        before = self.setup.outputs_alone.before_answers(answers.items).rows()
        clusters = self.setup.job.pool.clusters
        if self.response is not None or self.corrected is not None:
            # What is known of the answers that the refit knew has changed since: it is linearised anew.
            return Sample(
                self.believed_of_all, answers, self.inclusion, before=before, corrected=self.corrected,
                clusters=clusters,
            )  # fmt: skip
        known = min(now.known, len(answers))
        # A refit that would be now, before there is one, takes the missing answers for what it would believe of them.
        made = {} if self.refit is None and len(self.missing) else now.linearised
        return Sample(
            now.belief(self.setup.job.pool), answers, self.inclusion, known, made, now.drawn_then, before,
            clusters=clusters,
        )  # fmt: skip

    def with_readings(self, *rounds: ReadRound) -> State:
        """After these rounds of second readings."""
        clocks = self.setup.reading_clocks
        return replace(self, reread=reduce(lambda done, one: done.after(one, clocks), rounds, self.reread))


def start(setup: Setup) -> State:
    """The state before the first round."""
    size = setup.job.pool.size
    bets = tuple(first_bets(one, size) for one in setup.watched)
    nobody = np.zeros(0, dtype=np.int64)
    return State(setup, nobody, Answers(), np.zeros(size), np.zeros(size), bets, Rereading.of(size))


def advance(state: State, round: AskedRound) -> State:
    """Fold one round into the state: bets on its answers, hazards run on to its draws, and the answers.

    A round that was drawn with an earlier refit brings it along. Where a log knows nothing but inclusion
    probabilities, the round has those and the hazards follow from them.
    """
    drawn_with = _drawn_with(state, round)
    if round.inclusion is not None:
        hazard = np.full(len(state.hazard), np.nan)
        with np.errstate(divide="ignore"):  # an item that was certain to be asked about has an endless hazard
            hazard[round.items] = -np.log1p(-round.inclusion)
        return _after(replace(drawn_with, bets=()), round, hazard, state.run, None)
    path, laps = path_after(state.path, drawn_with.refit, round), state.setup.laps
    if round.before:
        return _after(drawn_with, round, _hazard_before(state), state.run, path)
    if path is not None and not state.bets and (known := laps.find(path)) is not None:
        return _after(drawn_with, round, known[0], known[1], path)
    now = chances_of(drawn_with)
    refit = drawn_with.refit
    believed = None if refit is None or not state.bets else refit.belief(state.setup.job.pool)
    bets = tuple(one.after(now, believed, round.items, round.labels) for one in state.bets)
    expected, until_last = _lap_times(state, round, now, path)
    hazard, run = hazard_at(state.hazard, now, expected), state.run + now * until_last
    if path is not None:
        laps.keep(path, (hazard, run))
    return _after(replace(drawn_with, bets=bets), round, hazard, run, path)


def _hazard_before(state: State) -> FloatArray:
    """The hazards of an earlier audit, from which this one goes on with clocks of its own.

    An item that stayed is not asked about with the chance exp(-H) in that one and exp(-h) in this one, so hazards add
    up over both audits as they do over rounds.
    """
    earlier = state.setup.job.pool.earlier
    if earlier is None or earlier.hazard is None:
        raise InputError("a round asked before", "come with the hazards by then", "none")
    if state.bets:
        hint = "Ordinary intervals take kept labels; or renew without keeping them."
        raise InputError("anytime intervals", "rest on labels that were all drawn in this audit", "kept ones", hint)
    return earlier.hazard


def _lap_times(state: State, round: AskedRound, now: FloatArray, path: bytes | None) -> tuple[float, float]:
    """How long a round lasts: as expected, and until the last of its items rang. Till then every clock runs."""
    known = state.setup.lap_times
    if path is not None and path in known:
        return known[path]
    rang = (state.setup.clocks[round.items] - state.run[round.items]) / now[round.items]
    found = lap_time(now[state.open_items], len(round.items)), max(float(rang.max(initial=0.0)), 0.0)
    if path is not None:
        known[path] = found
    return found


def _drawn_with(state: State, round: AskedRound) -> State:
    return state if round.kept is None else state.with_refit(Refit(*round.kept))


def _after(drawn_with: State, round: AskedRound, hazard: FloatArray, run: FloatArray, path: bytes | None) -> State:
    """The answers of a round taken in, and where the race stands after it."""
    answered = round.labels >= 0
    answers = drawn_with.answers.extended(
        round.items[answered], round.labels[answered], round.number, round.propensities[answered]
    )
    asked = np.concatenate([drawn_with.asked, round.items])
    return replace(drawn_with, asked=asked, answers=answers, hazard=hazard, run=run, rounds=round.number + 1, path=path)


def path_after(path: bytes | None, drawn_with: Refit | None, round: AskedRound) -> bytes | None:
    """What the hazards after a round follow from: what led to it, who was asked, and the refit they were drawn with."""
    token = b"" if drawn_with is None else drawn_with.token
    if path is None or token is None or round.inclusion is not None:
        return None
    return hashlib.sha256(b"%b %b %b" % (path, token, round.items.tobytes())).digest()


def replay(setup: Setup, rounds: Sequence[AskedRound]) -> State:
    """The state after these rounds, from the first on; what is known of the race is not run again."""
    state = start(setup)
    if state.bets:  # they are placed again, round by round
        return reduce(advance, rounds, state)
    paths = list(_paths(rounds))
    for last in reversed(range(len(rounds))):
        path = paths[last]
        if path is not None and (lap := setup.laps.find(path)) is not None:
            for round in rounds[: last + 1]:  # who was asked and what was answered; where the race stands is known
                state = _after(_drawn_with(state, round), round, lap[0], lap[1], path)
            return reduce(advance, rounds[last + 1 :], state)
    return reduce(advance, rounds, state)


def _paths(rounds: Sequence[AskedRound]) -> Iterator[bytes | None]:
    path: bytes | None = b""
    refit: Refit | None = None
    for round in rounds:
        refit = refit if round.kept is None else Refit(*round.kept)
        yield (path := path_after(path, refit, round))


def follow(state: State, answers: Answers, unanswered: Mapping[int, Choice] | None = None) -> State:
    """The state after all rounds of these answers, which go on from its own; refits are made as they come due.

    `unanswered` are the questions of each round that have no answer.
    """
    for round in rounds_of(answers, len(state.answers), unanswered, state.rounds):
        state = advance(state, round)
        if state.due:
            state = state.with_refit(refit(state))
    return state


def logged(setup: Setup, answers: Answers, unanswered: Mapping[int, Choice] | None = None) -> tuple[AskedRound, ...]:
    """The rounds of these answers as a log has them: each with the refit that it was drawn with."""
    state, out = start(replace(setup, watched=())), []
    for round in rounds_of(answers, 0, unanswered):
        made = state.refit
        out.append(round if made is None else replace(round, kept=(made.arrays, made.known)))
        state = advance(state, round)
        if state.due:
            state = state.with_refit(refit(state))
    return tuple(out)


def rounds_of(
    answers: Answers, known: int = 0, unanswered: Mapping[int, Choice] | None = None, first: int = 0
) -> Iterator[AskedRound]:
    """The rounds of answers after the first `known` of them; with questions that have none, from round `first` on."""
    lost = {number: choice for number, choice in (unanswered or {}).items() if number >= first}
    for number in np.unique([*answers.rounds[known:].tolist(), *lost]).astype(int):
        end = int(np.searchsorted(answers.rounds, number, side="right"))
        part = slice(known, end)
        items, labels, drawn = answers.items[part], answers.labels[part], answers.propensities[part]
        if number in lost:
            none = lost[number]
            items, drawn = np.append(items, none.items), np.append(drawn, none.propensities)
            labels = np.append(labels, np.full(len(none.items), -1))
        yield AskedRound(int(number), items, labels, drawn)
        known = end


def chances_of(state: State) -> FloatArray:
    """Chances of the next round `[N]`: what brings the inclusion probabilities to the ideal ones."""
    if state.refit is None:
        return state.setup.first_chances
    last, token = state.setup.last_chances, state.refit.token
    key = None if state.path is None or token is None else (state.path, token)
    if key is not None and (known := last.find(key)) is not None:  # a round is drawn with them, and then run
        return known[0]
    found = catch_up(state.refit.ideal, state.hazard, math.ceil(LOOK_AHEAD * (len(state.asked) + 1)))
    if state.setup.recipe.interval == "anytime":
        # Betting must survive the worst draw, so its intervals suffer from small chances more than the estimate gains.
        found = chances(found, floor=ANYTIME_FLOOR)
    if key is not None:
        last.keep(key, (found,))
    return found


def draw(state: State, count: int) -> Choice:
    """The next items: drawn with the chances of the state.

    Exponential clocks forget: what an item that has not rung has still to run is as if it had just begun, so the draws
    of a round are as random as if the clocks were new.
    """
    open_items, job = state.open_items, state.setup.job
    if job.afresh:
        left = stream(job.seed, "race", state.rounds).standard_exponential(len(open_items))
    else:
        left = np.maximum((state.setup.clocks - state.run)[open_items], LEAST)
    return draw_in_turn(open_items, chances_of(state)[open_items], count, left)


def refit(state: State) -> Refit:
    """Believe anew from the answers so far, and find the ideal chances that follow."""
    setup, answers = state.setup, state.labels
    pool = setup.job.pool
    if len(answers) == 0:  # everything asked about was left unanswered
        even = arrays_of(Belief.even(pool.size, len(pool.classes)), pool)
        return Refit({"ideal": np.full(pool.size, 1.0 / pool.size), **even}, 0)
    # Between none and full weighting: the belief is to be right where most of the pool is, but full weights would
    # leave it few answers to learn from.
    weights = state.inclusion[answers.items] ** -WEIGHTING
    warm = {} if state.refit is None else state.refit.warm
    if state.refit is not None:  # of a large pool, what was made of the last one need not lie beside the new one
        state.refit.linearised.clear()
    corrected = None if state.refit is None else state.corrected
    soft = None if corrected is None else corrected.known(np.eye(len(pool.classes))[answers.labels])
    learnt = setup.cross_fit.fit(answers, weights / weights.mean(), warm, soft)
    arrays: dict[str, NDArray[Any]] = {**arrays_of(learnt.belief, pool), "drawn_then": state.inclusion}
    arrays |= {f"warm:{name}": array for name, array in learnt.warm.items()}
    arrays |= {f"weight:{name}": np.array(weight) for name, weight in learnt.weights.items()}
    arrays |= {f"learner:{name}": np.array(weight) for name, weight in learnt.learners.items()}
    without_features = learnt.without_features
    del learnt  # of a large pool it is large, and what is kept of it is used from here on
    made = Refit(arrays, len(answers))
    now = state.with_refit(made).sample()
    if setup.recipe.best is not None:
        return _refit_for_contest(setup, made, arrays, now, without_features)
    at = linearised(setup.drawn_targets, now)
    # Kept with the refit: until the next one, estimates need not linearise again.
    made.linearised.update(zip(setup.drawn_targets, at, strict=False))
    drawn_by, by = now, at
    if without_features is not None:
        drawn_by = replace(now, belief=without_features, linearised={})
        by = linearised(setup.drawn_targets, drawn_by)
        count = len(setup.drawn_targets)
        arrays["features_error"] = np.array(share_of_error(at[:count], by[:count], now))
    arrays["ideal"] = _ideal(state, now, at, drawn_by, by)
    return made


def _refit_for_contest(
    setup: Setup, made: Refit, arrays: dict[str, NDArray[Any]], now: Sample, without_features: Belief | None
) -> Refit:
    """The chances that tell the leader from those who may be ahead of it; drawn by the belief without features."""
    at = setup.contested(now)
    made.linearised.update(zip(setup.contested_targets, at, strict=True))
    if setup.recipe.worth == "uniform":
        arrays["ideal"] = np.full(now.belief.size, 1.0 / now.belief.size)
        return made
    if without_features is not None:
        drawn_by = replace(now, belief=without_features, linearised={})
        by = setup.contested(drawn_by)
        arrays["features_error"] = np.array(share_of_error(at, by, now))
        at, now = by, drawn_by
    stands = setup.standing(at, now)
    made.contenders.extend(stands.contenders.tolist())
    arrays["ideal"] = setup.telling_apart(stands)
    return made


def _ideal(state: State, sample: Sample, at: list[Linearised], drawn_by: Sample, by: list[Linearised]) -> FloatArray:
    """The best chances `[N]`: by worth, mixed with the blind share that would have served best so far.

    Worth is what the belief without features says (`drawn_by`, and `by` linearised there). Learners on features follow
    single answers: an error that is found would raise the chances of items beside it, whose answers would raise its
    own, and errors that were found would count for less than they stand for.
    """
    setup = state.setup
    variances = [one.variance for one in by]
    worth = worth_of_items(setup.recipe.worth, setup.job, variances, drawn_by.belief, sample.answers, state.rounds)
    # Uniform worth is random sampling, so its blind share is alike for all items too.
    blind = None if setup.recipe.worth == "uniform" else blind_chances((one.ranges for one in by), setup.alike)
    floor = _floor(setup, worth, at, sample, blind)
    return chances(worth, floor=floor, temperature=setup.recipe.temperature, blind=blind)


def _floor(
    setup: Setup, worth: FloatArray, wanted: list[Linearised], sample: Sample, blind: FloatArray | None
) -> float | FloatArray:
    if setup.recipe.floor is not None:
        return setup.recipe.floor
    answers, fold = sample.answers, setup.cross_fit.fold
    by_fold = best_floor(
        worth,
        [at.variance for at in wanted],
        [np.square(at.surprises(sample)) for at in wanted],
        1 / sample.inclusion[answers.items],
        answers.items,
        fold,
        temperature=setup.recipe.temperature,
        blind=blind,
    )
    return np.asarray(by_fold[fold])


def response_rate(inclusion: FloatArray, answered: IntArray, missing: IntArray) -> float:
    """Share of the pool that can be labelled, as far as the questions show: each counts for the items it stands for.

    >>> response_rate(np.full(10, 0.5), np.array([0, 1, 2]), np.array([3]))
    0.75
    """
    if len(missing) == 0 or len(answered) == 0:
        return 1.0
    known, lost = (float((1 / inclusion[items]).sum()) for items in (answered, missing))
    return known / (known + lost)
