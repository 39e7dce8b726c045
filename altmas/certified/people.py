"""What people add to a state: which answers experts read next, and what their readings make of all answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from altmas.beliefs.likely import READ_WEIGHTING, Heard, likely
from altmas.certified.corrected import Corrected, LeftOut
from altmas.certified.design import Linearised
from altmas.certified.race import inclusion_at
from altmas.certified.rereading import FLOOR, drawn_readings, ideal_chances
from altmas.certified.setup import linearised
from altmas.certified.split import best_ratio
from altmas.core.method import LEFT_OUT, ReadRound
from altmas.metrics.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.certified.state import State

MOST_TARGETS = 24
"""Second readings are chosen for so many metrics and models at most."""

_NOTHING = 1e-12


def read_labels(state: State) -> IntArray:
    """The label that an expert read for each answer `[n]`; -1 without one, `LEFT_OUT` where it was left out."""
    found = np.full(state.setup.job.pool.size, -1)
    found[state.reread.items] = state.reread.labels
    return found[state.answers.items]


def corrected_answers(state: State) -> Corrected | None:
    """The answers as experts correct them; None while no reading differs from its answer."""
    if (state.labels.labels == state.answers.labels).all():
        return None
    return Corrected(_likely(state, as_shown=True), state.read >= 0, reading_chances(state))


def reading_chances(state: State) -> FloatArray:
    """r_i of each answer `[n]`.

    Readings that were drawn and did not come are taken to be like those that came, and answers that had no chance yet,
    because nothing was drawn since they came, to be corrected like the others. What experts settled they read for
    certain, and it stands for no other answer: annotators had none to be wrong in.
    """
    items, read = state.answers.items, state.read_again
    if not read.any():
        return np.ones(len(items))
    chance, some = _chances_if_all_came(state)
    drawn = np.isin(items, state.reread.items)
    logged = inclusion_at(state.reread.hazard[items])
    weight = np.divide(1.0, state.inclusion[items] * logged, out=np.zeros(len(items)), where=some)
    came = float(weight[read].sum() / max(weight[drawn].sum(), _NOTHING))
    return np.where(some, np.minimum(chance * came, 1.0), 1.0)


def _chances_if_all_came(state: State) -> tuple[FloatArray, BoolArray]:
    """r_i of each answer if every reading had come, and which had a chance at all `[n]`."""
    items = state.answers.items
    drawable = ~np.isin(items, state.circumstances.settled)
    weight, chance = 1 / state.inclusion[items], inclusion_at(state.reread.hazard[items])
    some = (chance > 0) & drawable
    share = float(weight[some].sum() / max(weight[drawable].sum(), _NOTHING))
    return np.where(some, np.minimum(chance * share, 1.0), 1.0), some


def left_out(state: State) -> LeftOut | None:
    """The readings that experts had and left out; None where there are none."""
    rows = np.flatnonzero(state.read == LEFT_OUT)
    if not len(rows):
        return None
    chance, _ = _chances_if_all_came(state)
    told = np.eye(len(state.setup.job.pool.classes))[state.labels.labels]
    made = told if state.corrected is None else state.corrected.likely
    return LeftOut(rows, Corrected(made, state.read >= 0, chance))


def reading_table(state: State) -> pd.DataFrame:
    """A row per answer that an expert read: its id, the answer, the expert's label, the chance of being read."""
    pool = state.setup.job.pool
    rows = np.flatnonzero(state.read_again)
    chance = reading_chances(state)
    said, read = state.answers.labels[rows], state.read[rows]
    return pd.DataFrame(
        {
            "id": [pool.ids[item] for item in state.answers.items[rows]],
            "answer": [pool.classes[label] for label in said],
            "label": [pool.classes[label] for label in read],
            "chance": chance[rows],
        }
    )


def _likely(state: State, *, as_shown: bool) -> FloatArray:
    """What every answer makes of its item's label `[n, C]`."""
    items = state.answers.items
    heard = Heard.of(state.circumstances.votes, state.answers, len(state.setup.job.pool.classes))
    return likely(
        state.believed_of_all.at(items).rows(), state.answers.labels, heard, state.read_again, state.labels.labels,
        reading_chances(state)**-READ_WEIGHTING, state.setup.cross_fit.fold[items], as_shown=as_shown,
    )  # fmt: skip


def readings_drawn(state: State, count: int) -> ReadRound:
    """The next answers for an expert to read, as yet without labels."""
    items = state.answers.items
    at, spreads = _doubts(state)
    ideal = ideal_chances(spreads, [one.ranges[items] for one in at], state.inclusion[items])
    choice, chances = drawn_readings(state.reread, items, ideal, count, state.setup.reading_clocks)
    unread = np.full(len(choice.items), -1)
    return ReadRound(choice.items, unread, choice.propensities, items, chances)


def readings_per_answer(state: State, cost: float) -> float:
    """How many second readings to have for each answer, where one costs as much as `cost` answers."""
    items, odds = state.answers.items, state.sample().odds_against
    at, spreads = _doubts(state)
    first, second = [], []
    for one, spread in zip(at, spreads, strict=True):
        # Read in proportion to its root, a doubt v leaves (sum of roots)^2 / m - sum of v in all.
        doubt = spread / np.square(state.inclusion[items])
        answers_alone = float(one.variance @ odds) - float(doubt.sum())
        first.append(len(items) * max(answers_alone, _NOTHING))
        second.append((1 + FLOOR) * float(np.sqrt(doubt).sum()) ** 2)
    return best_ratio(np.array(first), np.array(second), cost)


def _doubts(state: State) -> tuple[list[Linearised], list[FloatArray]]:
    """The targets that readings are for, and the variance of each answer's correction `[n]`, as expected."""
    setup, sample, read = state.setup, state.sample(), state.read >= 0
    at = linearised(setup.contested_targets if setup.recipe.best else setup.targets, sample)[:MOST_TARGETS]
    doubtful = Corrected(_likely(state, as_shown=False), read, np.ones(len(read)))
    return at, [one.corrections(replace(sample, corrected=doubtful))[1] for one in at]
