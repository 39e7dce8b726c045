"""The answers as a sample: in the order drawn, up to the last question answered, gaps and all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from altmas.audits.parts import Drawn
from altmas.audits.state import DISPUTED, OPEN, TAKEN_BACK, State
from altmas.audits.values import SKIP, UNSURE
from altmas.core.answers import Answers, Circumstances, Votes
from altmas.core.method import LEFT_OUT, ArrayMap, AskedRound, HearsPeople, ReadRound
from altmas.metrics.types import IntArray

Kept = Callable[[int], tuple[ArrayMap, int]]
"""What a refit left behind, by its number: arrays, and how many answers it knew."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """Rounds up to the last question answered; `answers` has the labels, `missing` the positions without one.

    A question drawn before the last one answered and still open is missing like one answered `unsure`: leaving it out
    without saying so would let whoever answers choose the sample. So is one whose answer was taken back, wherever it
    stands: whoever undid it had seen it. Those drawn after the last one ever answered count as not drawn yet. Where
    several annotators answer each question, the first label counts until others change it.
    """

    rounds: tuple[Drawn, ...]
    answers: Answers
    missing: IntArray
    reasons: dict[str, int]
    readings: tuple[ReadRound, ...] = ()
    circumstances: Circumstances = field(default_factory=Circumstances)

    def heard(self, run: Any) -> Any:
        """A run of the log, told of the people behind it, where it listens."""
        return run.with_people(self.readings, self.circumstances) if isinstance(run, HearsPeople) else run

    def asked_rounds(self, kept: Kept) -> list[AskedRound]:
        """The rounds with their answers, and what each was drawn with."""
        labels = dict(zip(self.answers.items.tolist(), self.answers.labels.tolist(), strict=True))
        return [asked_round(one, [labels.get(item, -1) for item in one.positions], kept) for one in self.rounds]


def asked_round(drawn: Drawn, labels: Sequence[int], kept: Kept) -> AskedRound:
    """A round of the log, with a class index per question (-1 without an answer)."""
    return AskedRound(
        drawn.round, np.array(drawn.positions, dtype=np.int64), np.array(labels, dtype=np.int64),
        np.array(drawn.propensities), None if drawn.fit is None else kept(drawn.fit), before=drawn.before,
    )  # fmt: skip


def drawing(state: State) -> Drawing:
    """What a state's events drew and got for it."""
    last = max((state.order[position] for position in state.entries if position in state.order), default=-1)
    rounds = first_draws(state.rounds, last + 1)
    answers, missing = Answers(), []
    reasons = {UNSURE: 0, SKIP: 0, DISPUTED: 0, TAKEN_BACK: 0, OPEN: 0}
    for one in rounds:
        items, labels, chances = [], [], []
        for position, chance in zip(one.positions, one.propensities, strict=True):
            verdict = state.verdict(position)
            if isinstance(verdict, int):
                items.append(position)
                labels.append(verdict)
                chances.append(chance)
            else:
                missing.append(position)
                reasons[verdict or (TAKEN_BACK if state.ever_answered(position) else OPEN)] += 1
        answers = answers.extended(items, labels, one.round, chances)
    lost = np.array(missing, dtype=np.int64)
    return Drawing(tuple(rounds), answers, lost, reasons, readings_of(state), circumstances_of(state, answers))


def readings_of(state: State, *, waiting: bool = False) -> tuple[ReadRound, ...]:
    """The second readings drawn so far, with what experts read; what they settled needs no draw, so it is certain.

    Those drawn after the last one ever read count as not drawn yet, like questions: whoever looks, and has readings
    drawn by that, changes no number. For the next draw, those `waiting` are drawn all the same.
    """
    last = max((k for k, one in enumerate(state.rereads) if any(map(state.ever_read, one.positions))), default=-1)
    made = state.rereads if waiting else state.rereads[: last + 1]
    rounds = [_read_round(one.positions, state, one.propensities, one.among, one.chances) for one in made]
    settled = [position for position in state.settled if position not in state.to_read]
    if settled:
        certain = (1.0,) * len(settled)
        rounds.append(_read_round(settled, state, certain, settled, certain))
    return tuple(rounds)


def _read_round(
    positions: Sequence[int], state: State, drawn: Sequence[float], among: Sequence[int], chances: Sequence[float]
) -> ReadRound:
    read = [label if isinstance(label := state.reading(one), int) else _unread(one, state) for one in positions]
    return ReadRound(
        np.array(positions, dtype=np.int64), np.array(read, dtype=np.int64), np.array(drawn),
        np.array(among, dtype=np.int64), np.array(chances),
    )  # fmt: skip


def _unread(position: int, state: State) -> int:
    """What stands for a reading without a label: not made yet, or left out by an expert who went on to others."""
    return LEFT_OUT if state.read_by(position) or state.passed_over(position) else -1


def circumstances_of(state: State, answers: Answers) -> Circumstances:
    """How these answers came about."""
    names: dict[str, int] = {}
    votes = [
        (position, names.setdefault(one.annotator, len(names)), one.label)
        for position in answers.items.tolist()
        for one in state.counted(position).values()
        if isinstance(one.label, int)
    ]
    items, people, labels = np.array(votes, dtype=np.int64).reshape(-1, 3).T
    late, settled = (np.array(sorted(some), dtype=np.int64) for some in (state.late - state.settled, state.settled))
    return Circumstances(Votes(items, people, labels), late, settled)


def first_draws(rounds: Sequence[Drawn], count: int) -> list[Drawn]:
    """The rounds that make up the first draws, the last of them cut short."""
    out, left = [], count
    for one in rounds:
        if left <= 0:
            break
        kept = len(one.positions) if one.before else min(left, len(one.positions))
        some = replace(one, positions=one.positions[:kept], propensities=one.propensities[:kept])
        out.append(some)
        left -= kept
    return out
