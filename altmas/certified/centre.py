"""Where a metric is linearised: the confusion as it is best known, cell by cell."""

from __future__ import annotations

import numpy as np

from altmas.metrics import Metric
from altmas.metrics.confusion import ratio
from altmas.metrics.types import FloatArray, IntArray


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


def banded_counts(counts: FloatArray, bands: IntArray, width: int) -> FloatArray:
    """Counts by column `[C, P]` summed by band `[C, B]`.

    >>> banded_counts(np.array([[1.0, 2.0, 3.0]]), np.array([0, 0, 1]), 2).tolist()
    [[3.0, 3.0]]
    """
    return np.stack([np.bincount(bands, one, width) for one in counts])


def corrected_by_band(metric: Metric, believed: FloatArray, best: FloatArray, bands: IntArray) -> FloatArray:
    """What is believed of single columns `[C, P]`, so that it adds up to what is best known of bands `[C, B]`.

    Columns keep their sums: an item stays one item. A metric that looks at one place in the order of scores has the
    columns around it made alike, or the slope there would be that of a single item.
    """
    factor = ratio(best, banded_counts(believed, bands, best.shape[1]))
    found = believed * factor[:, bands]
    found *= ratio(believed.sum(0), found.sum(0))
    centred = getattr(metric, "centred", None)
    return np.asarray(found if centred is None else centred(found))
