"""Active Bayesian assessment, Tables 6 and 9: per cent of labels needed to identify the worst predicted classes.

Table 6, the least accurate: top 1 by Thompson sampling, top m by multiple-play Thompson sampling with m arms a step.
P(worst) says whether the data can name a worst class at all.

Table 9, the least calibrated: a class's calibration error is taken over ten equal-width bins of the score within the
class. Each bin of each class has its own Beta, with the informed prior of strength 2. The truth is the plain
calibration error on the full test set.

`never`: with everything labelled the priors still rank the classes otherwise than the full test set does. `of the
pool`: the same runs, ranked by the accuracy or calibration error of the pool itself, its labelled items known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import click
import numpy as np
import pandas as pd

from altmas.bandits.lockstep import FixedPrior
from altmas.bandits.rewards import FindExtreme, FindLeastCalibrated
from altmas.bandits.rules import Sampler, mean_bins
from altmas.core.streams import stream
from altmas.experiments.active_bayesian import groups, ranking
from altmas.experiments.active_bayesian.groups import Asked, Effort, GroupOutcomes, Table, by_class
from altmas.experiments.bench.cases import Case
from altmas.experiments.data.networks import Outcomes
from altmas.metrics.types import FloatArray, IntArray
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.groups.priors import informed, uniform

ACCURACY_METHODS = ("random, uniform", "random, informed", "thompson, informed", "thompson, hierarchical")
POOLED = f"{ACCURACY_METHODS[-1]}, of the pool"
"""The same runs, ranked by the posterior mean of the pool's accuracy instead of that of the process behind it."""

LABELS_TO_LEAST_ACCURATE = {
    ("CIFAR-100", 1): (81.1, 83.4, 24.9),
    ("CIFAR-100", 10): (99.8, 99.8, 55.1),
    ("ImageNet", 1): (96.9, 94.7, 9.3),
    ("ImageNet", 10): (99.6, 98.5, 17.1),
    ("20 News", 1): (53.9, 55.4, 16.9),
    ("20 News", 3): (92.0, 92.5, 42.5),
}
"""Table 6 in the order of the first three methods; its networks are not ours but for the architecture of ResNet-110."""

CALIBRATION_METHODS = ("random, informed", "thompson, informed")
LABELS_TO_LEAST_CALIBRATED = {
    ("CIFAR-100", 1): (88.0, 43.0),
    ("CIFAR-100", 10): (90.0, 59.0),
    ("ImageNet", 1): (89.6, 31.0),
    ("ImageNet", 10): (90.0, 41.2),
    ("20 News", 1): (69.0, 27.9),
    ("20 News", 3): (90.3, 50.5),
}


def worst_chances(arms: GroupOutcomes, seed: int, draws: int = 20_000, shown: int = 4) -> pd.Series[float]:
    """P(worst) of the likeliest classes with everything labelled and a uniform prior."""
    right, wrong = (arms.truth + uniform(len(arms.truth))).T
    worst = BetaPosterior.of(right, wrong).draw(draws, stream(seed, "worst")).argmin(-1)
    chance = pd.Series(np.bincount(worst, minlength=len(right)) / draws, index=list(arms.names))
    return chance.sort_values(ascending=False).head(shown)


def least_accurate_cases(network: str, asked: Asked) -> Iterable[Case]:
    """Top 1 and top m, every method."""
    outcomes = ranking.load(network, asked.data)
    arms = by_class(outcomes)

    def run(m: int, method: str, effort: Effort) -> dict[str, float]:
        way = ranking.Way(ranking.rule_of(method), ranking.belief_of(method.partition(", ")[2], arms))
        return ranking.identify(arms.truth, arms.theta, FindExtreme(), m, way, effort)

    keys = ranking.tops_and_methods(len(outcomes.classes), ACCURACY_METHODS)
    return ranking.identification_cases(network, asked, 1000, keys, run)


def _show_least_accurate(rows: pd.DataFrame, asked: Asked) -> None:
    click.echo("Per cent of the labels needed for a mean reciprocal rank above 0.99")
    text = ranking.wide(rows, ["network", "m"], "percent", ACCURACY_METHODS)
    text[POOLED] = ranking.wide(rows, ["network", "m"], "percent_pool", ACCURACY_METHODS)[ACCURACY_METHODS[-1]]
    click.echo(ranking.add_paper(text, ACCURACY_METHODS[:3], ranking.numbers_of(LABELS_TO_LEAST_ACCURATE)).to_string())
    for network in dict.fromkeys(rows["network"]):
        likely = worst_chances(by_class(ranking.load(network, asked.data)), asked.seed)
        chances = ", ".join(f"{name} {chance:.2f}" for name, chance in likely.items())
        click.echo(f"P(worst), everything labelled, {network}: {chances}")


