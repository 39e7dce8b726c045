"""What to ask in a contest: labels that tell the leader from those who may be ahead of it."""

from __future__ import annotations

import numpy as np

from altmas.beliefs.worths import chances, neyman
from altmas.certified.standing import Standing
from altmas.metrics.types import FloatArray

BLIND, EVEN = 0.3, 1 / 3
"""The share of a choice that is blind to the belief, and what of it is alike for all items."""


def chances_to_tell_apart(now: Standing) -> FloatArray:
    """The best chances `[N]` in a contest: what tells the leader from a contender counts by its P(best).

    Items on which leader and contenders agree are worth nothing. Three tenths of the choice are blind to the belief:
    two go to where they differ, whatever is believed there, and one is alike for all items, so that every metric of
    every model can still be estimated.
    """
    counts = now.p_best[now.contenders[1:]]
    decisive = (counts if counts.sum() > 0 else np.ones(len(counts))).tolist()
    worth = neyman([one.variance for one in now.gaps], decisive)
    differ = neyman([np.square(one.ranges) for one in now.gaps], decisive)
    return chances(worth, floor=BLIND, blind=chances(differ, floor=EVEN))
