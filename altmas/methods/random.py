"""Plain random sampling: the paper's *Tradition*, and the yardstick of everything else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from altmas.core.answers import Answers
from altmas.core.estimates import Estimate, on_answers
from altmas.core.method import NEVER, Job, Run
from altmas.core.policies import Choice, choose_uniformly


@dataclass(frozen=True)
class RandomSampling:
    """Ask about items drawn uniformly; report the metric on the answers alone, of every model."""

    name: str = "random"
    several_models: ClassVar[bool] = True
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
        pool, several = self.job.pool, len(self.job.pool.outputs) > 1
        return [
            replace(one, model=outputs.name if several else "")
            for outputs in pool.outputs
            for one in on_answers(
                self.job.metrics, self.answers.confusion(pool.of_model(outputs.name)), pool.size, level
            )
        ]
