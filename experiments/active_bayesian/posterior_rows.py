"""Rows of the figures that show posteriors: Figures 1, 4 to 9 and 17, and the workshop paper's 1, 2, 5, 6, 8 and 9."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import rankdata, spearmanr

from altmas.bandits.rewards import rope
from altmas.core.streams import stream
from altmas.experiments.active_bayesian import ranking
from altmas.experiments.active_bayesian.estimation import as_rows, ece
from altmas.experiments.active_bayesian.figures import (
    CLASS_PAIRS,
    DIGIT_PAIRS,
    SHOWN_MARGIN,
    accuracy_posterior,
    class_ece_draws,
    plain_ece,
    sampled,
)
from altmas.experiments.active_bayesian.groups import Asked, GroupOutcomes, by_bin, by_class
from altmas.experiments.bench.cases import Case
from altmas.experiments.data.networks import Outcomes
from altmas.metrics.types import FloatArray, IntArray
from altmas.plots.curves import Band
from altmas.surrogates.groups.beta_posterior import BetaPosterior
from altmas.surrogates.groups.priors import informed

LEVEL = 0.95
STRENGTHS = (2, 10, 100)
GROWING = (20, 50, 100, 200, 500, 1000, 2000, 5000)
BARS = 40
SHOWN = 10


def _draws(asked: Asked, usual: int) -> int:
    return 200 if asked.smoke else usual


def _case(network: str, asked: Asked, run: object) -> Case:
    return Case({"network": network, "seed": asked.seed}, run)  # type: ignore[arg-type]


def _band(prefix: str, band: Band) -> dict[str, FloatArray]:
    return {prefix: band.mean, f"{prefix} low": band.low, f"{prefix} high": band.high}


def class_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Figures 1 and 7: accuracy and calibration error of every class, everything labelled, and how they go together."""
    outcomes = ranking.load(network, asked.data)

    def run() -> pd.DataFrame:
        rng = stream(asked.seed, "classes", network)
        classes = by_class(outcomes)
        accuracy = Band.of_posterior(BetaPosterior.of(*(classes.truth + 1.0).T), LEVEL)
        error = Band.of_draws(class_ece_draws(outcomes, _draws(asked, 2000), rng), LEVEL)
        found = {"class": classes.names, "items": classes.truth.sum(1), "score": classes.scores}
        table = pd.DataFrame({**found, **_band("accuracy", accuracy), **_band("ece", error)})
        together = {"class": "(correlation)", "items": len(table), "accuracy": spearmanr(accuracy.mean, error.mean)[0]}
        return pd.concat([table, pd.DataFrame([together])], ignore_index=True)

    yield _case(network, asked, run)


def reliability_cases(strengths: Sequence[float], network: str, asked: Asked) -> Iterator[Case]:
    """Figures 4 and 17: reliability diagrams as labels grow, one sample each; and over many samples, what they tell.

    `told` counts bins with at least one item in a hundred whose interval leaves the diagonal out, `right` those of them
    that lie on the same side as the whole test set's accuracy.
    """
    bins = by_bin(ranking.load(network, asked.data), "width")
    size = int(bins.truth.sum())

    def run(strength: float, count: int) -> pd.DataFrame:
        rng = stream(asked.seed, "reliability", network, count)
        prior = informed(bins.scores, strength)
        band = Band.of_posterior(BetaPosterior.of(*(sampled(bins.truth, count, rng) + prior).T), LEVEL)
        found = {"measure": "bin", "bin": bins.names, "score": bins.scores, "share": bins.shares}
        table = pd.DataFrame({**found, **_band("accuracy", band)})
        samples = 1 if count == size else _draws(asked, 500)
        many = np.stack([sampled(bins.truth, count, rng) for _ in range(samples)]) + prior
        low, high = BetaPosterior.of(many[..., 0], many[..., 1]).interval(LEVEL)
        held = bins.shares >= 0.01
        off = ((low > bins.scores) | (high < bins.scores))[:, held]
        side = np.where(low > bins.scores, bins.accuracy > bins.scores, bins.accuracy < bins.scores)[:, held]
        sums = {"bins": np.full(samples, held.sum()), "told": off.sum(1), "right": (off & side).sum(1)}
        more = [as_rows([name], [count], values[None, None].astype(float)) for name, values in sums.items()]
        return pd.concat([table, *(one.drop(columns="labels") for one in more)], ignore_index=True)

    for strength in strengths:
        for count in (100, 1000, size):
            key: dict[str, str | float] = {
                "network": network,
                "strength": strength,
                "labels": min(count, size),
                "seed": asked.seed,
            }
            yield Case(key, partial(run, strength, min(count, size)))


