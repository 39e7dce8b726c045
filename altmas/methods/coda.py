"""CODA: consensus-driven active model selection (Kay et al. 2025).

Every model has a Dirichlet row per true class over what it predicts, first learnt from the vote of all models, then
from answers. Asked is where a label is expected to tell most about which model is best.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, entr

from altmas.core.method import Job
from altmas.core.policies import Choice
from altmas.methods.best_model import BestModelRun, FindsBestModel, most_worthy
from altmas.metrics.types import BoolArray, FloatArray, IntArray

STRENGTH = 2.0
"""What the prior is multiplied by; this and the next two as published."""

VOTE_SHARE = 0.1
"""How much the confusion with the vote counts in the prior, beside a diagonal of 1."""

LEARNING_RATE = 0.01
"""What an answer adds to its cell of every model."""

TIE = 1e-8
"""Worths that differ by less, or by this share of them, tie."""

GRID = np.linspace(1e-6, 1 - 1e-6, 256)
"""Accuracies at which the Betas are compared."""

LEAST_CDF = 1e-30
"""Smaller values of a distribution function are taken for this, so that it can be divided by."""

_AT_ONCE = 4096


@dataclass(frozen=True)
class Coda(FindsBestModel):
    """No options: the constants are those of the paper."""

    name: str = "coda"

    def run(self, job: Job) -> CodaRun:
        """Learn from the vote."""
        return CodaRun(job)


class CodaRun(BestModelRun):
    """CODA at work: `alpha [H, C, P]` holds the rows, and a `ClassView` per class what follows from them."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.classes = len(job.pool.classes)
        # Of a single class a model can only be right, or say something else: that needs a column.
        self.columns = max(job.pool.columns, 2)
        self.sizes = np.bincount(self.place, minlength=len(self.patterns))
        self._models = np.arange(len(self.said))
        self.agreed = (self.patterns == self.patterns[:, :1]).all(1)
        self.sayers = [Sayers.of(self.patterns, c) for c in range(self.classes)]
        self.forget()

    def forget(self) -> None:
        """Only the vote is known."""
        self.alpha = prior(self.patterns, self.sizes, self.classes, self.columns)
        self.likely = np.zeros((len(self.patterns), self.classes))
        self.views: dict[int, ClassView] = {}
        self._look_at(range(self.classes))

    def learn(self, items: IntArray, labels: IntArray) -> None:
        """Add to the cell of every model; only rows of classes that were answered change."""
        for item, label in zip(items.tolist(), labels.tolist(), strict=True):
            self.alpha[self._models, label, self.said[:, item]] += LEARNING_RATE
        self._look_at(np.unique(labels).tolist())

    def choose_among(self, candidates: IntArray, count: int) -> Choice:
        """By worth; items on which all models agree wait until the others have been asked about."""
        worth, agreed = self.worth()[self.place[candidates]], self.agreed[self.place[candidates]]
        items: list[int] = []
        for some in (np.flatnonzero(~agreed), np.flatnonzero(agreed)):
            rings, left = self.clocks[candidates[some]], count - len(items)
            items += most_worthy(candidates[some], worth[some], left, rings, rtol=TIE, atol=TIE).items.tolist()
        return Choice(np.array(items, dtype=np.int64), np.ones(len(items)))

    def believed_best(self) -> FloatArray:
        """P(best) = sum_c pi_c P(best | c)."""
        return np.asarray(self.shares() @ self._best_by_class())

    def believed_accuracy(self) -> FloatArray:
        """The mean of each diagonal's Beta, weighted by the shares of the classes."""
        among = np.arange(self.classes)
        return np.asarray((self.alpha[:, among, among] / self.alpha.sum(2)) @ self.shares())

    def belief(self) -> FloatArray:
        """The probability of each label of each pattern `[U, C]`."""
        return np.asarray(self.likely / self.likely.sum(1, keepdims=True))

    def shares(self) -> FloatArray:
        """The share of each class among all items `[C]`."""
        return np.asarray(self.sizes @ self.belief() / self.sizes.sum())

    def worth(self) -> FloatArray:
        """By how many bits a label of each pattern is expected to lower the entropy of P(best) `[U]`."""
        belief, shares = self.belief(), self.shares()
        now = shares @ self._best_by_class()
        expected = np.zeros(len(self.patterns))
        for c, (share, sayers) in enumerate(zip(shares, self.sayers, strict=True)):
            view = self.views[c]
            after = entropy_bits(now + share * (view.after - view.best))
            expected += belief[:, c] * after[0]
            expected[sayers.patterns] += belief[sayers.patterns, c] * (after[sayers.which] - after[0])
        return np.asarray(entropy_bits(now) - expected)

    def _best_by_class(self) -> FloatArray:
        return np.stack([self.views[c].best for c in range(self.classes)])

    def _look_at(self, classes: Iterable[int]) -> None:
        """See what follows from the rows of these classes."""
        for c in classes:
            rows = self.alpha[:, c]
            self.likely[:, c] = rows[self._models, self.patterns].sum(1)
            right = rows[:, c]
            wrong = rows.sum(1) - right
            self.views[c] = ClassView(chance_of_best(right, wrong), chances_after(right, wrong, self.sayers[c].sets))


@dataclass(frozen=True, eq=False)
class Sayers:
    """Who said a class: every set of models that did `[S, H]`, none of them first.

    `patterns` are those in which some model said it, `which` the set of each.
    """

    sets: BoolArray
    patterns: IntArray
    which: IntArray

    @classmethod
    def of(cls, patterns: IntArray, c: int) -> Sayers:
        """From what the models said `[U, H]`.

        >>> found = Sayers.of(np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), 1)
        >>> found.sets.astype(int).tolist(), found.patterns.tolist(), found.which.tolist()
        ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 2], [1, 2, 3])
        """
        said = patterns == c
        some = np.flatnonzero(said.any(1))
        nobody = np.zeros((1, patterns.shape[1]), dtype=bool)
        sets, which = np.unique(np.concatenate([nobody, said[some]]), axis=0, return_inverse=True)
        return cls(sets, some, which.reshape(-1)[1:])


