"""Which groups are lowest, and whether two differ: numbers only. `altmas.words.groups` puts them in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from altmas.core.checks import whole_number
from altmas.core.streams import stream
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

RANKING_DRAWS = 10_000
"""Draws behind every probability of a ranking: they err by at most 0.005, one standard error."""

_NUMBERS_AT_ONCE = 1_000_000
"""Numbers that are compared in one step, so that memory stays small whatever the number of draws."""


def probability_among_lowest(draws: FloatArray, m: int = 1) -> FloatArray:
    """P(among the m lowest) of each column `[G]`, from coherent draws `[M, G]`; for m = 1 this is P(worst).

    Columns that tie for the last places share them.

    >>> probability_among_lowest(np.array([[0.1, 0.9, 0.9], [0.9, 0.9, 0.2]]), 2)
    array([0.75, 0.5 , 0.75])
    >>> probability_among_lowest(np.array([[0.1, 0.2], [0.3, 0.2], [0.1, 0.1], [0.0, 1.0]]))
    array([0.625, 0.375])
    """
    count, columns = draws.shape
    if whole_number("m", m, 1) >= columns:
        return np.ones(columns)
    total = np.zeros(columns)
    step = max(_NUMBERS_AT_ONCE // columns, 1)
    for start in range(0, count, step):
        some = draws[start : start + step]
        last = np.partition(some, m - 1, axis=1)[:, m - 1 : m]
        below, level = some < last, some == last
        places = (m - below.sum(1)) / level.sum(1)
        total += below.sum(0) + places @ level
    return np.asarray(total / count)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Groups ranked from the lowest, rank 1: `p [G]`, P(among the m lowest), and each one's mean rank and its range."""

    p: FloatArray
    mean: FloatArray
    low: IntArray
    high: IntArray
    together: float
    """The probability that the m groups of highest `p` are the m lowest, all of them."""

    @classmethod
    def of_draws(cls, draws: FloatArray, m: int, level: float) -> Ranking:
        """From draws `[M, G]` of what is ranked; `level` is that of the ranges of ranks.

        >>> found = Ranking.of_draws(np.array([[0.1, 0.5, 0.9], [0.2, 0.8, 0.7]]), 1, 0.95)
        >>> found.p, found.mean, found.together
        (array([1., 0., 0.]), array([1. , 2.5, 2.5]), 1.0)
        """
        p = probability_among_lowest(draws, m)
        rank = np.argsort(np.argsort(draws, axis=1), axis=1) + 1
        low, high = np.quantile(rank, [(1 - level) / 2, (1 + level) / 2], axis=0, method="inverted_cdf")
        likeliest = np.argsort(-p, kind="stable")[:m]
        together = float((rank[:, likeliest] <= m).all(1).mean())
        return cls(p, rank.mean(0), low.astype(np.int64), high.astype(np.int64), together)

    def beside(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table with a row per group, and now its `p` and rank; the likeliest first, `together` among its `attrs`."""
        out = table.assign(p=self.p, rank=self.mean, rank_low=self.low, rank_high=self.high)
        out = out.sort_values(["p", "rank"], ascending=[False, True], kind="stable").reset_index(drop=True)
        out.attrs["together"] = self.together
        return out


def probability_below(value: float, estimate: float, below: float, above: float) -> float:
    """P(truth < value), for an estimate whose errors are normal, with a deviation of its own to each side.

    >>> round(probability_below(0.8, 0.9, 0.1, 0.01), 3), probability_below(0.9, 0.9, 0.1, 0.01)
    (0.159, 0.5)
    """
    side = below if value < estimate else above
    return float(ndtr((value - estimate) / max(side, 1e-12)))


def draws_of(table: pd.DataFrame, noise: FloatArray) -> FloatArray:
    """Draws `[M, G]` of what the estimates of a table stand for, with errors `below` and `above`, from normal noise.

    >>> table = pd.DataFrame({"estimate": [0.5], "below": [0.1], "above": [0.2]})
    >>> draws_of(table, np.array([[-1.0], [1.0]])).ravel().round(9).tolist()
    [0.4, 0.7]
    """
    estimates, below, above = (table[name].to_numpy() for name in ("estimate", "below", "above"))
    return np.asarray(estimates + noise * np.maximum(np.where(noise < 0, below, above), 1e-9))


def ranked(table: pd.DataFrame, by: str, m: int, level: float, seed: int, *, highest: bool = False) -> pd.DataFrame:
    """Groups by `p`, the probability to be among the m worst, with the range of each one's rank.

    The errors of the estimates are taken as normal, as wide `below` and `above` as their intervals. Worst is lowest,
    or `highest` where a metric counts what goes wrong.

    >>> rows = pd.DataFrame({"group": ["a", "b", "c"], "estimate": [0.5, 0.9, 0.8]})
    >>> found = ranked(rows.assign(below=0.01, above=0.01), "class", 1, 0.95, 0)
    >>> found["group"].tolist(), found["p"].tolist(), found.attrs["together"]
    (['a', 'c', 'b'], [1.0, 0.0, 0.0], 1.0)
    """
    whole_number("m", m, 1)
    if m >= len(table):
        raise InputError("m", f"be below the number of groups that have items, {len(table)}", m)
    noise = stream(seed, "worst", by).standard_normal((RANKING_DRAWS, len(table)))
    draws = draws_of(table, noise)
    return Ranking.of_draws(-draws if highest else draws, m, level).beside(table)


def compared(row: dict[str, Any], rope: float) -> dict[str, Any]:
    """A difference with the probabilities that it is lower, equal within `rope`, and higher.

    Errors are taken as normal, as wide `below` and `above` as the interval.

    >>> found = compared({"estimate": -0.2, "low": -0.3, "high": -0.1, "below": 0.05, "above": 0.05}, 0.05)
    >>> {name: round(value, 3) for name, value in found.items() if name.startswith("p_")}
    {'p_lower': 0.999, 'p_equal': 0.001, 'p_higher': 0.0}
    """
    estimate, below, above = (float(row[name]) for name in ("estimate", "below", "above"))
    lower = probability_below(-rope, estimate, below, above)
    higher = 1 - probability_below(rope, estimate, below, above)
    known = {name: value for name, value in row.items() if name not in ("error", "below", "above")}
    return {**known, "p_lower": lower, "p_equal": max(1 - lower - higher, 0.0), "p_higher": higher}
