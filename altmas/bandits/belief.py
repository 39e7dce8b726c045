"""What is believed about groups and confusion columns, from a prior and the answers so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from altmas.bandits.tasks import Arms, binned
from altmas.core.answers import Answers
from altmas.core.groups import Groups, by_predicted_class, by_score_bin, crossed, required_confidence
from altmas.core.pool import NO_CLASS, Pool
from altmas.metrics.confusion import tally
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.groups.beta_posterior import BetaPosterior
    from altmas.surrogates.groups.dirichlet_posterior import DirichletPosterior
    from altmas.surrogates.groups.hierarchical import HierarchicalPrior

COLUMN_STRENGTH = 1.0
"""Pseudo-counts of a confusion column, in all (the paper's N0 for Dirichlet priors)."""

_NUMBERS = 4_000_000  # drawn at once, at most


def belief_for(prior: str, strength: float, pool: Pool, arms: Arms) -> GroupBelief:
    """Prepare the belief: everything a prior needs is known from the unlabelled pool."""
    columns = by_predicted_class(pool)
    same = arms.groups.index is columns.index
    cells = columns if same else crossed(arms.groups, columns)
    said = np.arange(len(cells.names)) % len(columns.names)
    return GroupBelief(prior, strength, pool, arms, cells, said)


@dataclass(eq=False)
class GroupBelief:
    """Posteriors of the arms and of the confusion columns.

    Columns are kept per cell, group x predicted class: within a cell items are asked about by chance, whatever the
    rule.
    """

    prior: str
    strength: float
    pool: Pool
    arms: Arms
    cells: Groups
    said: IntArray  # the predicted class of each cell
    answers: Answers = field(default_factory=Answers)

    def update(self, answers: Answers) -> None:
        """Take in the answers; a learnt prior is fitted again."""
        self.answers = answers
        self._bins_learnt: HierarchicalPrior | None = None
        self._columns_prior: FloatArray | None = None
        self._arms_prior: FloatArray | None = None
        self.seen = self.arms.seen(self.pool, answers.items, answers.labels)
        if self.prior == "hierarchical":
            self.learnt = self._fit(self.arms.groups, answers)
            self.learnt_cells = self.learnt if self._one_grouping else self._fit(self.cells, answers)

    @property
    def _one_grouping(self) -> bool:
        return self.cells.index is self.arms.groups.index

    # --- the arms ----------------------------------------------------------------------------------------------

    def alpha(self, rng: np.random.Generator) -> FloatArray:
        """Pseudo-counts plus outcomes `[1, G, O]`; of an uncertain prior one draw."""
        return np.asarray(self.seen + self._arm_prior(rng))

    def right_wrong(self) -> tuple[FloatArray, FloatArray]:
        """Right and wrong answers per group `[G]`."""
        return _right_wrong(self.pool, self.arms.groups, self.answers)

    def accuracy(self) -> BetaPosterior:
        """Posterior of each group's accuracy `[G]`."""
        from altmas.surrogates.groups.beta_posterior import BetaPosterior

        right, wrong = self.right_wrong()
        if self.prior == "hierarchical":
            found = self.learnt.posterior(right[None], wrong[None])
            posterior = BetaPosterior(found.right[:, 0], found.wrong[:, 0], found.weights[:, 0])
        else:
            prior = self._fixed_prior
            posterior = BetaPosterior.of(right + prior[:, 0], wrong + prior[:, 1])
        never = self.never_right(self.arms.groups)
        posterior.right[:, never], posterior.wrong[:, never] = 1e-9, 1e9
        return posterior

    def never_right(self, groups: Groups) -> NDArray[np.bool_]:
        """Groups of answers that are no class `[G]`: their accuracy is 0, without asking."""
        return np.array([name == NO_CLASS for name in groups.names])

    def calibration_error(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draws `[M, G]` of each group's expected calibration error, from its score bins' accuracies."""
        shares, scores, theta = self._bin_draws(draws, rng, shared=False)
        return np.asarray((shares * np.abs(theta - scores)).sum(-1))

    def reliability(self, draws: int, rng: np.random.Generator) -> tuple[Groups, FloatArray, FloatArray]:
        """Score bins, their mean scores `[B]`, and draws of their accuracies over the whole pool `[M, B]`.

        A bin's accuracy is that of its groups, weighted by their items: groups are not asked about evenly.
        """
        shares, scores, theta = self._bin_draws(draws, rng, shared=True)
        weight = shares * self.arms.groups.sizes[:, None]
        weight = weight / np.maximum(weight.sum(0), 1e-300)
        return self.score_bins, np.asarray((weight * scores).sum(0)), np.asarray((weight * theta).sum(-2))

    @cached_property
    def score_bins(self) -> Groups:
        """The bins of calibration: the task's own, or ten of equal width."""
        return self.arms.bins or by_score_bin(self.pool)

    def _bin_draws(
        self, draws: int, rng: np.random.Generator, *, shared: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Shares and mean scores `[G, B]`, drawn accuracies `[M, G, B]`; a bin's prior strength is `shared` or not."""
        shares, scores = self.binned
        cells = crossed(self.arms.groups, self.score_bins)
        right, wrong = _right_wrong(self.pool, cells, self.answers)
        draws = max(min(draws, _NUMBERS // scores.size), 50)
        if self.prior == "hierarchical":
            found = self._fit(cells, self.answers).posterior(right[None], wrong[None])
            theta = found.draw(draws, rng)[:, 0]
        else:
            of_bin = shares * self.arms.groups.sizes[:, None]
            of_bin = np.tile(of_bin / np.maximum(of_bin.sum(0), 1), 2) if shared else np.ones((1, 2 * scores.shape[1]))
            prior = (self._bin_prior(scores) * np.maximum(of_bin, 1e-6)).reshape(len(scores), 2, -1)
            theta = rng.beta(right + prior[:, 0].ravel(), wrong + prior[:, 1].ravel(), (draws, scores.size))
        return shares, scores, theta.reshape(-1, *scores.shape)

    def _arm_prior(self, rng: np.random.Generator) -> FloatArray:
        if self.arms.by_true_class:
            columns = self._column_priors()
            return np.asarray(columns[0] if len(columns) == 1 else columns[self._point(rng)])
        if self.arms.bins is not None:
            return self._bins_arm_prior(self.arms.bins, rng)
        if self.prior == "hierarchical":
            if self._arms_prior is None:
                self._arms_prior = np.stack([part[:, 0] for part in self.learnt.pseudo_counts()], -1)
            return np.asarray(self._arms_prior[self._point(rng)])
        return self._fixed_prior

    def _bins_arm_prior(self, bins: Groups, rng: np.random.Generator) -> FloatArray:
        """Pseudo-counts `[G, 2B]`, right then wrong; under a learnt prior those of one point of cells group x bin."""
        scores = self.binned[1]
        if self.prior != "hierarchical":
            return self._bin_prior(scores)
        if self._bins_learnt is None:
            self._bins_learnt = self._fit(crossed(self.arms.groups, bins), self.answers)
        learnt = self._bins_learnt
        which = int(rng.choice(len(learnt.weights), p=learnt.weights[:, 0]))
        return np.concatenate([part[which, 0].reshape(scores.shape) for part in learnt.pseudo_counts()], -1)

    def _point(self, rng: np.random.Generator) -> int:
        return int(rng.choice(len(self.learnt.weights), p=self.learnt.weights[:, 0]))

    @cached_property
    def _fixed_prior(self) -> FloatArray:
        """Pseudo-counts `[G, 2]` of a prior that no answer changes: looked up for every pull, so made once."""
        from altmas.surrogates.groups.priors import informed, uniform

        scores = _mean_scores(self.pool, self.arms.groups) if self.prior == "informed" else None
        if scores is None:
            return uniform(len(self.arms.groups.names), self.strength)
        return informed(scores, self.strength)

    def _bin_prior(self, scores: FloatArray) -> FloatArray:
        """Pseudo-counts `[G, 2B]` of the bins: calibrated, or even."""
        from altmas.surrogates.groups.priors import informed

        pseudo = informed(np.full(scores.shape, np.nan) if self.prior == "uniform" else scores, self.strength)
        return np.concatenate([pseudo[..., 0], pseudo[..., 1]], -1)

    def _fit(self, groups: Groups, answers: Answers) -> HierarchicalPrior:
        from altmas.surrogates.groups.hierarchical import fit_prior, regressor

        right, wrong = _right_wrong(self.pool, groups, answers)
        never = self.never_right(groups)
        right[never], wrong[never] = 0.0, 0.0  # certain, so no evidence about the others
        x = regressor(_mean_scores(self.pool, groups), len(groups.names))
        return fit_prior(right[None], wrong[None], x)

    # --- the confusion -----------------------------------------------------------------------------------------

    def columns(self) -> DirichletPosterior:
        """Posterior of the true class within each cell `[G x P, C]`."""
        from altmas.surrogates.groups.dirichlet_posterior import DirichletPosterior

        counts = tally(
            self.cells.index[self.answers.items], self.answers.labels, len(self.said), len(self.pool.classes)
        )
        weights = self.learnt_cells.weights[:, 0] if self.prior == "hierarchical" else np.ones(1)
        return DirichletPosterior(counts + self._column_priors(), weights)

    def confusions(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draws of the whole pool's confusion `[M, C, P]`: answers as given, open items by their cell's drawn column.

        With every item labelled this is the confusion itself.
        """
        pool, classes = self.pool, len(self.pool.classes)
        draws = max(min(draws, _NUMBERS // (len(self.said) * classes)), 50)
        open_items = self.answers.unlabelled(pool)
        left = np.bincount(self.cells.index[open_items], minlength=len(self.said))
        known = self.answers.confusion(pool)
        if not len(open_items):
            return np.repeat(known[None], 2, axis=0)
        occupied = np.flatnonzero(left)
        theta = self.columns().draw(draws, rng)[:, occupied]
        theta /= theta.sum(-1, keepdims=True)
        counts = rng.multinomial(left[occupied], theta)  # [M, cells, C]
        out = np.zeros((draws, pool.columns, classes))
        for cell, column in enumerate(self.said[occupied]):
            out[:, column] += counts[:, cell]
        return np.asarray(known + out.transpose(0, 2, 1))

    def _column_priors(self) -> FloatArray:
        """Pseudo-counts `[H, cells, C]`, made once per update."""
        from altmas.surrogates.groups.dirichlet_posterior import hierarchical_columns

        if self._columns_prior is None:
            if self.prior == "hierarchical":
                self._columns_prior = hierarchical_columns(self.learnt_cells, self._shares, self.said)
            else:
                # Shared out to its cells, or many groups would drown the answers in pseudo-counts.
                sizes = self.cells.sizes
                of_column = sizes / np.maximum(np.bincount(self.said, sizes)[self.said], 1)
                strength = COLUMN_STRENGTH * np.maximum(of_column, 1e-9)[:, None]
                self._columns_prior = (strength * np.maximum(self._shares, 1e-9))[None]
        return self._columns_prior

    @cached_property
    def _shares(self) -> FloatArray:
        """Prior proportions of the true classes in each cell `[cells, C]`."""
        from altmas.surrogates.groups.dirichlet_posterior import proportions

        scores = None if self.prior == "uniform" else _probabilities(self.pool)
        return proportions(scores, self.cells.index, self.said, len(self.pool.classes))

    @cached_property
    def binned(self) -> tuple[FloatArray, FloatArray]:
        """Share and mean score of each bin within its group `[G, B]`."""
        return binned(self.pool, self.arms.groups, self.score_bins)


def _right_wrong(pool: Pool, groups: Groups, answers: Answers) -> tuple[FloatArray, FloatArray]:
    right = answers.labels == pool.predictions[answers.items]
    counts = tally(groups.index[answers.items], right, len(groups.names), 2)
    return counts[:, 1], counts[:, 0]


def _probabilities(pool: Pool) -> FloatArray | None:
    """The model's scores, where they can be read as probabilities."""
    return pool.scores if pool.probable else None


def _mean_scores(pool: Pool, groups: Groups) -> FloatArray | None:
    return None if _probabilities(pool) is None else groups.mean(required_confidence(pool))
