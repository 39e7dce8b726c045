"""Rows that need no runs: Tables 1 and 2, Figure 14, and the workshop paper's Figure 4."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import beta, dirichlet, gamma, norm

from altmas.bandits.rewards import EstimateArms, FindCostliest, FindExtreme, FindLeastCalibrated, TellApart
from altmas.experiments.active_bayesian import ranking
from altmas.experiments.active_bayesian.costliest import COSTS, outcome_of
from altmas.experiments.active_bayesian.estimation import ece, rmse
from altmas.experiments.active_bayesian.groups import Asked, by_bin, by_class
from altmas.experiments.bench.cases import Case
from altmas.experiments.data.networks import SUPERCLASSES, superclass_of
from altmas.metrics.types import FloatArray

BELIEFS = 200
DRAWS = 400_000
DEAR = 10.0


def reward_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Table 1: each reward against its definition, the expectation over outcomes written out, at random beliefs."""
    rng = np.random.default_rng(asked.seed)
    beliefs, draws = (5, 2000) if asked.smoke else (BELIEFS, DRAWS)
    yield Case({"draws": draws, "seed": asked.seed}, partial(_rewards, rng, beliefs, draws))


def _rewards(rng: np.random.Generator, beliefs: int, draws: int) -> pd.DataFrame:
    alpha, theta = rng.uniform(0.2, 30, (beliefs, 3, 2)), rng.dirichlet(np.ones(2), (beliefs, 3))
    columns, truth = rng.uniform(0.2, 30, (beliefs, 3, 4)), rng.dirichlet(np.ones(4), (beliefs, 3))
    shares, cost = np.array([0.2, 0.3, 0.5]), rng.uniform(0, 10, (3, 4))
    bins, scores = rng.dirichlet(np.ones(2), 3), rng.uniform(size=(3, 2))
    rights = rng.uniform(size=(beliefs, 3, 2))
    a, b, (t, f) = alpha[..., 0], alpha[..., 1], np.moveaxis(theta, -1, 0)
    drop = beta.var(a, b) - t * beta.var(a + 1, b) - f * beta.var(a, b + 1)
    total = np.array([[_drop(c, q) for c, q in zip(*one, strict=True)] for one in zip(columns, truth, strict=True)])
    right_wrong = np.concatenate([rights, 1 - rights], -1)
    few, there = alpha[:5, :2], theta[:5, :2]
    calibration, costs = FindLeastCalibrated(bins, scores), FindCostliest(cost)
    pairs = [
        ("accuracy", EstimateArms(shares).worth(theta, alpha), 2 * shares * drop),
        ("confusion", EstimateArms(shares).worth(truth, columns), shares * total),
        ("least accurate", FindExtreme().worth(theta, alpha), -t),
        ("least calibrated", calibration.worth(right_wrong, alpha), (bins * np.abs(rights - scores)).sum(-1)),
        ("costliest", costs.worth(truth, columns), np.einsum("go,rgo->rg", cost, truth)),
        ("comparison", TellApart().worth(there, few), _compared(few, there, draws, rng)),
    ]
    rows = [(task, float(np.abs(got - wanted).max())) for task, got, wanted in pairs]
    return pd.DataFrame(rows, columns=pd.Index(["task", "difference"]))


def _drop(column: FloatArray, truth: FloatArray) -> float:
    after = sum(p * _variance(column + one) for p, one in zip(truth, np.eye(len(truth)), strict=True))
    return _variance(column) - float(after)


def _variance(column: FloatArray) -> float:
    return float(dirichlet(column).var().sum())


def _compared(alpha: FloatArray, theta: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """E[lambda | one more outcome] by drawing, as the paper does."""
    out = np.zeros((len(alpha), 2))
    for r, arm, outcome in np.ndindex(len(alpha), 2, 2):
        after = alpha[r].copy()
        after[arm, outcome] += 1
        gap = rng.beta(after[0, 0], after[0, 1], draws) - rng.beta(after[1, 0], after[1, 1], draws)
        most = max((gap < -0.05).mean(), (np.abs(gap) <= 0.05).mean(), (gap > 0.05).mean())
        out[r, arm] += theta[r, arm, outcome] * most
    return out


def network_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Table 2: what is here, and how far the scores alone are from the accuracies per class, in points."""
    outcomes = ranking.load(network, asked.data)

    def run() -> dict[str, float]:
        classes, bins = by_class(outcomes), by_bin(outcomes, "width")
        every = np.full(len(classes.scores), outcomes.right.mean())
        return {
            "items": len(outcomes.labels),
            "classes": len(outcomes.classes),
            "accuracy": 100 * outcomes.right.mean(),
            "confidence": 100 * outcomes.confidence.mean(),
            "ece": 100 * float(ece(bins.accuracy, bins.scores, bins.shares)),
            "rmse of scores": 100 * float(rmse(classes.scores, classes.accuracy, classes.shares)),
            "rmse of one accuracy": 100 * float(rmse(every, classes.accuracy, classes.shares)),
            "whole softmax": float(outcomes.scores is not None),
        }  # fmt: skip

    yield Case({"network": network}, run)


def cost_matrix_cases(network: str, asked: Asked) -> Iterator[Case]:
    """Figure 14: the two cost matrices of CIFAR-100, by superclass; off the diagonal of classes they are constant."""
    home, people = superclass_of(), list(SUPERCLASSES).index("people")

    def run(cost: str) -> pd.DataFrame:
        outcome = outcome_of(cost, home, people)
        value = np.array([0.0, 1.0, DEAR])[outcome]
        rows = []
        for t, p in np.ndindex(len(SUPERCLASSES), len(SUPERCLASSES)):
            block = value[np.ix_(home == t, home == p)]
            off = block[~np.eye(len(block), dtype=bool)] if t == p else block
            rows.append((list(SUPERCLASSES)[t], list(SUPERCLASSES)[p], off.mean(), np.ptp(off)))
        return pd.DataFrame(rows, columns=pd.Index(["true", "predicted", "cost", "spread"]))

    for cost in COSTS:
        yield Case({"matrix": cost}, partial(run, cost))


OVERCONFIDENT = 1.5  # times the true logit: the score of a model that knows where the classes meet and is too sure


def notation_cases(network: str, asked: Asked) -> Iterator[Case]:
    """The workshop's Figure 4: two classes on a line, N(5, 1) and Gamma(2, rate 2), and a model that is too sure.

    The paper does not say how its model's scores were made; ours have 1.5 times the true logit.
    """

    def run() -> pd.DataFrame:
        x = np.linspace(0.01, 9, 2000)
        one, two = norm(5, 1).pdf(x) / 2, gamma(2, scale=0.5).pdf(x) / 2
        logit = norm(5, 1).logpdf(x) - gamma(2, scale=0.5).logpdf(x)
        right = expit(np.abs(logit))
        score, density = expit(OVERCONFIDENT * np.abs(logit)), one + two
        shown = slice(None, None, 40)
        curves = {"x": x, "p(class 1)": expit(logit), "accuracy": right, "score": score, "bias": score - right,
                  "density": density}  # fmt: skip
        table = pd.DataFrame({name: values[shown] for name, values in curves.items()})
        rows = []
        for name, region in (("class 1", logit > 0), ("class 2", logit <= 0)):
            weight = density * region / (density * region).sum()
            rows.append({"region": name, "accuracy": (weight * right).sum(), "score": (weight * score).sum(),
                         "bias": (weight * (score - right)).sum(), "x": x[region].min()})  # fmt: skip
        return pd.concat([pd.DataFrame(rows), table], ignore_index=True)

    yield Case({"overconfidence": OVERCONFIDENT}, run)
