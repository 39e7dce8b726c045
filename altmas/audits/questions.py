"""Drawing the next round of an audit from the last ranking: quick, whatever a refit may be doing."""

from __future__ import annotations

import numpy as np

from altmas.audits.design import Design
from altmas.audits.fits import FitFiles
from altmas.audits.state import State
from altmas.certified.method import Certified
from altmas.core.answers import Answers
from altmas.core.method import Job, Method
from altmas.core.policies import Choice, choose_uniformly, draw_in_turn
from altmas.core.streams import stream
from altmas.metrics.types import IntArray


def ranking_for(state: State, *, wait: bool) -> int | None:
    """The fit to draw from: the newest, where the drawer waits for it; else one that has had a round to be made.

    While people answer, the fit that came due with the last answer is always still on its way. Leaving it to the round
    after next makes the questions depend on the order of answers alone, not on how quick the machine was; only a refit
    that takes longer than a round is missed, and the event says which one was used.
    """
    allowed = len(state.milestones) if wait else (state.rounds[-1].milestones if state.rounds else 0)
    return max((fit.number for fit in state.fits if fit.number < allowed), default=None)


class Questions:
    """Draws rounds; keeps the hazards of the rounds so far, which only ever grow."""

    def __init__(self, job: Job, method: Method, files: FitFiles) -> None:
        self.job, self.method, self.files = job, method, files
        self._design = Design(job.pool.size, method, files.ideal) if isinstance(method, Certified) else None
        self._rounds = 0

    def draw(self, state: State, count: int, fit: int | None) -> Choice:
        """The next round: `count` items not asked about before."""
        asked = np.fromiter(state.order, dtype=np.int64)
        if fit is None:
            drawn = Answers(items=asked)
            return choose_uniformly(self.job, drawn, len(state.rounds), count)
        if self._design is None:
            return self._from_ranking(fit, asked, count, len(state.rounds))
        for one in state.rounds[self._rounds :]:
            self._design.run(one.fit, one.positions)
        self._rounds = len(state.rounds)
        open_items = np.flatnonzero(~self._design.drawn)
        chances = self._design.chances(fit)[open_items]
        return draw_in_turn(open_items, chances, count, stream(self.job.seed, "race", len(state.rounds)))

    def _from_ranking(self, fit: int, asked: IntArray, count: int, round: int) -> Choice:
        items, propensities = self.files.array(fit, "items"), self.files.array(fit, "propensities")
        fresh = np.flatnonzero(~np.isin(items, asked))[:count]
        choice = Choice(items[fresh], propensities[fresh])
        if len(fresh) == count:
            return choice
        taken = Answers(items=np.concatenate([asked, choice.items]))  # the ranking is used up: the rest by chance
        rest = choose_uniformly(self.job, taken, round, count - len(fresh))
        return Choice(
            np.concatenate([choice.items, rest.items]), np.concatenate([choice.propensities, rest.propensities])
        )