def ece_posterior_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Figure 5: the posterior of the calibration error as labels grow, beside the plain estimate and the truth."""
    bins = by_bin(ranking.load(network, asked.data), "width")
    size, truth = int(bins.truth.sum()), float(ece(bins.accuracy, bins.scores, bins.shares))

    def run(count: int) -> pd.DataFrame:
        rng = stream(asked.seed, "reliability", network, count)  # the sample of Figure 4
        seen = sampled(bins.truth, count, rng)
        posterior = BetaPosterior.of(*(seen + informed(bins.scores)).T)
        draws = ece(posterior.draw(_draws(asked, 20_000), rng), bins.scores, bins.shares)
        density, edges = np.histogram(draws, BARS, density=True)
        numbers = {"mean": draws.mean(), "plain": plain_ece(seen, bins.scores), "truth": truth}
        numbers |= dict(zip(("low", "high"), np.quantile(draws, [0.025, 0.975]), strict=True))
        rows = pd.DataFrame({"measure": list(numbers), "value": list(numbers.values())})
        return pd.concat([rows, pd.DataFrame({"measure": "density", "at": edges[:-1], "value": density})])

    for count in (100, 1000, size):
        key: dict[str, str | float] = {
            "network": network,
            "labels": min(count, size),
            "width": 1.0 / BARS,
            "seed": asked.seed,
        }
        yield Case(key, partial(run, min(count, size)))


def ece_error_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Figure 6: error of the calibration error in per cent of it, Bayesian and plain, signed and absolute."""
    bins = by_bin(ranking.load(network, asked.data), "width")
    truth, runs = float(ece(bins.accuracy, bins.scores, bins.shares)), 10 if asked.smoke else 500
    looks = [count for count in GROWING if count < bins.truth.sum()]

    def run() -> pd.DataFrame:
        rng, errors = stream(asked.seed, "ece", network), np.empty((2, len(looks), runs))
        prior = informed(bins.scores)
        for t, count in enumerate(looks):
            for r in range(runs):
                seen = sampled(bins.truth, count, rng)
                drawn = BetaPosterior.of(*(seen + prior).T).draw(200, rng)
                errors[0, t, r] = ece(drawn, bins.scores, bins.shares).mean()
                errors[1, t, r] = plain_ece(seen, bins.scores)
        errors = 100 * (errors - truth) / truth
        parts = [as_rows(["Bayesian", "plain"], looks, errors).assign(error="signed")]
        parts.append(as_rows(["Bayesian", "plain"], looks, np.abs(errors)).assign(error="absolute"))
        return pd.concat(parts, ignore_index=True)

    yield Case({"network": network, "runs": runs, "seed": asked.seed}, run)


def difference_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Figure 8: how much less accurate one set of predicted classes is than another, everything labelled."""
    outcomes = ranking.load(network, asked.data)
    for (first, some), (second, others) in DIGIT_PAIRS if network == "digits" else CLASS_PAIRS:

        def run(some: Sequence[str] = some, others: Sequence[str] = others) -> pd.DataFrame:
            pair = [accuracy_posterior(outcomes, members) for members in (some, others)]
            alpha = [np.array([one.right[0, 0], one.wrong[0, 0]]) for one in pair]
            mass = rope(alpha[0], alpha[1], SHOWN_MARGIN)
            rng = stream(asked.seed, "difference", network)
            one, other = (part.draw(_draws(asked, 20_000), rng)[:, 0] for part in pair)
            density, edges = np.histogram(one - other, BARS, density=True)
            items = {"items of the first": alpha[0].sum() - 2, "items of the second": alpha[1].sum() - 2}
            items |= {"difference": alpha[0][0] / alpha[0].sum() - alpha[1][0] / alpha[1].sum()}
            numbers = dict(zip(("lower", "equal", "higher"), mass, strict=True)) | items
            rows = pd.DataFrame({"measure": list(numbers), "value": list(numbers.values())})
            bars = {"measure": "density", "at": edges[:-1], "value": density, "wide": edges[1] - edges[0]}
            return pd.concat([rows, pd.DataFrame(bars)])

        yield Case({"network": network, "first": first, "second": second, "seed": asked.seed}, run)


def rank_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Figure 9 and the workshop's 2: ranks of the classes, and the chance of each to be the most or least accurate."""
    outcomes = ranking.load(network, asked.data)

    def run() -> pd.DataFrame:
        classes = by_class(outcomes)
        rng = stream(asked.seed, "ranks", network)
        theta = BetaPosterior.of(*(classes.truth + 1.0).T).draw(_draws(asked, 20_000), rng)
        rank = Band.of_draws(np.asarray(rankdata(-theta, axis=1)), LEVEL)
        chances = {name: _wins(best, theta.shape[1]) for name, best in
                   (("P(most)", theta.argmax(1)), ("P(least)", theta.argmin(1)))}  # fmt: skip
        table = pd.DataFrame({"class": classes.names, **_band("rank", rank), **chances})
        ends = table.sort_values("rank", kind="stable")
        shown = min(SHOWN, len(table) // 2)
        return pd.concat([ends.head(shown), ends.tail(shown)])

    yield _case(network, asked, run)


def _wins(winners: IntArray, groups: int) -> FloatArray:
    return np.asarray(np.bincount(winners, minlength=groups) / len(winners))


def bias_cases(network: str, asked: Asked) -> Iterator[Case]:
    """The workshop's Figures 1, 5 and 8: accuracy and calibration bias, the ten least and most accurate classes."""
    outcomes = ranking.load(network, asked.data)

    def run() -> pd.DataFrame:
        table = bias_table(outcomes, by_class(outcomes)).sort_values("accuracy", kind="stable")
        shown = min(SHOWN, len(table) // 2)
        return pd.concat([table.head(shown), table.tail(shown)])

    yield _case(network, asked, run)


def bias_table(outcomes: Outcomes, classes: GroupOutcomes) -> pd.DataFrame:
    """Per class: accuracy and bias, score minus accuracy, with intervals under Beta(1, 1)."""
    band = Band.of_posterior(BetaPosterior.of(*(classes.truth + 1.0).T), LEVEL)
    bias = Band(classes.scores - band.mean, classes.scores - band.high, classes.scores - band.low)
    return pd.DataFrame({"class": classes.names, **_band("accuracy", band), **_band("bias", bias)})
