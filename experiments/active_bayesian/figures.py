"""Figures 1, 5, 8 and 9 of "Active Bayesian Assessment", for a ResNet-110 on CIFAR-100 (another checkpoint).

    python -m altmas.experiments.active_bayesian.figures --data DIR --out FIGURES

1: accuracy against calibration error per class. 5: reliability diagrams and the posterior of the expected calibration
error (ECE) as labels grow. 8: differences of accuracy between two groups. 9: ranks of the classes, and which is most or
least accurate. Numbers that the paper's text states are printed beside ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
import pandas as pd

from altmas.core.groups import Groups
from altmas.core.streams import stream
from altmas.experiments.active_bayesian.estimation import ece
from altmas.experiments.active_bayesian.groups import (
    SCORE_BINS,
    SETTINGS,
    GroupOutcomes,
    by_bin,
    by_class,
    group_outcomes,
)
from altmas.experiments.bench.options import FILE, NEW_FOLDER, data_option, need_data, smoke_option
from altmas.experiments.data.networks import SUPERCLASSES, Outcomes, load_network
from altmas.metrics.types import FloatArray, IntArray
from altmas.plots.displays import AccuracyCalibrationDisplay, RankingDisplay, ReliabilityDisplay, RopeDisplay
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.groups.priors import informed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN_MARGIN = 0.05
MOST_SHOWN = 10
NETWORK = "resnet110_cifar100"

Pair = tuple[tuple[str, Sequence[str]], tuple[str, Sequence[str]]]
"""Two names, each with the classes it stands for."""

CLASS_PAIRS: tuple[Pair, ...] = (
    (("people", SUPERCLASSES["people"]), ("trees", SUPERCLASSES["trees"])),
    (("woman", ["woman"]), ("man", ["man"])),
)
DIGIT_PAIRS: tuple[Pair, ...] = ((("even", "02468"), ("odd", "13579")), (("8", "8"), ("3", "3")))

STATED = {"P(people < trees)": 0.96, "P(woman < man)": 0.82, "P(lizard least accurate)": 0.68}
"""Stated in the paper's text; "lower" means by more than 0.05."""


Number = tuple[int, str, float]
"""A posterior probability that a figure shows: figure, name, value."""