@dataclass(frozen=True, eq=False)
class ClassView:
    """What the rows of one class say: P(best | c) `[H]`, and the same after a label c, by who had said so `[S, H]`."""

    best: FloatArray
    after: FloatArray


# --- the formulas -----------------------------------------------------------------------------------------------------


def vote(patterns: IntArray, classes: int) -> IntArray:
    """What most models say of each pattern `[U]`, the first class of a tie; -1 where none says a class.

    >>> vote(np.array([[0, 1, 1], [2, 1, 0], [3, 3, 2], [3, 3, 3]]), 3).tolist()
    [1, 0, 2, -1]
    """
    counts = np.stack([(patterns == c).sum(1) for c in range(classes)])
    return np.where(counts.any(0), counts.argmax(0), -1)


def prior(patterns: IntArray, sizes: IntArray, classes: int, columns: int) -> FloatArray:
    """2 (D + 0.1 S) of every model `[H, C, P]`.

    D has 1 on the diagonal, and 1 shared by the other columns, of which a prediction that is no class has one. S is the
    model's confusion with the vote, in shares of each row; a row without items stays 0.

    >>> patterns, sizes = np.array([[0, 0], [0, 1], [1, 1]]), np.array([3, 1, 2])  # the vote: 0, 0 and 1
    >>> prior(patterns, sizes, 2, 2).round(3).tolist()
    [[[2.2, 2.0], [2.0, 2.2]], [[2.15, 2.05], [2.0, 2.2]]]
    """
    voted = vote(patterns, classes)
    counted = voted >= 0
    out = np.empty((patterns.shape[1], classes, columns))
    for model, said in enumerate(patterns[counted].T):
        seen = np.bincount(voted[counted] * columns + said, sizes[counted], minlength=classes * columns)
        confusion = seen.reshape(classes, columns)
        out[model] = VOTE_SHARE * confusion / np.maximum(confusion.sum(1, keepdims=True), 1)
    diagonal = np.eye(classes, columns)
    return np.asarray(STRENGTH * (diagonal + (1 - diagonal) / (columns - 1) + out))


def curves(right: FloatArray, wrong: FloatArray) -> tuple[FloatArray, FloatArray]:
    """For each Beta(right, wrong) `[H]` on the grid `[H, 256]`: log cdf, and pdf / cdf with the weights of a sum.

    >>> log_cdf, hazard = curves(np.array([2.0]), np.array([2.0]))
    >>> round(float(np.exp(log_cdf[0, -1])), 4), round(float((hazard * np.exp(log_cdf)).sum()), 4)
    (1.0, 1.0)
    """
    step = GRID[1] - GRID[0]
    log_pdf = (right[:, None] - 1) * np.log(GRID) + (wrong[:, None] - 1) * np.log1p(-GRID)
    pdf = np.exp(log_pdf - betaln(right, wrong)[:, None])
    cdf = np.zeros_like(pdf)
    cdf[:, 1:] = np.cumsum((pdf[:, 1:] + pdf[:, :-1]) / 2 * step, axis=1)
    log_cdf = np.log(np.maximum(cdf, LEAST_CDF))
    trapezoid = np.full(len(GRID), step)
    trapezoid[[0, -1]] /= 2
    return log_cdf, np.asarray(pdf * trapezoid * np.exp(-log_cdf))


def chance_of_best(right: FloatArray, wrong: FloatArray) -> FloatArray:
    """P(best | c) `[H]`: the integral of pdf_h times the cdf of all others, of the Betas of the diagonals.

    >>> chance_of_best(np.array([2.0, 2.0]), np.array([2.0, 2.0])).round(6).tolist()
    [0.5, 0.5]
    """
    log_cdf, hazard = curves(right, wrong)
    return _of_one(hazard @ np.exp(log_cdf.sum(0)))


def chances_after(right: FloatArray, wrong: FloatArray, said: BoolArray) -> FloatArray:
    """P(best | c) `[S, H]` after one more label c: models that `said [S, H]` so were right, the others wrong.

    All sets share the two curves that each model may have, so that a matrix product makes them all.

    >>> two = np.array([2.0, 2.0])
    >>> found = chances_after(two, two, np.array([[True, False]]))
    >>> bool(np.allclose(found[0], chance_of_best(two + [1, 0], two + [0, 1])))
    True
    """
    if_right, if_wrong = curves(right + 1, wrong), curves(right, wrong + 1)
    nobody, gain = if_wrong[0].sum(0), if_right[0] - if_wrong[0]
    out = []
    for start in range(0, len(said), _AT_ONCE):
        some = said[start : start + _AT_ONCE]
        product = np.exp(nobody + some.astype(np.float64) @ gain)
        out.append(_of_one(np.where(some, product @ if_right[1].T, product @ if_wrong[1].T)))
    return np.concatenate(out)


def entropy_bits(p: FloatArray) -> FloatArray:
    """Entropy over the last axis, in bits; a rounding below 0 is 0.

    >>> entropy_bits(np.array([[0.5, 0.5], [1.0, -1e-17]])).tolist()
    [1.0, 0.0]
    """
    return np.asarray(entr(np.maximum(p, 0.0)).sum(-1) / np.log(2))


def _of_one(weights: FloatArray) -> FloatArray:
    """Shares of 1 over the last axis; alike where all vanish, as they may on a grid too coarse for them."""
    total = weights.sum(-1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / weights.shape[-1])
