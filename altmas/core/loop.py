"""The one loop: update, estimate, choose, ask, until the budget is spent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from altmas.core.answers import Answers
from altmas.core.estimates import Estimate
from altmas.core.method import Job, Method, Run
from altmas.core.oracles import Oracle, ask
from altmas.core.policies import Choice
from altmas.core.pool import Pool
from altmas.metrics.errors import AltmasError, InputError

USUAL_INITIAL, USUAL_BATCH = 50, 10
"""Labels before the first fit and per round after it, where neither the user nor the method says."""

CONTEST_INITIAL, CONTEST_BATCH = 5, 1
"""The same where the best of several models is sought: each answer decides what to ask next."""


@dataclass(frozen=True)
class Plan:
    """How many labels, in what portions, the level of the intervals, and when they are narrow enough to stop."""

    budget: int
    initial: int
    batch: int
    level: float
    within: float | None = None

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


class OracleError(InputError):
    """The oracle failed or answered nonsense. `answers`, ids to labels, has all that was answered before."""

    answers: dict[object, object]


class MethodError(AltmasError):
    """A method failed after labels were spent. `answers`, ids to labels, has them all."""

    answers: dict[object, object]


def rounds(job: Job, method: Method, oracle: Oracle, plan: Plan) -> Iterator[Round]:
    """Yield what is known after the initial labels and after every batch, until budget or precision is reached."""
    run: Run = method.begin(job)
    answers, number = Answers(), 0
    run.update(answers, number)
    while len(answers) < plan.budget:
        want = min(plan.batch if len(answers) else plan.initial, plan.budget - len(answers))
        choice = _checked(run.choose(want), answers, job, method)
        answers = answers.extended(choice.items, _ask_all(oracle, job, choice, answers), number, choice.propensities)
        number += 1
        estimates = _update(run, answers, number, plan, job, method)
        yield Round(number, answers, estimates, run)
        if plan.reached(estimates):
            return


def _update(run: Run, answers: Answers, number: int, plan: Plan, job: Job, method: Method) -> tuple[Estimate, ...]:
    with answers_kept(method, answers, job.pool):
        run.update(answers, number)
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


def _ask_all(oracle: Oracle, job: Job, choice: Choice, before: Answers) -> list[int]:
    labels: list[int] = []
    try:
        with job.reporter.paused():  # a person may be typing
            for item in choice.items:
                labels.append(ask(oracle, job.pool, int(item)))
    except BaseException as error:
        known = before.extended(choice.items[: len(labels)], labels, 0, np.ones(len(labels)))
        answered = _by_id(known, job.pool)
        if not isinstance(error, Exception):  # Ctrl-C stays what it is
            error.answers = answered  # type: ignore[attr-defined]
            error.add_note(f"{len(answered)} answers so far: {answered}")
            raise
        if isinstance(error, InputError):
            failure = OracleError(*error.args)
        else:
            item = job.pool.ids[int(choice.items[len(labels)])]
            failure = OracleError("oracle", f"answer for {item!r}", f"{type(error).__name__}: {error}", ANSWERS_KEPT)
        failure.answers = answered
        raise failure from error
    return labels


ANSWERS_KEPT = "What was answered before is in this error's .answers."


def _checked(choice: Choice, answers: Answers, job: Job, method: Method) -> Choice:
    """A label costs money: refuse a method that asks twice, or for nothing, or beyond the pool."""
    items = np.asarray(choice.items)
    fresh = not np.isin(items, answers.items).any() and len(np.unique(items)) == len(items)
    if not len(items) or not fresh or items.min() < 0 or items.max() >= job.pool.size:
        raise AltmasError(f"method {method.name!r} must choose open items, each once; got {items.tolist()[:10]}.")
    return choice