def class_ece_draws(outcomes: Outcomes, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draws `[M, G]` of each predicted class's calibration error: every bin of a class has its own informed Beta."""
    cell = outcomes.predictions * SCORE_BINS + np.minimum(
        (outcomes.confidence * SCORE_BINS).astype(np.int64), SCORE_BINS - 1
    )
    cells = group_outcomes(outcomes, Groups(tuple(range(len(outcomes.classes) * SCORE_BINS)), cell))
    accuracy = BetaPosterior.of(*(cells.truth + informed(cells.scores)).T).draw(draws, rng)
    owner = np.array(cells.names, dtype=np.int64) // SCORE_BINS
    said = np.unique(owner)
    member = (owner[:, None] == said).astype(np.float64)  # [cells, G]
    within = cells.shares[:, None] * member
    return np.asarray(np.abs(accuracy - cells.scores) @ (within / within.sum(0)))


def figure_1(outcomes: Outcomes, draws: int, rng: np.random.Generator) -> Figure:
    """Accuracy and calibration error per class, all labels known; Beta(1, 1) for the accuracies."""
    classes = by_class(outcomes)
    accuracy = BetaPosterior.of(*(classes.truth + 1.0).T).draw(draws, rng)
    calibration = class_ece_draws(outcomes, draws, rng)
    extremes = min(MOST_SHOWN, len(classes.names) // 3)
    display = AccuracyCalibrationDisplay.from_draws(classes.names, accuracy, calibration, extremes=extremes)
    figure = _figure(7, 5)
    display.plot(figure.add_subplot())
    return figure


def sampled(truth: IntArray, count: int, rng: np.random.Generator) -> IntArray:
    """Outcomes `[G, 2]` of a random sample of items."""
    return np.asarray(rng.multivariate_hypergeometric(truth.ravel(), count).reshape(truth.shape))


def figure_5(bins: GroupOutcomes, labels: Sequence[int], draws: int, rng: np.random.Generator) -> Figure:
    """Reliability diagrams above, the posterior of ECE below; lines at the truth and at the plain estimate."""
    figure = _figure(4.4 * len(labels), 8.6)
    truth, lower = float(ece(bins.accuracy, bins.scores, bins.shares)), []
    for part, count in zip(figure.subfigures(1, len(labels), squeeze=False)[0], labels, strict=True):
        part.suptitle(f"{count:,} labels")
        above, below = part.subplots(2, 1)
        seen = sampled(bins.truth, count, rng)
        posterior = BetaPosterior.of(*(seen + informed(bins.scores)).T)
        ReliabilityDisplay.from_posterior(posterior, bins.scores, bins.shares).plot(above)
        below.hist(ece(posterior.draw(draws, rng), bins.scores, bins.shares), bins=60, density=True, color="0.7")
        below.axvline(truth, color="black", label="all labels")
        below.axvline(plain_ece(seen, bins.scores), color="#c2410c", linestyle="--", label="plain estimate")
        below.set_xlabel("expected calibration error")
        below.set_ylabel("posterior density")
        below.legend(frameon=False, fontsize=8)
        lower.append(below)
    right = max(axis.get_xlim()[1] for axis in lower)
    for axis in lower:
        axis.set_xlim(0, right)
    return figure


def plain_ece(seen: IntArray, scores: FloatArray) -> float:
    """The usual estimate from labelled items alone: bins weigh what was seen of them, empty ones nothing.

    >>> plain_ece(np.array([[1, 1], [0, 0]]), np.array([0.6, 0.9]))
    0.09999999999999998
    """
    counts = seen.sum(-1)
    accuracy = seen[:, 0] / np.maximum(counts, 1)
    return float(ece(accuracy, scores, counts / counts.sum()))


def figure_8(
    outcomes: Outcomes, pairs: Sequence[Pair], draws: int, rng: np.random.Generator
) -> tuple[Figure, list[Number]]:
    """Posterior of the difference in accuracy of two sets of predicted classes, Beta(1, 1) each."""
    figure = _figure(6 * len(pairs), 4.2)
    numbers = []
    for axis, (first, second) in zip(figure.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
        one, other = (accuracy_posterior(outcomes, members).draw(draws, rng)[:, 0] for _, members in (first, second))
        display = RopeDisplay.from_draws(one - other, SHOWN_MARGIN)
        display.plot(axis)
        axis.set_title(f"{first[0]} - {second[0]}", pad=24)
        numbers.append((8, f"P({first[0]} < {second[0]})", display.masses[0]))
    return figure, numbers


def accuracy_posterior(outcomes: Outcomes, members: Sequence[str]) -> BetaPosterior:
    """Accuracy of the items predicted to be one of these classes."""
    wanted = np.isin(outcomes.predictions, [outcomes.classes.index(name) for name in members])
    right = int(outcomes.right[wanted].sum())
    return BetaPosterior.of([right + 1.0], [int(wanted.sum()) - right + 1.0])


def figure_9(outcomes: Outcomes, draws: int, rng: np.random.Generator) -> tuple[Figure, list[Number]]:
    """Ranks of the classes, and the probability of being the most or the least accurate."""
    classes = by_class(outcomes)
    accuracy = BetaPosterior.of(*(classes.truth + 1.0).T).draw(draws, rng)
    figure = _figure(14, 6)
    left, middle, right = figure.subplots(1, 3)
    extremes = min(MOST_SHOWN, len(classes.names) // 2)
    RankingDisplay.from_draws(classes.names, accuracy, extremes=extremes).plot(left)
    numbers: list[Number] = []
    for axis, word, winner in ((middle, "most", accuracy.argmax(1)), (right, "least", accuracy.argmin(1))):
        chance = np.bincount(winner, minlength=len(classes.names)) / draws
        top = np.argsort(-chance, kind="stable")[:extremes]
        axis.barh([classes.names[g] for g in top][::-1], chance[top][::-1], color="#0b6e99")
        axis.set_xlabel(f"P({word} accurate)")
        every = [(9, f"P({name} {word} accurate)", float(chance[g])) for g, name in enumerate(classes.names)]
        stated = [g for g, (_, name, _) in enumerate(every) if name in STATED]
        numbers += [every[g] for g in dict.fromkeys([*top[:3].tolist(), *stated])]
    return figure, numbers


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Figure, out: Path, number: int) -> None:
    for kind in ("png", "svg"):
        figure.savefig(out / f"aba_figure_{number}.{kind}", dpi=150)


@click.command()
@data_option
@click.option("--out", type=NEW_FOLDER, default=Path("figures"), show_default=True)
@smoke_option
@click.option("--replicates", type=click.IntRange(2), help="Posterior draws. Default 10,000, as in the paper.")
@click.option("--seed", default=0, show_default=True)
@click.option("--rows", type=FILE, help="CSV for the numbers printed.")
def main(data: Path | None, out: Path, smoke: bool, replicates: int | None, seed: int, rows: Path | None) -> None:
    """Draw the figures and print the numbers in them."""
    need_data(data, smoke)
    outcomes = load_network("digits" if smoke else NETWORK, data)
    draws = replicates or (200 if smoke else 10_000)
    out.mkdir(parents=True, exist_ok=True)
    bins, size = by_bin(outcomes), len(outcomes.labels)
    _save(figure_1(outcomes, draws, stream(seed, "figure", 1)), out, 1)
    _save(figure_5(bins, [100, 1000, size], draws, stream(seed, "figure", 5)), out, 5)
    differences, numbers = figure_8(outcomes, DIGIT_PAIRS if smoke else CLASS_PAIRS, draws, stream(seed, "figure", 8))
    _save(differences, out, 8)
    ranks, more = figure_9(outcomes, draws, stream(seed, "figure", 9))
    _save(ranks, out, 9)
    table = pd.DataFrame([*numbers, *more], columns=pd.Index(["figure", "number", "ours"]))
    table["paper"] = table["number"].map(STATED)
    click.echo(f"{outcomes.name}, {draws:,} draws; {SETTINGS[outcomes.name][1]}")
    click.echo(table.to_string(index=False, na_rep="", float_format=lambda x: f"{x:.2f}"))
    click.echo(f"Figures 1, 5, 8 and 9 are in {out}")
    if rows is not None:
        table.to_csv(rows, index=False)


if __name__ == "__main__":
    main()
