"""Methods ranked over pools, and how sure that is: a bootstrap over pools and seeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from altmas.core.streams import stream
from altmas.experiments.bench.errors import FLOOR, LEAST, case_of, squared
from altmas.metrics.types import FloatArray
from altmas.words.wording import counted

BOOTSTRAPS = 2000
LEVEL = 0.95


@dataclass(frozen=True)
class Rank:
    """A method's mean rank over pools, 1 for the least error; its interval, and how often it came first.

    None where nothing was repeated: with one pool and one seed.
    """

    method: str
    mean: float
    low: float | None
    high: float | None
    p_best: float | None


def ranking(end: pd.DataFrame, methods: list[str], seed: int = 0) -> tuple[tuple[Rank, ...], list[str]]:
    """Rank methods by their RMSE in each pool, on pools and seeds that all of them have; and what a reader must know.

    A bootstrap draws as many pools again with replacement, and in each of them as many seeds.
    """
    pools = [found for _, one in end.groupby("pool", sort=False) if (found := _squares(one, methods)) is not None]
    if len(methods) < 2:
        return (), []
    if not pools:
        return (), ["No pool has rows of all methods with the same seeds: there is no ranking."]
    notes = []
    if (left := end["pool"].nunique() - len(pools)) > 0:
        notes.append(f"The ranking leaves out {counted(left, 'pool')} without rows of all methods for the same seeds.")
    whole = np.stack([_ranks(squares, np.ones((1, squares.shape[-1])))[0] for squares in pools]).mean(0)
    order = np.argsort(whole, kind="stable")
    if len(pools) == 1 and pools[0].shape[-1] == 1:
        notes.append("One pool and one seed: how sure the ranking is cannot be told.")
        return tuple(Rank(methods[i], float(whole[i]), None, None, None) for i in order), notes
    rng = stream(seed, "ranking")
    again = np.zeros((BOOTSTRAPS, len(methods)))
    times = rng.multinomial(len(pools), np.full(len(pools), 1 / len(pools)), size=BOOTSTRAPS)
    for k, squares in enumerate(pools):
        seeds = squares.shape[-1]
        drawn = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=BOOTSTRAPS).astype(np.float64)
        again += times[:, k : k + 1] * _ranks(squares, drawn)
    again /= len(pools)
    low, high = np.quantile(again, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    first = np.isclose(again, again.min(axis=1, keepdims=True))
    p_best = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    return tuple(Rank(methods[i], *map(float, (whole[i], low[i], high[i], p_best[i]))) for i in order), notes


def _squares(rows: pd.DataFrame, methods: list[str]) -> FloatArray | None:
    """Squared errors `[methods, metrics, seeds]`, on the seeds for which every method has every metric."""
    by = [name for name in case_of(rows) if name != "pool"]
    table = squared(rows).pivot_table(index=["method", *by], columns="seed", values="square", aggfunc="first")
    found = [table.xs(name, level="method") for name in methods if name in table.index.get_level_values("method")]
    shared = [one.index for one in found]
    if len(found) < len(methods):
        return None
    cases = shared[0]
    for one in shared[1:]:
        cases = cases.intersection(one, sort=False)
    squares = np.stack([one.loc[cases].to_numpy(dtype=np.float64) for one in found])
    known = np.isfinite(squares)
    cases_known = known.any(axis=(0, 2))
    whole = known[:, cases_known].all(axis=(0, 1))
    squares = squares[:, cases_known][..., whole]
    return squares if squares.size else None


def _ranks(squares: FloatArray, times: FloatArray) -> FloatArray:
    """Ranks `[B, methods]` where each seed counts so many `times [B, seeds]`, by the geometric mean over metrics.

    As in a ratio, an error counts as a hundredth of the largest at least: no lucky zero decides a rank.
    """
    mse = np.einsum("mks,bs->bmk", squares, times) / times.sum(1)[:, None, None]
    least = np.maximum(squares.mean(-1).max(0) * LEAST**2, FLOOR**2)
    log = np.log(np.maximum(mse, least)).mean(axis=2)
    ranks: FloatArray = rankdata(np.round(log, 12), axis=1)
    return ranks
