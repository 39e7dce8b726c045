"""Which arms of an accuracy surface to ask about next, and with which of their items (Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.core.checks import whole_number
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.surface.affiliation import Affiliation

BATCH = 12
EXPLORE_RULES = ("variance", "random", "round-robin")


@dataclass(frozen=True, eq=False)
class Queries:
    """The items to ask about, and the arm each was chosen for."""

    items: IntArray
    arms: IntArray


def arm_keys(rule: str, variance: FloatArray, asked: FloatArray) -> FloatArray:
    """What a rule sorts arms by, lowest first `[A]`: minus the variance, the number of labels, or 0 for all.

    >>> arm_keys("variance", np.array([0.1, 0.3]), np.zeros(2))
    array([-0.1, -0.3])
    """
    keys = {"variance": -variance, "random": np.zeros(len(variance)), "round-robin": asked}
    if rule not in keys:
        raise InputError("rule", f"be one of {', '.join(EXPLORE_RULES)}", repr(rule))
    return keys[rule]


def arm_order(rule: str, variance: FloatArray, asked: FloatArray, rng: np.random.Generator) -> IntArray:
    """All arms, those to ask about first: of highest variance, at random, or those asked about least.

    Ties are broken at random.

    >>> arm_order("variance", np.array([0.1, 0.3, 0.2]), np.zeros(3), np.random.default_rng(0))
    array([1, 2, 0])
    >>> arm_order("round-robin", np.ones(3), np.array([2.0, 0.0, 1.0]), np.random.default_rng(0))
    array([1, 2, 0])
    """
    keys, shuffled = arm_keys(rule, variance, asked), rng.permutation(len(variance))
    return shuffled[np.argsort(keys[shuffled], kind="stable")]


def query_chances(arms: IntArray, ties: IntArray, left: FloatArray) -> FloatArray:
    """The chance of each query, given those before it, where attributes are known: that of its arm, and within its arm.

    `arms`: those asked about, in order; `ties [A]`: the same number where a rule does not tell arms apart; `left [A]`:
    their open items. An arm that comes up first is one of those it ties with that have not come up; a second time round
    the order is fixed.

    >>> query_chances(np.array([0, 1, 0, 2]), np.array([0, 0, 1]), np.array([4.0, 2.0, 5.0])).tolist()
    [0.125, 0.5, 0.3333333333333333, 0.2]
    """
    left, came_up = left.copy(), np.zeros(len(left), dtype=bool)
    among = np.bincount(ties[left > 0], minlength=int(ties.max()) + 1)
    out = []
    for arm in arms:
        out.append(1.0 / left[arm] if came_up[arm] else 1.0 / (left[arm] * among[ties[arm]]))
        if not came_up[arm]:
            came_up[arm] = True
            among[ties[arm]] -= 1
        left[arm] -= 1
    return np.array(out)


def choose_queries(
    order: IntArray, affiliation: Affiliation, labelled: Any, rng: np.random.Generator, count: int = BATCH
) -> Queries:
    """One item for each of the first `count` arms of `order` that have one open: that of highest P(a|x).

    Items equally sure of their arm are taken at random: within an arm the choice must not follow the file's order.
    Where fewer arms are open than asked for, the round begins again; fewer items than `count` come back only when no
    more are open. `labelled [N]` marks items that are out of play.

    >>> from altmas.surrogates.surface.affiliation import Affiliation
    >>> known = Affiliation.exact(np.array([0, 1, 1]))
    >>> rng = np.random.default_rng(0)
    >>> choose_queries(np.array([1, 0]), known, np.array([False, True, False]), rng, count=2).items
    array([2, 0])
    """
    whole_number("count", count, 1)
    out_of_play = np.array(labelled, dtype=bool)
    if out_of_play.shape != (len(affiliation.arms),):
        raise InputError("labelled", f"be one value per item, {len(affiliation.arms):,}", f"shape {out_of_play.shape}")
    item, slot = np.nonzero((affiliation.probability > 0) & ~out_of_play[:, None])
    arm, sure = affiliation.arms[item, slot], affiliation.probability[item, slot]
    best = np.lexsort((rng.random(len(item)), -sure, arm))
    item, arm = item[best], arm[best]
    at = np.searchsorted(arm, order, side="left")
    end = np.searchsorted(arm, order, side="right")
    items: list[int] = []
    arms: list[int] = []
    while len(items) < count and (at < end).any():
        for place in np.flatnonzero(at < end):
            while at[place] < end[place] and out_of_play[item[at[place]]]:
                at[place] += 1
            if at[place] < end[place]:
                out_of_play[item[at[place]]] = True
                items.append(int(item[at[place]]))
                arms.append(int(order[place]))
                if len(items) == count:
                    break
    return Queries(np.array(items, dtype=np.int64), np.array(arms, dtype=np.int64))
