"""How the methods of a sweep compare: each with a baseline, and all of them as a ranking over pools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from altmas.experiments.bench.errors import (
    BASELINE,
    FLOOR,
    LEAST,
    curves,
    held,
    pulls,
    relative,
    rmse,
    squared,
    standard_errors,
)
from altmas.experiments.bench.panels import at_the_end, in_panels
from altmas.experiments.bench.ranking import Rank, ranking
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.words.wording import counted, listed

MOST_NAMED = 3
"""Pools that a note names one by one."""


@dataclass(frozen=True)
class Standing:
    """A method over all pools at the last label; None where a number is not known.

    Each pool counts the same. `error` is its RMSE over the baseline's, the geometric mean over metrics and then over
    pools, with the jackknife's standard error over seeds. `wins` is the share of `compared` estimates that are nearer
    to the truth than the baseline's of the same pool, metric and seed. `needs` is how many times as many labels the
    baseline needs for the same error, `beyond` the share of panels where that lies beyond either end of its curve.
    """

    method: str
    error: float | None
    error_se: float | None
    wins: float | None
    compared: int
    needs: float | None
    beyond: float | None
    covered: float | None
    covered_se: float | None
    width: float | None
    seconds: float
    pools: int
    runs: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """All that a page says of a sweep's rows. `baseline` is '' where there was none."""

    baseline: str
    standings: tuple[Standing, ...]
    by_pool: pd.DataFrame
    """Columns `pool`, `labels`, `method`, `error`, `error_se`: the same per pool."""
    ranking: tuple[Rank, ...]
    curves: dict[tuple[str, str], pd.DataFrame]
    """Per pool and set of metrics what `errors.curves` finds."""
    notes: tuple[str, ...]


def compare(rows: pd.DataFrame, baseline: str = "") -> Comparison:
    """Compare the methods of these rows with a baseline among them; random sampling unless another is named."""
    methods = rows["method"].unique().tolist()
    notes = []
    if baseline and baseline not in methods:
        raise InputError("baseline", f"be one of the methods, {listed(methods)}", repr(baseline))
    if not baseline:
        baseline = BASELINE if BASELINE in methods else ""
    if not baseline or len(methods) == 1:
        why = "One method alone" if len(methods) == 1 else f"No method is called {BASELINE!r}, and no baseline is named"
        notes.append(f"{why}: errors are compared with nothing.")
    panels = in_panels(rows)
    end = at_the_end(panels, baseline)
    ratios = relative(rmse(end, "source"), baseline)
    kept = ratios[~ratios["skipped"]]
    kept = kept.assign(ratio=kept["ratio"].clip(LEAST, 1 / LEAST), capped=~kept["ratio"].between(LEAST, 1 / LEAST))
    drawn = {
        (str(pool), str(panel)): curves(one) for (pool, panel), one in panels.groupby(["pool", "panel"], sort=False)
    }
    errors = _relative_errors(end, kept, baseline, [])
    by_pool = _relative_errors(end, kept, baseline, ["pool"])
    held_by, won, needs = _held(end), _wins(end, baseline), _needs(kept, drawn, baseline)
    standings = []
    for method, own in end.groupby("method", sort=False):
        standings.append(
            Standing(
                method=str(method),
                error=_known(errors, method, "error"),
                error_se=_known(errors, method, "error_se"),
                wins=_known(won, method, "wins"),
                compared=int(_known(won, method, "compared") or 0),
                needs=_known(needs, method, "needs"),
                beyond=_known(needs, method, "beyond"),
                covered=_known(held_by, method, "covered"),
                covered_se=_known(held_by, method, "covered_se"),
                width=_known(held_by, method, "width"),
                seconds=float(own.drop_duplicates("key")["seconds"].mean()),
                pools=own["pool"].nunique(),
                runs=own["key"].nunique(),
            )
        )
    standings.sort(key=lambda one: np.inf if one.error is None else one.error)
    ranks, unranked = ranking(end, [one.method for one in standings])
    labels = end.groupby("pool")["labels"].max()
    return Comparison(
        baseline,
        tuple(standings),
        by_pool.assign(labels=by_pool["pool"].map(labels)),
        ranks,
        drawn,
        (*notes, *_notes(rows, panels, end, ratios, kept, baseline), *unranked),
    )


