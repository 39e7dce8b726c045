"""What a method is: it chooses items and estimates metrics. The loop knows nothing more about it.

What only some methods can do is a protocol of its own, a capability; whoever needs it asks for that, never for a
particular method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from numpy.typing import NDArray

from altmas.core.answers import Answers, Circumstances
from altmas.core.estimates import Estimate
from altmas.core.policies import Choice
from altmas.core.pool import Pool
from altmas.core.progress import Reporter, Silent
from altmas.metrics import InputError, Metric
from altmas.metrics.scores import ScoreMetric
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.core.findings import Findings
    from altmas.core.tasks import Task

ArrayMap = Mapping[str, NDArray[Any]]
"""Arrays by name, as a file keeps them."""

NEVER = float("inf")


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be found out: which metrics, on which pool, with which seed.

    Where other metrics are asked for afterwards, `drawn_for` are those that the questions were drawn for. Audits of
    older versions drew otherwise: with `afresh` the clocks of a race are set anew for every round, with `even_start`
    all items have the same chance before the first answer, with `voteless_start` models did not vote before it.
    """

    pool: Pool
    metrics: tuple[Metric, ...]
    seed: int = 0
    reporter: Reporter = field(default_factory=Silent)
    afresh: bool = False
    even_start: bool = False
    voteless_start: bool = False
    drawn_for: tuple[Metric, ...] | None = None
    shared: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What methods have worked out of the pool and the seed, for this job and those that ask other metrics of it."""


@dataclass(frozen=True, eq=False)
class AskedRound:
    """One round as it happened: positions in the order drawn, a class index for each (-1 without an answer).

    `kept` are the arrays of the refit it was drawn with, and how many answers that knew, where a log says so.
    `inclusion` are the chances to have been asked about at all, where that is all a log knows. A round `before` was
    asked in an earlier audit; the pool's `earlier` has the hazards by then.
    """

    number: int
    items: IntArray
    labels: IntArray
    propensities: FloatArray
    kept: tuple[ArrayMap, int] | None = None
    inclusion: FloatArray | None = None
    before: bool = False


LEFT_OUT = -2
"""A reading that an expert skipped, was unsure of, or passed over."""


@dataclass(frozen=True, eq=False)
class ReadRound:
    """Second readings drawn at once: positions in the order drawn, and the label an expert read.

    A label is -1 where nobody has read it yet, and `LEFT_OUT` where an expert had it and gave none.

    `among` are the answers they were drawn from, with each one's chance to have been drawn by then.
    """

    items: IntArray
    labels: IntArray
    propensities: FloatArray
    among: IntArray
    chances: FloatArray


class Run(Protocol):
    """A method at work on one job. `update` comes first; the other two look at what it last saw."""

    def update(self, answers: Answers, round: int) -> None:
        """Take in all answers so far (none in round 0) and refit."""
        ...

    def choose(self, count: int) -> Choice:
        """Which open items to ask about next; the first few of many are those that would be asked as few."""
        ...

    def estimate(self, level: float) -> list[Estimate]:
        """Every metric of the job, with an interval at this level."""
        ...


class Method(Protocol):
    """A named recipe: surrogate, acquisition, policy and estimator.

    One that also has `metric_blind = True` says that neither its choices nor an estimate depend on which other metrics
    are asked for, so one run serves every set of metrics. One with `refit_growth` says by what factor answers must grow
    before a refit pays (1 unless said; endless where nothing is learnt), one with `default_metrics` what it estimates
    where nothing is asked for, one with `batch` how many questions it prefers to ask at a time, and one with
    `several_models = True` that it assesses several models under test from one label stream; one with
    `sees_scores = True` that it estimates metrics of scores, such as AUROC.
    """

    @property
    def name(self) -> str: ...

    def begin(self, job: Job) -> Run:
        """Get to work; checks what it needs, before any label is spent."""
        ...


def check_scores_seen(method: Method, metrics: Sequence[Metric]) -> None:
    """Refuse metrics of scores for a method that counts predictions alone, before any label is spent."""
    of_scores = [one.name for one in metrics if isinstance(one, ScoreMetric)]
    if of_scores and not getattr(method, "sees_scores", False):
        rule = "be one that sees scores, certified or random,"
        raise InputError("method", f"{rule} for {', '.join(of_scores)}", repr(method.name))


# --- capabilities -----------------------------------------------------------------------------------------------------


@runtime_checkable
class BelievesLabels(Protocol):
    """A run whose surrogate predicts the labels of open items."""

    def believed_labels(self) -> tuple[IntArray, IntArray]:
        """The open items, and the most probable label of each."""
        ...


@runtime_checkable
class TakesMissing(Protocol):
    """A run that copes with questions that have no answer."""

    def left_unanswered(self, choice: Choice, round: int) -> None:
        """Take note of questions of a round that were not answered, before `update` hears of the others."""
        ...


@runtime_checkable
class TakesReadings(Protocol):
    """A run whose answers experts may read again, and correct."""

    def choose_readings(self, count: int) -> ReadRound:
        """Which answers to read next, as yet without labels."""
        ...

    def read(self, round: ReadRound) -> None:
        """Take what experts read."""
        ...

    def readings_per_answer(self, cost: float) -> float:
        """Readings per answer that make the intervals narrowest, where one costs as much as `cost` answers."""
        ...


@runtime_checkable
class TellsFindings(Protocol):
    """A run that can be asked for more than its estimates."""

    def findings(self, level: float) -> Findings:
        """Everything its answers tell, with intervals at this level."""
        ...


@runtime_checkable
class TakesTasks(Protocol):
    """A method that chooses its questions for a task about groups or combinations."""

    def with_task(self, task: Task, pool: Pool) -> Method:
        """The same method, for this task; refuses one that it does not know."""
        ...


@runtime_checkable
class OpensItself(Protocol):
    """A method whose first questions are not drawn uniformly from the pool."""

    def opening(self, job: Job, asked: Answers, round: int, count: int) -> Choice:
        """The questions before the first refit."""
        ...


@runtime_checkable
class Replays(Protocol):
    """A method whose runs follow from a log of rounds and from what its refits left behind."""

    def replay(self, job: Job, rounds: Sequence[AskedRound]) -> ReplayedRun:
        """The run after these rounds."""
        ...


class ReplayedRun(TellsFindings, Protocol):
    """A run that was made again; each call gives another one."""

    def after(self, rounds: Sequence[AskedRound]) -> Self:
        """After these further rounds."""
        ...

    def with_kept(self, kept: tuple[ArrayMap, int]) -> Self:
        """With another refit in force, from its arrays and the number of answers it knew."""
        ...

    def refit(self) -> ArrayMap:
        """Believe anew from the answers so far: the arrays to keep."""
        ...

    def choose(self, count: int) -> Choice:
        """The next round's items."""
        ...


@runtime_checkable
class HearsPeople(Protocol):
    """A run of a log that can be told what experts read, and how the answers came about."""

    def with_kept(self, kept: tuple[ArrayMap, int]) -> Self: ...

    def with_people(self, readings: Sequence[ReadRound], circumstances: Circumstances) -> Self: ...

    def choose_readings(self, count: int) -> ReadRound: ...

    def readings_per_answer(self, cost: float) -> float: ...


def draws_alike(method: Method) -> bool:
    """Whether it draws every question uniformly from the open items, as it says by `draws_alike = True`."""
    return bool(getattr(method, "draws_alike", False))
