"""From what a learner says about classes to probabilities as sure as they may be: judged on answers it did not see."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from altmas.metrics.types import FloatArray, IntArray

SHARPNESSES: tuple[float, ...] = tuple(np.geomspace(0.5, 32, 13).tolist())
"""Powers to choose from; a learner that is no better than chance ends at the lowest."""

LEAST = 1e-3
"""No class is less probable than this share of an even guess: few answers cannot rule anything out."""


def as_probabilities(said: FloatArray, sharpness: float) -> FloatArray:
    """Softmax of the scores `[n, C]` times a sharpness, with a trace of an even guess.

    >>> as_probabilities(np.array([[1.0, 0.0]]), 2.0).round(2).tolist()
    [[0.88, 0.12]]
    """
    even = 1.0 / said.shape[1]
    return np.asarray((1 - LEAST) * softmax(sharpness * said, axis=1) + LEAST * even)


def best_sharpness(said: FloatArray, labels: IntArray) -> float:
    """The sharpness under which scores of answers that were left out have the highest likelihood.

    `CAUTION` speaks for less sharpness, so that a handful of lucky answers convince nobody.

    >>> best_sharpness(np.eye(3)[[0, 1, 2, 0] * 20], np.array([0, 1, 2, 0] * 20)) > 4
    True
    """
    if len(labels) == 0:
        return SHARPNESSES[0]
    rows = np.arange(len(labels))
    losses = [
        -float(np.log(as_probabilities(said, one)[rows, labels]).sum()) + CAUTION * np.log(one) for one in SHARPNESSES
    ]
    return SHARPNESSES[int(np.argmin(losses))]


CAUTION = 0.5
"""Weight of a prior on low sharpness, in nats per factor e."""