def _known(table: pd.DataFrame, method: object, name: str) -> float | None:
    found = table.loc[table["method"] == method, name]
    return float(found.iloc[0]) if len(found) and np.isfinite(found.iloc[0]) else None


def _relative_errors(end: pd.DataFrame, kept: pd.DataFrame, baseline: str, by: list[str]) -> pd.DataFrame:
    """Relative error and its standard error per method and what else is named."""
    case = ["pool", "panel", "labels", "metric"]
    weighted = kept.assign(log=np.log(kept["ratio"]))
    weighted["weight"] = 1 / weighted.groupby(["method", "pool"])["log"].transform("size")
    if not by:
        weighted["weight"] /= weighted.groupby("method")["pool"].transform("nunique")
    keys = [*by, "method"]
    log = (weighted["log"] * weighted["weight"]).groupby([weighted[name] for name in keys], sort=False).sum()
    pulled = pulls(end)[["source", "seed", *case, "method", "pull"]]
    moving = (weighted["method"] != baseline) & ~weighted["capped"]
    others = weighted.loc[moving, [*case, "method", "weight"]]
    theirs = others.merge(pulled, on=[*case, "method"])
    ours = others.merge(pulled[pulled["method"] == baseline].drop(columns="method"), on=case)
    both = pd.concat([theirs, ours.assign(weight=-ours["weight"])])
    table = pd.DataFrame({"error": np.exp(log)})
    spread = standard_errors(both, keys) if len(both) else np.nan
    return table.assign(error_se=table["error"] * spread).reset_index()


