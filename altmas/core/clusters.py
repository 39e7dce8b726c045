"""Clusters: items that belong together, such as those of one patient or one document.

A pool is then a sample of clusters, and numbers about clusters like these are less certain than numbers about the pool.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from altmas.core.checks import as_column, is_blank, same_length, unwrapped
from altmas.metrics.errors import InputError
from altmas.metrics.types import IntArray

USUAL_NAME = "cluster"
LEAST_CLUSTERS = 5
"""Of fewer clusters nothing can be said about others like them; and each fold of the belief needs one."""

_BLANK = ("", "(missing)")


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which cluster each item belongs to, `index [N]` from 0 on; what a cluster is called; how many cells were blank.

    >>> read_clusters(["p1", "p1", "p2", "p3", "p4", "p5"], 6).sizes.tolist()
    [2, 1, 1, 1, 1]
    """

    name: str
    index: IntArray
    blank: int = 0

    @cached_property
    def sizes(self) -> IntArray:
        """How many items each has."""
        return np.bincount(self.index)

    @property
    def count(self) -> int:
        """How many clusters there are, K."""
        return len(self.sizes)

    @property
    def alike(self) -> float:
        """How many clusters of one size would tell as much: (sum n)^2 / sum n^2.

        >>> Clusters("patient", np.array([0] * 96 + [1, 2, 3, 4])).alike.__round__(2)
        1.08
        """
        return float(self.sizes.sum()) ** 2 / float(np.square(self.sizes.astype(float)).sum())


def read_clusters(clusters: Any, items: int) -> Clusters | None:
    """A column of cluster names, one per item, or a table or mapping with one column; None for none.

    An item whose cell is blank is a cluster of its own. Numbers are one cluster however they are written: 7 and 7.0.

    >>> found = read_clusters({"patient": [7, 7.0, " 8", "8", None, None, 9, 10]}, 8)
    >>> found.name, found.index.tolist(), found.blank
    ('patient', [0, 0, 1, 1, 2, 3, 4, 5], 2)
    """
    if clusters is None or isinstance(clusters, Clusters):
        return clusters
    name = getattr(clusters, "name", None) or USUAL_NAME
    clusters = unwrapped(clusters)
    if isinstance(clusters, str):
        hint = "The name of a column is for files: altmas init --cluster, Audit.from_table(..., cluster=...)."
        raise InputError("clusters", "be one value per item", repr(clusters), hint)
    if hasattr(clusters, "columns"):
        clusters = {name: clusters[name] for name in clusters.columns}
    if isinstance(clusters, Mapping):
        if len(clusters) != 1:
            raise InputError("clusters", "be one column", f"{len(clusters)} columns")
        [(name, clusters)] = clusters.items()
    column = _column(clusters)
    same_length("clusters", len(column), items, "value")
    place: dict[Hashable, int] = {}
    blank, index = 0, np.empty(items, dtype=np.int64)
    for row, value in enumerate(map(_one_spelling, column)):
        if value is None:
            blank += 1
        index[row] = place.setdefault((row,) if value is None else value, len(place))
    found = Clusters(str(name), index, blank)
    if found.count < LEAST_CLUSTERS:
        hint = "Without clusters the intervals are about the items of this pool alone."
        said = f"{found.count} cluster{'s' * (found.count != 1)}"
        raise InputError("clusters", f"be at least {LEAST_CLUSTERS}, to tell anything of others like them", said, hint)
    return found


def _column(values: Any) -> list[Hashable]:
    """One value per item, None for a blank, as Python, NumPy and pandas have it."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        return as_column("clusters", values)  # which says what is wrong
    return as_column("clusters", ["" if is_blank(one) else one for one in values])


def _one_spelling(value: Hashable) -> Hashable | None:
    """A cluster's name as text, whole numbers without a point; None for a blank."""
    text = str(value).strip()
    if text in _BLANK:
        return None
    whole, point, rest = text.partition(".")
    return whole if point and whole.lstrip("-").isdigit() and not rest.strip("0") else text


def cluster_folds(clusters: Clusters, folds: int, rng: np.random.Generator) -> IntArray:
    """A fold for each item `[N]` that splits no cluster: the largest clusters first, each to the emptiest fold.

    >>> found = cluster_folds(Clusters("patient", np.array([0, 0, 0, 1, 2, 3, 4, 4])), 5, np.random.default_rng(0))
    >>> np.bincount(found).tolist() == sorted(np.bincount(found).tolist(), reverse=True), len(set(found.tolist()))
    (True, 5)
    """
    shuffled = rng.permutation(clusters.count)
    order = shuffled[np.argsort(-clusters.sizes[shuffled], kind="stable")]
    filled, fold = np.zeros(folds), np.empty(clusters.count, dtype=np.int64)
    for one in order:
        k = int(filled.argmin())
        fold[one] = k
        filled[k] += clusters.sizes[one]
    return np.asarray(fold[clusters.index])
