"""Tables and a figure of a sweep's rows: error relative to random sampling's, coverage, and distance from the limits.

    python -m altmas.experiments.certified.sweep_report --rows rows.jsonl --out DIR [--limits limits.csv]

Reads what `altmas bench` or `sweep_methods` wrote, finished or not, from one file or several; `benchmarks/limits.py`
writes the limits.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from scipy.stats import gmean

from altmas.experiments.bench import errors as errors_of
from altmas.experiments.bench import tables
from altmas.experiments.bench.drawing import dot_plot
from altmas.experiments.bench.errors import BASELINE, FLOOR, held, relative, squared
from altmas.experiments.bench.options import FILE, NEW_FOLDER
from altmas.experiments.bench.rows import to_frame
from altmas.experiments.certified.sweep_methods import method_table
from altmas.experiments.data.audit_pools import KINDS, audit_pool_names
from altmas.metrics.errors import InputError
from altmas.plots.history import save

NAME = "certified-results"
NORMAL = 1.959964
RARE_POSITIVES = "f1"
"""Pools asked for F1 are reported by its mean squared error, as their literature does, and stay out of the rest."""


def read_all(*paths: Path) -> pd.DataFrame:
    """The rows of sweeps, pools in the catalogue's order, with the kinds of pool and metric.

    A run that was repeated for more labels counts once.
    """
    rows = pd.concat([to_frame(path) for path in paths], ignore_index=True)
    if not len(rows):
        raise InputError("rows", "be files with rows of a sweep", ", ".join(map(str, paths)))
    rows = rows.drop_duplicates(["pool", "method", "seed", "labels", "metric"], ignore_index=True)
    numbers = ["estimate", "low", "high", "truth"]
    rows[numbers] = rows[numbers].astype(float)  # None where there is no number
    rows["kind"] = rows["metric"].str.partition(":")[0]
    rows["group"] = rows["pool"].map({name: kind for kind, names in KINDS.items() for name in names}).fillna("other")
    order = {pool: place for place, pool in enumerate(audit_pool_names())}
    return rows.sort_values("pool", key=lambda names: names.map(order), kind="stable", ignore_index=True)


def rmse(rows: pd.DataFrame) -> pd.DataFrame:
    """Root mean square error and number of runs, per pool, method, number of labels and metric."""
    return errors_of.rmse(rows, "kind", "group")


def by_pool(ratios: pd.DataFrame) -> pd.DataFrame:
    """Geometric mean over a pool's metrics."""
    kept = ratios[~ratios["skipped"] & (ratios["kind"] != RARE_POSITIVES)]
    by = ["group", "pool", "method", "labels"]
    table: pd.DataFrame = kept.groupby(by, sort=False)["ratio"].agg(gmean).reset_index()
    return table


def to_limits(ratios: pd.DataFrame, limits: pd.DataFrame) -> pd.DataFrame:
    """Accuracy's ratio over the limit of what the method saw: opinions where it saw them, else the outputs alone."""
    both = ratios[(ratios["metric"] == "accuracy") & ~ratios["skipped"]].merge(limits, on="pool", how="inner")
    saw = np.array(["opinions" in method_table(method)["sees"] for method in both["method"]], dtype=bool)
    both = both.assign(ratio=both["ratio"] / np.where(saw, both["opinions"], both["own"]))
    known: pd.DataFrame = both[np.isfinite(both["ratio"])]
    return known


def coverage(rows: pd.DataFrame) -> pd.DataFrame:
    """How often intervals hold the truth, how wide they are, and in which pool they do so least often."""
    known = held(rows)
    by = ["kind", "labels", "method"]
    table = known.groupby(by, sort=False).agg(
        inside=("inside", "mean"), width=("width", "mean"), intervals=("inside", "size")
    )
    each = known.groupby([*by, "pool"], sort=False)["inside"].mean().reset_index(level="pool")
    worst = each.sort_values("inside", kind="stable").groupby(level=by, sort=False).first()
    joined: pd.DataFrame = table.join(worst.rename(columns={"pool": "worst_pool", "inside": "worst"})).reset_index()
    return joined


def beside_exact(rows: pd.DataFrame) -> pd.DataFrame:
    """How often the intervals of a pool's metrics hold, their mean width, and that over the exact interval's.

    The exact interval knows how far the same estimates lie from the truth in all runs, +- 1.96 RMSE, inside the bounds
    of the values there are; it is as wide in every run.
    """
    known = squared(held(rows))
    by = ["pool", "method", "labels", "metric", "kind"]
    each = known.groupby(by, sort=False).agg(
        inside=("inside", "mean"), width=("width", "mean"), square=("square", "mean"), truth=("truth", "first")
    )
    reach = NORMAL * np.sqrt(each["square"])
    exact = np.minimum(each["truth"] + reach, 1.0) - np.maximum(each["truth"] - reach, 0.0)
    found: pd.DataFrame = each.assign(exact=exact).reset_index()
    return found


