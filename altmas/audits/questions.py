"""Drawing the next round of an audit from the last ranking: quick, whatever a refit may be doing."""

from __future__ import annotations

import numpy as np

from altmas.audits.fits import FitFiles
from altmas.audits.sample import Kept, asked_round
from altmas.audits.state import State
from altmas.core.answers import Answers
from altmas.core.method import Job, Method, OpensItself, ReplayedRun, Replays
from altmas.core.policies import Choice, choose_uniformly
from altmas.metrics.types import IntArray


def ranking_for(state: State, *, wait: bool) -> int | None:
    """The fit to draw from: the newest, where the drawer waits for it; else one that has had a round to be made.

    While people answer, the fit that came due with the last answer is always still on its way. Leaving it to the round
    after next makes the questions depend on the order of answers alone, not on how quick the machine was; only a refit
    that takes longer than a round is missed, and the event says which one was used.
    """
    last = state.rounds[-1] if state.rounds else None
    wait = wait or (last is not None and last.before)  # what labels that were kept lead to is there from the beginning
    allowed = len(state.milestones) if wait else (last.milestones if last is not None else 0)
    return max((fit.number for fit in state.fits if fit.number < allowed), default=None)


class Questions:
    """Draws rounds; keeps what the rounds so far decided, which only ever grows."""

    def __init__(self, job: Job, method: Method, files: FitFiles, kept: Kept) -> None:
        self.job, self.method, self.files, self.kept = job, method, files, kept
        self._run: ReplayedRun | None = None
        self._rounds = 0

    def draw(self, state: State, count: int, fit: int | None) -> Choice:
        """The next round: `count` items not asked about before."""
        asked = Answers(items=np.fromiter(state.order, dtype=np.int64))
        if fit is None and isinstance(self.method, OpensItself):
            return self.method.opening(self.job, asked, len(state.rounds), count)
        if not isinstance(self.method, Replays):
            if fit is None:
                return choose_uniformly(self.job, asked, count)
            return self._from_ranking(fit, asked.items, count)
        if fit is None and self.job.even_start:
            return choose_uniformly(self.job, asked, count)
        # What was answered does not matter here: the chances follow from who was asked, and from the refits.
        if len(state.rounds) < self._rounds:  # what it had seen was never committed
            self._run, self._rounds = None, 0
        new = [asked_round(one, [-1] * len(one.positions), self.kept) for one in state.rounds[self._rounds :]]
        self._run = self.method.replay(self.job, new) if self._run is None else self._run.after(new)
        self._rounds = len(state.rounds)
        return (self._run if fit is None else self._run.with_kept(self.kept(fit))).choose(count)

    def _from_ranking(self, fit: int, asked: IntArray, count: int) -> Choice:
        items, propensities = self.files.array(fit, "items"), self.files.array(fit, "propensities")
        fresh = np.flatnonzero(~np.isin(items, asked))[:count]
        choice = Choice(items[fresh], propensities[fresh])
        if len(fresh) == count:
            return choice
        taken = Answers(items=np.concatenate([asked, choice.items]))  # the ranking is used up: the rest by chance
        rest = choose_uniformly(self.job, taken, count - len(fresh))
        return Choice(
            np.concatenate([choice.items, rest.items]), np.concatenate([choice.propensities, rest.propensities])
        )
