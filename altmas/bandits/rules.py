"""Rules: which arm to pull next, for R replicates at once.

A rule sees the belief `alpha [R, G, O]`, the task, and which arms are still open `[R, G]`, and gives `m` arms per
replicate `[R, m]`. Arms with nothing left are never chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from scipy.special import betaincinv

from altmas.bandits.rewards import ArmTask, over_outcomes
from altmas.core.checks import fraction
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

TIE = 1e-9
"""Worths closer than this share of the largest are the same."""

_NUMBERS = 40_000_000  # drawn for one choice, at most

Sampler = Callable[[FloatArray, np.random.Generator], FloatArray]
"""Parameters drawn from a belief: alpha `[R, G, O]` -> theta `[R, G, O]`."""


@runtime_checkable
class BoundedTask(ArmTask, Protocol):
    """A task that knows between which values a pull's worth lies, before anything is drawn."""

    def bounds(self, alpha: FloatArray) -> tuple[FloatArray, FloatArray]: ...


@runtime_checkable
class MonotoneTask(ArmTask, Protocol):
    """A task in which an arm's worth rises or falls with its own accuracy and depends on no other arm's."""

    monotone: ClassVar[bool]


class ArmRule(Protocol):
    """A way to choose arms."""

    def choose(
        self, alpha: FloatArray, task: ArmTask, left: IntArray, count: int, sample: Sampler, rng: np.random.Generator
    ) -> IntArray:
        """The best `count` arms of each replicate `[R, count]`; `left [R, G]` counts the items still open."""
        ...