def markdown(table: pd.DataFrame) -> str:
    """Columns as they are, the index first; numbers as text already."""
    shown = table.reset_index()
    return tables.markdown(list(shown.columns), shown.to_numpy())


def wide(table: pd.DataFrame, index: list[str], columns: list[str]) -> pd.DataFrame:
    """Cells of text: the geometric mean of `ratio`, in the rows' own order."""
    cells = table.groupby([*index, *columns], sort=False)["ratio"].agg(gmean)
    return spread(cells, columns, "{:.2f}".format)


def spread(cells: pd.Series[Any], columns: list[str], text: Callable[[Any], str]) -> pd.DataFrame:
    """A series by several keys, some of them turned to columns: labels ascending, all else as it comes."""
    table: pd.DataFrame = cells.map(text).unstack(columns, sort=False).fillna("")
    if columns == ["labels"]:
        table = table[sorted(table.columns)]
    table.columns = [" ".join(map(str, one if isinstance(one, tuple) else (one,))) for one in table.columns]
    return table


def report(rows: pd.DataFrame, limits: pd.DataFrame | None = None, baseline: str = BASELINE) -> str:
    """The whole page."""
    errors = rmse(rows)
    ratios = relative(errors, baseline)
    if ratios.empty:
        raise InputError("rows", f"hold the baseline {baseline!r} on some pool", "none")
    parts = ["# Methods on real pools", _preamble(errors, baseline)]
    pools = by_pool(ratios)
    if len(pools):
        parts += _errors_section(rows, ratios, pools, baseline)
        if limits is not None and len(near := to_limits(ratios, limits)):
            parts += ["## Accuracy against the limit", LIMITS, markdown(_counted(near))]
    parts += _coverage_section(rows)
    if len(pools):
        parts += _pools_section(rows, pools)
    if len(rare := errors[errors["kind"] == RARE_POSITIVES]):
        squared = spread(rare.set_index(["pool", "labels", "method"])["mse"], ["method"], "{:.2e}".format)
        parts += ["## Rare positives: mean squared error of F1", markdown(squared)]
    if notes := _notes(rows, errors, ratios, baseline):
        parts += ["## Left out", "\n".join(f"- {note}" for note in notes)]
    return "\n\n".join(parts) + "\n"


OURS = "certified"
EXACT = (
    "Relative RMSE, share of intervals that held, their mean width (and that over the width of an interval that knows\n"
    "the spread of the errors), over a pool's five metrics, by labels."
)
LIMITS = (
    "RMSE relative to the baseline's, over the limit for whoever knows all that the model's outputs (and the other\n"
    "services', where the method sees them) tell about agreement. 1 is the limit."
)


def _preamble(errors: pd.DataFrame, baseline: str) -> str:
    low, high = int(errors["runs"].min()), int(errors["runs"].max())
    runs = f"{low}" if low == high else f"{low} to {high}"
    pools, methods = errors[["pool", "method"]].nunique()
    noise = 100 / np.sqrt(2 * max(low, 1))
    return (
        f"{pools} pools, {methods} methods, {runs} runs each. RMSE is relative to\n"
        f"that of `{baseline}` with as many labels on the same pool: below 1 is better. One RMSE of {low} runs is\n"
        f"itself uncertain by about {noise:.0f}%."
    )


def _errors_section(rows: pd.DataFrame, ratios: pd.DataFrame, pools: pd.DataFrame, baseline: str) -> list[str]:
    kept = ratios[~ratios["skipped"] & (ratios["kind"] != RARE_POSITIVES)]
    overall = _counted(pools).assign(seconds=_seconds(rows))
    metrics = wide(kept[kept["method"] != baseline], ["method", "labels"], ["kind"])
    parts = ["## Relative RMSE: geometric mean over pools of that over metrics", markdown(overall)]
    if len(metrics):
        parts += ["By metric:", markdown(metrics)]
        others = pools[pools["method"] != baseline]
        parts += ["By kind of pool:", markdown(wide(others, ["method", "labels"], ["group"]))]
        for labels, part in others.groupby("labels", sort=True):
            parts += [f"By pool, {labels} labels:", markdown(wide(part, ["pool"], ["method"]))]
    return parts


def _counted(table: pd.DataFrame) -> pd.DataFrame:
    """Methods down, labels across, and on how many pools."""
    shown = wide(table, ["method"], ["labels"])
    return shown.assign(pools=table.groupby("method", sort=False)["pool"].nunique())


def _seconds(rows: pd.DataFrame) -> pd.Series[Any]:
    """Mean time of a whole run."""
    usual = rows[rows["kind"] != RARE_POSITIVES]
    whole = usual.groupby(["method", "pool", "seed"], sort=False)["seconds"].max()
    return whole.groupby(level="method", sort=False).mean().map("{:.2f}".format)


