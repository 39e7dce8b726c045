"""A contest: which of several models is best by one metric, as far as is known, and what choosing now may cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from altmas.metrics.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

HOPELESS = 1e-3
"""A model whose probability to be the best is lower than this has no part in the contest any more."""


@dataclass(frozen=True)
class Leading:
    """The leader at one moment, its probability to be the best, and what choosing it would cost.

    `expected_loss` is how much better the best model is, on average; `loss_bound` holds with the probability `level`.
    `contenders` counts the leader and those who may still be ahead of it. The losses are NaN where a method promises
    nothing.
    """

    leader: str
    p_best: float
    expected_loss: float
    loss_bound: float
    contenders: int


@dataclass(frozen=True, eq=False)
class Contest:
    """The contest by one metric, in full.

    `table` has a row per model, best first: `model`, `p_best`, `estimate`, `low`, `high`, and `behind`, `behind_low`,
    `behind_high`, by how much it is worse than the leader. `ruled_out` says that it is worse for all that is known:
    its interval `behind` lies above 0. `promise` says in words
    what the intervals promise; a method without any has NaN for them, and its leader may lie behind by its own count.
    """

    metric: str
    leading: Leading
    table: pd.DataFrame
    labels: int
    level: float
    promise: str

    @property
    def leader(self) -> str:
        """The model to choose, if one had to choose now."""
        return self.leading.leader

    @property
    def remaining(self) -> list[str]:
        """Models that are not ruled out, the leader first."""
        return [str(one) for one in self.table["model"][~self.table["ruled_out"].astype(bool)]]


def history_row(round: int, labels: int, leading: Leading) -> dict[str, Any]:
    """One line of a contest's history.

    >>> history_row(1, 5, Leading("ours", 0.6, 0.02, 0.08, 3))["leader"]
    'ours'
    """
    return {
        "round": round, "labels": labels, "leader": leading.leader, "p_best": leading.p_best,
        "expected_loss": leading.expected_loss, "loss_bound": leading.loss_bound, "contenders": leading.contenders,
    }  # fmt: skip


def best_by_metric(contests: Sequence[Contest]) -> pd.DataFrame:
    """The tables of several contests one below the other, with the column `metric` first."""
    import pandas as pd

    tables = []
    for one in contests:
        table = one.table.copy()
        table.insert(0, "metric", one.metric)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def ranked_models(names: Sequence[str], p_best: FloatArray, value: FloatArray, leader: int) -> list[int]:
    """Places of the models, best first: the leader, then by the probability to be the best, then by value.

    >>> ranked_models(["a", "b", "c"], np.array([0.2, 0.0, 0.8]), np.array([0.7, 0.9, 0.8]), 2)
    [2, 0, 1]
    """
    order = np.lexsort([np.arange(len(names)), -value, -p_best])
    return [leader, *(int(one) for one in order if one != leader)]


@runtime_checkable
class HoldsContests(Protocol):
    """Which of several models is best by a metric, which may still be, and what choosing the leader may cost."""

    def contest(self, metric: str | None = None) -> Contest: ...

    def leading(self, metric: str | None = None) -> Leading: ...


@runtime_checkable
class SeesLeader(Protocol):
    """A run that knows which of several models leads, after every round."""

    def leading(self, level: float) -> Leading: ...
