"""Results of the certified method: tables that can be asked further."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from altmas.certified import models, slices
from altmas.certified.curves import POINTS, CostCurve
from altmas.certified.functionals import Ratio
from altmas.certified.sensitivity import RATES
from altmas.core.result import ContestResult, Result, estimates_table
from altmas.words.features import features_sentence

if TYPE_CHECKING:
    from altmas.certified.findings import CertifiedFindings


@dataclass(frozen=True, eq=False, repr=False)
class CertifiedResult(Result):
    """A result that can be asked further: other metrics, cells, groups, calibration, several models, and plans."""

    findings: CertifiedFindings

    def estimate(self, metrics: Any, cost: Any = None) -> pd.DataFrame:
        """Metrics chosen after the labels were drawn, with ordinary intervals, as valid as those chosen before."""
        return self.findings.estimate(metrics, cost)

    @property
    def confusion(self) -> pd.DataFrame:
        """Counts per true and predicted class on the whole pool, each with its interval (first model)."""
        return self.findings.confusion()

    def groups(self, by: str = "class", metric: str = "accuracy", *, anytime: bool = False) -> pd.DataFrame:
        """A metric per group, and which group is probably worst (first model).

        With `anytime=True`, accuracies with intervals that hold at all looks together, each by itself.
        """
        return self.findings.groups(by, metric, anytime=anytime)

    def compare(
        self, by: str, a: Hashable, b: Hashable, metric: str = "accuracy", *, anytime: bool = False
    ) -> dict[str, Any]:
        """How much higher a metric is in group `a` than in group `b` (first model); `anytime` as for `groups`."""
        return self.findings.difference(by, a, b, metric, anytime=anytime)

    def anytime(self, *ratios: Ratio) -> list[tuple[float, float]]:
        """Intervals of any ratios (`altmas.certified.functionals`) that hold at all looks together, one by one."""
        return self.findings.looks_at(*ratios)

    def of_this_pool(self) -> pd.DataFrame:
        """The estimates about the items of this pool alone, where `estimates` are about clusters like its own."""
        return estimates_table(self.findings.of_this_pool().estimates)

    @property
    def readings(self) -> pd.DataFrame:
        """A row per answer that an expert read: its id, the answer, the expert's label, the chance of being read."""
        return self.findings.reading_table()

    def sensitivity(self, rates: Sequence[float] = RATES) -> pd.DataFrame:
        """The estimates if the oracle is wrong so often, at random and at worst; where no expert has read answers."""
        return self.findings.sensitivity(rates)

    @property
    def calibration(self) -> pd.DataFrame:
        """Score and accuracy per score bin (first model)."""
        return slices.calibration(self.findings.estimator)

    @property
    def ece(self) -> tuple[float, float, float]:
        """Expected calibration error: estimate, low, high (first model)."""
        return slices.ece(self.findings.estimator)

    def thresholds(self, of: Hashable | None = None, *, points: int = POINTS, together: bool = False) -> pd.DataFrame:
        """Recall, false-positive rate and precision of a class at every threshold of its score (first model).

        With `together`, the bands hold at all thresholds at once.
        """
        return self.findings.thresholds(of, points=points, together=together)

    def cost_curve(
        self, false_positive: float, false_negative: float, of: Hashable | None = None, *, points: int = POINTS
    ) -> CostCurve:
        """What errors cost at every threshold, and the threshold that costs least (first model)."""
        return self.findings.cost_curve(false_positive, false_negative, of, points=points)

    @property
    def differences(self) -> pd.DataFrame:
        """Paired differences of every two models."""
        return models.differences(self.findings.estimator, self.findings.job.metrics)

    @property
    def best(self) -> pd.DataFrame:
        """The models by every metric, best first, with P(best) and how far each is behind."""
        found = self.findings.best()
        return pd.DataFrame() if found is None else found

    @property
    def features(self) -> str:
        """What features were worth, in a sentence; nothing where there are none."""
        worth = self.findings.features
        return "" if worth is None else features_sentence(worth)

    def forecast(self, within: float | None = None) -> pd.DataFrame:
        """Labels still needed for +- `within`, and what random sampling would have needed for the present precision."""
        return self.findings.forecast(within)


@dataclass(frozen=True, eq=False, repr=False)
class CertifiedContestResult(ContestResult, CertifiedResult):
    """Which of several models is best; and it can be asked further, as any result of the certified method."""
