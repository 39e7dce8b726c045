"""The one loop: update, estimate, choose, ask, until the budget is spent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from altmas.core.answers import Answers
from altmas.core.estimates import Estimate
from altmas.core.method import LEFT_OUT, Job, Method, Run, TakesMissing, TakesReadings
from altmas.core.oracles import Oracle, ask
from altmas.core.policies import Choice
from altmas.core.pool import Pool
from altmas.metrics.errors import AltmasError, InputError
from altmas.metrics.types import IntArray

USUAL_INITIAL, USUAL_BATCH = 50, 10
"""Labels before the first fit and per round after it, where neither the user nor the method says."""

FIRST_RATIO = 0.25
"""Second readings per answer that money is kept for, until the first answers tell."""

CONTEST_INITIAL, CONTEST_BATCH = 5, 1
"""The same where the best of several models is sought: each answer decides what to ask next."""


@dataclass(frozen=True)
class Plan:
    """How many labels, in what portions, the level of the intervals, and when they are narrow enough to stop.

    `readings` of the answers are read again by an expert. With `expert_cost`, what one reading costs in answers, the
    budget is money for both, and how it is split follows from the answers.
    """

    budget: int
    initial: int
    batch: int
    level: float
    within: float | None = None
    readings: int = 0
    expert_cost: float | None = None
    most: int | None = None  # items there are

    def answers_due(self, answered: int, ratio: float, read: int = 0) -> int:
        """How many questions to ask next, with so many readings planned for each answer; none where enough were.

        What `read` readings have cost is spent, whatever is planned now.

        >>> Plan(675, 50, 10, 0.95, expert_cost=5.0).answers_due(298, 0.25)
        2
        """
        most = self.budget
        if self.expert_cost is not None:
            left = self.budget - self.expert_cost * read
            most = int(min(self.budget / (1 + self.expert_cost * ratio), left) + 1e-9)
        most = max(most, 1) if self.most is None else min(max(most, 1), self.most)
        return min(self.batch if answered else self.initial, most - answered)

    def readings_due(self, answered: int, read: int, ratio: float) -> int:
        """How many answers to read next: they keep pace with the answers.

        >>> plan = Plan(300, 50, 10, 0.95, readings=75)
        >>> plan.readings_due(50, 0, 0.0), plan.readings_due(300, 70, 0.0)
        (12, 5)
        """
        if self.expert_cost is None:
            return self.readings * answered // self.budget - read
        money = int((self.budget - answered) / self.expert_cost + 1e-9)
        last = self.answers_due(answered, ratio, read) <= 0
        return min(money if last else int(ratio * answered), money, answered) - read

    def reached(self, estimates: tuple[Estimate, ...]) -> bool:
        """Whether every interval is within +- `within`; never, if that was not asked for."""
        return self.within is not None and all((e.high - e.low) / 2 <= self.within for e in estimates)


@dataclass(frozen=True, eq=False)
class Round:
    """What is known after a round's answers."""

    round: int
    answers: Answers
    estimates: tuple[Estimate, ...]
    run: Run
    readings: int = 0


class OracleError(InputError):
    """The oracle failed or answered nonsense. `answers`, ids to labels, has all that was answered before."""

    answers: dict[object, object]


class MethodError(AltmasError):
    """A method failed after labels were spent. `answers`, ids to labels, has them all."""

    answers: dict[object, object]


def rounds(job: Job, method: Method, oracle: Oracle, plan: Plan, expert: Oracle | None = None) -> Iterator[Round]:
    """Yield what is known after the initial labels and after every batch, until budget or precision is reached.

    With an `expert`, some answers of every batch are read again, as the plan has it.
    """
    run: Run = method.begin(job)
    answers, number, read, ratio, missing = Answers(), 0, 0, FIRST_RATIO, 0
    run.update(answers, number)
    while (want := plan.answers_due(len(answers) + missing, ratio, read)) > 0:
        choice = _checked(run.choose(want), answers, job, method)
        labels = _ask_all(oracle, job, choice.items, answers, may_skip=isinstance(run, TakesMissing))
        came = labels >= 0
        if isinstance(run, TakesMissing) and not came.all():
            run.left_unanswered(Choice(choice.items[~came], choice.propensities[~came]), number)
            missing += int((~came).sum())
        answers = answers.extended(choice.items[came], labels[came], number, choice.propensities[came])
        number += 1
        with answers_kept(method, answers, job.pool):
            run.update(answers, number)
        if not len(answers):
            continue
        if expert is not None:
            ratio, read = _read_again(run, expert, plan, job, method, answers, missing, read)
        estimates = _estimated(run, answers, plan, job, method)
        yield Round(number, answers, estimates, run, read)
        if plan.reached(estimates):
            return
    if not len(answers):
        failure = OracleError("oracle", "answer at least one question", f"no label for any of {missing:,}")
        failure.answers = {}
        raise failure


