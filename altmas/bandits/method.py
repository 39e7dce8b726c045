"""Groups as arms: active Bayesian assessment (Ji et al. 2021), and with a prior the groups share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from altmas.bandits.belief import GroupBelief, belief_for
from altmas.bandits.rules import EpsilonGreedy, make_rule, mean_bins, mean_outcomes, sample_bins, sample_outcomes
from altmas.bandits.tasks import Arms, GroupQuestion, arms_for, binned
from altmas.core.answers import Answers
from altmas.core.checks import whole_number
from altmas.core.estimates import Estimate
from altmas.core.method import Job, Run
from altmas.core.policies import Choice, choose_uniformly, uniform
from altmas.core.streams import stream
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
    question: GroupQuestion = field(default_factory=GroupQuestion)
    metric_blind: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.prior not in PRIORS:
            raise InputError("prior", f"be one of {', '.join(PRIORS)}", repr(self.prior))
        if not self.strength > 0:
            raise InputError("strength", "be above 0", self.strength)
        whole_number("draws", self.draws, 2)
        if self.reward not in ("accuracy", "confusion"):
            raise InputError("reward", "be accuracy or confusion", repr(self.reward))
        make_rule(self.rule)

    def begin(self, job: Job) -> Run:
        """Lay out the groups; the questions begin at random, as every method's do."""
        arms = arms_for(self.question, job.pool, self.reward)
        return GroupRun(job, self, arms, belief_for(self.prior, self.strength, job.pool, arms))


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

    def choose(self, count: int) -> Choice:
        """Arms by the rule, then within each arm an item by chance."""
        compares = self.method.question.kind == "compare"  # then no other group is ever asked about
        if not compares and (self.method.rule == "random" or len(self.answers) == 0):
            return choose_uniformly(self.job, self.answers, self.round, count)
        return self._by_rule(count)

    def estimate(self, level: float) -> list[Estimate]:
        """Every metric, from draws of the confusion of the whole pool."""
        values = self._metric_draws()
        tails = [(1 - level) / 2, (1 + level) / 2]
        promise = f"{level:.0%} credible under the {self.method.prior} prior"
        if self.method.question.kind == "compare":
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

    def _by_rule(self, count: int) -> Choice:
        rng, compares = self.stream("choose"), self.method.question.kind == "compare"
        groups = self.arms.groups
        order = rng.permutation(self.answers.unlabelled(self.job.pool))
        waiting = [[int(i) for i in order[groups.index[order] == g]] for g in range(len(groups.names))]
        asked = range(2) if compares else range(len(groups.names))
        closed = self.belief.never_right(groups) if not self.arms.by_true_class else np.zeros(len(groups.names), bool)
        pending = np.zeros((1, len(groups.names), self.arms.outcomes))
        chosen: list[int] = []
        propensities: list[float] = []
        while len(chosen) < count:
            left = np.array([[0 if closed[g] else len(waiting[g]) for g in asked]])
            if not left.any():  # nothing left that the question is about: the rest of the budget goes anywhere
                others = rest_of(waiting, count - len(chosen), rng)
                return Choice(np.array([*chosen, *others.items]), np.array([*propensities, *others.propensities]))
            step = min(self.method.question.m, count - len(chosen))
            if compares and len(self.answers) == 0:  # both sides alike, before anything is known
                turn = len(chosen) % 2 if left[0].all() else int(left[0].argmax())
                arms, chances = np.array([turn]), np.ones(1)
            else:
                arms, chances = self._pick(pending, left, step, rng)
            for arm, chance in zip(arms, chances, strict=True):
                propensities.append(float(chance) / len(waiting[arm]))
                chosen.append(waiting[arm].pop())
                pending[0, arm] += self._expected_outcome(arm, pending)
        return Choice(np.array(chosen), np.array(propensities))

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
        shares = binned(self.job.pool, self.arms.groups, self.arms.bins)[0][arm]
        return np.asarray(mean_bins(alpha)[0, arm] * np.tile(shares, 2))


def rest_of(waiting: list[list[int]], count: int, rng: np.random.Generator) -> Choice:
    """Any items that are left."""
    return uniform(np.array([item for group in waiting for item in group]), count, rng)
