"""Second readings of an audit: how many are due, and drawing them from the answers there are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from altmas.audits.fits import READINGS_PER_ANSWER
from altmas.audits.sample import drawing, readings_of
from altmas.audits.state import State
from altmas.core.loop import FIRST_RATIO, Plan
from altmas.core.method import HearsPeople, ReadRound, Replays
from altmas.metrics.errors import InputError

if TYPE_CHECKING:
    from altmas.audits.audit import Audit

PER_ANSWER = FIRST_RATIO
"""Second readings per answer, where nobody says."""


def planned(audit: Audit, state: State) -> tuple[int, int | None]:
    """How many answers were to be read again by now, and in all; None where nothing limits it."""
    settings, answered = audit.settings, state.labels
    if not settings.experts:
        return 0, 0
    if settings.cost_expert is not None:
        assert settings.budget is not None
        plan = Plan(settings.budget, settings.initial, settings.batch, settings.level, expert_cost=settings.cost_expert)
        ratio, drawn = per_answer(audit, state), len(state.to_read)
        now = drawn + max(plan.readings_due(answered, drawn, ratio), 0) if answered else 0
        return now, int((settings.budget - answers_planned(audit, state)) / settings.cost_expert)
    total = settings.second_readings
    if total is None and settings.budget is not None:
        total = max(int(PER_ANSWER * settings.budget), 1)
    share = PER_ANSWER if total is None or settings.budget is None else total / settings.budget
    now = int(share * answered + 1e-9)
    return (now if total is None else min(now, total)), total


def answers_planned(audit: Audit, state: State) -> int:
    """How many questions are to be answered: the budget, or its part that is not for readings; 0 without a plan."""
    settings = audit.settings
    if settings.budget is None or settings.cost_expert is None:
        return settings.budget or 0
    left = settings.budget - settings.cost_expert * len(state.to_read)  # what is drawn will be paid for
    return max(int(min(settings.budget / (1 + settings.cost_expert * per_answer(audit, state)), left) + 1e-9), 1)


def per_answer(audit: Audit, state: State) -> float:
    """Second readings per answer, as the last fit that tells it has it."""
    for fit in reversed(state.fits):
        arrays, _ = audit.kept(fit.number)
        if READINGS_PER_ANSWER in arrays:
            return float(arrays[READINGS_PER_ANSWER])
    return PER_ANSWER


def readings_due(audit: Audit, state: State) -> int:
    """How many second readings to draw now: in portions, the last as large as it is."""
    wanted, total = planned(audit, state)
    unread = state.labels - len(state.to_read.keys() | state.settled)
    due = min(wanted - len(state.to_read), unread)
    goal = answers_planned(audit, state)
    last = wanted == total or (goal > 0 and state.answered >= goal)
    return due if state.fits and (due >= audit.settings.batch or (last and due > 0)) else 0


def next_readings(audit: Audit, state: State, count: int, fit: int | None) -> ReadRound:
    """The next answers to read, as the log up to here and a fit lead to them."""
    if not isinstance(audit.method, Replays) or not getattr(audit.method, "takes_readings", False):
        rule = "be certified, without anytime intervals, for second readings"
        raise InputError("method", rule, repr(audit.method.name))
    drawn = replace(drawing(state), readings=readings_of(state, waiting=True))
    run: Any = drawn.heard(audit.method.replay(audit.job, drawn.asked_rounds(audit.kept)))
    assert isinstance(run, HearsPeople)
    round: ReadRound = (run if fit is None else run.with_kept(audit.kept(fit))).choose_readings(count)
    return round


def newest_fit(state: State) -> int | None:
    """The fit to choose readings with."""
    return max((one.number for one in state.fits), default=None)


def as_event(state: State, round: ReadRound, fit: int | None) -> dict[str, Any]:
    """What the log keeps of a draw: items by their places in the order asked, which are shorter than ids."""
    return {
        "round": len(state.rereads),
        "places": [state.order[int(one)] for one in round.items],
        "propensities": round.propensities.tolist(),
        "among": [state.order[int(one)] for one in round.among],
        "chances": round.chances.tolist(),
        "fit": fit,
    }
