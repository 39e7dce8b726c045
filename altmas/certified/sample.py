"""What estimates are made from: the belief, the answers, the chances, and what experts corrected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from altmas.certified.corrected import Corrected
from altmas.core.answers import Answers
from altmas.core.clusters import Clusters
from altmas.core.targets import Target
from altmas.metrics.belief import Belief
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.certified.design import Linearised


@dataclass(frozen=True, eq=False)
class Sample:
    """What the estimator sees: the belief, the answers, and every item's inclusion probability `[N]`.

    From a log, the inclusion of items not answered may be unknown (NaN): sums over the pool are then weighted sums over
    the answers. Metrics are linearised where the belief and its first `known` answers put the confusion (all of them,
    unless said), so that the answers that come before the next refit cost nothing; `linearised` has what is made.
    `drawn_then [N]` is the inclusion as it was when the belief was made; as it is now, unless said.
    `before [n, C]` is what was believed of the answers before there were any. Where experts corrected some answers,
    `corrected` says how; labels are theirs where they read. With `clusters`, estimates are about clusters like these.
    """

    belief: Belief
    answers: Answers
    inclusion: FloatArray
    known: int | None = None
    linearised: dict[Target, Linearised] = field(default_factory=dict)
    drawn_then: FloatArray | None = None
    before: FloatArray | None = None
    corrected: Corrected | None = None
    clusters: Clusters | None = None
    tallied: list[tuple[Belief, IntArray, int, FloatArray]] = field(default_factory=list)
    """The last confusion believed: the belief, columns and width it is of, and itself."""
    recent: list[tuple[Target, Linearised]] = field(default_factory=list, init=False)
    """The last target of the whole pool that was linearised here: what is asked of it comes in a row."""

    def believed(self, target: Target) -> FloatArray:
        """The confusion as it is believed `[C, P]`; metrics of one model after another have it in common."""
        if self.tallied:
            belief, columns, width, known = self.tallied[0]  # held with what it is of: nothing else can be taken for it
            if belief is self.belief and columns is target.columns and width == target.width:
                return known.copy()
        found = target.believed(self.belief)
        self.tallied[:] = [(self.belief, target.columns, target.width, found)]
        return found.copy()

    def relabelled(self, answers: Answers) -> Sample:
        """The same belief and chances, with other answers of the same items, which no expert corrected."""
        return Sample(self.belief, answers, self.inclusion, clusters=self.clusters, tallied=self.tallied)

    @cached_property
    def of_answers(self) -> FloatArray:
        """What is believed of each answer's item `[n, C]`."""
        return self.belief.at(self.answers.items).rows()

    @cached_property
    def surprise(self) -> FloatArray:
        """e(y_i) - pi_i of each answer `[n, C]`, as far as its label is known."""
        known = self.one_hot if self.corrected is None else self.corrected.known(self.one_hot)
        return known - self.of_answers

    @cached_property
    def counted(self) -> FloatArray:
        """The same as the design counts it, U_i - pi_i: right on average over which answers are read `[n, C]`."""
        if self.corrected is None:
            return self.surprise
        return self.corrected.counted(self.one_hot) - self.of_answers

    @cached_property
    def one_hot(self) -> FloatArray:
        """e(y_i) of each answer `[n, C]`, whether or not an expert read it."""
        return np.asarray(np.eye(self.belief.classes)[self.answers.labels])

    def with_certain(self, answers: Answers) -> Sample:
        """With further answers after these, which no expert need read."""
        told = np.eye(self.belief.classes)[answers.labels[len(self.answers) :]]
        corrected = None if self.corrected is None else self.corrected.with_certain(told)
        return Sample(self.belief, answers, self.inclusion, corrected=corrected, clusters=self.clusters)

    @cached_property
    def odds_against(self) -> FloatArray:
        """(1 - p_i) / p_i of each item `[N]`: what its surprise, squared, adds to the variance."""
        return self._for_sums(lambda p: (1 - p) / p)

    @cached_property
    def odds_of_fourth(self) -> FloatArray:
        """(1 - p_i)^2 / p_i^3 of each item `[N]`: the same of the fourth power, and the variance's own variance."""
        return self._for_sums(lambda p: np.square(1 - p) / p**3)

    def _for_sums(self, of: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Something of each item's chance `[N]`, to be summed over the pool; by the known ones, where some are not."""
        with np.errstate(divide="ignore"):  # in an audit that was just renewed, new items had no chance yet
            found = of(self.inclusion)
        known = np.isfinite(found)
        return found if known.all() else np.where(known, found / self.inclusion, 0.0)
