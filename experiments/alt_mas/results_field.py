"""The part of the results page about every method on the paper's grid: wins, labels saved, coverage, time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from altmas.experiments.alt_mas.results_figures import draw_ratios, save
from altmas.experiments.alt_mas.results_rows import Study, panel_rows, random_needs, relative_errors
from altmas.experiments.alt_mas.results_sections import best_of, in_words, percent
from altmas.experiments.alt_mas.results_words import EVERY_METHOD, PANELS
from altmas.experiments.alt_mas.studies import LITERALLY
from altmas.experiments.bench.stored import one_pool_each
from altmas.experiments.bench.tables import markdown

SAME_POOLS = (("figure1", "field1"), ("figure2", "field2"))
"""Studies on the same pools: with networks, and without."""

PROMISES = {
    "altmas": "none: the draws' spread",
    LITERALLY: "none: the draws' spread",
    "bald": "none: the draws' spread",
    "ase": "none: the draws' spread",
    "thompson": "credible under its prior",
    "hierarchical": "credible under its prior",
}
"""What an interval means where it is not 95% coverage."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Every method on both grids: a table for each panel, the coverage of each run, the seconds of a run."""

    panels: list[pd.DataFrame]
    covered: pd.DataFrame
    seconds: dict[str, pd.Series]

    @property
    def table(self) -> pd.DataFrame:
        """All panels together."""
        return pd.concat(self.panels, ignore_index=True)


def compared(studies: dict[str, Study]) -> Compared:
    """Every method on both grids."""
    panels: list[pd.DataFrame] = []
    covered, times = [], {}
    for networks, others in SAME_POOLS:
        with_networks, without = studies[networks], studies[others]
        both = pd.concat([with_networks.rows, without.rows])
        one_pool_each(both, f"{with_networks.name} and {without.name}")
        seeds = with_networks.sweeps[0].seeds
        for pool, metrics, rows in with_networks.panels():
            joined = _joined(with_networks, without, rows, pool, metrics)
            panels.append(_panel(pool, metrics, joined, seeds, with_networks.items))
        covered += [_coverage(one) for one in (with_networks, without)]
        seconds = pd.concat([with_networks.seconds, without.seconds])
        times[networks] = seconds.groupby("method")["seconds"].median()
    return Compared(panels, pd.concat(covered), times)


def field_section(studies: dict[str, Study], docs: Path) -> str:
    """Their table, picture and panels."""
    found = compared(studies)
    table = found.table
    save(draw_ratios(table[table["method"] != "random"]), docs / "results-field.svg")
    return f"{_summary(found)}\n\n{_every_panel(table, found.panels)}"


def _joined(networks: Study, others: Study, rows: pd.DataFrame, pool: str, metrics: tuple[str, ...]) -> pd.DataFrame:
    """A panel with every method; random sampling with the many seeds that it has among the others."""
    more = [panel_rows(others.of_sweep(sweep), sweep, pool, metrics) for sweep in others.sweeps]
    return pd.concat([rows[rows["method"] != "random"], *more])


def _panel(pool: str, metrics: tuple[str, ...], rows: pd.DataFrame, seeds: tuple[int, ...], items: int) -> pd.DataFrame:
    """A model under test and a set of metrics: each method's mean error at the last label, on seeds that all have."""
    last = int(rows["labels"].max())
    relative = relative_errors(rows)
    at_end = relative[relative["labels"] == last]
    # A mean of fewer seeds is noisier, and so more often the smallest: all methods are ranked on the same seeds.
    end = at_end[at_end["seed"].isin(seeds)].groupby("method")["error"].mean()
    random = relative[relative["method"] == "random"]
    mean = at_end.groupby("method")["error"].mean()
    needs = mean.map(lambda error: random_needs(random, error, last, items))
    found = pd.DataFrame({"end": end, "ratio": end / end["random"], "best": end.index == best_of(end), "needs": needs})
    return found.reset_index().assign(pool=pool, metrics=in_words(metrics))


def _coverage(study: Study) -> pd.DataFrame:
    """Per method and run (pool and seed), the share of its intervals at the last label that hold the truth.

    Each metric counts once, from the run for the largest set that has it.
    """
    last = study.rows[study.rows["labels"] == study.rows["labels"].max()]
    largest = last.assign(width=last["metrics"].str.len()).sort_values("width", ascending=False, kind="stable")
    once = largest.drop_duplicates(["pool", "method", "seed", "metric"])
    shares: pd.DataFrame = once.groupby(["method", "pool", "seed"])["covered"].mean().reset_index()
    return shares


def _summary(found: Compared) -> str:
    by = found.table.groupby("method")
    order, low, high = by["ratio"].median().sort_values(), by["needs"].quantile(0.25), by["needs"].quantile(0.75)
    runs = found.covered.groupby("method")["covered"]
    share, spread = runs.mean(), runs.sem()
    lines = []
    for method in map(str, order.index):
        needs = "1" if method == "random" else f"{low[method]:.2g} to {high[method]:.2g}"
        error = "" if pd.isna(spread[method]) else f" ± {spread[method]:.0%}"
        seconds = ", ".join(f"{one[method]:.3g}" if method in one else "not run" for one in found.seconds.values())
        held, promise = f"{share[method]:.0%}{error}", PROMISES.get(method, "95% coverage")
        wins = int(by["best"].sum()[method])
        lines.append((method, wins, f"{order[method]:.2f}", needs, held, promise, seconds))
    heads = f"method, wins of {len(found.panels)}, of random's error, random needs, covered, promise, seconds"
    return f"{EVERY_METHOD}\n{markdown(heads.split(', '), lines)}"


def _every_panel(table: pd.DataFrame, panels: list[pd.DataFrame]) -> str:
    names = [str(one) for one in table.groupby("method")["ratio"].median().sort_values().index]
    lines = []
    for panel in panels:  # two studies may have one of the same pool and metrics
        end = panel.set_index("method")["end"].reindex(names)
        first = panel.iloc[0]
        lines.append(
            (
                first["pool"],
                first["metrics"],
                *("" if pd.isna(one) else f"**{percent(one)}**" if one == end.min() else percent(one) for one in end),
            )
        )
    return f"{PANELS}\n{markdown(['model under test', 'metrics', *names], lines)}"