@dataclass(frozen=True, eq=False)
class BinArms:
    """Predicted classes with score bins: counts `truth [G, 2B]` right then wrong, task, prior, true theta."""

    truth: IntArray
    task: FindLeastCalibrated
    prior: FloatArray
    theta: FloatArray


def bin_arms(outcomes: Outcomes, bins: int = groups.SCORE_BINS, strength: float = 2.0) -> BinArms:
    """Cross the predicted classes with equal-width bins. A bin without scores has its centre for a mean score."""
    said, index = np.unique(outcomes.predictions, return_inverse=True)
    shape = (len(said), bins)
    place = np.minimum((outcomes.confidence * bins).astype(np.int64), bins - 1)
    cell = index * bins + place
    size = np.bincount(cell, minlength=shape[0] * bins).reshape(shape)
    right = np.bincount(cell, outcomes.right, minlength=shape[0] * bins).reshape(shape).astype(np.int64)
    total = np.bincount(cell, outcomes.confidence, minlength=shape[0] * bins).reshape(shape)
    centres = np.broadcast_to((np.arange(bins) + 0.5) / bins, shape)
    scores = np.divide(total, size, out=centres.copy(), where=size > 0)
    accuracy = np.divide(right, size, out=scores.copy(), where=size > 0)
    pseudo = informed(scores, strength)
    return BinArms(
        np.concatenate([right, size - right], -1),
        FindLeastCalibrated(size / size.sum(-1, keepdims=True), scores),
        np.concatenate([pseudo[..., 0], pseudo[..., 1]], -1),
        np.concatenate([accuracy, 1 - accuracy], -1),
    )


def sample_filled_bins(filled: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> Sampler:
    """Draw accuracies only for bins that hold items `[G, B]`: the others weigh nothing in the calibration error."""

    def sample(alpha: FloatArray, rng: np.random.Generator) -> FloatArray:
        bins = alpha.shape[-1] // 2
        right = np.zeros((*alpha.shape[:-1], bins))
        right[:, filled] = rng.beta(alpha[..., :bins][:, filled], alpha[..., bins:][:, filled])
        return np.concatenate([right, 1 - right], -1)

    return sample


def of_pool_bins(truth: IntArray) -> ranking.Estimator:
    """Posterior mean of each bin's accuracy in the pool: labelled items are known, the others follow the belief."""
    bins = truth.shape[-1] // 2
    sizes = truth[:, :bins] + truth[:, bins:]

    def estimator(seen: IntArray, mean: FloatArray) -> FloatArray:
        left = sizes - seen[..., :bins] - seen[..., bins:]
        right = seen[..., :bins] + left * mean[..., :bins]
        accuracy = np.divide(right, sizes, out=mean[..., :bins].copy(), where=sizes > 0)
        return np.concatenate([accuracy, 1 - accuracy], -1)

    return estimator


def least_calibrated_cases(network: str, asked: Asked) -> Iterable[Case]:
    """Top 1 and top m, every method."""
    arms = bin_arms(ranking.load(network, asked.data))
    sample = sample_filled_bins(arms.task.shares > 0)

    def run(m: int, method: str, effort: Effort) -> dict[str, float]:
        way = ranking.Way(ranking.rule_of(method), partial(FixedPrior, arms.prior, mean_bins), sample)
        return ranking.identify(arms.truth, arms.theta, arms.task, m, way, effort, of_pool_bins(arms.truth))

    keys = ranking.tops_and_methods(len(arms.truth), CALIBRATION_METHODS)
    return ranking.identification_cases(network, asked, 200, keys, run)


def _show_least_calibrated(rows: pd.DataFrame, asked: Asked) -> None:
    """`end` is the MRR with everything labelled."""
    click.echo("Per cent of the labels needed for a mean reciprocal rank above 0.99, least calibrated classes")
    text = ranking.wide(rows, ["network", "m"], "percent", CALIBRATION_METHODS)
    pooled = ranking.wide(rows, ["network", "m"], "percent_pool", CALIBRATION_METHODS)
    text = text.join(pooled.rename(columns=lambda name: f"{name}, of the pool"))
    text["end"] = rows.groupby(["network", "m"])["end"].max().round(3)
    click.echo(ranking.add_paper(text, CALIBRATION_METHODS, ranking.numbers_of(LABELS_TO_LEAST_CALIBRATED)).to_string())


TABLE_6 = Table(ranking.IDENTIFIED_ON, least_accurate_cases, _show_least_accurate)
TABLE_9 = Table(ranking.IDENTIFIED_ON, least_calibrated_cases, _show_least_calibrated)
