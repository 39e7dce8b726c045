"""With what chances a surface's labels came about: known per item, alike within each arm, or a caution in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from altmas.metrics.types import FloatArray, IntArray
from altmas.surfaces.membership import Membership
from altmas.words.surfaces import not_reached, unknown_chances


@dataclass(frozen=True, eq=False)
class Chances:
    """`inclusion [N]`: each item's chance to have been asked about; None where alike within an arm, or unknown."""

    inclusion: FloatArray | None = None
    caution: str = ""


def drawn_alike(propensities: ArrayLike, items: int) -> bool:
    """Whether answers were drawn uniformly from a number of items, told from the propensity of each draw in order.

    >>> drawn_alike([1 / 50, 1 / 49, 1 / 48], 50), drawn_alike([1 / 50, 1.0], 50)
    (True, False)
    """
    given = np.asarray(propensities, dtype=np.float64)
    return len(given) <= items and bool(np.allclose(given * (items - np.arange(len(given))), 1, rtol=1e-6))


def explored_chances(explored: Membership, where: Membership, items: IntArray, method: str = "surface") -> Chances:
    """Chances of labels drawn at random within the arms `explored`, to be read over the arms `where`.

    An item's chance is about labels / items of the arm it was explored in. (About: how many labels an arm got may
    depend on its answers.) Where all items of a new arm come from one old arm, the counts are the plain ones. Items of
    old arms without labels had a chance that nobody knows; the average stands for it, and a caution says so where their
    new arm has labels of others.

    >>> from altmas.core.pool import Pool
    >>> from altmas.surfaces.membership import membership
    >>> pool = Pool.build([0, 1] * 4, groups={"side": list("llrrrrrr"), "hat": list("nynnnyyy")})
    >>> explored_chances(membership(pool, "side"), membership(pool, "hat"), np.array([0, 2, 3])).inclusion.round(2)
    array([0.5 , 0.5 , 0.33, 0.33, 0.33, 0.33, 0.33, 0.33])
    """
    if same_combinations(explored, where):
        return Chances()
    if not explored.sure:  # the surest item of an arm is asked about, not one at random
        return Chances(caution=unknown_chances(method))
    old = explored.belongs.arms[:, 0]
    labels = np.bincount(old[items], minlength=explored.arms.size)
    never = labels[old] == 0
    inclusion = np.where(never, len(items) / explored.items, labels[old] / explored.support[old])
    mixed = where.count(items)[where.belongs.arms] * where.belongs.probability
    lost = never & (mixed > 0).any(1)
    return Chances(inclusion, not_reached(len(set(old[lost].tolist()))) if lost.any() else "")


def chances_in(log: pd.DataFrame, items: IntArray, size: int) -> Chances:
    """What a log says of its answers about these `items`: their `inclusion`, or by `propensity` that all were alike.

    >>> chances_in(pd.DataFrame({"inclusion": [0.5]}), np.array([1]), 3).inclusion
    array([nan, 0.5, nan])
    >>> chances_in(pd.DataFrame({"label": [0]}), np.array([1]), 3).caution
    'as if the labels of each arm were drawn at random, which the log does not say'
    """
    if "inclusion" in log:
        inclusion = np.full(size, np.nan)  # of the items without an answer a log does not know the chances
        inclusion[items] = log["inclusion"].to_numpy(dtype=np.float64)
        return Chances(inclusion)
    alike = "propensity" in log and drawn_alike(pd.to_numeric(log["propensity"], errors="coerce"), size)
    return Chances() if alike else Chances(caution=unknown_chances())


def same_combinations(one: Membership, other: Membership) -> bool:
    """Whether every item belongs to the same combinations."""
    a, b = one.belongs, other.belongs
    return np.array_equal(a.arms, b.arms) and np.array_equal(a.probability, b.probability)
