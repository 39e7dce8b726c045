"""What a method is: it chooses items and estimates metrics. The loop knows nothing more about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from altmas.core.answers import Answers
from altmas.core.estimates import Estimate
from altmas.core.policies import Choice
from altmas.core.pool import Pool
from altmas.core.progress import Reporter, Silent
from altmas.metrics import Metric
from altmas.metrics.types import IntArray


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be found out: which metrics, on which pool, with which seed."""

    pool: Pool
    metrics: tuple[Metric, ...]
    seed: int = 0
    reporter: Reporter = field(default_factory=Silent)


class Run(Protocol):
    """A method at work on one job. `update` comes first; the other two look at what it last saw."""

    def update(self, answers: Answers, round: int) -> None:
        """Take in all answers so far (none in round 0) and refit."""
        ...

    def choose(self, count: int) -> Choice:
        """Which open items to ask about next."""
        ...

    def estimate(self, level: float) -> list[Estimate]:
        """Every metric of the job, with an interval at this level."""
        ...


@runtime_checkable
class BelievesLabels(Protocol):
    """A run whose surrogate predicts the labels of open items."""

    def believed_labels(self) -> tuple[IntArray, IntArray]:
        """The open items, and the most probable label of each."""
        ...


class Method(Protocol):
    """A named recipe: surrogate, acquisition, policy and estimator.

    One that also has `metric_blind = True` says that neither its choices nor an estimate depend on which other metrics
    are asked for, so one run serves every set of metrics.
    """

    @property
    def name(self) -> str: ...

    def begin(self, job: Job) -> Run:
        """Get to work; checks what it needs, before any label is spent."""
        ...
