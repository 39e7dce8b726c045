"""Where a metric is linearised: the confusion as it is best known, cell by cell."""

from __future__ import annotations

import numpy as np

from altmas.metrics.types import FloatArray


def best_confusion(plug_in: FloatArray, gap: FloatArray, variance: FloatArray, known: FloatArray) -> FloatArray:
    """The plug-in confusion `[C, P]`, drawn towards the design-based one where the answers speak against it.

    `gap` is how far each cell of the design-based confusion lies above the plug-in's, `variance` what chance alone
    makes of it: the share gap^2 / (gap^2 + variance) of the way is gone. A belief that takes a rare class for five
    times as frequent as it is would put the slopes of recall far from where they belong. No cell falls below what is
    `known` from answers, and columns keep their sums.

    >>> plug_in, gap = np.array([[20.0, 0.0], [80.0, 10.0]]), np.array([[-16.0, 0.0], [16.0, 0.0]])
    >>> best_confusion(plug_in, gap, np.full((2, 2), 16.0), np.zeros((2, 2))).round(1).tolist()
    [[4.9, 0.0], [95.1, 10.0]]
    """
    square = np.square(gap)
    share = np.divide(square, square + variance, out=np.zeros_like(square), where=square > 0)
    moved = np.maximum(plug_in + share * gap, known) - known
    free, found = (plug_in - known).sum(0), moved.sum(0)
    scale = np.divide(free, found, out=np.ones_like(free), where=found > 0)
    return np.asarray(known + moved * np.maximum(scale, 0.0))
