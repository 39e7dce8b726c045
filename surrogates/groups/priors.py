"""Fixed priors of group accuracies: the paper's informed one, from mean scores, and the even one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.types import FloatArray

SURE = 1e-3
"""A mean score counts as no surer than this away from 0 and 1.

Scores are stored rounded: a half-precision number next to 1 is 5e-4 below it. Thompson sampling would never ask about a
group whose prior is certain, and its interval would have no width before any answer.
"""


def mean_of_scores(scores: ArrayLike) -> FloatArray:
    """Mean scores `[...]` as the accuracies of a prior: none surer than `SURE`, and 1/2 where there is none.

    >>> mean_of_scores([0.7, 1.0, np.nan])
    array([0.7  , 0.999, 0.5  ])
    """
    known = np.asarray(scores, dtype=np.float64)
    return np.where(np.isnan(known), 0.5, np.clip(known, SURE, 1 - SURE))


def informed(scores: ArrayLike, strength: float = 2.0) -> FloatArray:
    """Pseudo-counts `[..., 2]` of Beta(N0 s_g, N0 (1 - s_g)), right and wrong; N0 is the strength.

    >>> informed([0.75]).tolist()
    [[1.5, 0.5]]
    """
    mean = mean_of_scores(scores)
    return np.asarray(strength * np.stack([mean, 1 - mean], -1))


def uniform(groups: int, strength: float = 2.0) -> FloatArray:
    """Pseudo-counts that prefer nothing `[G, 2]`.

    >>> uniform(1).tolist()
    [[1.0, 1.0]]
    """
    return np.full((groups, 2), strength / 2)
