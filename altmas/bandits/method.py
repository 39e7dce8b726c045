"""Groups as arms: active Bayesian assessment (Ji et al. 2021), and with a prior the groups share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from altmas.bandits.belief import GroupBelief, belief_for
from altmas.bandits.findings import GroupFindings
from altmas.bandits.rules import EpsilonGreedy, make_rule, mean_bins, mean_outcomes, sample_bins, sample_outcomes
from altmas.bandits.tasks import Arms, GroupTask, arms_for, groups_for
from altmas.core.answers import Answers
from altmas.core.checks import whole_number
from altmas.core.estimates import Estimate
from altmas.core.groups import Groups
from altmas.core.method import NEVER, Job
from altmas.core.policies import Choice, choose_uniformly, uniform
from altmas.core.pool import Pool
from altmas.core.streams import stream
from altmas.core.tasks import Best, Compare, EstimateGroups, Identify, Surface, Task
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

TRIES = 128
"""How often a rule is asked before one answer is taken; the share that said the same is the propensity."""

_NUMBERS = 4_000_000  # held at once, at most

PRIORS = ("uniform", "informed", "hierarchical")


@dataclass(frozen=True)
class GroupMethod:
    """A prior for group accuracies and confusion columns, and a rule for which group to ask about next."""

    name: str
    prior: str = "hierarchical"
    rule: str = "thompson"
    strength: float = 2.0
    reward: str = "accuracy"
    draws: int = 1000
    task: GroupTask = field(default_factory=EstimateGroups)
    metric_blind: ClassVar[bool] = True
    drawn_alike_since: ClassVar[int] = 6
    """The first engine of audits that draws groups as this version does."""

    def __post_init__(self) -> None:
        if self.prior not in PRIORS:
            raise InputError("prior", f"be one of {', '.join(PRIORS)}", repr(self.prior))
        if not self.strength > 0:
            raise InputError("strength", "be above 0", self.strength)
        whole_number("draws", self.draws, 2)
        if self.reward not in ("accuracy", "confusion"):
            raise InputError("reward", "be accuracy or confusion", repr(self.reward))
        make_rule(self.rule)

    @property
    def draws_alike(self) -> bool:
        """Whether every open item is as likely to be asked about as any other."""
        return self.rule == "random" and not self.compares

    @property
    def refit_growth(self) -> float:
        """Where chance alone decides what is asked, there is nothing to refit for."""
        return NEVER if self.draws_alike else 1.0

    @property
    def compares(self) -> bool:
        """Whether the task is about two groups, so that no other is ever asked about."""
        return isinstance(self.task, Compare)

    def with_task(self, task: Task, pool: Pool) -> GroupMethod:
        """The same method, for a task about groups."""
        if isinstance(task, Surface):
            return self  # a surface is made of any method's labels
        if isinstance(task, Best):
            raise InputError("method", "be one that compares models for task 'best'", repr(self.name))
        groups_for(task, pool)  # what is wrong with it is said before any label is spent
        return replace(self, task=task)

    def begin(self, job: Job) -> GroupRun:
        """Lay out the groups; the questions begin at random, as every method's do."""
        arms = arms_for(self.task, job.pool, self.reward)
        return GroupRun(job, self, arms, belief_for(self.prior, self.strength, job.pool, arms))

    def opening(self, job: Job, asked: Answers, round: int, count: int) -> Choice:
        """The questions before anything is known: from both sides of a comparison, else uniform."""
        if not self.compares:
            return choose_uniformly(job, asked, count)
        run = self.begin(job)
        run.update(Answers(), round)
        return run.choose(count, asked)


