"""Groups as arms: active Bayesian assessment (Ji et al. 2021), and with a prior the groups share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from altmas.answers import Answers
from altmas.arm_rules import make_rule, sample_bins, sample_outcomes
from altmas.checks import whole_number
from altmas.estimates import Estimate
from altmas.group_belief import GroupBelief, belief_for
from altmas.group_tasks import Arms, GroupQuestion, arms_for
from altmas.method import Job, Run
from altmas.method_random import choose_uniformly
from altmas.metrics.confusion import FloatArray
from altmas.metrics.errors import InputError
from altmas.policies import Choice
from altmas.streams import stream

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
        if self.method.rule == "random" and self.method.question.kind != "compare":
            return choose_uniformly(self.job, self.answers, self.round, count)
        if len(self.answers) == 0 and self.method.question.kind != "compare":
            return choose_uniformly(self.job, self.answers, self.round, count)
        return self._by_rule(count)

    def estimate(self, level: float) -> list[Estimate]:
        """Every metric, from draws of the confusion of the whole pool."""
        values = self._metric_draws()
        tails = [(1 - level) / 2, (1 + level) / 2]
        promise = f"{level:.0%} credible under the {self.method.prior} prior"
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
        rng, rule = self.stream("choose"), make_rule(self.method.rule)
        groups = self.arms.groups
        open_items = self.answers.unlabelled(self.job.pool)
        order = rng.permutation(open_items)
        waiting = [list(order[groups.index[order] == g]) for g in range(len(groups.names))]
        asked = groups.names if self.method.question.kind != "compare" else groups.names[:2]
        chosen: list[int] = []
        propensities: list[float] = []
        sample = sample_bins if self.arms.bins is not None else sample_outcomes
        while len(chosen) < count:
            left = np.array([[len(waiting[g]) for g in range(len(asked))]])
            if not left.any():  # both groups of a comparison are used up: the rest of the budget goes anywhere
                others = uniform_rest(waiting, count - len(chosen), rng)
                return Choice(np.array(chosen + others), np.array(propensities + [1.0] * len(others)))
            alpha = self.belief.alpha(rng)[:, : len(asked)]
            step = min(self.method.question.m, count - len(chosen))
            for arm in rule.choose(alpha, self.arms.task, left, step, sample, rng)[0]:
                if arm >= 0:
                    # By the rule's draw the arm was chosen; within it, items are alike.
                    propensities.append(1.0 / len(waiting[arm]))
                    chosen.append(int(waiting[arm].pop()))
        return Choice(np.array(chosen), np.array(propensities))


def uniform_rest(waiting: list[list[int]], count: int, rng: np.random.Generator) -> list[int]:
    """Any items that are left."""
    rest = np.array([int(item) for group in waiting for item in group])
    return [int(i) for i in rng.choice(rest, count, replace=False)]
