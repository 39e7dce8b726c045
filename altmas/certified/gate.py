"""Whether requirements are met: tests of their bounds, on the run's own draws, that hold at all looks together.

To pass, each requirement must be shown to be met at alpha: a gate that should not pass has one that is missed, and that
one passes with a chance of at most alpha (an intersection-union test needs no correction). To fail, one must be shown
to be missed, at alpha over their number: of a gate that should pass any of them may seem to be (a union bound).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from altmas.certified.anytime import Watched, ratios_of
from altmas.certified.functionals import functionals_of
from altmas.certified.interval import standard_error
from altmas.certified.threshold import ABOVE, BELOW, Threshold, ThresholdTest
from altmas.core.gate import Checked, Gate, needed_together, together
from altmas.core.pool import Pool
from altmas.core.requirements import Outcome, Requirement, check_bound, read_requirement
from altmas.core.targets import Target, bounds_of, resolve_metrics, targets_of
from altmas.metrics.errors import InputError
from altmas.words.gate import checked_sentence, gate_promise, gate_summary
from altmas.words.no_answer import without_score

if TYPE_CHECKING:
    from altmas.certified.findings import CertifiedFindings

EFFICIENCY = 0.75
"""What the logarithm of the wealth gains per label, as a share of the most that a bet could; as simulated."""

CLOSEST = 1e-4
"""An estimate nearer to its bound than this is as good as on it."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A requirement, and the target that it is about."""

    requirement: Requirement
    target: Target

    def watched(self, pool: Pool) -> tuple[Watched, ...]:
        """What is bet on: the bound of a ratio, or the ratios that a metric is the mean of."""
        found = ratios_of(self.target, pool.classes)
        single = functionals_of(self.target.metric, self.target.columns, pool.classes)
        if single is not None and len(single) == 1:
            return (Threshold(single[0], self.requirement.bound),)
        return found


def asked_of(
    pool: Pool, requirements: Sequence[str | Requirement], model: str | None, known: Sequence[Any], cost: Any
) -> list[Asked]:
    """Requirements with their targets; what cannot be asked is refused.

    `known` are metrics that were made already, with their costs.
    """
    if isinstance(requirements, str | Requirement):
        requirements = [requirements]
    if not requirements:
        hint = "Such as 'accuracy >= 0.9'."
        raise InputError("requirements", "be at least one", "none", hint)
    found = [_asked(pool, read_requirement(one), model, known, cost) for one in requirements]
    return list({(one.target.model, one.requirement): one for one in found}.values())


def _asked(pool: Pool, one: Requirement, model: str | None, known: Sequence[Any], cost: Any) -> Asked:
    names = [outputs.name for outputs in pool.outputs]
    text, at, named = one.metric.rpartition("@")
    if at and (named.strip() in names or not any("@" in str(one) for one in pool.classes)):  # a class may have one
        one, model = replace(one, metric=text.strip()), named.strip()
    if model is None and len(names) > 1:
        hint = f"Give model='...', or write {f'{one.metric}@{names[0]} {one.sign} {one.bound:g}'!r}."
        raise InputError(f"requirement {str(one)!r}", "say which model it is about", f"{len(names)} models", hint)
    if one.metric == "ece":
        raise _no_bets(one.metric)
    mine = [metric for metric in known if metric.name == one.metric]
    metrics = tuple(mine[:1]) or resolve_metrics(one.metric, pool, cost)
    if len(metrics) > 1:
        raise InputError("metric of a requirement", "be one metric", f"{one.metric!r}, which is {len(metrics)}")
    check_bound(one, *bounds_of(metrics[0]))
    of_model = pool.of_model(model)
    [target] = targets_of(metrics, of_model)
    if len(names) > 1:
        target = replace(target, model=of_model.outputs[0].name)
    if functionals_of(target.metric, target.columns, pool.classes) is None:
        raise _no_bets(one.metric)
    return Asked(one, target)


def _no_bets(name: str) -> InputError:
    hint = (
        "Require accuracy, error_rate, a cost, or precision, recall, F or specificity of a class or their macro means; "
        "of this metric a report's target says what its interval of one look allows."
    )
    return InputError(f"metric {name!r} of a gate", "have tests that hold at all looks together", "none", hint)