@dataclass(eq=False)
class GroupRun:
    """A group bandit at work: R = 1 of the lockstep engine, with real items instead of urns."""

    job: Job
    method: GroupMethod
    arms: Arms
    belief: GroupBelief
    answers: Answers = field(default_factory=Answers)
    round: int = 0

    def update(self, answers: Answers, round: int) -> None:
        """Count the outcomes, and refit the prior if it is one that learns."""
        self.answers, self.round = answers, round
        self.belief.update(answers)

    def choose(self, count: int, asked: Answers | None = None) -> Choice:
        """Arms by the rule, then within each arm an item by chance; never one of those `asked` already."""
        closed = self.answers if asked is None else asked
        if self.method.draws_alike or (len(self.answers) == 0 and not self.method.compares):
            return choose_uniformly(self.job, closed, count)
        return self._by_rule(count, closed.unlabelled(self.job.pool))

    def findings(self, level: float) -> GroupFindings:
        """Everything the answers tell of the groups."""
        return GroupFindings(self, level)

    def estimate(self, level: float) -> list[Estimate]:
        """Every metric, from draws of the confusion of the whole pool."""
        values = self._metric_draws()
        tails = [(1 - level) / 2, (1 + level) / 2]
        promise = f"{level:.0%} credible under the {self.method.prior} prior"
        if self.method.compares:
            promise = "nothing: a comparison asks about its two groups only"
        out = []
        for one, draws in zip(self.job.metrics, values, strict=True):
            low, high = np.quantile(draws, tails)
            mean = draws[0] if np.ptp(draws) == 0 else draws.mean()
            out.append(Estimate(one.name, float(mean), float(low), float(high), len(self.answers), promise))
        return out

    def stream(self, purpose: str) -> np.random.Generator:
        """The random numbers of this round for one purpose."""
        return stream(self.job.seed, "groups", self.round, purpose)

    def _metric_draws(self) -> list[FloatArray]:
        confusions = self.belief.confusions(self.method.draws, self.stream("confusion"))
        return [one.value(confusions) for one in self.job.metrics]

    def _by_rule(self, count: int, open_items: IntArray) -> Choice:
        rng, groups = self.stream("choose"), self.arms.groups
        waiting = _queues(rng.permutation(open_items), groups)
        asked = 2 if self.method.compares else len(groups.names)
        closed = self.belief.never_right(groups) if not self.arms.by_true_class else np.zeros(len(groups.names), bool)
        pending = np.zeros((1, len(groups.names), self.arms.outcomes))
        at_once = self.method.task.m if isinstance(self.method.task, Identify) else 1
        chosen: list[int] = []
        propensities: list[float] = []
        while len(chosen) < count:
            left = np.array([[0 if closed[g] else len(waiting[g]) for g in range(asked)]])
            if not left.any():  # nothing left that the task is about: the rest of the budget goes anywhere
                others = uniform(np.concatenate(waiting), count - len(chosen), rng)
                return Choice(np.array([*chosen, *others.items]), np.array([*propensities, *others.propensities]))
            if self.method.compares and len(self.answers) == 0:  # both sides alike, before anything is known
                turn = len(chosen) % 2 if left[0].all() else int(left[0].argmax())
                arms, chances = np.array([turn]), np.ones(1)
            else:
                arms, chances = self._pick(pending, left, at_once, rng)
            for arm, chance in zip(arms, chances, strict=True):
                propensities.append(float(chance) / len(waiting[arm]))
                chosen.append(int(waiting[arm][-1]))
                waiting[arm] = waiting[arm][:-1]
                pending[0, arm] += self._expected_outcome(arm, pending)
        return Choice(np.array(chosen[:count]), np.array(propensities[:count]))

    def _pick(
        self, pending: FloatArray, left: IntArray, step: int, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray]:
        """Arms, and the chance of each: the rule is asked many times, and one of its answers is taken by lot."""
        tries = int(np.clip(_NUMBERS // pending.size, 8, TRIES))
        alpha = np.concatenate([self.belief.alpha(rng) + pending for _ in range(tries)])[:, : left.shape[1]]
        sample = sample_bins if self.arms.bins is not None else sample_outcomes
        rule = make_rule(self.method.rule)
        if isinstance(rule, EpsilonGreedy) and self.arms.bins is not None:
            rule = replace(rule, mean=mean_bins)
        answers = rule.choose(alpha, self.arms.task, np.repeat(left, tries, axis=0), step, sample, rng)
        arms = answers[int(rng.integers(tries))]
        arms = arms[arms >= 0]
        return arms, np.array([(answers == arm).any(-1).mean() for arm in arms])

    def _expected_outcome(self, arm: int, pending: FloatArray) -> FloatArray:
        """What an answer from this arm would add on average: the rest of a batch must not forget what it asked."""
        alpha = self.belief.alpha(self.stream("pending")) + pending
        if self.arms.bins is None:
            return np.asarray(mean_outcomes(alpha)[0, arm])
        shares = self.belief.binned[0][arm]
        return np.asarray(mean_bins(alpha)[0, arm] * np.tile(shares, 2))


def _queues(items: IntArray, groups: Groups) -> list[IntArray]:
    """The items of each group, in the order given."""
    by_group = items[np.argsort(groups.index[items], kind="stable")]
    ends = np.cumsum(np.bincount(groups.index[items], minlength=len(groups.names)))
    return np.split(by_group, ends[:-1])
