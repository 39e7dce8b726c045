"""What was found out about groups: a table of accuracies, a ranking, a comparison; each with a verdict in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from altmas.bandits.method import GroupRun
from altmas.bandits.rewards import FindCostliest
from altmas.bandits.tasks import GroupQuestion
from altmas.certified.findings import CertifiedResult
from altmas.certified.method import CertifiedRun
from altmas.core.groups import required_confidence
from altmas.core.loop import Round
from altmas.core.pool import Pool
from altmas.core.result import Result
from altmas.metrics.types import FloatArray

if TYPE_CHECKING:
    from altmas.surrogates.groups.beta_posterior import BetaPosterior

TIE = 1e-9
DRAWS = 10_000
"""Draws behind every probability of a ranking, fewer where there are very many groups; 10,000 err by at most 0.005."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupResult(Result):
    """A result with `groups`: size, labels, estimate, low, high of each group's accuracy on this pool, and P(worst).

    Labelled items are known, open ones predicted, so a group whose items are all labelled has its accuracy exactly.
    P(worst) is about the accuracy behind the pool, which stays uncertain.
    """

    groups: pd.DataFrame
    posterior: BetaPosterior
    """Of each group's accuracy behind the pool, for displays and questions of your own."""

    calibration: pd.DataFrame | None
    """Per score bin: mean score, accuracy and its interval, and `bias`, score minus accuracy; None without scores."""

    ece: tuple[float, float, float] | None
    """Expected calibration error of the whole pool: estimate, low, high; None without scores."""


@dataclass(frozen=True, eq=False, repr=False)
class IdentifyResult(Result):
    """`ranking`: each group with its rank (1 = most extreme) and `p`, the probability that it is among the m sought."""

    ranking: pd.DataFrame
    verdict: str

    def __repr__(self) -> str:
        return f"{self.verdict}\n{super().__repr__()}"


@dataclass(frozen=True, eq=False, repr=False)
class CompareResult(Result):
    """ROPE comparison: `mu` (masses lower, equal, higher), `eta` the most probable region, `lam` its probability."""

    mu: dict[str, float]
    eta: str
    lam: float
    difference: tuple[float, float, float]  # estimate, low, high
    draws: FloatArray  # of the difference [M]
    verdict: str

    def __repr__(self) -> str:
        return f"{self.verdict}\n{super().__repr__()}"


def result_for(question: GroupQuestion, method: str, pool: Pool, seen: Sequence[Round], level: float) -> Result:
    """The result object that fits the question."""
    run = seen[-1].run
    if isinstance(run, CertifiedRun):
        return CertifiedResult.of_run(method, pool, seen, run, level)
    plain = Result.of(method, pool, seen)
    if not isinstance(run, GroupRun):
        return plain
    known = {f.name: getattr(plain, f.name) for f in fields(Result)}
    if question.kind == "identify":
        ranking, sure = _ranking(run, question, level)
        return IdentifyResult(**known, ranking=ranking, verdict=_identified(ranking, sure, question, level))
    if question.kind == "compare":
        return _comparison(run, question, level, known)
    calibration, ece = _calibration(run, level)
    accuracy = run.belief.accuracy()
    return GroupResult(**known, groups=_groups(run, level), posterior=accuracy, calibration=calibration, ece=ece)


def _calibration(run: GroupRun, level: float) -> tuple[pd.DataFrame | None, tuple[float, float, float] | None]:
    if not run.job.pool.probable:  # confidences that are no probabilities have no calibration
        return None, None
    bins, mean, draws = run.belief.reliability(DRAWS, run.stream("calibration"))
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(draws, tails, axis=0)
    table = pd.DataFrame({"bin": bins.names, "size": bins.sizes, "score": mean, "estimate": draws.mean(0)})
    table = table.assign(low=low, high=high, bias=mean - draws.mean(0))
    error = (bins.shares * np.abs(draws - mean)).sum(-1)
    ends = np.quantile(error, tails)
    return table[table["size"] > 0].reset_index(drop=True), (float(error.mean()), float(ends[0]), float(ends[1]))


