"""The pool as a sample of clusters: what that adds to the variance of an estimate.

The items of a pool belong to clusters, such as patients, and what is asked is how good the model is on clusters like
these. With g_i the influence of item i, pi_i the belief and p_i the chance of having been drawn, the estimate is a sum

    D = const + sum_i z_i,      z_i = E g_i + 1[i answered] (g_i(y_i) - E g_i) / p_i,      Z_k = sum_{i in k} z_i.

Clusters are alike and independent, and items are drawn independently of each other, so Var D = sum_k E Z_k^2 (the Z_k
sum to zero where the metric is a ratio, and are centred where it is not). As E z_i = g_i(y_i) over the draws,

    E sum_k Z_k^2 = sum_k (sum_{i in k} g_i(y_i))^2  +  sum_i (1 - p_i) r_i^2 / p_i:

between clusters, and by the design. The second part is known well, from answers and belief (`design.py`), and must not
be counted twice. So what is added to it is the first part, which has the estimate, without bias,

    B = (K - 1) / K sum_k (Z_k^2 - (1 - h_k)^2 v_k - h_k^2 (v - v_k)) / (1 - h_k)^2,

with v_k = sum_{i in k answered} (1 - p_i) (r_i / p_i)^2, v the sum of these, and h_k the share of items that cluster k
has. A large cluster draws the estimate towards itself, and its centred Z_k is small by 1 - h_k: this is the jackknife's
remedy, leaving out one cluster at a time. Of clusters of one size it is K / (K - 1) sum_k Z_k^2 - v.

Of few answers B is rough, and may even be negative. It is never taken for less than what it would be if the items of a
cluster had nothing to do with each other: sum_i E g_i^2, by what the belief and the answers say of single items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from altmas.core.clusters import Clusters
from altmas.metrics.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from altmas.certified.design import Linearised
    from altmas.certified.sample import Sample


MOST_HELD = 0.99
"""A cluster that has a larger share of the items than this is taken to have so much."""

UNSEEN_DEGREES = 24.0
"""Degrees of freedom of what clusters add, at most, where they have not shown it yet."""


@dataclass(frozen=True)
class Between:
    """What clusters add: a variance, on how many of them it rests, how many were asked about and gave surprises.

    What a first phase adds (`two_phases.py`) is the same, of labels in place of clusters.
    """

    variance: float
    degrees_of_freedom: float
    asked: float
    surprises: float


def between_clusters(at: Linearised, sample: Sample, shown: FloatArray, taking_part: BoolArray) -> Between | None:
    """What it adds that the pool is a sample of clusters; None where that is not asked.

    `shown [n]` is what each answer adds to the variance of the design, `taking_part [N]` which items the target is of.
    """
    clusters = sample.clusters
    if clusters is None:
        return None
    items, drawn = sample.answers.items, sample.inclusion[sample.answers.items]
    counted, r = at.counted(sample), at.surprises(sample)
    z = at.mean.copy()
    z[items] += counted / drawn
    z -= np.where(taking_part, z.sum() / max(int(taking_part.sum()), 1), 0.0)
    size = _sums(clusters, taking_part.astype(float))
    count = int(np.count_nonzero(size))
    held = size / max(float(size.sum()), 1.0)
    scale = (1 - 1 / max(count, 2)) / np.square(1 - np.minimum(held, MOST_HELD))
    squares = scale * np.square(_sums(clusters, z))
    observed = float(shown.sum())
    total, fourth = float(squares.sum()), float(np.square(squares).sum())
    by_cluster = np.bincount(clusters.index[items], shown, clusters.count)
    by_design = np.square(1 - held) * by_cluster + np.square(held) * (observed - by_cluster)
    found = total - float(scale @ by_design)
    alone = max(float(np.square(at.mean).sum() + at.variance.sum()), float(np.square(z).sum()) - observed)
    alone *= count / max(count - 1, 1)
    degrees = total**2 / fourth if fourth > 0 else 0.0
    if found < alone:  # clusters have not shown it yet
        degrees = max(degrees, min(UNSEEN_DEGREES, count - 1.0))
    asked = np.zeros(clusters.count, dtype=bool)
    asked[clusters.index[items[taking_part[items]]]] = True
    v = at.variance[items]
    odd = np.divide(np.square(r), np.square(r) + v, out=np.zeros_like(r), where=r != 0)
    surprised = np.minimum(np.bincount(clusters.index[items], odd, clusters.count), 1.0)
    return Between(
        variance=max(found, alone),
        degrees_of_freedom=degrees,
        asked=int(asked.sum()),
        surprises=float(surprised.sum()),
    )


def _sums(clusters: Clusters, values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(clusters.index, values, clusters.count), dtype=np.float64)