def _read_again(
    run: Run, expert: Oracle, plan: Plan, job: Job, method: Method, answers: Answers, missing: int, read: int
) -> tuple[float, int]:
    """Have the readings made that are due: readings per answer as they seem best now, and how many were made by now."""
    assert isinstance(run, TakesReadings)
    with answers_kept(method, answers, job.pool):
        ratio = 0.0 if plan.expert_cost is None else run.readings_per_answer(plan.expert_cost)
        due = plan.readings_due(len(answers) + missing, read, ratio)
        if due <= 0:
            return ratio, read
        round = run.choose_readings(due)
    labels = _ask_all(expert, job, round.items, answers, "expert", may_skip=True)
    with answers_kept(method, answers, job.pool):
        run.read(replace(round, labels=np.where(labels < 0, LEFT_OUT, labels)))
    return ratio, read + len(round.items)


def _estimated(run: Run, answers: Answers, plan: Plan, job: Job, method: Method) -> tuple[Estimate, ...]:
    with answers_kept(method, answers, job.pool):
        found = tuple(run.estimate(plan.level))
    return found if plan.within is None else tuple(replace(e, promise=_watched(e.promise)) for e in found)


def _watched(promise: str) -> str:
    """What is left of a promise about one look, when looking goes on until the interval is narrow."""
    every_look = "all looks" in promise or promise.startswith("exact")
    return (
        promise
        if every_look
        else f"{promise}, at a look fixed beforehand; less here, where looking went on until it was narrow"
    )


@contextmanager
def answers_kept(method: Method, answers: Answers, pool: Pool) -> Iterator[None]:
    """Turn whatever fails inside into an error that has the answers: they were paid for."""
    try:
        yield
    except Exception as error:
        failure = MethodError(
            f"method {method.name!r} must cope with its answers; got {type(error).__name__}: {error}."
        )
        failure.answers = _by_id(answers, pool)
        failure.add_note(ANSWERS_KEPT)
        raise failure from error


def _by_id(answers: Answers, pool: Pool) -> dict[object, object]:
    return {pool.ids[i]: pool.classes[y] for i, y in zip(answers.items, answers.labels, strict=True)}


def _ask_all(
    oracle: Oracle, job: Job, items: IntArray, before: Answers, who: str = "oracle", *, may_skip: bool = False
) -> IntArray:
    labels: list[int] = []
    try:
        with job.reporter.paused():  # a person may be typing
            for item in items:
                labels.append(ask(oracle, job.pool, int(item), who, may_skip=may_skip))
    except BaseException as error:
        # An expert's readings are no answers.
        given = [k for k, label in enumerate(labels) if label >= 0] if who == "oracle" else []
        known = before.extended(items[given], [labels[k] for k in given], 0, np.ones(len(given)))
        answered = _by_id(known, job.pool)
        if not isinstance(error, Exception):  # Ctrl-C stays what it is
            error.answers = answered  # type: ignore[attr-defined]
            error.add_note(f"{len(answered)} answers so far: {answered}")
            raise
        if isinstance(error, InputError):
            failure = OracleError(*error.args)
        else:
            item = job.pool.ids[int(items[len(labels)])]
            failure = OracleError(who, f"answer for {item!r}", f"{type(error).__name__}: {error}", ANSWERS_KEPT)
        failure.answers = answered
        raise failure from error
    return np.array(labels, dtype=np.int64)


ANSWERS_KEPT = "What was answered before is in this error's .answers."


def _checked(choice: Choice, answers: Answers, job: Job, method: Method) -> Choice:
    """A label costs money: refuse a method that asks twice, or for nothing, or beyond the pool."""
    items = np.asarray(choice.items)
    fresh = not np.isin(items, answers.items).any() and len(np.unique(items)) == len(items)
    if not len(items) or not fresh or items.min() < 0 or items.max() >= job.pool.size:
        raise AltmasError(f"method {method.name!r} must choose open items, each once; got {items.tolist()[:10]}.")
    return choice