def _coverage_section(rows: pd.DataFrame) -> list[str]:
    table = coverage(rows)
    if table.empty:
        return []
    index = pd.MultiIndex.from_frame(table[["method", "kind", "labels"]])
    cells = pd.Series([f"{one.inside:.3f} ({one.width:.3f})" for one in table.itertuples()], index)
    worst = pd.Series([f"{one.worst:.2f} {one.worst_pool}" for one in table.itertuples()], index)
    return [
        "## Coverage of the intervals (mean width), by labels",
        markdown(spread(cells, ["labels"], str)),
        "The pool where they cover least often (the least of many pools lies below the level by chance alone):",
        markdown(spread(worst, ["labels"], str)),
    ]


def _pools_section(rows: pd.DataFrame, pools: pd.DataFrame) -> list[str]:
    """Every pool, for methods of ours: relative error, coverage, width, and the width over the exact interval's."""
    usual = rows[(rows["kind"] != RARE_POSITIVES) & rows["method"].str.startswith(OURS)]
    if not len(usual):
        return []
    table = beside_exact(usual)
    parts = ["## Every pool: error, coverage and width", EXACT]
    for method, part in table.groupby("method", sort=False):
        by = ["pool", "labels"]
        each = part.groupby(by, sort=False)[["inside", "width", "exact"]].mean()
        each["error"] = pools[pools["method"] == method].set_index(by)["ratio"]
        columns = ["error", "inside", "width", "exact"]
        cells = [_cell(*map(float, row)) for row in each[columns].to_numpy()]
        shown = pd.Series(cells, each.index)
        mean = each.groupby(level="labels")[["width", "exact"]].mean()
        over = ", ".join(f"{ratio:.2f} at {labels}" for labels, ratio in (mean["width"] / mean["exact"]).items())
        parts += [
            f"`{method}`; mean width over the exact interval's: {over}.",
            markdown(spread(shown, ["labels"], str)),
        ]
    return parts


def _cell(error: float, inside: float, width: float, exact: float) -> str:
    return f"{error:.2f}, {inside:.0%}, {width:.3f} ({width / exact:.2f})"


def _notes(rows: pd.DataFrame, errors: pd.DataFrame, ratios: pd.DataFrame, baseline: str) -> list[str]:
    """What did not enter the tables, and what is at the floor in them."""
    notes = []
    rest = ratios[ratios["method"] != baseline]
    if len(none := rest[rest["skipped"]]):
        notes.append(f"No error in any run of the method nor of `{baseline}`, so no ratio: {_cases(none)}.")
    floored = rest[~rest["skipped"] & ((rest["rmse"] <= FLOOR) | (rest["base"] <= FLOOR))]
    if len(floored):
        notes.append(f"No error in any run of one of the two, taken as an RMSE of {FLOOR:g}: {_cases(floored)}.")
    for what, columns in (("estimates", ["estimate"]), ("intervals", ["low", "high"])):
        if missing := int((~np.isfinite(rows[columns])).any(axis=1).sum()):
            notes.append(f"{missing:,} {what} of {len(rows):,} are not numbers.")
    cases = ["pool", "labels"]
    compared = pd.MultiIndex.from_frame(errors[cases]).isin(pd.MultiIndex.from_frame(ratios[cases]))
    if not compared.all():
        notes.append(f"No rows of `{baseline}` to compare with: {', '.join(sorted(set(errors['pool'][~compared])))}.")
    return notes


def _cases(table: pd.DataFrame) -> str:
    return "; ".join(dict.fromkeys(f"{r.pool} {r.metric} at {r.labels} ({r.method})" for r in table.itertuples()))


@click.command()
@click.option("--rows", type=FILE, required=True, multiple=True, help="File of a sweep, finished or not.")
@click.option("--out", type=NEW_FOLDER, required=True, help="Folder for the results.")
@click.option("--limits", type=FILE, help="CSV of limits.py.")
@click.option("--baseline", default=BASELINE, show_default=True, help="The method all others are compared with.")
@click.option("--labels", type=int, help="Labels in the figure. [default: the most]")
def main(rows: tuple[Path, ...], out: Path, limits: Path | None, baseline: str, labels: int | None) -> None:
    """Write the tables and the figure."""
    try:
        known = read_all(*rows)
        bounds = pd.read_csv(limits) if limits is not None else None
        text = report(known, bounds, baseline)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{NAME}.md").write_text(text, "utf-8")
    pools = by_pool(relative(rmse(known), baseline))
    pools = pools[pools["labels"] == (labels or pools["labels"].max())]
    if len(pools):
        methods = [one for one in dict.fromkeys(pools["method"]) if one != baseline]
        ax = dot_plot(pools, methods, baseline)
        for kind in ("svg", "png"):
            save(ax, str(out / f"{NAME}.{kind}"))
    click.echo(text)


if __name__ == "__main__":
    main()
