"""Findings: everything the answers of a run tell. Results, audits, reports and commands read this and nothing else.

Every finding has estimates. What else can be asked depends on what the method knows: each question is a capability,
and `asked` refuses it in one sentence where the method does not have it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from altmas.core.answers import Answers
from altmas.core.estimates import Estimate
from altmas.core.method import Job, Run
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from altmas.core.clusters import Clusters
    from altmas.core.loop import Round
    from altmas.core.result import Result
    from altmas.core.tasks import Identify


class Findings(Protocol):
    """What the answers tell at one moment."""

    @property
    def job(self) -> Job: ...

    @property
    def answers(self) -> Answers: ...

    @property
    def level(self) -> float: ...

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every metric of the job."""
        ...


@dataclass(frozen=True, eq=False)
class PlainFindings:
    """The estimates of a run that tells nothing else."""

    run: Run
    job: Job
    answers: Answers
    level: float

    @cached_property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every metric of the job."""
        return tuple(self.run.estimate(self.level))


@dataclass(frozen=True, eq=False)
class RunFindings:
    """What a run tells that knows its own job and answers; what else it knows is added by its room."""

    run: Any
    level: float

    @property
    def job(self) -> Job:
        """What was to be found out."""
        found: Job = self.run.job
        return found

    @property
    def answers(self) -> Answers:
        """The labels this rests on."""
        found: Answers = self.run.answers
        return found

    @cached_property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every metric of the job."""
        return tuple(self.run.estimate(self.level))


@runtime_checkable
class MakesResults(Protocol):
    """Findings whose results have more to show than estimates; None where these have not."""

    def result(self, method: str, seen: Sequence[Round]) -> Result | None: ...


@runtime_checkable
class KnowsChances(Protocol):
    """Every item's probability to have been `asked` about is known, and to have been answered as well, `inclusion`."""

    @property
    def inclusion(self) -> FloatArray: ...

    @property
    def asked(self) -> FloatArray: ...


@runtime_checkable
class EstimatesMore(Protocol):
    """Metrics chosen after the labels were drawn."""

    def estimate(self, metrics: Any, cost: Any = None) -> pd.DataFrame: ...


@runtime_checkable
class TellsConfusion(Protocol):
    """Counts per true and predicted class on the whole pool, each with its interval."""

    def confusion(self, model: str | None = None) -> pd.DataFrame: ...


@runtime_checkable
class TellsRecalls(Protocol):
    """How many items of each true class the model finds, each with its interval, and which class is probably worst."""

    def recalls(self, model: str | None = None) -> pd.DataFrame: ...


@runtime_checkable
class CountsClasses(Protocol):
    """How many items of each class the whole pool holds, each with its interval."""

    def class_counts(self) -> pd.DataFrame: ...


def classes_seen(findings: Findings) -> pd.DataFrame:
    """A row per declared class: `labels`, the answers that had it, none where it was never seen.

    Where the method tells it, `estimate`, `low` and `high` are how many items of the class the pool holds.

    >>> from altmas import assess
    >>> said, truth = ["cat", "dog", "emu", "dog"] * 20, ["cat", "dog", "dog", "dog"] * 20
    >>> result = assess(said, oracle=truth, method="random", budget=80, progress=False)
    >>> classes_seen(result.findings)[["class", "labels"]].values.tolist()
    [['cat', 20], ['dog', 60], ['emu', 0]]
    """
    import pandas as pd

    pool = findings.job.pool
    table = pd.DataFrame({"class": list(pool.classes), "labels": findings.answers.per_class(pool)})
    if not isinstance(findings, CountsClasses):
        return table
    return table.join(findings.class_counts()[["estimate", "low", "high"]])


@runtime_checkable
class TellsGroups(Protocol):
    """A metric per group, which group is probably worst, and whether two of them differ."""

    def groups(self, by: str = "class", metric: str = "accuracy", model: str | None = None) -> pd.DataFrame: ...

    def ranking(
        self, by: str = "class", metric: str = "accuracy", m: int = 1, model: str | None = None
    ) -> pd.DataFrame: ...

    def compare(
        self,
        by: str,
        a: Hashable,
        b: Hashable,
        metric: str = "accuracy",
        rope: float = 0.05,
        model: str | None = None,
    ) -> dict[str, Any]: ...


