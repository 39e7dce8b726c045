"""Active Bayesian assessment, Table 9: per cent of labels needed to identify the least calibrated predicted classes.

    python -m altmas.experiments.active_bayesian.table9 --data DIR --rows table9.csv

A class's calibration error is taken over ten equal-width bins of the score within the class. Each bin of each class has
its own Beta, with the informed prior of strength 2. The truth is the plain calibration error on the full test set;
`never`: with everything labelled the priors of the bins still rank the classes otherwise. `of the pool`: the same runs,
ranked by the calibration error of the pool itself, its labelled items known.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pandas as pd

from altmas.bandits.lockstep import FixedPrior
from altmas.bandits.rewards import FindLeastCalibrated
from altmas.bandits.rules import RandomItems, Sampler, Thompson, mean_bins
from altmas.experiments import aba_ranking as ranking
from altmas.experiments.data.networks import NETWORKS, Outcomes
from altmas.metrics.types import FloatArray, IntArray

BINS = 10
METHODS = ("random, informed", "thompson, informed")
PAPER = {
    ("CIFAR-100", 1): (88.0, 43.0),
    ("CIFAR-100", 10): (90.0, 59.0),
    ("ImageNet", 1): (89.6, 31.0),
    ("ImageNet", 10): (90.0, 41.2),
    ("20 News", 1): (69.0, 27.9),
    ("20 News", 3): (90.3, 50.5),
}


@dataclass(frozen=True, eq=False)
class BinArms:
    """Predicted classes with score bins: counts `truth [G, 2B]` right then wrong, task, prior, true theta."""

    truth: IntArray
    task: FindLeastCalibrated
    prior: FloatArray
    theta: FloatArray


def bin_arms(outcomes: Outcomes, bins: int = BINS, strength: float = 2.0) -> BinArms:
    """Cross the predicted classes with equal-width bins. A bin without scores has its centre for a mean score."""
    classes = ranking.class_groups(outcomes)
    shape = (len(classes.names), bins)
    place = np.minimum((outcomes.confidence * bins).astype(np.int64), bins - 1)
    cell = classes.index * bins + place
    size = np.bincount(cell, minlength=shape[0] * bins).reshape(shape)
    right = np.bincount(cell, outcomes.right, minlength=shape[0] * bins).reshape(shape).astype(np.int64)
    total = np.bincount(cell, outcomes.confidence, minlength=shape[0] * bins).reshape(shape)
    centres = np.broadcast_to((np.arange(bins) + 0.5) / bins, shape)
    scores = np.divide(total, size, out=centres.copy(), where=size > 0)
    accuracy = np.divide(right, size, out=scores.copy(), where=size > 0)
    pseudo = ranking.informed_prior(scores, strength)
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


def least_calibrated(arms: BinArms, m: int, method: str, effort: ranking.Effort) -> dict[str, float]:
    """One cell of the table."""
    way = ranking.Way(
        Thompson() if method.startswith("thompson") else RandomItems(),
        lambda: FixedPrior(arms.prior, mean_bins),
        sample_filled_bins(arms.task.shares > 0),
    )
    return ranking.identify(arms.truth, arms.theta, arms.task, m, way, effort, of_pool_bins(arms.truth))


def table(rows: pd.DataFrame) -> str:
    """Ours by method, the paper's beside; `end` is the MRR with everything labelled."""
    wide = rows.pivot(index=["network", "m"], columns="method", values="percent").reindex(columns=list(METHODS))
    text = wide.map(lambda v: "never" if np.isnan(v) else f"{v:.1f}")
    pooled = rows.pivot(index=["network", "m"], columns="method", values="percent_pool")
    for name in METHODS:
        text[f"{name}, of the pool"] = pooled[name].map(lambda v: "never" if np.isnan(v) else f"{v:.1f}")
    text["end"] = rows.groupby(["network", "m"])["end"].max().round(3)
    for place, name in enumerate(METHODS):
        found = [PAPER.get((ranking.PAPER_DATA.get(network, ""), m)) for network, m in wide.index]
        text[f"paper: {name}"] = [f"{row[place]:.1f}" if row else "" for row in found]
    return text.to_string()


@click.command()
@ranking.options
@click.option("--imagenet", default=ranking.IMAGENET, show_default=True, help="ImageNet network; empty for none.")
def main(data: Path | None, smoke: bool, replicates: int | None, seed: int, rows: Path | None, imagenet: str) -> None:
    """Print the table."""
    ranking.require_data(data, smoke)
    effort = ranking.effort_of(smoke, replicates, seed, 200)
    networks = ("digits",) if smoke else (*NETWORKS, *filter(None, [imagenet]))
    arms = {network: bin_arms(ranking.load(network, data)) for network in networks}
    cases = [
        {"network": network, "m": m, "method": method}
        for network in networks
        for m in (1, ranking.top_m(len(arms[network].truth)))
        for method in METHODS
    ]

    def run(case: ranking.Case) -> dict[str, float]:
        amount = ranking.scaled(case["network"], effort)
        return least_calibrated(arms[case["network"]], case["m"], case["method"], amount)

    click.echo("Per cent of the labels needed for a mean reciprocal rank above 0.99, least calibrated classes")
    click.echo(table(ranking.sweep(ranking.with_effort(cases, effort), run, rows)))


if __name__ == "__main__":
    main()
