"""Groups: slices of a pool. A group is a set of items; every item is in exactly one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from altmas.core.checks import sorted_classes, whole_number
from altmas.core.pool import NO_CLASS, NO_SCORE, Pool
from altmas.metrics.errors import InputError
from altmas.metrics.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Groups:
    """Names of the groups and, per item, the index of its group. Empty groups are kept."""

    names: tuple[Hashable, ...]
    index: IntArray

    @property
    def sizes(self) -> IntArray:
        """Items per group `[G]`, counted on the pool, which needs no labels."""
        return np.bincount(self.index, minlength=len(self.names))

    @property
    def shares(self) -> FloatArray:
        """Share of the pool in each group `[G]`."""
        return np.asarray(self.sizes / len(self.index))

    @property
    def told(self) -> BoolArray:
        """Which groups have a quality to be told `[G]`: they have items, and are not those without answer or score."""
        return np.array([not _lacks(name) for name in self.names], dtype=bool) & (self.sizes > 0)

    def mean(self, values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Mean of a value per item over each group `[G]`, weighted if said; NaN for an empty group.

        >>> Groups(("a", "b"), np.array([0, 0, 1])).mean(np.array([1.0, 3.0, 5.0]))
        array([2., 5.])
        """
        totals = np.bincount(self.index, values if weights is None else values * weights, len(self.names))
        sizes = self.sizes if weights is None else np.bincount(self.index, weights, len(self.names))
        missing = np.full(len(self.names), np.nan)
        return np.asarray(np.divide(totals, sizes, out=missing, where=self.sizes > 0))


def _lacks(name: Hashable) -> bool:
    """Whether a group's items have no answer or no score; of crossed groups, whether any of the names says so."""
    return any(map(_lacks, name)) if isinstance(name, tuple) else name in (NO_CLASS, NO_SCORE)


def by_predicted_class(pool: Pool) -> Groups:
    """One group per class said by the model under test, and one for answers that are no class, if there are any.

    >>> by_predicted_class(Pool.build(["cat", "dog", "cat"])).sizes
    array([2, 1])
    """
    names = pool.classes if pool.columns == len(pool.classes) else (*pool.classes, NO_CLASS)
    return Groups(names, pool.predictions)


def by_score_bin(pool: Pool, bins: int = 10, equal: str = "width") -> Groups:
    """Bins of the model's confidence in its prediction, of equal width on [0, 1] or of equal weight.

    Items without a score are a group of their own, the last.

    >>> by_score_bin(Pool.build([0, 1, 1], scores=[0.95, 0.55, 0.51]), bins=2).names
    ('0.00-0.50', '0.50-1.00')
    """
    whole_number("bins", bins, 1)
    confidence = required_confidence(pool)
    if equal == "width":
        if not pool.probable:
            raise InputError("confidences in bins of equal width", "be at most 1", confidence.max(), EQUAL_WEIGHT)
        edges = np.linspace(0, 1, bins + 1)
        index = np.minimum((confidence * bins).astype(np.int64), bins - 1)
    elif equal == "weight":
        edges = np.quantile(confidence[pool.scored], np.linspace(0, 1, bins + 1))
        index = np.searchsorted(edges[1:-1], confidence, side="right")  # equal confidences share a bin
    else:
        raise InputError("equal", "be 'width' or 'weight'", repr(equal))
    names = [f"{low:.2f}-{high:.2f}" for low, high in pairwise(edges)]
    if len(set(names)) < len(names):  # bins of equal weight may have equal edges
        names = [f"{name} (bin {i})" for i, name in enumerate(names, start=1)]
    if pool.scored.all():
        return Groups(tuple(names), index)
    return Groups((*names, NO_SCORE), np.where(pool.scored, index, bins))


EQUAL_WEIGHT = "Confidences that are not probabilities take bins of equal weight: by='score:weight'."


def by_attribute(pool: Pool, name: str) -> Groups:
    """One group per value of an attribute the pool was given as a group.

    >>> by_attribute(Pool.build([0, 1, 1], groups={"region": ["n", "s", "n"]}), "region").names
    ('n', 's')
    """
    if name not in pool.groups:
        known = ", ".join(["class", "score", "score:weight", *pool.groups])
        raise InputError("by", f"be one of {known}", repr(name), "" if pool.groups else "The pool has no groups.")
    column = pool.groups[name]
    names = sorted_classes(column)
    place = {value: i for i, value in enumerate(names)}
    return Groups(names, np.fromiter(map(place.__getitem__, column), np.int64, len(column)))


def crossed(first: Groups, second: Groups) -> Groups:
    """Every pair of a group of the first and one of the second, the second changing fastest.

    >>> a = Groups(("x", "y"), np.array([0, 1]))
    >>> crossed(a, a).names
    (('x', 'x'), ('x', 'y'), ('y', 'x'), ('y', 'y'))
    """
    names = tuple((a, b) for a in first.names for b in second.names)
    return Groups(names, first.index * len(second.names) + second.index)


def groups_by(pool: Pool, by: str, bins: int = 10) -> Groups:
    """Groups by name: `class` (predicted), `score` or `score:weight` (bins), or one of the pool's attributes.

    Several names with commas between them are crossed.

    >>> groups_by(Pool.build([0, 1, 1]), "class").names
    (0, 1)
    >>> len(groups_by(Pool.build([0, 1], scores=[0.6, 0.9]), "class,score").names)
    20
    """
    if not isinstance(by, str):
        raise InputError("by", "be a name: class, score, score:weight or one of the pool's groups", type(by).__name__)
    if by in pool.groups:  # an attribute of that name is what its giver means
        return by_attribute(pool, by)
    if "," in by:
        first, rest = by.split(",", 1)
        return crossed(groups_by(pool, first.strip(), bins), groups_by(pool, rest.strip(), bins))
    if by == "class":
        return by_predicted_class(pool)
    if by in ("score", "score:weight"):
        return by_score_bin(pool, bins, "weight" if by.endswith("weight") else "width")
    return by_attribute(pool, by)


def required_confidence(pool: Pool) -> FloatArray:
    """The confidence of the model under test `[N]`, where nothing can be done without one."""
    if pool.confidence is None:
        raise InputError("scores", "be given for groups or priors made of scores", "none")
    return pool.confidence


def named_pair(pool: Pool, by: str, a: Hashable, b: Hashable) -> tuple[str, Hashable, Hashable]:
    """A pair to compare, each group by itself or by its text, as a command line has it; refused if there is none such.

    >>> named_pair(Pool.build([0, 1, 1], groups={"year": [2024, 2025, 2025]}), "year", "2024", "2025")
    ('year', 2024, 2025)
    """
    known = {str(name): name for name in groups_by(pool, by).names}
    for one in (a, b):
        if str(one) not in known:
            raise InputError(f"group of {by}", f"be one of {list(known.values())[:12]}", repr(one))
    return by, known[str(a)], known[str(b)]
