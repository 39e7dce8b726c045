"""What findings tell, whoever holds them: an audit, or the result of an assessment.

A method that cannot tell something is asked for it all the same: then the answer is None, or a refusal that says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd
from scipy.special import ndtri

from altmas.core.contest import Contest, HoldsContests, best_by_metric
from altmas.core.findings import (
    AllowsForPeople,
    ComparesModels,
    Findings,
    Forecasts,
    KnowsChances,
    TellsCalibration,
    TellsConfusion,
    TellsFeatures,
    TellsGroups,
    TellsOpinions,
    TellsRecalls,
    TellsThresholds,
    asked,
    classes_seen,
)
from altmas.core.plain import plain_rows
from altmas.core.pool import Pool
from altmas.core.tasks import Best, Task
from altmas.words.cautions import at_odds
from altmas.words.classes import never_answered
from altmas.words.features import features_sentence
from altmas.words.opinions import opinions_sentence
from altmas.words.people import if_wrong, known_before, measured_against
from altmas.words.wording import short

if TYPE_CHECKING:
    from altmas.surfaces.membership import By
    from altmas.surfaces.recipe import SurfaceRecipe
    from altmas.surfaces.surface import AccuracySurface


class Told(ABC):
    """Estimates, groups, models and plans from one set of answers."""

    found: Findings
    """What the method tells."""

    @property
    @abstractmethod
    def method_name(self) -> str:
        """The name of the method."""

    @property
    @abstractmethod
    def goal(self) -> Task | None:
        """What the questions were asked for; None where nobody knows any more."""

    @property
    @abstractmethod
    def estimates(self) -> pd.DataFrame:
        """A row per metric (and model): estimate, interval, what it promises, and what missing answers could do."""

    @property
    @abstractmethod
    def history(self) -> pd.DataFrame:
        """The estimates as labels came in."""

    @property
    @abstractmethod
    def missing(self) -> dict[str, int]:
        """Questions without a label, by reason."""

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before relying on the numbers."""

    @abstractmethod
    def surface(
        self, by: By = None, *, estimator: str | SurfaceRecipe = ..., model: str | None = None
    ) -> AccuracySurface:
        """The accuracy of every combination of some groups; the questions' chances are allowed for."""

    @property
    def combinations_only(self) -> Any:
        """The combinations that the questions were drawn for, where the method tells of nothing else; else None."""
        return None

    @property
    def labels(self) -> int:
        """Labels these findings rest on."""
        return len(self.found.answers)

    @property
    def level(self) -> float:
        """Of the intervals."""
        return self.found.level

    @property
    def pool(self) -> Pool:
        """The pool that was asked about."""
        return self.found.job.pool

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models under test."""
        return tuple(one.name for one in self.pool.outputs)

    @property
    def knows_chances(self) -> bool:
        """Whether every item's chance of being asked about is known: for `certified` and `random`."""
        return isinstance(self.found, KnowsChances)

    def groups(self, by: str = "class", metric: str = "accuracy", model: str | None = None) -> pd.DataFrame:
        """A metric per group with its interval, and P(worst)."""
        return self._of_groups.groups(by, metric, model)

    def worst(self, by: str = "class", metric: str = "accuracy", m: int = 1, model: str | None = None) -> pd.DataFrame:
        """Groups with `p`, the probability to be among the m worst; `attrs["verdict"]` says it in words."""
        return self._of_groups.ranking(by, metric, m, model)

    def compare(
        self, by: str, a: Hashable, b: Hashable, metric: str = "accuracy", rope: float = 0.05, model: str | None = None
    ) -> dict[str, Any]:
        """How much higher a metric is in group `a`; probabilities that it is lower, equal within `rope`, or higher."""
        return self._of_groups.compare(by, a, b, metric, rope, model)

    @property
    def _of_groups(self) -> TellsGroups:
        found: TellsGroups = asked(self.found, TellsGroups, self.method_name)
        return found

    def confusion(self, model: str | None = None) -> pd.DataFrame | None:
        """Counts per true and predicted class on the whole pool, each with its interval."""
        return self.found.confusion(model) if isinstance(self.found, TellsConfusion) else None

    def recalls(self, model: str | None = None) -> pd.DataFrame | None:
        """How many items of each true class are found, with its interval, and P(worst)."""
        return self.found.recalls(model) if isinstance(self.found, TellsRecalls) else None

    @cached_property
    def classes_seen(self) -> pd.DataFrame:
        """How many answers had each declared class; where the method tells it, how many items the pool holds."""
        return classes_seen(self.found)

    @property
    def classes_verdict(self) -> str:
        """Which declared classes were never the answer, in a sentence; nothing where all were."""
        answers, pool = self.found.answers, self.pool
        return never_answered(answers.unseen(pool), len(pool.classes), len(answers), pool.size)

    def calibration(self, model: str | None = None) -> pd.DataFrame | None:
        """Score and accuracy per score bin; None without scores that are probabilities."""
        return self.found.calibration(model) if isinstance(self.found, TellsCalibration) else None

    def ece(self, model: str | None = None) -> tuple[float, float, float] | None:
        """Expected calibration error: estimate, low, high."""
        return self.found.ece(model) if isinstance(self.found, TellsCalibration) else None

    def thresholds(
        self, of: Hashable | None = None, model: str | None = None, *, points: int = 40, together: bool = False
    ) -> pd.DataFrame:
        """Recall, false-positive rate and precision of a class at every threshold of its score, with bands."""
        found: TellsThresholds = asked(self.found, TellsThresholds, self.method_name)
        return found.thresholds(of, model, points=points, together=together)

    def cost_curve(
        self, false_positive: float, false_negative: float, of: Hashable | None = None, model: str | None = None, *,
        points: int = 40,
    ) -> Any:  # fmt: skip
        """What errors cost at every threshold, and the threshold that costs least."""
        found: TellsThresholds = asked(self.found, TellsThresholds, self.method_name)
        return found.cost_curve(false_positive, false_negative, of, model, points=points)

    def differences(self) -> pd.DataFrame | None:
        """Paired differences of every two models, or of many with the leader; None for one."""
        return self.found.differences() if isinstance(self.found, ComparesModels) else None

    def best(self) -> pd.DataFrame | None:
        """The models by every metric, best first; None for one."""
        if isinstance(self.found, HoldsContests) and len(self.models) > 1:
            return best_by_metric(self.contests)
        return None

    @cached_property
    def contests(self) -> tuple[Contest, ...]:
        """Which model is best, by every metric; none for one model, or where the method cannot tell."""
        if len(self.models) < 2 or not isinstance(self.found, HoldsContests):
            return ()
        task = self.goal
        names = [one.name for one in self.found.job.metrics]
        if isinstance(task, Best):  # the metric that decides comes first
            names.sort(key=lambda name: name != task.name)
        return tuple(self.found.contest(name) for name in names)

    @property
    def features_verdict(self) -> str:
        """What features were worth, in a sentence; nothing where there are none."""
        worth = self.found.features if isinstance(self.found, TellsFeatures) else None
        return "" if worth is None else features_sentence(worth)

    @property
    def opinions_verdict(self) -> str:
        """How many labels opinions saved, in a sentence; nothing where there are none. It costs as much as a refit."""
        worth = self.found.opinions if isinstance(self.found, TellsOpinions) else None
        return "" if worth is None else opinions_sentence(worth)

    @property
    def readings(self) -> int:
        """How many answers experts have read."""
        return self.found.readings if isinstance(self.found, AllowsForPeople) else 0

    @property
    def taken_over(self) -> list[str]:
        """What was taken over from an earlier audit, in sentences."""
        return []

    @cached_property
    def people(self) -> dict[str, Any]:
        """What the figures are measured against, in sentences, and what they would be if annotators were wrong.

        `sensitivity` has a row per model, share of wrong answers, and how they are wrong, for the first metric; it is
        empty where experts have read answers, or the method cannot tell.
        """
        found, readings = self.found, self.readings
        table = found.reading_table() if isinstance(found, AllowsForPeople) else None
        changed = 0 if table is None else int((table["answer"] != table["label"]).sum())
        rows = [] if readings or not isinstance(found, AllowsForPeople) else plain_rows(found.sensitivity(main=True))
        told = measured_against(readings, changed, self.labels)
        known = 0 if self.pool.known is None else int((self.pool.known >= 0).sum())
        whose = self.contests[0].leader if self.contests else rows[0].get("model", "") if rows else ""
        wrong = if_wrong([row for row in rows if row.get("model", "") == whose])
        wrong = f"{short(whose)}: {wrong}" if wrong and whose else wrong
        sentences = [*(one for one in (told, wrong, known_before(known)) if one), *self.taken_over]
        return {"readings": readings, "changed": changed, "sentences": sentences, "sensitivity": rows}

    def forecast(self, within: float) -> pd.DataFrame | None:
        """Labels needed in all for ordinary intervals of +- `within`, and what random sampling would have needed."""
        return self.found.forecast(within) if isinstance(self.found, Forecasts) else None


def far_apart(told: Told) -> list[str]:
    """A warning for each metric of which belief and labels say quite different things."""
    out = []
    if {"plug_in", "design"} <= set(told.estimates):
        for row in told.estimates.dropna(subset=["design"]).to_dict("records"):
            error = (row["high"] - row["low"]) / 2 / float(ndtri((1 + told.level) / 2))
            if error > 0 and abs(row["plug_in"] - row["design"]) > 2 * error:
                out.append(at_odds({str(name): value for name, value in row.items()}))
    return out