@runtime_checkable
class Identifies(Protocol):
    """Which groups are extreme in some way, not only in accuracy."""

    def identified(self, task: Identify) -> pd.DataFrame: ...


@runtime_checkable
class TellsCalibration(Protocol):
    """Score and accuracy per score bin, and the expected calibration error; None without probabilities."""

    def calibration(self, model: str | None = None) -> pd.DataFrame | None: ...

    def ece(self, model: str | None = None) -> tuple[float, float, float] | None: ...


@runtime_checkable
class TellsThresholds(Protocol):
    """What thresholds on the score of a class do: recall, false-positive rate, precision and cost, with bands."""

    def thresholds(
        self, of: Hashable | None = None, model: str | None = None, *, points: int = 40, together: bool = False
    ) -> pd.DataFrame: ...

    def cost_curve(
        self,
        false_positive: float,
        false_negative: float,
        of: Hashable | None = None,
        model: str | None = None,
        *,
        points: int = 40,
    ) -> Any: ...


@runtime_checkable
class ComparesModels(Protocol):
    """Paired differences of models, and the models by every metric, best first; None for one model."""

    def differences(self) -> pd.DataFrame | None: ...

    def best(self) -> pd.DataFrame | None: ...


@runtime_checkable
class SharesDraws(Protocol):
    """How alike its errors are with those of an earlier audit, whose labels it kept."""

    def alike(self, earlier: Findings, place: IntArray) -> dict[tuple[str, str], float]: ...


@runtime_checkable
class AboutClusters(Protocol):
    """Numbers about clusters like the pool's, or about this pool alone; `clusters` is None where it is the latter."""

    @property
    def clusters(self) -> Clusters | None: ...

    def of_this_pool(self) -> Findings: ...


@runtime_checkable
class TellsAnytime(Protocol):
    """Intervals that hold at all looks together, beside `ordinary` ones; `plain` estimates have none such."""

    @property
    def ordinary(self) -> tuple[Estimate, ...]: ...

    @property
    def plain(self) -> tuple[Estimate, ...] | None: ...

    def at_all_looks(self) -> Findings: ...


@dataclass(frozen=True)
class FeaturesWorth:
    """The expected error as a share of what it would be without features, and what each learner on them counts for."""

    error: float
    learners: Mapping[str, float]


@dataclass(frozen=True)
class OpinionsWorth:
    """The expected error as a share of what it would be without opinions, and the labels that would have taken."""

    error: float
    names: tuple[str, ...]
    labels: int
    labels_without: int


@runtime_checkable
class TellsOpinions(Protocol):
    """What opinions saved; None where there are none. It costs as much as a refit."""

    @property
    def opinions(self) -> OpinionsWorth | None: ...


@runtime_checkable
class TellsFeatures(Protocol):
    """What features were worth; None where there are none, or nothing learns from them."""

    @property
    def features(self) -> FeaturesWorth | None: ...


@runtime_checkable
class AllowsForPeople(Protocol):
    """How many answers experts have read, and the estimates if labellers are wrong some of the time."""

    @property
    def readings(self) -> int: ...

    def reading_table(self) -> pd.DataFrame: ...

    def sensitivity(self, rates: Sequence[float] = ..., *, main: bool = False) -> pd.DataFrame: ...


@runtime_checkable
class Forecasts(Protocol):
    """Labels needed for a precision, and what random sampling would have needed."""

    def forecast(self, within: float | None = None) -> pd.DataFrame: ...


def asked(findings: Findings, capability: type[Any], method: str) -> Any:
    """The findings, known to have a capability; a method that lacks it is named with those that do not."""
    if not isinstance(findings, capability):
        hint = "The methods certified and random tell it."
        raise InputError("method", f"be one that tells this: {_said(capability)}", repr(method), hint)
    return findings


def _said(capability: type[Any]) -> str:
    """The first sentence of a capability's docstring, as part of a sentence."""
    text = str(capability.__doc__).partition("\n")[0].rstrip(".")
    return text[:1].lower() + text[1:]
