"""Pseudo-labels: where a classifier tuned for precision believes the model under test agrees with the label.

ALT-MAS, section 3.1. The edge cases are decided here, and only here:

- no disagreement seen yet: there is nothing to learn from. Every open item is taken to agree, with the precision
  that the rule of succession gives for n agreeing answers out of n, (n + 1) / (n + 2); which items make up that share
  is left to chance.
- no agreement seen yet: no pseudo-labels.
- fewer than `FEWEST_TO_SPLIT` answers: too few to split; no pseudo-labels.
- one answer in the rarer class: it goes to the training part, so the validation part has one class. If all n of that
  part agree, the lowest threshold wins, and its precision is again (n + 1) / (n + 2); if none agrees, precision is 0
  and nothing is kept.

Equal probabilities are ranked by chance, not by the pool's order: pools come sorted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from altmas.metrics.types import BoolArray, FloatArray, IntArray
from altmas.surrogates.networks.drawing import DrawingEstimator

FEWEST_TO_SPLIT = 4
VALIDATION = 0.3


@dataclass(frozen=True, eq=False)
class PseudoLabelled:
    """Candidates (by row number) whose model output is taken as their label, and how that was decided."""

    rows: IntArray
    threshold: float
    precision: float


NOTHING = PseudoLabelled(np.zeros(0, np.int64), 1.0, 0.0)


def pseudo_label(
    estimator: DrawingEstimator,
    answered: Any,
    agrees: BoolArray,
    candidates: Any,
    *,
    draws: int,
    rng: np.random.Generator,
) -> PseudoLabelled:
    """Fit the agreement classifier on answered rows and choose which candidates to pseudo-label.

    `candidates` is an array of rows, or a callable that yields it in blocks (for pools that do not fit in memory).
    """
    blocks = candidates if callable(candidates) else lambda: iter([candidates])
    if len(agrees) < FEWEST_TO_SPLIT or not agrees.any():
        return NOTHING
    if agrees.all():
        precision = succession(len(agrees))
        alike = np.ones(sum(len(block) for block in blocks()))
        return PseudoLabelled(most_probable(alike, 0.0, precision, rng), 0.0, precision)
    train, validate = split(agrees, VALIDATION, rng)
    balanced = train[oversampled(agrees[train], rng)]
    estimator.fit(answered[balanced], agrees[balanced].astype(np.int64), n_classes=2, rng=rng)
    seed = int(rng.integers(2**63 - 1))  # one seed, so that every block sees the same worlds

    def probability(rows: Any) -> FloatArray:
        mean: FloatArray = estimator.draw(rows, draws=draws, rng=np.random.default_rng(seed))[:, :, 1].mean(0)
        return mean

    threshold, precision = best_threshold(probability(answered[validate]), agrees[validate])
    if agrees[validate].all():
        precision = succession(len(validate))
    chances = np.concatenate([probability(block) for block in blocks()])
    return PseudoLabelled(most_probable(chances, threshold, precision, rng), threshold, precision)


def succession(agreeing: int) -> float:
    """Laplace's rule: the chance that the next agrees after n of n did.

    >>> succession(18)
    0.95
    """
    return (agreeing + 1) / (agreeing + 2)


def split(agrees: BoolArray, share: float, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Stratified training and validation rows; each class keeps at least one row for training.

    >>> train, validate = split(np.array([True] * 9 + [False]), 0.3, np.random.default_rng(0))
    >>> len(train), len(validate), bool((train == 9).any())
    (7, 3, True)
    """
    held = []
    for side in (False, True):
        rows = rng.permutation(np.flatnonzero(agrees == side))
        held.append(rows[: min(round(share * len(rows)), len(rows) - 1)] if len(rows) else rows)
    if not (held[0].size or held[1].size):  # too few to round up to one
        rows = np.flatnonzero(agrees == (agrees.mean() > 0.5))
        held.append(rng.permutation(rows)[:1])
    validate = np.sort(np.concatenate(held))
    return np.setdiff1d(np.arange(len(agrees)), validate), validate


def oversampled(agrees: BoolArray, rng: np.random.Generator) -> IntArray:
    """Rows with the rarer class repeated until both are equally many.

    >>> rows = oversampled(np.array([True, True, True, False]), np.random.default_rng(0))
    >>> np.bincount(rows).tolist()
    [1, 1, 1, 3]
    """
    sides = [np.flatnonzero(agrees == side) for side in (False, True)]
    rare, common = sorted(sides, key=len)
    # Whole repeats first, then a random few: no item is repeated much more than another.
    times, rest = divmod(len(common), len(rare))
    return np.sort(np.concatenate([common, np.repeat(rare, times), rng.choice(rare, rest, replace=False)]))


def best_threshold(probability: FloatArray, agrees: BoolArray) -> tuple[float, float]:
    """The threshold of highest precision among the validation probabilities, the lowest of equals, and its precision.

    >>> best_threshold(np.array([0.9, 0.8, 0.7, 0.2]), np.array([True, True, False, True]))
    (0.8, 1.0)
    """
    order = np.argsort(-probability, kind="stable")
    ranked = probability[order]
    precision = np.cumsum(agrees[order]) / np.arange(1, len(ranked) + 1)
    last_of_equals = np.append(ranked[1:] != ranked[:-1], True)  # at or above a threshold means all its equals
    candidates = np.flatnonzero(last_of_equals)
    best = candidates[::-1][np.argmax(precision[candidates][::-1])]
    return float(ranked[best]), float(precision[best])


def most_probable(probability: FloatArray, threshold: float, precision: float, rng: np.random.Generator) -> IntArray:
    """Of the rows at or above the threshold, the floor(precision x count) most probable, in row order.

    >>> most_probable(np.array([0.9, 0.5, 0.8, 0.95]), 0.8, 0.7, np.random.default_rng(0)).tolist()
    [0, 3]
    """
    above = rng.permutation(np.flatnonzero(probability >= threshold))
    count = int(np.floor(precision * len(above) + 1e-9))  # 0.7 * 10 is 6.999...
    return np.sort(above[np.argsort(-probability[above], kind="stable")[:count]])
