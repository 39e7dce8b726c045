"""Which predictions stand as labels: ALT-MAS's pseudo-labels, with a guard of our own.

The paper (section 3.1) learns from x alone where the model under test is right, and takes the threshold of highest
precision on a held-out third of the answers. Of a bad model that third has two or three right predictions; a single one
makes "precision 1", and hundreds of wrong predictions become pseudo-labels. The guard differs in three ways:

- P(agree) comes from an agreement regression, which sees the model's scores. What it says about an item never rests on
  that item's own answer, so every answer can be validated against, and not a third of them.
- A threshold is worth the 90% lower confidence bound of its precision (Clopper and Pearson): no one or two answers can
  make that high, and where all agree it needs no rule of succession.
- Thresholds below `LEAST_PROBABILITY` are not looked at: a prediction that is itself in doubt does not stand because
  surer ones are right. Of the others the lowest whose bound is at least `LEAST_PRECISION` is taken; where none is,
  no prediction stands. "The highest bound" would be nearer to the paper, but that threshold swings between refits.

Most answers were chosen where the method was in doubt. At or above a threshold they are harder than the open items, so
the bound is mostly too low: that is the safe side, and it is how a wrong pseudo-label is found out. Validating with the
first, random answers alone would be unbiased, and was tried: what those missed by chance is then never put right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaincinv

from altmas.beliefs.cross_fit import cross_fit_on
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.metrics.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.networks.agreement import PseudoLabelled

CONFIDENCE = 0.9
LEAST_PRECISION = 0.85
LEAST_PROBABILITY = 0.95
"""All three were found by looking at outcomes; docs/alt-mas.md says on which seeds."""

FOLDS_SEED = 0
"""The folds are the same in every run: they must not depend on labels, and need not depend on chance."""


class Guard:
    """Says which open items of one pool may stand with their prediction as their label."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.regression = cross_fit_on(pool, FOLDS_SEED)

    def pseudo_label(self, answers: Answers, rng: np.random.Generator) -> PseudoLabelled:
        """Open items, by their position in the pool, with the threshold and the bound that chose them."""
        from altmas.surrogates.networks.agreement import NOTHING, PseudoLabelled, most_probable

        said = self.pool.predictions
        agrees = answers.labels == said[answers.items]
        if not agrees.any():
            return NOTHING
        probability = self.agreement(answers)
        sure = probability[answers.items] >= LEAST_PROBABILITY
        if not sure.any():
            return NOTHING
        threshold, bound = guarded_threshold(probability[answers.items][sure], agrees[sure], LEAST_PRECISION)
        if bound < LEAST_PRECISION:
            return NOTHING
        candidates = answers.unlabelled(self.pool)
        candidates = candidates[said[candidates] < len(self.pool.classes)]
        rows = most_probable(probability[candidates], threshold, bound, rng)
        return PseudoLabelled(candidates[rows], threshold, bound)

    def agreement(self, answers: Answers) -> FloatArray:
        """P(the prediction is right) of every item `[N]`, out of fold; 0 for a prediction that is no class."""
        return self.regression.fit(answers, np.ones(len(answers))).belief.chance(self.pool.predictions)


def lower_bound(agreeing: IntArray, of: IntArray, confidence: float = CONFIDENCE) -> FloatArray:
    """The one-sided lower confidence bound of a proportion (Clopper and Pearson); 0 where none agrees.

    >>> lower_bound(np.array([0, 2, 40]), np.array([5, 2, 40])).round(3).tolist()
    [0.0, 0.316, 0.944]
    """
    some = np.maximum(agreeing, 1)
    return np.where(agreeing > 0, betaincinv(some, of - some + 1, 1 - confidence), 0.0)


def guarded_threshold(probability: FloatArray, agrees: BoolArray, least: float) -> tuple[float, float]:
    """The lowest threshold at which the precision's lower bound is at least `least`, and that bound.

    Where there is none, the threshold of the highest bound.

    >>> p = np.linspace(0.5, 1, 60)
    >>> [round(one, 2) for one in guarded_threshold(p, p > 0.7, 0.9)]
    [0.7, 0.94]
    """
    order = np.argsort(-probability, kind="stable")
    ranked = probability[order]
    bound = lower_bound(np.cumsum(agrees[order]), np.arange(1, len(order) + 1))
    candidates = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # a threshold takes all its equals
    enough = candidates[bound[candidates] >= least]
    at = enough[-1] if len(enough) else candidates[np.argmax(bound[candidates])]
    return float(ranked[at]), float(bound[at])
