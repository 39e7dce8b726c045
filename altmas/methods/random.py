"""Plain random sampling: the paper's *Tradition*, and the yardstick of everything else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from altmas.core.answers import Answers
from altmas.core.estimates import Estimate, on_answers
from altmas.core.method import NEVER, Job, Run
from altmas.core.policies import Choice, choose_uniformly
from altmas.core.score_estimates import scored_on_answers
from altmas.core.targets import target_of
from altmas.metrics.scores import ScoreMetric


@dataclass(frozen=True)
class RandomSampling:
    """Ask about items drawn uniformly; report the metric on the answers alone, of every model."""

    name: str = "random"
    several_models: ClassVar[bool] = True
    sees_scores: ClassVar[bool] = True
    metric_blind: ClassVar[bool] = True
    draws_alike: ClassVar[bool] = True
    refit_growth: ClassVar[float] = NEVER

    def begin(self, job: Job) -> Run:
        """Nothing to prepare."""
        return RandomRun(job)


@dataclass(eq=False)
class RandomRun:
    """Random sampling at work."""

    job: Job
    answers: Answers = field(default_factory=Answers)

    def update(self, answers: Answers, round: int) -> None:
        """Remember the answers."""
        self.answers = answers

    def choose(self, count: int) -> Choice:
        """Uniformly among the open items."""
        return choose_uniformly(self.job, self.answers, count)

    def estimate(self, level: float) -> list[Estimate]:
        """The metrics of the answers."""
        pool, several, answers = self.job.pool, len(self.job.pool.outputs) > 1, self.answers
        of_counts = [one for one in self.job.metrics if not isinstance(one, ScoreMetric)]
        out: list[Estimate] = []
        for outputs in pool.outputs:
            counts = answers.confusion(pool.of_model(outputs.name))
            found = iter(on_answers(of_counts, counts, pool.size, level))
            for one in self.job.metrics:
                if isinstance(one, ScoreMetric):
                    target = target_of(one, outputs, pool)
                    out.append(scored_on_answers(target, answers.items, answers.labels, len(pool.classes), level))
                else:
                    out.append(replace(next(found), model=outputs.name if several else ""))
        return out
