"""Model Selector: ask where the answer is expected to tell most about which model is best (Okanovic et al. 2025)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import softmax, xlogy

from altmas.core.checks import is_number
from altmas.core.method import Job
from altmas.core.policies import Choice
from altmas.methods.best_model import UNKNOWN, BestModelRun, FindsBestModel, most_worthy
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

TIE = 1e-12
"""Expected entropies, in nats, that differ by less are the same but for rounding."""


@dataclass(frozen=True)
class ModelSelector(FindsBestModel):
    """The best model is taken to err with probability `eps`, whatever the item; its authors' choice is 0.46."""

    eps: float = 0.46
    name: str = "model-selector"

    def run(self, job: Job) -> ModelSelectorRun:
        """Check the option."""
        if not is_number(self.eps) or not 0 < self.eps < 0.5:
            raise InputError("eps", "be a number between 0 and 0.5, both excluded", repr(self.eps))
        return ModelSelectorRun(job, (1 - self.eps) / self.eps)


class ModelSelectorRun(BestModelRun):
    """Model Selector at work: `right [H]` counts the answers that each model had right."""

    def __init__(self, job: Job, odds: float) -> None:
        super().__init__(job)
        self.odds = odds
        self.forget()

    def forget(self) -> None:
        """No answer is right."""
        self.right = np.zeros(len(self.said), dtype=np.int64)

    def learn(self, items: IntArray, labels: IntArray) -> None:
        """Count."""
        self.right = self.right + (self.said[:, items] == labels).sum(1)

    def choose_among(self, candidates: IntArray, count: int) -> Choice:
        """Where the entropy of the posterior is expected to be least."""
        worth = -self.expected_entropy()[self.place[candidates]]
        return most_worthy(candidates, worth, count, self.clocks[candidates], atol=TIE)

    def believed_best(self) -> FloatArray:
        """The posterior, which begins uniform."""
        return posterior(self.right, self.odds)

    def believed_accuracy(self) -> FloatArray:
        """The share of right answers among those asked; the questions were chosen, so it is often too low."""
        return self.right / len(self.answers) if len(self.answers) else np.full(len(self.right), UNKNOWN)

    def expected_entropy(self) -> FloatArray:
        """Of the posterior after an answer about each pattern `[U]`, all labels being as likely."""
        cells, place = self._cells
        p, classes, columns = self.believed_best(), len(self.job.pool.classes), self._columns
        said = cells % columns < classes  # nobody is right where the prediction is no class
        mass, part = (_summed(place, np.tile(one, len(self.patterns))) for one in (p, xlogy(p, p)))
        total = float(xlogy(p, p).sum())
        gained = -total - entropy_after(mass, part, total, self.odds)
        # A label that no model predicted tells nothing of them: the entropy stays what it is.
        return -total - np.bincount(cells // columns, gained * said, minlength=len(self.patterns)) / classes

    @property
    def _columns(self) -> int:
        return len(self.job.pool.classes) + 1

    @cached_property
    def _cells(self) -> tuple[IntArray, IntArray]:
        """Every prediction that some model made in some pattern, once, and which of these each model's is `[U * H]`."""
        codes = np.arange(len(self.patterns))[:, None] * self._columns + self.patterns
        cells, place = np.unique(codes, return_inverse=True)
        return cells, place.reshape(-1)


def _summed(place: IntArray, values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(place, values), dtype=np.float64)


def posterior(right: IntArray, odds: float) -> FloatArray:
    """P(h) ~ odds^(right answers of h), odds = (1 - eps) / eps.

    >>> posterior(np.array([2, 1, 1]), 2.0).tolist()
    [0.5, 0.25, 0.25]
    """
    return np.asarray(softmax(right * np.log(odds)))


def entropy_after(mass: FloatArray, part: FloatArray, total: float, odds: float) -> FloatArray:
    """Entropy of the posterior, in nats, after an answer that models of this `mass` agree with.

    P'(h) = odds^[h agrees] P(h) / Z with Z = 1 + (odds - 1) mass; so that of all models only sums are needed, `part` of
    P log P over those that agree, `total` over all.

    >>> p = np.array([0.5, 0.25, 0.25])  # the first agrees, and then has 3/4
    >>> found = entropy_after(np.array([0.5]), xlogy(p, p)[:1], xlogy(p, p).sum(), 3.0)
    >>> after = np.array([0.75, 0.125, 0.125])
    >>> bool(np.isclose(found[0], -xlogy(after, after).sum()))
    True
    """
    scale = 1 + (odds - 1) * mass
    return np.asarray(np.log(scale) - ((odds - 1) * part + total + odds * np.log(odds) * mass) / scale)