def sample_outcomes(alpha: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw each arm's outcome probabilities from its Dirichlet; a Beta where there are two outcomes.

    >>> sample_outcomes(np.ones((1, 2, 3)), np.random.default_rng(0)).sum(-1).round(6)
    array([[1., 1.]])
    """
    if alpha.shape[-1] == 2:
        right = rng.beta(alpha[..., 0], alpha[..., 1])
        return np.stack([right, 1 - right], -1)
    weights = rng.standard_gamma(alpha)
    return np.asarray(weights / np.maximum(weights.sum(-1, keepdims=True), 1e-300))


def sample_bins(alpha: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw the accuracy of each bin of each arm from its own Beta: alpha `[R, G, 2B]`, right then wrong."""
    bins = alpha.shape[-1] // 2
    right = rng.beta(alpha[..., :bins], alpha[..., bins:])
    return np.concatenate([right, 1 - right], -1)


def mean_outcomes(alpha: FloatArray) -> FloatArray:
    """The posterior mean of each arm's outcome probabilities."""
    return np.asarray(alpha / over_outcomes(alpha)[..., None])


def mean_bins(alpha: FloatArray) -> FloatArray:
    """The posterior mean of each bin's accuracy, and one minus it."""
    bins = alpha.shape[-1] // 2
    right = alpha[..., :bins] / (alpha[..., :bins] + alpha[..., bins:])
    return np.concatenate([right, 1 - right], -1)


def best_arms(worth: FloatArray, left: IntArray, count: int, rng: np.random.Generator) -> IntArray:
    """The `count` open arms of highest worth `[R, count]`, best first; -1 where fewer are open. Ties go to chance.

    >>> best_arms(np.array([[0.1, 0.9, 0.5]]), np.array([[1, 0, 1]]), 3, np.random.default_rng(0)).tolist()
    [[2, 0, -1]]
    """
    # Ties are real: a Beta near 1 is exactly 1 in float64, and a symmetric comparison is worth the same on both sides.
    scale = np.abs(worth, where=np.isfinite(worth), out=np.zeros(worth.shape)).max(-1, keepdims=True)
    masked = np.where(left > 0, worth + TIE * scale * rng.random(worth.shape, dtype=np.float32), -np.inf)
    ranked = masked.argmax(-1)[:, None] if count == 1 else np.argsort(-masked, axis=-1, kind="stable")
    arms = ranked[:, :count]
    return np.where(np.take_along_axis(left, arms, -1) > 0, arms, -1)


@dataclass(frozen=True)
class RandomItems:
    """Pull the arm of an item drawn uniformly from what is left: plain random sampling."""

    def choose(
        self, alpha: FloatArray, task: ArmTask, left: IntArray, count: int, sample: Sampler, rng: np.random.Generator
    ) -> IntArray:
        """Arms in proportion to their open items, without replacement."""
        rest, arms = left.copy(), []
        for _ in range(count):
            edges = rest.cumsum(-1)
            pick = rng.random(len(rest)) * edges[:, -1]
            arm = (edges <= pick[:, None]).sum(-1)
            arm = np.where(edges[:, -1] > 0, np.minimum(arm, rest.shape[-1] - 1), -1)
            some = np.flatnonzero(arm >= 0)
            rest[some, arm[some]] -= 1
            arms.append(arm)
        return np.stack(arms, -1)


@dataclass(frozen=True)
class Thompson:
    """Draw parameters, pull the arms of highest expected reward. With several arms a step, multiple-play Thompson."""

    def choose(
        self, alpha: FloatArray, task: ArmTask, left: IntArray, count: int, sample: Sampler, rng: np.random.Generator
    ) -> IntArray:
        """Argmax under one draw."""
        if isinstance(task, BoundedTask):
            return best_arms(self._worth_of_contenders(alpha, task, left, count, sample, rng), left, count, rng)
        return best_arms(task.worth(sample(alpha, rng), alpha), left, count, rng)

    def _worth_of_contenders(
        self,
        alpha: FloatArray,
        task: BoundedTask,
        left: IntArray,
        count: int,
        sample: Sampler,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Draw only for arms that some draw could make one of the best: the others cannot win, whatever is drawn."""
        low, high = task.bounds(alpha)
        sure = np.where(left > 0, low, -np.inf)
        place = max(sure.shape[-1] - count, 0)
        floor = sure.max(-1) if count == 1 else np.partition(sure, place, axis=-1)[:, place]
        contends = (left > 0) & (high >= floor[:, None])
        theta = mean_outcomes(alpha)
        theta[contends] = sample(alpha[contends], rng)
        return np.where(contends, task.worth(theta, alpha), -np.inf)


@dataclass(frozen=True)
class TopTwoThompson:
    """With probability `resample` keep drawing until another arm is best (Russo 2016).

    Where the best arm is as good as sure, another would win after millions of draws. So after `tries` of them their
    parts are recombined: arms are independent, and what was drawn for the best arm once goes with what was drawn for
    the others at any other time. Of all such pairs in which another arm wins one is taken; if there is none, the
    nearest.
    """

    resample: float = 0.5
    tries: int = 32

    def __post_init__(self) -> None:
        fraction("resample", self.resample)

    def choose(
        self, alpha: FloatArray, task: ArmTask, left: IntArray, count: int, sample: Sampler, rng: np.random.Generator
    ) -> IntArray:
        """The best arms, or those of another draw whose best arm differs."""
        arms = best_arms(task.worth(sample(alpha, rng), alpha), left, count, rng)
        again = np.flatnonzero((rng.random(len(arms)) < self.resample) & ((left > 0).sum(-1) > 1))
        mine, others = np.empty((self.tries, 2, len(arms))), np.empty((self.tries, *arms.shape), dtype=arms.dtype)
        for t in range(self.tries):
            if not again.size:
                break
            best = arms[again, :1]
            worth = task.worth(sample(alpha[again], rng), alpha[again])
            other = best_arms(worth, left[again], count, rng)
            new = other[:, 0] != best[:, 0]
            arms[again[new]] = other[new]
            again, best, worth = again[~new], best[~new], worth[~new]
            rest = left[again]
            np.put_along_axis(rest, best, 0, -1)
            rival = best_arms(worth, rest, count, rng)
            mine[t, 0, again] = np.take_along_axis(worth, best, -1)[:, 0]
            mine[t, 1, again] = np.take_along_axis(worth, rival[:, :1], -1)[:, 0]
            others[t, again] = rival
        if again.size:
            arms[again] = others[_recombined(mine[..., again], rng), again]
        return arms


def _recombined(worths: FloatArray, rng: np.random.Generator) -> IntArray:
    """Which draw of the rivals to take `[R]`, from worths of the best arm and of its first rival `[tries, 2, R]`."""
    ahead = worths[None, :, 1] - worths[:, None, 0]  # [draw of the best arm, draw of the rivals, R]
    chance = np.where(ahead > 0, rng.random(ahead.shape, dtype=np.float32), 0)
    pairs = np.where((ahead > 0).any((0, 1)), chance, ahead).reshape(-1, worths.shape[-1])
    return np.asarray(pairs.argmax(0) % len(worths))


@dataclass(frozen=True)
class EpsilonGreedy:
    """The arm that is best at the posterior mean; with probability `epsilon` any open arm."""

    epsilon: float = 0.1
    mean: Callable[[FloatArray], FloatArray] = mean_outcomes

    def __post_init__(self) -> None:
        fraction("epsilon", self.epsilon)

    def choose(
        self, alpha: FloatArray, task: ArmTask, left: IntArray, count: int, sample: Sampler, rng: np.random.Generator
    ) -> IntArray:
        """Greedy, or chance."""
        greedy = task.worth(self.mean(alpha), alpha)
        chance = rng.random(greedy.shape)
        explore = rng.random((len(greedy), 1)) < self.epsilon
        return best_arms(np.where(explore, chance, greedy), left, count, rng)


@dataclass(frozen=True)
class BayesianUCB:
    """The arm whose reward has the highest upper quantile.

    Exact where a pull's worth rises or falls with the arm's own accuracy; else by Monte Carlo over at most `draws`
    draws, the paper's number, and fewer where a belief has many numbers.
    """

    quantile: float = 0.975
    draws: int = 10_000

    def __post_init__(self) -> None:
        fraction("quantile", self.quantile)

    def choose(
        self, alpha: FloatArray, task: ArmTask, left: IntArray, count: int, sample: Sampler, rng: np.random.Generator
    ) -> IntArray:
        """Argmax of the quantile of the worth."""
        # Replicates often share a belief: its quantiles are found once.
        beliefs, which = np.unique(alpha.reshape(len(alpha), -1), axis=0, return_inverse=True)
        beliefs = beliefs.reshape(-1, *alpha.shape[1:])
        exact = isinstance(task, MonotoneTask) and alpha.shape[-1] == 2
        worth = self._exact(beliefs, task) if exact else self._drawn(beliefs, task, sample, rng)
        return best_arms(worth[which.reshape(-1)], left, count, rng)

    def _exact(self, alpha: FloatArray, task: ArmTask) -> FloatArray:
        """The quantile of a monotone function is its value at one of the two quantiles of what it depends on."""
        ends = []
        for tail in (self.quantile, 1 - self.quantile):
            accuracy = betaincinv(alpha[..., 0], alpha[..., 1], tail)
            ends.append(task.worth(np.stack([accuracy, 1 - accuracy], -1), alpha))
        return np.asarray(np.maximum(*ends) if self.quantile >= 0.5 else np.minimum(*ends))

    def _drawn(self, alpha: FloatArray, task: ArmTask, sample: Sampler, rng: np.random.Generator) -> FloatArray:
        draws = int(np.clip(_NUMBERS // alpha.size, 100, self.draws))
        worth = np.stack([task.worth(sample(alpha, rng), alpha) for _ in range(draws)])
        return np.asarray(np.quantile(worth, self.quantile, axis=0))


RULES: dict[str, Callable[..., ArmRule]] = {
    "random": RandomItems,
    "thompson": Thompson,
    "top-two": TopTwoThompson,
    "epsilon-greedy": EpsilonGreedy,
    "ucb": BayesianUCB,
}
"""Name -> maker. Multiple play is any rule asked for several arms a step."""


def make_rule(name: str, **options: object) -> ArmRule:
    """A rule by name.

    >>> make_rule("thompson")
    Thompson()
    """
    if name not in RULES:
        raise InputError("rule", f"be one of {', '.join(RULES)}", repr(name))
    return RULES[name](**options)
