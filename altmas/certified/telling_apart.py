"""What to ask in a contest: labels that tell the leader from those who may be ahead of it."""

from __future__ import annotations

import numpy as np

from altmas.beliefs.worths import chances, neyman
from altmas.certified.standing import Standing
from altmas.core.contest import HOPELESS
from altmas.metrics.types import FloatArray

BLIND, EVEN = 0.2, 0.4
"""The share of a choice that is blind to the belief, and what of it is alike for all items."""

OWN = 0.05
"""How good the leader is counts as much as a contender that has this probability to be the best."""


def chances_to_tell_apart(now: Standing, floor: float | None = None, temperature: float = 1.0) -> FloatArray:
    """The best chances `[N]` in a contest: what tells the leader from a contender counts by its P(best).

    Items on which leader and contenders agree tell nothing of that; how good the leader is counts a little too, and
    more as the contest is being settled. A fifth of the choice is blind to the belief: most of it goes to where they
    differ, whatever is believed there, and the rest is alike for all items, so that every metric of every model can
    still be estimated. `floor` is the blind share where a user wants more of it, `temperature` as for every worth.
    """
    counts = [*np.maximum(now.p_best[now.contenders[1:]], HOPELESS).tolist(), OWN]
    both = (*now.gaps, now.own)
    worth = neyman([one.variance for one in both], counts)
    differ = neyman([np.square(one.ranges) for one in both], counts)
    blind = chances(differ, floor=EVEN)
    return chances(worth, floor=max(BLIND, floor or 0.0), temperature=temperature, blind=blind)