def _groups(run: GroupRun, level: float) -> pd.DataFrame:
    rng = run.stream("ranking")
    theta = run.belief.accuracy().draw(DRAWS, rng)
    right, wrong = run.belief.right_wrong()
    sizes = run.arms.groups.sizes
    open_items = np.asarray(sizes - right - wrong, dtype=np.int64)
    on_pool = (right + rng.binomial(open_items, theta)) / np.maximum(sizes, 1)
    on_pool = np.where(sizes > 0, on_pool, theta)  # an empty group has only its prior
    low, high = np.quantile(on_pool, [(1 - level) / 2, (1 + level) / 2], axis=0)
    lowest = np.where(sizes > 0, theta + TIE * rng.random(theta.shape), np.inf).argmin(-1)  # ties go to chance
    worst = np.bincount(lowest, minlength=len(sizes)) / DRAWS
    found = {"estimate": on_pool.mean(0), "low": low, "high": high, "p_worst": worst}
    table = pd.DataFrame({**_sizes(run), **found})
    if run.job.pool.scores is None:
        return table
    score = run.arms.groups.mean(required_confidence(run.job.pool))
    return table.assign(score=score, bias=score - table["estimate"])  # the bias of calibration, per group


def _sizes(run: GroupRun) -> dict[str, object]:
    groups = run.arms.groups
    asked = np.bincount(groups.index[run.answers.items], minlength=len(groups.names))
    return {"group": list(groups.names), "size": groups.sizes, "labels": asked}


def _values(run: GroupRun, question: GroupQuestion) -> FloatArray:
    """Draws `[M, G]` of the quantity that is ranked."""
    rng = run.stream("ranking")
    if question.target == "least_calibrated":
        return run.belief.calibration_error(DRAWS, rng)
    if isinstance(run.arms.task, FindCostliest):
        columns = run.belief.columns()
        draws = max(min(DRAWS, 20_000_000 // columns.alpha[0].size), 100)
        return run.arms.task.value(columns.draw(draws, rng))
    return run.belief.accuracy().draw(DRAWS, rng)


def _ranking(run: GroupRun, question: GroupQuestion, level: float) -> tuple[pd.DataFrame, float]:
    """The table, and the probability that its first m groups are the m sought."""
    filled = run.arms.groups.sizes > 0  # a group without items has nothing but a prior
    values = _values(run, question)[:, filled]
    worth = -values if question.target == "least_accurate" else values
    worth = worth + TIE * run.stream("ties").random(worth.shape)
    rank = np.argsort(np.argsort(-worth, axis=-1), axis=-1) + 1
    likeliest = (rank <= question.m).mean(0)
    top = np.argsort(-likeliest, kind="stable")[: question.m]
    together = float((rank[:, top] <= question.m).all(-1).mean())
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(values, tails, axis=0)
    rank_low, rank_high = np.quantile(rank, tails, axis=0, method="inverted_cdf")
    sizes = pd.DataFrame(_sizes(run))[filled].reset_index(drop=True)
    table = sizes.assign(
        **{
            "estimate": values.mean(0),
            "low": low,
            "high": high,
            "rank": rank.mean(0),
            "rank_low": rank_low.astype(int),
            "rank_high": rank_high.astype(int),
            "p": likeliest,
        }
    )
    ranked = table.sort_values(["p", "rank"], ascending=[False, True], kind="stable").reset_index(drop=True)
    return ranked, together


def _identified(ranking: pd.DataFrame, sure: float, question: GroupQuestion, level: float) -> str:
    """Name the groups only where the draws agree on all of them together; otherwise name the contenders."""
    what = question.target.replace("_", " ")
    if sure >= level:
        named = ", ".join(str(group) for group in ranking["group"].head(question.m))
        return f"{what}: {named} (P = {sure:.2f})"
    contenders = ranking.head(max(4, question.m + 2))
    named = ", ".join(f"{row.group} (P = {row.p:.2f})" for row in contenders.itertuples())
    return f"{what}: not told apart yet: {named}"


def _comparison(run: GroupRun, question: GroupQuestion, level: float, known: dict[str, object]) -> CompareResult:
    draws = run.belief.accuracy().draw(DRAWS, run.stream("ranking"))
    gap = draws[:, 0] - draws[:, 1]
    margin = question.rope
    mu = {
        "lower": float((gap < -margin).mean()),
        "equal": float((np.abs(gap) <= margin).mean()),
        "higher": float((gap > margin).mean()),
    }
    eta = max(mu, key=lambda region: mu[region])
    low, high = np.quantile(gap, [(1 - level) / 2, (1 + level) / 2])
    a, b = question.a, question.b
    sentence = {
        "lower": f"accuracy of {a} is more than {margin:g} below that of {b}",
        "equal": f"accuracies of {a} and {b} are within {margin:g} of each other",
        "higher": f"accuracy of {a} is more than {margin:g} above that of {b}",
    }[eta]
    difference = (float(gap.mean()), float(low), float(high))
    verdict = f"{sentence} (P = {mu[eta]:.2f})"
    return CompareResult(**known, mu=mu, eta=eta, lam=mu[eta], difference=difference, draws=gap, verdict=verdict)  # type: ignore[arg-type]
