"""R replicates of a group bandit in lockstep, as arrays `[R, G, O]`; a single run is R = 1 of the same code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from altmas.bandits.rewards import ArmTask, over_outcomes
from altmas.bandits.rules import ArmRule, RandomItems, Sampler, mean_outcomes, sample_outcomes
from altmas.core.streams import stream
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.surrogates.groups.hierarchical import HierarchicalPrior

BLOCK = 250
"""Replicates that share a random stream and a thread. Fixed, so that results do not depend on the number of threads."""


class ArmBelief(Protocol):
    """Where the pseudo-counts of the arms come from; a hierarchical one learns them from what was seen."""

    def refit(self, seen: IntArray, now: bool = False) -> None:
        """Look at all outcomes so far `[R, G, O]`, when it seems worth it or, before a measurement, `now`."""
        ...

    def prior(self, rng: np.random.Generator) -> FloatArray:
        """Pseudo-counts to add to what was seen `[R, G, O]` or `[G, O]`: one draw, where they are uncertain."""
        ...

    def mean(self, seen: IntArray) -> FloatArray:
        """Posterior mean of the outcome probabilities `[R, G, O]`."""
        ...


@dataclass(frozen=True, eq=False)
class FixedPrior:
    """The same pseudo-counts `[G, O]` for every replicate, for good."""

    pseudo_counts: FloatArray
    posterior_mean: Callable[[FloatArray], FloatArray] | None = None

    def refit(self, seen: IntArray, now: bool = False) -> None:
        """Nothing to learn."""

    def prior(self, rng: np.random.Generator) -> FloatArray:
        """The pseudo-counts."""
        return self.pseudo_counts

    def mean(self, seen: IntArray) -> FloatArray:
        """Of independent Dirichlets, unless told otherwise."""
        alpha = seen + self.pseudo_counts
        if self.posterior_mean is not None:
            return self.posterior_mean(alpha)
        return mean_outcomes(alpha)


class LearntPrior:
    """The hierarchical prior of accuracies, refitted whenever the answers have grown by `growth`."""

    def __init__(self, x: FloatArray, growth: float = 0.1) -> None:
        self.x, self.growth = x, growth
        self._fitted_at = -1.0
        self.learnt: HierarchicalPrior | None = None

    def refit(self, seen: IntArray, now: bool = False) -> None:
        """Fit anew if enough is new."""
        from altmas.surrogates.groups.hierarchical import fit_prior

        count = float(seen[0].sum())
        due = self._fitted_at < 0 or count >= self._fitted_at * (1 + self.growth) + 5
        if not due and not (now and count > self._fitted_at):
            return
        start = self.learnt.mode if self.learnt is not None and self._fitted_at > 0 else None
        self.learnt = fit_prior(seen[..., 0], seen[..., 1], self.x, start)
        self._counts = self.learnt.pseudo_counts()
        self._fitted_at = count

    def prior(self, rng: np.random.Generator) -> FloatArray:
        """One of the points of each replicate, drawn by weight; the same for all its groups."""
        assert self.learnt is not None, "refit comes first"
        right, wrong = self._counts
        edges = np.cumsum(self.learnt.weights, axis=0)
        which = np.minimum((rng.random(edges.shape[1]) > edges).sum(0), len(edges) - 1)
        rows = np.arange(edges.shape[1])
        return np.stack([right[which, rows], wrong[which, rows]], -1)

    def mean(self, seen: IntArray) -> FloatArray:
        """Averaged over the points."""
        assert self.learnt is not None, "refit comes first"
        right = self.learnt.posterior(seen[..., 0], seen[..., 1]).mean
        return np.stack([right, 1 - right], -1)


def pull(urns: IntArray, arms: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw one outcome from each replicate's arm, without replacement; `urns [R, G, O]` is changed in place.

    >>> urns = np.array([[[1, 0], [0, 2]]])
    >>> pull(urns, np.array([1]), np.random.default_rng(0)), urns.tolist()
    (array([1]), [[[1, 0], [0, 1]]])
    """
    rows = np.arange(len(arms))
    edges = urns[rows, arms].cumsum(-1)
    pick = (rng.random(len(arms)) * edges[:, -1]).astype(np.int64)
    outcome: IntArray = (edges <= pick[:, None]).sum(-1)
    urns[rows, arms, outcome] -= 1
    return outcome


