"""Rows by panel: a pool and a set of metrics, with every method that ran for it, and where its methods are compared."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd


def in_panels(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with their `panel`; those of a method that ran once for all sets of metrics stand in each of them.

    >>> row = {"pool": "p", "budget": 9, "seed": 0, "labels": 9}
    >>> rows = [row | {"method": "blind", "metrics": "a b", "metric": one} for one in "ab"]
    >>> rows += [row | {"method": "aware", "metrics": one, "metric": one} for one in "ab"]
    >>> in_panels(pd.DataFrame(rows))[["panel", "method"]].to_numpy().tolist()
    [['a', 'blind'], ['a', 'aware'], ['b', 'blind'], ['b', 'aware']]
    """
    found = []
    for _, own in rows.groupby("pool", sort=False):
        for panel in panels_of(own["metrics"].unique().tolist()):
            names = own.loc[own["metrics"] == panel, "metric"].unique()
            parts = []
            for _, theirs in own.groupby("method", sort=False):
                ran = run_for(panel, theirs["metrics"].unique().tolist())
                parts.append(theirs[(theirs["metrics"] == ran) & theirs["metric"].isin(names)])
            # A run with a larger budget passes through the smaller ones: each number of labels counts from its own run.
            one = pd.concat(parts).sort_values("budget", kind="stable")
            found.append(one.drop_duplicates(["method", "seed", "labels", "metric"]).assign(panel=panel))
    return pd.concat(found, ignore_index=True)


def panels_of(ran: Sequence[str]) -> list[str]:
    """The sets of metrics among those that cells ran for, as text: not those that are other sets put together.

    >>> panels_of(["a b", "b", "a"]), panels_of(["a b"]), panels_of(["a", "a b"])
    (['b', 'a'], ['a b'], ['a', 'a b'])
    """
    words = {one: frozenset(one.split()) for one in ran}

    def is_joined(one: str) -> bool:
        parts = [words[other] for other in ran if words[other] < words[one]]
        return len(parts) > 1 and frozenset().union(*parts) == words[one]

    return [one for one in ran if not is_joined(one)]


def run_for(panel: str, ran: Sequence[str]) -> str:
    """The metrics of the run that has a panel's, or '' where there is none.

    >>> run_for("a", ["a b", "a"]), run_for("a", ["a b"]), run_for("a", ["b"])
    ('a', 'a b', '')
    """
    needed = frozenset(panel.split())
    fitting = [one for one in ran if needed <= frozenset(one.split())]
    return min(fitting, key=lambda one: len(one.split()), default="")


def at_the_end(rows: pd.DataFrame, baseline: str = "") -> pd.DataFrame:
    """Each panel at the last number of labels that more than half of its methods have, the baseline among them.

    Where no such number is, that which the most have.

    >>> table = {"pool": "p", "panel": "a", "method": ["x", "y", "x", "y", "x"], "labels": [50, 50, 90, 90, 100]}
    >>> at_the_end(pd.DataFrame(table))["labels"].tolist()
    [90, 90]
    """
    parts = []
    for _, one in rows.groupby(["pool", "panel"], sort=False):
        own = one.loc[one["method"] == baseline, "labels"] if (one["method"] == baseline).any() else one["labels"]
        methods = one[one["labels"].isin(own)].groupby("labels")["method"].nunique()
        enough = min(one["method"].nunique() // 2 + 1, methods.max())
        parts.append(one[one["labels"] == methods.index[methods >= enough].max()])
    found: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return found
