"""What may be asked about groups: their accuracies, which is extreme, whether two differ."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from altmas.bandits.rewards import ArmTask, Compare, EstimateArms, FindCostliest, FindExtreme, FindLeastCalibrated
from altmas.core.checks import fraction, whole_number
from altmas.core.groups import Groups, by_predicted_class, by_score_bin, groups_by, required_confidence
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

KINDS = ("estimate", "identify", "compare")
TARGETS = ("least_accurate", "most_accurate", "least_calibrated", "most_costly")


def checked_task(task: str, known: tuple[str, ...] = (*KINDS, "surface")) -> str:
    """A task by its name, if it is one of those known.

    >>> checked_task("surface")
    'surface'
    """
    if task not in known:
        raise InputError("task", f"be one of {', '.join(KINDS)}, surface", repr(task))
    return task


@dataclass(frozen=True)
class GroupQuestion:
    """A task about groups: `by` names the groups, the rest belongs to one kind of task each."""

    kind: str = "estimate"
    by: str = "class"
    target: str = "least_accurate"  # identify
    m: int = 1  # identify: how many groups
    a: Hashable = None  # compare
    b: Hashable = None
    rope: float = 0.05  # compare: differences smaller than this do not matter
    cost: ArrayLike | None = None  # identify, most_costly
    bins: int = 10

    def __post_init__(self) -> None:
        checked_task(self.kind, KINDS)
        if self.target not in TARGETS:
            raise InputError("target", f"be one of {', '.join(TARGETS)}", repr(self.target))
        whole_number("m", self.m, 1)
        fraction("rope", self.rope)

    def groups(self, pool: Pool) -> Groups:
        """The groups of a pool, checked against the question."""
        found = groups_by(pool, self.by, self.bins)
        filled = int((found.sizes > 0).sum())
        if self.kind == "identify" and self.m >= filled:
            raise InputError("m", f"be below the number of groups that have items, {filled}", self.m)
        if self.kind == "identify" and self.target == "most_costly" and self.by != "class":
            raise InputError("by", "be 'class' to find the most costly", repr(self.by))
        if self.kind == "compare":
            for side in (self.a, self.b):
                if side not in found.names:
                    known = ", ".join(str(n) for n in found.names[:12])
                    raise InputError("groups to compare", f"be among {known}", repr(side))
            if self.a == self.b:
                raise InputError("groups to compare", "be two", f"{self.a!r} twice")
            for side in (self.a, self.b):
                if found.sizes[found.names.index(side)] == 0:
                    raise InputError("groups to compare", "have items", f"none in {side!r}")
            return _two_and_the_rest(found, self.a, self.b)
        return found


def _two_and_the_rest(groups: Groups, a: Hashable, b: Hashable) -> Groups:
    """The two groups first; all other items in a third, which is never asked about."""
    first, second = groups.names.index(a), groups.names.index(b)
    index = np.where(groups.index == first, 0, np.where(groups.index == second, 1, 2))
    return Groups((a, b, "(others)"), index)


@dataclass(frozen=True, eq=False)
class Arms:
    """A question made ready: which outcome each answer is, and what a pull is worth."""

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


def arms_for(question: GroupQuestion, pool: Pool, reward: str = "accuracy") -> Arms:
    """Groups, reward and outcomes of a question on a pool; to estimate, `reward` is `accuracy` or `confusion`."""
    groups = question.groups(pool)
    if question.kind == "compare":
        return Arms(groups, Compare(question.rope), 2)
    if question.kind == "estimate":
        if reward == "confusion" and question.by != "class":
            raise InputError("by", "be 'class' to learn the confusion", repr(question.by))
        return Arms(groups, EstimateArms(groups.shares), len(pool.classes) if reward == "confusion" else 2)
    if question.target == "most_costly":
        return Arms(groups, FindCostliest(_cost(question, pool)), len(pool.classes))
    if question.target == "least_calibrated":
        bins = by_score_bin(pool, question.bins)
        shares, scores = binned(pool, groups, bins)
        return Arms(groups, FindLeastCalibrated(shares, scores), 2 * question.bins, bins)
    return Arms(groups, FindExtreme(-1 if question.target == "least_accurate" else 1), 2)


def binned(pool: Pool, groups: Groups, bins: Groups) -> tuple[FloatArray, FloatArray]:
    """Share of each bin within its group, and its mean score, `[G, B]` each; an empty bin has its centre."""
    cells = len(groups.names) * len(bins.names)
    index = groups.index * len(bins.names) + bins.index
    sizes = np.bincount(index, minlength=cells).reshape(-1, len(bins.names))
    sums = np.bincount(index, required_confidence(pool), minlength=cells).reshape(sizes.shape)
    centres = (np.arange(len(bins.names)) + 0.5) / len(bins.names)
    scores = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)
    return sizes / np.maximum(sizes.sum(-1, keepdims=True), 1), scores


def _cost(question: GroupQuestion, pool: Pool) -> FloatArray:
    if question.cost is None:
        raise InputError("cost", "be given to find the most costly", "none")
    matrix = np.asarray(question.cost, dtype=np.float64)
    groups = len(by_predicted_class(pool).names)
    if matrix.shape != (len(pool.classes), groups):
        raise InputError("cost", f"be [true, predicted] of shape ({len(pool.classes)}, {groups})", matrix.shape)
    return np.ascontiguousarray(matrix.T)
