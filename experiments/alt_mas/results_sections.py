"""The parts of the results page about the paper's figures, and what all were made from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from altmas.experiments.alt_mas import results_rows
from altmas.experiments.alt_mas.results_figures import NAMES, draw_panels, save
from altmas.experiments.alt_mas.results_networks import network_section
from altmas.experiments.alt_mas.results_rows import Study, curves, over_the_curve, relative_errors, window_for
from altmas.experiments.alt_mas.results_words import (
    ABLATIONS,
    COMMANDS,
    FIGURE,
    LITERAL_FIGURE,
    OPENING,
    PANEL,
    RUN_SETTINGS,
)
from altmas.experiments.alt_mas.studies import LITERALLY, command_of
from altmas.experiments.bench.tables import markdown
from altmas.experiments.data.paper_recipes import RECIPES

PAPER_METHODS = ("altmas", LITERALLY, "bald", "random")
SET_NAMES = {"alt_mas_3": "3 metrics", "alt_mas_21": "21 metrics"}


def opening(studies: dict[str, Study]) -> str:
    """What was run, on what, by which commands, with which versions."""
    table: list[tuple[object, ...]] = []
    for one in studies.values():
        minutes = f"{one.seconds['seconds'].sum() / 60:.0f} min"
        for sweep in one.sweeps:
            seeds = f"{sweep.seeds[0]}-{sweep.seeds[-1]}" if len(sweep.seeds) > 1 else str(sweep.seeds[0])
            first = sweep.methods[0].given
            network = first.get("surrogate", {}).get("max_steps", 1000) if first else ""
            draws, tuned = first.get("draws", ""), {True: "yes", False: "no"}.get(first.get("tune", False))
            name, tuned = f"{one.name} ({one.profile})", tuned if first else ""
            labels = (sweep.initial, sweep.budgets[-1], sweep.batch)
            table.append((name, *labels, seeds, draws, network, tuned, len(sweep.cells()), minutes))
            minutes = ""
    columns = "rows, first labels, last, batch, seeds, draws, steps, tuned, cells, time of all cells"
    commands = ["```", *[command_of(one.name, one.profile) for one in studies.values()], "```", ""]
    versions = {json.dumps(one.about["versions"]): one.about["versions"] for one in studies.values()}
    made_by = ["; ".join(f"{name} {number}" for name, number in one.items()) for one in versions.values()]
    parts = [OPENING, markdown(columns.split(", "), table), RUN_SETTINGS, _models(studies.values()), COMMANDS]
    return "\n".join([*parts, *commands, *made_by])


def _models(studies: Iterable[Study]) -> str:
    """Each model under test: how good it is here and in the paper, and the checksum of its pool."""
    rows, table = pd.concat([one.rows for one in studies]), []
    for pool in rows["pool"].unique():
        own = rows[rows["pool"] == pool]
        truth = own.loc[own["metric"] == "accuracy", "truth"].iloc[0]
        paper = f"{RECIPES[pool].paper_accuracy:.4f}" if pool in RECIPES else ""
        table.append((pool, f"{truth:.4f}", paper, own["checksum"].iloc[0][:12]))
    return markdown(["model under test", "accuracy", "in the paper", "pool's SHA-256"], table)


def figure_section(study: Study, title: str, names: tuple[str, str], docs: Path) -> str:
    """The paper's methods: errors, the networks' accuracy, and whether the paper's order holds.

    `names` are those of the two pictures, as "figure1".
    """
    errors, networks, table = {}, {}, []
    sweep = study.sweeps[0]
    window = window_for(sweep.batch)
    ahead = Counter[str]()
    methods = [one for one in PAPER_METHODS if (study.rows["method"] == one).any()]
    own = methods[0]  # guarded, where that was run
    for pool, metrics, rows in study.panels():
        shown = in_words(metrics)
        curve = curves(relative_errors(rows), window=window)
        errors[pool, shown] = curve.assign(mean=100 * curve["mean"], se=100 * curve["se"])
        networks[pool, shown] = _network_curve(rows, window_for(sweep.batch, 5))  # the paper's Figures 3 and 4 have 5
        looks = looks_at(rows, sweep.batch)
        for name, look in looks.items():
            ahead[f"best_{name}"] += best_of(look["mean"]) == own
            for key, one in (("own", own), ("literal", LITERALLY)):
                ahead[f"{key}_{name}"] += bool(look["mean"][one] < look["mean"]["bald"])
        ahead["close"] += _as_good(looks["end"], own)
        cells = [with_error(*look.loc[method]) for look in looks.values() for method in methods]
        verdicts = [_verdict(look, own) for look in looks.values()]
        table.append((pool, shown, *cells, *verdicts))
    columns = [in_words(one) for one in sweep.metrics]
    first, second = (f"results-{name}.svg" for name in names)
    save(draw_panels(errors, study.pools, columns, "relative error, %"), docs / first)
    save(draw_panels(networks, study.pools, columns, "network accuracy, %"), docs / second)
    usual, refits = results_rows.WINDOW, results_rows.REFITS
    smooth = f"{usual} queries" if window == usual else f"the last {refits} refits ({window} queries; the paper's 10)"
    short = [NAMES[one].split(" (")[0] for one in methods]
    said = LITERAL_FIGURE if own == LITERALLY else FIGURE
    if len(table) == 1:
        cut = {"queries": sweep.budgets[-1] - sweep.initial, "seeds": len(sweep.seeds)}
        said = PANEL.format(smooth="{smooth}", minutes=f"{study.seconds['seconds'].max() / 60:.0f}", **cut)
    heads = ["model under test", "metrics", f"end: {short[0]}", *short[1:], f"curve: {short[0]}", *short[1:]]
    alt = "relative error of the methods, a row per model under test and a column per set of metrics"
    return "\n".join(
        [
            f"## {title}\n",
            f"![{title}: {alt}]({first})\n",
            said.format(smooth=smooth, panels=len(table), **ahead),
            markdown([*heads, "best? end", "curve"], table),
            f"\n![{title}: accuracy of the networks on items without a label]({second})",
            network_section(study),
        ]
    )


def looks_at(rows: pd.DataFrame, batch: int) -> dict[str, pd.DataFrame]:
    """A panel in two numbers per method, each with its standard error: the smoothed end, and the whole curve."""
    relative = relative_errors(rows)
    end = results_rows.at_the_end(curves(relative, window=window_for(batch)))
    whole = over_the_curve(relative).groupby("method")["error"]
    return {"end": end[["mean", "se"]], "curve": pd.DataFrame({"mean": whole.mean(), "se": whole.sem()})}


def _as_good(look: pd.DataFrame, own: str = "altmas") -> bool:
    """Whether ALT-MAS is ahead of BALD, or behind by no more than one standard error of their difference.

    >>> _as_good(pd.DataFrame({"mean": [0.11, 0.1], "se": [0.01, 0.01]}, index=["altmas", "bald"]))
    True
    """
    mean, se = look["mean"].to_dict(), look["se"].to_dict()
    spread = float(se[own] ** 2 + se["bald"] ** 2) ** 0.5
    return bool(mean[own] - mean["bald"] <= (0.0 if pd.isna(spread) else spread))


def _network_curve(rows: pd.DataFrame, window: int) -> pd.DataFrame:
    known = rows.dropna(subset=["surrogate"])
    each = known.groupby(["method", "seed", "labels"], sort=False)["surrogate"].first().reset_index()
    curve = curves(each, "surrogate", window=window)
    return curve.assign(mean=100 * curve["mean"], se=100 * curve["se"])


def ablation_section(study: Study) -> str:
    """One change at a time."""
    rows = study.rows
    relative = {pool: relative_errors(rows[rows["pool"] == pool]) for pool in study.pools}
    labels = [method.label for sweep in study.sweeps for method in sweep.methods]
    first, last = study.sweeps[0], int(rows["labels"].max())
    time = study.seconds.groupby("method")["seconds"].median()
    table = []
    for label in labels:
        cells = []
        for pool in study.pools:
            own = relative[pool][relative[pool]["method"] == label]
            end, whole = own.loc[own["labels"] == last, "error"], over_the_curve(own)["error"]
            both: list[Any] = [end, whole]
            last_one, average = (with_error(one.mean(), one.sem()) for one in both)
            cells.append(f"{last_one} ({average})")
        table.append((label, *cells, f"{time[label]:.3g}"))
    said = ABLATIONS.format(initial=first.initial, last=last, batch=first.batch)
    return "\n".join([said, markdown(["change", *study.pools, "seconds"], table)])


def in_words(metrics: Sequence[str]) -> str:
    """A set of metrics by a short name.

    >>> [in_words(one) for one in (["recall:2"], ["alt_mas_3"])]
    ['recall:2', '3 metrics']
    """
    return ", ".join(SET_NAMES.get(name, name) for name in metrics)


def best_of(errors: pd.Series) -> str:
    """The method of the smallest error, or a tie.

    >>> best_of(pd.Series({"a": 0.1, "b": 0.2})), best_of(pd.Series({"a": 0.1, "b": 0.1}))
    ('a', 'a and b')
    """
    return " and ".join(str(name) for name in errors.index[errors == errors.min()])


def percent(share: float) -> str:
    """Three digits.

    >>> percent(0.01234), percent(12.345)
    ('1.23', '1234')
    """
    return f"{100 * share:.3g}" if abs(share) < 10 else f"{100 * share:.0f}"


def with_error(mean: float, se: float) -> str:
    """A mean and its standard error, where there is one.

    >>> with_error(0.5, 0.01), with_error(0.5, float("nan"))
    ('50 ± 1', '50')
    """
    return percent(mean) if pd.isna(se) else f"{percent(mean)} ± {percent(se)}"


def _verdict(look: pd.DataFrame, own: str) -> str:
    """Whether ALT-MAS is best, and whether the first two can be told apart."""
    ordered = look.sort_values("mean", kind="stable")
    gap = ordered["mean"].iloc[1] - ordered["mean"].iloc[0]
    close = gap <= float((ordered["se"].iloc[:2] ** 2).sum()) ** 0.5
    best = best_of(look["mean"])
    return ("holds" if best == own else f"no: {best}") + (" (close)" if close else "")