def gate(
    findings: CertifiedFindings, requirements: Sequence[str | Requirement], model: str | None = None, cost: Any = None
) -> Gate:
    """Whether all requirements are met, from the answers so far."""
    job = findings.job
    known = [*job.metrics, *(job.drawn_for or ())]
    asked = asked_of(job.pool, requirements, model, known, cost)
    alpha = 1 - findings.level
    watched = [one.watched(job.pool) for one in asked]
    tests = iter(findings.tests([one for some in watched for one in some if isinstance(one, Threshold)]))
    checks = []
    for one, some in zip(asked, watched, strict=True):
        at_bound = isinstance(some[0], Threshold)
        against = alpha / len(asked)
        found = _tested(one, next(tests), alpha, against) if at_bound else _between(findings, one, some, alpha, against)
        checks.append(_told(findings, one, found, alpha, against))
    outcome, needed = together(checks), needed_together(checks)
    labels, size = len(findings.answers), job.pool.size
    said = gate_summary(outcome, checks, labels, needed, size)
    partly = {one.target.model for one in asked if one.target.members is not None}
    unscored = [without_score(one.name, one.missing_scores, size) for one in job.pool.outputs
                if one.name in partly or partly == {""}]  # fmt: skip
    promise = " ".join([gate_promise(len(checks), findings.level), *filter(None, unscored)])
    return Gate(outcome, tuple(checks), labels, size, findings.level, needed, said, promise)


@dataclass(frozen=True)
class _Found:
    """What tests have shown of a requirement; an interval in place of evidence where it is a mean of ratios."""

    outcome: Outcome
    certain: bool = False
    evidence: tuple[float, float] | None = None  # for, against: the most it was
    now: tuple[float, float] | None = None
    ends: tuple[float, float] | None = None


def _tested(one: Asked, test: ThresholdTest, alpha: float, against: float) -> _Found:
    """By the wealth of bets against the bound; where both sides had enough once, nothing is settled."""
    up = one.requirement.sign == ">="
    sides = (ABOVE, BELOW) if up else (BELOW, ABOVE)
    most, now = ((float(values[sides[0]]), float(values[sides[1]])) for values in (test.most, test.now))
    good, possible = {0, 1 if up else -1}, test.possible()
    if possible <= good:
        return _Found("pass", True, most, now)
    if not possible & good:
        return _Found("fail", True, most, now)
    met, missed = most[0] >= 1 / alpha, most[1] >= 1 / against
    return _Found("not settled" if met == missed else "pass" if met else "fail", False, most, now)


def _between(
    findings: CertifiedFindings, one: Asked, some: tuple[Watched, ...], alpha: float, against: float
) -> _Found:
    """By the interval of a mean of ratios at all looks."""
    ends = findings.ends_of(one.target, some, 1 - alpha)
    outcome = one.requirement.met_by(*ends)
    if outcome == "fail" and against < alpha:
        outcome = one.requirement.met_by(*findings.ends_of(one.target, some, 1 - against))
    return _Found(outcome, ends[0] == ends[1], ends=ends)


def _told(findings: CertifiedFindings, one: Asked, found: _Found, alpha: float, against: float) -> Checked:
    estimator, required = findings.estimator, one.requirement
    _, designed, interval = estimator.of([(1.0, one.target)])
    low = high = interval.estimate
    if (between := estimator.worlds([(1.0, one.target)])) is not None:
        low, high = between[0].estimate, between[1].estimate
        if estimator.exact([one.target]) is False:
            interval = replace(interval, estimate=estimator.estimate(one.target).estimate)
    likely: Outcome = "pass" if required.met_by(interval.estimate, interval.estimate) == "pass" else "fail"
    gap = _gap(required, low, high, likely)
    needed: int | None = None
    if found.outcome == "not settled" and gap > 0:
        labels, size = len(findings.answers), findings.job.pool.size
        if found.now is not None:
            side = likely == "fail"
            nats = -math.log(against if side else alpha) - math.log(max(found.now[side], 1e-6))
            spread = standard_error(designed) ** 2 * labels / max(1 - labels / size, 1 / size)
            more = nats * 2 * spread / gap**2 / EFFICIENCY
        else:
            assert found.ends is not None
            reach = max(interval.estimate - found.ends[0], found.ends[1] - interval.estimate)
            more = labels * ((reach / gap) ** 2 - 1)
        left = size - len(findings.state.asked)
        needed = size if more >= left else labels + max(math.ceil(more), 1)
    passing, failing = found.evidence or (None, None)
    made = Checked(
        one.target.model, required.metric, required.sign, float(required.bound), found.outcome,
        float(interval.estimate), passing, failing, needed, likely, found.certain, "",
    )  # fmt: skip
    return replace(made, sentence=checked_sentence(made, len(findings.answers), findings.job.pool.size))


def _gap(required: Requirement, low: float, high: float, likely: Outcome) -> float:
    """How far the estimate is from the bound on its likely side, at worst; none where missing answers could decide."""
    up = required.sign == ">="
    if low < required.bound < high:
        return 0.0
    gap = low - required.bound if (likely == "pass") == up else required.bound - high
    return max(gap, CLOSEST)
