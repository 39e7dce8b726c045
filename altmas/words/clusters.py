"""Sentences about clusters: what numbers about others like them rest on, and what is strange about a column of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from altmas.words.language import sentence
from altmas.words.wording import counted, marked

if TYPE_CHECKING:
    from altmas.core.clusters import Clusters

FEW_CLUSTERS = 20
"""Of fewer clusters, or as uneven ones, intervals about others like them are rough."""

_LIKE_THESE = re.compile(r"clusters like these ([0-9]+(?:,[0-9]{3})*)")


def clusters_in(promise: str) -> str:
    """How many clusters a promise is about others like; empty where it is about the pool.

    >>> clusters_in("approximate 95% coverage for clusters like these 1,200, whatever the surrogate believes")
    '1,200'
    """
    found = _LIKE_THESE.search(promise)
    return found[1] if found else ""


def cluster_warnings(clusters: Clusters | None) -> list[str]:
    """What should make a reader careful about the clusters of a pool.

    >>> import numpy as np
    >>> from altmas.core.clusters import Clusters
    >>> cluster_warnings(Clusters("patient", np.arange(200)))[0]
    "Every item is a cluster of its own by the column 'patient': is it the right one, and not the items' ids?"
    """
    if clusters is None:
        return []
    out, name, number = [], marked(clusters.name), _whole(clusters.count)
    largest = int(clusters.sizes.max())
    if largest == 1:
        said = sentence(
            "Every item is a cluster of its own by the column '{name}': is it the right one, and not the items' ids?",
            name=name,
        )
        out.append(said)
    if clusters.blank:
        said = sentence(
            "{items} has no value in the column '{name}' and is taken for a cluster of its own; where it belongs to "
            "another, the intervals are too narrow."
            if clusters.blank == 1
            else "{items} have no value in the column '{name}' and are each taken for a cluster of their own; where "
            "they belong together, the intervals are too narrow.",
            items=counted(clusters.blank, "item"), name=name,
        )  # fmt: skip
        out.append(said)
    if clusters.count < FEW_CLUSTERS:
        said = sentence(
            "There are only {number} clusters by the column '{name}': intervals about others like them are rough, and "
            "wide.",
            number=number, name=name,
        )  # fmt: skip
        out.append(said)
    elif clusters.alike < FEW_CLUSTERS:
        said = sentence(
            "The clusters by the column '{name}' are very uneven, the largest has {largest} of {items}: they tell no "
            "more than {alike} of one size, and intervals about others like them are rough.",
            name=name, largest=_whole(largest), items=counted(len(clusters.index), "item"),
            alike=_whole(max(int(clusters.alike), 1)),
        )  # fmt: skip
        out.append(said)
    return out


def about_clusters(clusters: Clusters, items: int) -> str:
    """What the numbers of a pool of clusters are about.

    >>> import numpy as np
    >>> from altmas.core.clusters import Clusters
    >>> about_clusters(Clusters("patient", np.arange(120)), 2_000)[:85]
    "The numbers are about clusters like the 120 of this pool, by the column 'patient', as"
    """
    return sentence(
        "The numbers are about clusters like the {number} of this pool, by the column '{name}', as if these had been "
        "drawn at random from all of them. Counts of classes and of the confusion are about the {items} of this pool. "
        "How the model does on other kinds of clusters they do not say.",
        number=_whole(clusters.count), name=marked(clusters.name), items=counted(items, "item"),
    )  # fmt: skip


def _whole(number: int) -> str:
    return marked(f"{number:,}")
