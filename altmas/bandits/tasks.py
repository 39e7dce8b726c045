"""Tasks about groups made ready for a bandit: which outcome each answer is, and what a pull is worth."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from altmas.bandits.rewards import ArmTask, EstimateArms, FindCostliest, FindExtreme, FindLeastCalibrated, TellApart
from altmas.core.groups import Groups, by_predicted_class, by_score_bin, groups_by, required_confidence
from altmas.core.pool import Pool
from altmas.core.tasks import Compare, EstimateGroups, Identify
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

GroupTask = EstimateGroups | Identify | Compare


def groups_for(task: GroupTask, pool: Pool) -> Groups:
    """The groups that a task is about, checked against the pool."""
    found = groups_by(pool, "class" if task.by is None else task.by, task.bins)
    costly = isinstance(task, Identify) and task.target == "most_costly"
    filled = int((found.sizes > 0 if costly else found.told).sum())
    if isinstance(task, Identify):
        if task.m >= filled:
            raise InputError("m", f"be below the number of groups that have items, {filled}", task.m)
        if task.target == "most_costly" and task.by != "class":
            raise InputError("by", "be 'class' to find the most costly", repr(task.by))
    if isinstance(task, Compare):
        for side in (task.a, task.b):
            if side not in found.names:
                known = ", ".join(str(n) for n in found.names[:12])
                raise InputError("groups to compare", f"be among {known}", repr(side))
        if task.a == task.b:
            raise InputError("groups to compare", "be two", f"{task.a!r} twice")
        for side in (task.a, task.b):
            if found.sizes[found.names.index(side)] == 0:
                raise InputError("groups to compare", "have items", f"none in {side!r}")
        return _two_and_the_rest(found, task.a, task.b)
    return found


def _two_and_the_rest(groups: Groups, a: Hashable, b: Hashable) -> Groups:
    """The two groups first; all other items in a third, which is never asked about."""
    first, second = groups.names.index(a), groups.names.index(b)
    index = np.where(groups.index == first, 0, np.where(groups.index == second, 1, 2))
    return Groups((a, b, "(others)"), index)


@dataclass(frozen=True, eq=False)
class Arms:
    """A task made ready: which outcome each answer is, and what a pull is worth."""

    groups: Groups
    task: ArmTask
    outcomes: int
    bins: Groups | None = None

    @property
    def by_true_class(self) -> bool:
        """Whether an outcome is the true class, rather than right or wrong."""
        return self.bins is None and (self.outcomes > 2 or isinstance(self.task, FindCostliest))

    def seen(self, pool: Pool, items: IntArray, labels: IntArray) -> IntArray:
        """Outcomes of the answers so far `[1, G, O]`."""
        counts = np.zeros((1, len(self.groups.names), self.outcomes), dtype=np.int64)
        right = labels == pool.predictions[items]
        if self.by_true_class:
            outcome = labels
        elif self.bins is not None:
            outcome = np.where(right, 0, self.outcomes // 2) + self.bins.index[items]
        else:
            outcome = np.where(right, 0, 1)
        np.add.at(counts[0], (self.groups.index[items], outcome), 1)
        return counts


def arms_for(task: GroupTask, pool: Pool, reward: str = "accuracy") -> Arms:
    """Groups, reward and outcomes of a task on a pool; to estimate, `reward` is `accuracy` or `confusion`."""
    groups = groups_for(task, pool)
    if isinstance(task, Compare):
        return Arms(groups, TellApart(task.rope), 2)
    if isinstance(task, EstimateGroups):
        if reward == "confusion" and task.by not in (None, "class"):
            raise InputError("by", "be 'class' to learn the confusion", repr(task.by))
        return Arms(groups, EstimateArms(groups.shares), len(pool.classes) if reward == "confusion" else 2)
    if task.target == "most_costly":
        return Arms(groups, FindCostliest(_cost(task, pool)), len(pool.classes))
    if task.target == "least_calibrated":
        bins = by_score_bin(pool, task.bins)
        shares, scores = binned(pool, groups, bins)
        return Arms(groups, FindLeastCalibrated(shares, scores), 2 * len(bins.names), bins)
    return Arms(groups, FindExtreme(-1 if task.target == "least_accurate" else 1), 2)


def binned(pool: Pool, groups: Groups, bins: Groups) -> tuple[FloatArray, FloatArray]:
    """Share of each bin within its group, and its mean score, `[G, B]` each; an empty bin has its centre."""
    cells = len(groups.names) * len(bins.names)
    index = groups.index * len(bins.names) + bins.index
    sizes = np.bincount(index, minlength=cells).reshape(-1, len(bins.names))
    sums = np.bincount(index, required_confidence(pool), minlength=cells).reshape(sizes.shape)
    centres = (np.arange(len(bins.names)) + 0.5) / len(bins.names)
    scores = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)
    sizes = sizes * bins.told  # what has no score is neither sure nor unsure
    return sizes / np.maximum(sizes.sum(-1, keepdims=True), 1), scores


def _cost(task: Identify, pool: Pool) -> FloatArray:
    if task.cost is None:
        raise InputError("cost", "be given to find the most costly", "none")
    matrix = np.asarray(task.cost, dtype=np.float64)
    groups = len(by_predicted_class(pool).names)
    if matrix.shape != (len(pool.classes), groups):
        raise InputError("cost", f"be [true, predicted] of shape ({len(pool.classes)}, {groups})", matrix.shape)
    return np.ascontiguousarray(matrix.T)
