"""Verdicts on groups in words: which is worst, and whether two differ; named only where the answers settle it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from altmas.core.checks import whole_number
from altmas.core.streams import stream
from altmas.metrics.errors import InputError

DRAWS = 10_000


def ranked(table: pd.DataFrame, by: str, metric: str, m: int, level: float, seed: int) -> pd.DataFrame:
    """Groups by `p`, the probability to be among the m worst, with the range of each one's rank.

    >>> rows = pd.DataFrame({"group": ["a", "b", "c"], "estimate": [0.5, 0.9, 0.8], "error": [0.01, 0.01, 0.01]})
    >>> ranked(rows, "class", "accuracy", 1, 0.95, 0).attrs["verdict"]
    'lowest accuracy by class: a (P = 1.00)'
    """
    whole_number("m", m, 1)
    if m >= len(table):
        raise InputError("m", f"be below the number of groups that have items, {len(table)}", m)
    worse = -1 if metric == "error_rate" else 1  # an error is worst where it is highest
    spread = table["error"].to_numpy() if "error" in table else (table["high"] - table["low"]).to_numpy() / 4
    noise = stream(seed, "worst", by).standard_normal((DRAWS, len(table)))
    values = worse * (table["estimate"].to_numpy() + noise * np.maximum(spread, 1e-9))
    rank = np.argsort(np.argsort(values, axis=1), axis=1) + 1
    p = (rank <= m).mean(0)
    low, high = np.quantile(rank, [(1 - level) / 2, (1 + level) / 2], axis=0, method="inverted_cdf")
    out = table.assign(p=p, rank=rank.mean(0), rank_low=low.astype(int), rank_high=high.astype(int))
    out = out.sort_values(["p", "rank"], ascending=[False, True], kind="stable").reset_index(drop=True)
    top = np.argsort(-p, kind="stable")[:m]
    sure = float((rank[:, top] <= m).all(1).mean())
    what = f"{'highest' if worse < 0 else 'lowest'} {metric} by {by}"
    if sure >= level:
        out.attrs["verdict"] = f"{what}: {', '.join(map(str, out['group'].head(m)))} (P = {sure:.2f})"
    else:
        head = out.head(max(4, m + 2))
        certain = ", ".join(str(one) for one in head["group"][head["p"] >= level])
        rest = head[head["p"] < level].itertuples()
        named = ", ".join(f"{row.group} (P = {row.p:.2f})" for row in rest)
        out.attrs["verdict"] = f"{what}: {f'{certain}; ' if certain else ''}not told apart yet: {named}"
    return out


def compared(row: dict[str, Any], rope: float, level: float) -> dict[str, Any]:
    """A comparison with the probabilities of lower, equal within `rope`, and higher, and a verdict.

    >>> row = {"metric": "accuracy", "a": "n", "b": "s", "estimate": -0.2, "low": -0.3, "high": -0.1, "error": 0.05}
    >>> compared(row, 0.05, 0.95)["verdict"]
    'accuracy of n is more than 0.05 below that of s (P = 1.00)'
    """
    error = max(float(row["error"]), 1e-12)
    lower = float(ndtr((-rope - row["estimate"]) / error))
    higher = float(ndtr((row["estimate"] - rope) / error))
    shares = {"lower": lower, "equal": max(1 - lower - higher, 0.0), "higher": higher}
    return in_words({key: value for key, value in row.items() if key != "error"}, shares, rope, level)


def in_words(row: dict[str, Any], shares: Mapping[str, float], rope: float, level: float) -> dict[str, Any]:
    """A comparison with its three probabilities, and a verdict that claims no more than they do."""
    likeliest = max(shares, key=lambda region: shares[region])
    metric, a, b = row["metric"], row["a"], row["b"]
    sentence = {
        "lower": f"{metric} of {a} is more than {rope:g} below that of {b}",
        "equal": f"{metric} of {a} and of {b} are within {rope:g} of each other",
        "higher": f"{metric} of {a} is more than {rope:g} above that of {b}",
    }[likeliest]
    if shares[likeliest] < level:
        sentence = f"not settled; likeliest: {sentence}"
    probabilities = {f"p_{region}": share for region, share in shares.items()}
    return {**row, **probabilities, "verdict": f"{sentence} (P = {shares[likeliest]:.2f})"}