Measure = Callable[[IntArray, FloatArray], FloatArray]
"""From what was seen `[R, G, O]` and its posterior mean `[R, G, O]` to a number per replicate `[R]`."""


def simulate(
    truth: IntArray,
    task: ArmTask,
    rule: ArmRule,
    belief: Callable[[], ArmBelief],
    measures: Sequence[Measure],
    *,
    replicates: int,
    checkpoints: Sequence[int],
    arms_per_step: int = 1,
    seed: int = 0,
    sample: Sampler = sample_outcomes,
    threads: int = 2,
) -> FloatArray:
    """Run replicates on a pool of known outcomes `truth [G, O]`; each measure at each checkpoint `[K, T, R]`.

    Checkpoints are numbers of labels, ascending. Blocks of replicates have streams of their own and run in threads; the
    numbers do not depend on how many.
    """
    if list(checkpoints) != sorted(checkpoints) or checkpoints[-1] > truth.sum():
        raise InputError("checkpoints", f"ascend to at most {truth.sum():,} labels", list(checkpoints)[-3:])
    starts = range(0, replicates, BLOCK)

    def block(start: int) -> NDArray[np.float64]:
        size = min(BLOCK, replicates - start)
        rng = stream(seed, "lockstep", start)
        return _simulate_block(truth, task, rule, belief(), measures, size, checkpoints, arms_per_step, rng, sample)

    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(block, starts)), axis=-1)


def _simulate_block(
    truth: IntArray,
    task: ArmTask,
    rule: ArmRule,
    belief: ArmBelief,
    measures: Sequence[Measure],
    size: int,
    checkpoints: Sequence[int],
    arms_per_step: int,
    rng: np.random.Generator,
    sample: Sampler,
) -> FloatArray:
    urns: NDArray[Any] = np.repeat(truth[None], size, axis=0).astype(np.int32)  # half the memory of int64
    seen: NDArray[Any] = np.zeros_like(urns)
    out = np.empty((len(measures), len(checkpoints), size))
    done = 0
    for t, goal in enumerate(checkpoints):
        if isinstance(rule, RandomItems):
            _jump(urns, seen, goal - done, rng)
        else:
            while done < goal:
                belief.refit(seen)
                alpha = seen + belief.prior(rng)
                left = over_outcomes(urns)
                arms = rule.choose(alpha, task, left, min(arms_per_step, goal - done), sample, rng)
                done += _pull_all(urns, seen, arms, rng)
        done = goal
        belief.refit(seen, now=True)
        mean = belief.mean(seen)
        for k, measure in enumerate(measures):
            out[k, t] = measure(seen, mean)
    return out


def _pull_all(urns: IntArray, seen: IntArray, arms: IntArray, rng: np.random.Generator) -> int:
    """Pull each replicate's arms; where fewer are open than asked for, all replicates stay at the same count."""
    together = int((arms >= 0).sum(-1).min())
    rows = np.arange(len(arms))
    for column in arms[:, :together].T:
        outcome = pull(urns, column, rng)
        seen[rows, column, outcome] += 1
    return together


def _jump(urns: IntArray, seen: IntArray, count: int, rng: np.random.Generator) -> None:
    """Random sampling needs no steps: the counts of a sample are multivariate hypergeometric."""
    for r in range(len(urns)):
        drawn = rng.multivariate_hypergeometric(urns[r].ravel(), count).reshape(urns[r].shape)
        urns[r] -= drawn
        seen[r] += drawn
