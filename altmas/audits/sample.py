"""The answers as a sample: in the order drawn, up to the last question answered, gaps and all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altmas.audits.design import first_draws
from altmas.audits.state import DISPUTED, Drawn, State
from altmas.audits.values import SKIP, UNSURE
from altmas.core.answers import Answers
from altmas.metrics.types import IntArray


@dataclass(frozen=True, eq=False)
class Drawing:
    """Rounds up to the last question answered; `answers` has the labels, `missing` the positions without one.

    A question drawn before the last one answered and still open is missing like one answered `unsure`: leaving it out
    without saying so would let whoever answers choose the sample. Those drawn after it count as not drawn yet. Where
    several annotators answer each question, the first label counts until others change it.
    """

    rounds: tuple[Drawn, ...]
    answers: Answers
    missing: IntArray
    reasons: dict[str, int]


def drawing(state: State) -> Drawing:
    """What a state's events drew and got for it."""
    last = max((state.order[position] for position in state.entries if state.standing(position)), default=-1)
    rounds = first_draws(state.rounds, last + 1)
    answers, missing = Answers(), []
    reasons = {UNSURE: 0, SKIP: 0, DISPUTED: 0, "open": 0}
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
                reasons[verdict or "open"] += 1
        answers = answers.extended(items, labels, one.round, chances)
    return Drawing(tuple(rounds), answers, np.array(missing, dtype=np.int64), reasons)