def _wins(end: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Of the runs that both made, how often each method is nearer to the truth; as near counts half."""
    cell = ["pool", "panel", "labels", "metric", "seed"]
    known = squared(end)[[*cell, "method", "square"]]
    base = known.loc[known["method"] == baseline, [*cell, "square"]].rename(columns={"square": "base"})
    both = known[known["method"] != baseline].merge(base, on=cell)
    nearer = (np.sqrt(both["base"]) - np.sqrt(both["square"])).where(lambda gap: gap.abs() > FLOOR, 0.0)
    both = both.assign(won=(1 + np.sign(nearer)) / 2)
    return both.groupby("method", sort=False)["won"].agg(wins="mean", compared="size").reset_index()


def _held(end: pd.DataFrame) -> pd.DataFrame:
    """Coverage with its standard error over runs, and mean width, each pool counting the same."""
    known = held(end)
    runs = known.groupby(["method", "pool", "source", "seed"], sort=False)[["inside", "width"]].mean()
    pools = runs.groupby(level=["method", "pool"], sort=False)
    mean, spread = pools.mean(), pools["inside"].sem()
    by = mean.groupby(level="method", sort=False)
    total = (spread**2).groupby(level="method", sort=False).agg(lambda one: one.sum(skipna=False))
    table = pd.DataFrame({"covered": by["inside"].mean(), "width": by["width"].mean()})
    return table.assign(covered_se=np.sqrt(total) / by.size()).reset_index()


def _needs(kept: pd.DataFrame, drawn: dict[tuple[str, str], pd.DataFrame], baseline: str) -> pd.DataFrame:
    """How many times as many labels the baseline needs for each method's error at the end."""
    found = []
    for (method, pool, panel), own in kept.groupby(["method", "pool", "panel"], sort=False):
        labels, curve = int(own["labels"].iloc[0]), drawn[str(pool), str(panel)]
        curve = curve[curve["method"] == baseline].sort_values("labels")
        if method == baseline or not (curve["labels"] == labels).any():
            continue
        at = curve["labels"].to_numpy(dtype=np.float64)
        log = curve["log"].to_numpy(dtype=np.float64)
        times, beyond = times_the_labels(at, log - log[at == labels], float(np.log(own["ratio"]).mean()), labels)
        found.append({"method": method, "pool": pool, "log": np.log(times), "beyond": float(beyond)})
    if not found:
        return pd.DataFrame(columns=["method", "needs", "beyond"])
    pools = pd.DataFrame(found).groupby(["method", "pool"], sort=False).mean()
    table = pools.groupby(level="method", sort=False).mean()
    return table.assign(needs=np.exp(table["log"])).reset_index()


def times_the_labels(at: FloatArray, log: FloatArray, gap: float, labels: int) -> tuple[float, bool]:
    """Labels that a curve needs to be at `gap`, over `labels`; and whether that is beyond either end of it.

    `log` is the logarithm of the error at so many labels. Of a curve that rises somewhere, the falling one nearest to
    it is taken, and between two of its points a straight line over the logarithm of the labels. Beyond its ends, errors
    are taken to fall as that of a mean does, with the root of the labels.

    >>> at, log = np.array([50.0, 100.0]), np.log([2.0, 1.0])
    >>> [round(times_the_labels(at, log, np.log(gap), 100)[0], 3) for gap in (4, 2**0.5, 0.5)]
    [0.125, 0.707, 4.0]
    """
    falling = isotonic_regression(log, increasing=False).x
    for end, beyond in ((0, gap > falling[0]), (-1, gap < falling[-1])):
        if beyond:
            return float(at[end] / labels * np.exp(2 * (falling[end] - gap))), True
    place = np.interp(-gap, -falling, np.log(at))
    return float(np.exp(place) / labels), False


def _notes(
    rows: pd.DataFrame,
    panels: pd.DataFrame,
    end: pd.DataFrame,
    ratios: pd.DataFrame,
    kept: pd.DataFrame,
    baseline: str,
) -> list[str]:
    """What does not enter the table, and why."""
    notes = []
    for what, columns in (("estimates", ["estimate", "truth"]), ("intervals", ["low", "high"])):
        missing = end[(~np.isfinite(end[columns])).any(axis=1)]
        if len(missing):
            counts = missing["method"].value_counts(sort=False)
            whose = listed(f"{number:,} of {name}" for name, number in counts.items())
            notes.append(f"Left out, no numbers: {len(missing):,} of {len(end):,} {what} at the last label, {whose}.")
    said: dict[str, list[str]] = {}
    for pool, one in panels.groupby("pool", sort=False):
        last = end[end["pool"] == pool]
        for text in _notes_on(last, set(one["method"]), rows["method"].unique().tolist(), baseline):
            said.setdefault(text, []).append(str(pool))
    for text, pools in said.items():
        where = listed(pools) if len(pools) <= MOST_NAMED else counted(len(pools), "pool")
        notes.append(f"On {where}: {text}")
    if none := len(ratios[ratios["skipped"] & (ratios["method"] != baseline)]):
        notes.append(f"{counted(none, 'time')} neither a method nor the baseline had any error in a metric: no ratio.")
    if capped := int(kept["capped"].sum()):
        notes.append(f"{counted(capped, 'ratio')} of errors beyond {LEAST:g} or {1 / LEAST:g} taken as that much.")
    if end.groupby(["pool", "method"])["seed"].nunique().max() == 1:
        notes.append("One seed: without more of them no standard errors are known.")
    return notes


def _notes_on(last: pd.DataFrame, there: set[str], methods: list[str], baseline: str) -> Iterator[str]:
    """The same of one pool, given its rows at the last label and who has rows at all."""
    ended = set(last["method"])
    if absent := [name for name in methods if name not in there]:
        yield f"no rows of {listed(absent)}."
    if absent := [name for name in methods if name in there - ended]:
        yield f"not compared, for want of rows at {last['labels'].max():,} labels: {listed(absent)}."
    if baseline and baseline not in ended:
        yield f"no rows of {baseline}, so that nothing is compared with it."
    seeds = last.groupby("method", sort=False)["seed"].nunique()
    if seeds.nunique() > 1:
        yield f"seeds differ in number: {listed(f'{name} {number}' for name, number in seeds.items())}."
