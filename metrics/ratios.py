"""Division as scikit-learn does it with `zero_division=0`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from altmas.metrics.types import FloatArray


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide, with 0 where the denominator is 0.

    >>> ratio([1.0, 0.0], [2.0, 0.0])
    array([0.5, 0. ])
    """
    top, bottom = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    return np.asarray(np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0))
