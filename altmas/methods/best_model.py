"""What methods share that look for the best of several models, and measure none: a run, its estimates, its contest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from altmas.core.answers import Answers
from altmas.core.contest import HOPELESS, Contest, Leading, ranked_models
from altmas.core.estimates import EXACT, Estimate
from altmas.core.findings import RunFindings
from altmas.core.method import Job, Method
from altmas.core.policies import Choice, clocks
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.core.tasks import Best, EstimateGroups, Task, task_name
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

MEASURE = "accuracy"
"""What these methods are published for: the best model is the one that is right most often."""

PROMISE = "nothing, no interval: chosen to find the best model, not to measure it"

UNKNOWN = float("nan")


class FindsBestModel(ABC):
    """A method that asks which of several models is most often right, one question at a time."""

    name: str
    batch: ClassVar[int] = 1
    initial: ClassVar[int] = 1
    several_models: ClassVar[bool] = True
    default_metrics: ClassVar[str] = MEASURE

    def begin(self, job: Job) -> BestModelRun:
        """Refuse what it was not made for, then look at what the models said."""
        several(self.name, job.pool)
        if other := [one.name for one in job.metrics if one.name != MEASURE]:
            hint = "method='certified' estimates every metric of several models."
            raise InputError("metrics", f"be {MEASURE} for method {self.name!r}", repr(other[0]), hint)
        return self.run(job)

    def with_task(self, task: Task, pool: Pool) -> Method:
        """The same: it has the one task, to find the most accurate model."""
        several(self.name, pool)
        if isinstance(task, Best) and task.name == MEASURE:
            return self
        if isinstance(task, Best):
            raise InputError("metric of task 'best'", f"be {MEASURE} for method {self.name!r}", repr(task.name))
        if not isinstance(task, EstimateGroups) or task.by is not None:
            wanted = f"{task_name(task)!r} by {task.by!r}" if isinstance(task, EstimateGroups) else task_name(task)
            raise InputError("task", f"be 'best' for method {self.name!r}, which knows no groups", wanted)
        return self

    def opening(self, job: Job, asked: Answers, round: int, count: int) -> Choice:
        """The questions before the first answer: by worth as well, since what the models said is known."""
        run = self.begin(job)
        return run.choose_among(asked.unlabelled(job.pool), count)

    @abstractmethod
    def run(self, job: Job) -> BestModelRun:
        """The method at work on a job that was checked."""


def several(method: str, pool: Pool) -> None:
    """Refuse a pool in which there is nothing to choose from."""
    if len(pool.outputs) < 2:
        hint = "Give predictions as {'name': [...], 'other': [...]}."
        raise InputError("predictions", f"be several models' for method {method!r}", "one model's", hint)


class BestModelRun(ABC):
    """A search at work. H models; all that is left to chance follows from the seed, not from the rounds.

    Items about which all models said the same, one by one, are worth the same: `patterns [U, H]` are what the models
    said where it differs, `place [N]` the pattern of each item.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.answers = job, Answers()
        self.said = np.stack([one.predictions for one in job.pool.outputs])  # [H, N]
        self.patterns, place = np.unique(self.said.T, axis=0, return_inverse=True)
        self.place: IntArray = place.reshape(-1)
        self.clocks = clocks(job.seed, job.pool.size)

    def update(self, answers: Answers, round: int) -> None:
        """Learn from the new answers; from all of them, where these are not the earlier ones and then some more."""
        if not answers.goes_on_from(self.answers):
            self.answers = Answers()
            self.forget()
        new = answers.at(slice(len(self.answers), None))
        self.learn(new.items, new.labels)
        self.answers = answers

    def choose(self, count: int) -> Choice:
        """The open items of highest worth; which of several that tie is left to chance."""
        return self.choose_among(self.answers.unlabelled(self.job.pool), count)

    def estimate(self, level: float) -> list[Estimate]:
        """The accuracy of each model, as far as the method has a view of it."""
        complete, labels = self.complete, len(self.answers)
        ends = self.value if complete else np.full(len(self.value), UNKNOWN)
        promise = EXACT if complete else PROMISE
        return [
            Estimate(MEASURE, value, end, end, labels, promise, model=one.name)
            for one, value, end in zip(self.job.pool.outputs, self.value.tolist(), ends.tolist(), strict=True)
        ]

    def leading(self, level: float) -> Leading:
        """Who leads; what choosing it would cost is not known before every item is labelled."""
        p_best, leader = self.p_best, self.leader
        loss = 0.0 if self.complete else UNKNOWN
        name = self.job.pool.outputs[leader].name
        return Leading(name, float(p_best[leader]), loss, loss, int((p_best >= HOPELESS).sum()))

    def findings(self, level: float) -> BestModelFindings:
        """Everything the answers tell."""
        return BestModelFindings(self, level)

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to find out."""
        return len(self.answers) == self.job.pool.size

    @property
    def p_best(self) -> FloatArray:
        """The probability of each model to be the best `[H]`; those that tie at the end share it."""
        if not self.complete:
            return self.believed_best()
        ahead = self.value == self.value.max()
        return np.asarray(ahead / ahead.sum())

    @property
    def value(self) -> FloatArray:
        """The accuracy of each model `[H]`."""
        if not self.complete:
            return self.believed_accuracy()
        return np.asarray((self.said[:, self.answers.items] == self.answers.labels).mean(1))

    @property
    def leader(self) -> int:
        """The model most probably the best; of several that tie, the one the seed prefers."""
        p_best = self.p_best
        return next(int(one) for one in self._preferred if p_best[one] == p_best.max())

    @cached_property
    def _preferred(self) -> IntArray:
        return stream(self.job.seed, "models").permutation(len(self.said))

    @abstractmethod
    def forget(self) -> None:
        """Go back to where there were no answers."""

    @abstractmethod
    def learn(self, items: IntArray, labels: IntArray) -> None:
        """Take in further answers; in which portions they come must not matter."""

    @abstractmethod
    def choose_among(self, candidates: IntArray, count: int) -> Choice:
        """The most worthy of these items."""

    @abstractmethod
    def believed_best(self) -> FloatArray:
        """The probability of each model to be the best `[H]`, while some items are open."""

    @abstractmethod
    def believed_accuracy(self) -> FloatArray:
        """The accuracy of each model `[H]`, while some items are open."""


@dataclass(frozen=True, eq=False)
class BestModelFindings(RunFindings):
    """The estimates, and the contest they stand for; no model is ruled out where nothing is promised."""

    run: BestModelRun

    def leading(self, metric: str | None = None) -> Leading:
        """Which model leads by accuracy."""
        return self.contest(metric).leading

    def contest(self, metric: str | None = None) -> Contest:
        """Which model is best by accuracy, the only metric these methods know."""
        import pandas as pd

        if metric not in (None, MEASURE):
            raise InputError("metric of a contest", f"be {MEASURE} for this method", repr(metric))
        run, names = self.run, [one.name for one in self.job.pool.outputs]
        leading, value, p_best = run.leading(self.level), run.value, run.p_best
        ends = value if run.complete else np.full(len(names), UNKNOWN)
        behind, behind_ends = (one[run.leader] - one for one in (value, ends))
        table = pd.DataFrame(
            {
                "model": names, "p_best": p_best, "estimate": value, "low": ends, "high": ends, "behind": behind,
                "behind_low": behind_ends, "behind_high": behind_ends, "ruled_out": behind_ends > 0,
            }
        )  # fmt: skip
        order = ranked_models(names, p_best, value, run.leader)
        promise = EXACT if run.complete else PROMISE
        table = table.iloc[order].reset_index(drop=True)
        return Contest(MEASURE, leading, table, len(self.answers), self.level, promise)


def most_worthy(
    candidates: IntArray, worth: FloatArray, count: int, rings: FloatArray, *, rtol: float = 0.0, atol: float = 0.0
) -> Choice:
    """The first `count` by worth. Those as near to the best one left as `np.isclose` has it tie: by whose clock rings.

    Their order does not depend on how many are asked for. A choice by worth has propensity 1.

    >>> worth, rings = np.array([0.5, 0.9, 0.2, 0.9 - 1e-13]), np.array([1.0, 3.0, 0.1, 2.0])
    >>> most_worthy(np.array([10, 11, 12, 13]), worth, 3, rings, atol=1e-12).items.tolist()
    [13, 11, 10]
    """
    count = min(count, len(candidates))
    order = np.argsort(-worth, kind="stable")
    falling, tied, start = worth[order], np.zeros(len(order), dtype=np.int64), 0
    while start < count:
        least = falling[start] - atol - rtol * abs(falling[start])
        end = int(np.searchsorted(-falling, -least, side="right"))
        tied[end:] += 1
        start = max(end, start + 1)
    chosen = np.lexsort([rings[order], tied])[:count]
    return Choice(candidates[order[chosen]], np.ones(count))
