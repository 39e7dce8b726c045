"""The parts of the results page, each a function of stored rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from altmas.experiments.results_curves import at_the_end, curves, random_needs, relative_errors
from altmas.experiments.results_figures import draw_panels, draw_ratios, save
from altmas.experiments.results_study import Study

PAPER_METHODS = ("altmas", "bald", "random")
SHOWN = {"alt_mas_3": "3 metrics", "alt_mas_21": "21 metrics"}
POOL_SIZE = {"smoke": 1597, "quick": 10_000, "paper": 10_000}


def opening(studies: dict[str, Study]) -> str:
    """What was run, by which commands, with which versions."""
    lines = [
        "# Results",
        "",
        "Generated from the rows in `benchmarks/results` by `make results`; nothing is typed by hand. The methods:",
        "[alt-mas.md](alt-mas.md), [groups.md](groups.md), [field.md](field.md), [certified.md](certified.md).",
        "",
        "Errors are relative, |estimate - truth| / truth, averaged over the metrics of a set, in percent. Curves are",
        "smoothed over 10 queries. ± is one standard error over seeds.",
        "",
        "| rows | initial labels | last label | batch | seeds | cells | time of all cells |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in studies.values():
        for number, sweep in enumerate(one.sweeps):
            cells = one.seconds if number == 0 else one.seconds.iloc[:0]
            total = f"{one.seconds['seconds'].sum() / 60:.0f} min" if len(cells) else ""
            seeds = f"{sweep.seeds[0]}-{sweep.seeds[-1]}" if len(sweep.seeds) > 1 else str(sweep.seeds[0])
            budget = ", ".join(map(str, sweep.budgets))
            lines.append(
                f"| {one.name} ({one.profile}) | {sweep.initial} | {budget} | {sweep.batch} | {seeds} | "
                f"{len(sweep.cells())} | {total} |"
            )
    lines += [
        "",
        "Commands (`DIR` holds the images and `paper_models.npz`, see [benchmark.md](benchmark.md)):",
        "",
        "```",
    ]
    lines += [one.about["command"] for one in studies.values()]
    lines += ["```", ""]
    versions = {json.dumps(one.about["versions"]): one.about["versions"] for one in studies.values()}
    lines += ["; ".join(f"{name} {number}" for name, number in one.items()) for one in versions.values()]
    return "\n".join(lines)


def figure_section(study: Study, title: str, numbers: tuple[int, int], docs: Path) -> str:
    """The paper's three methods: errors, the networks' accuracy, and whether the paper's order holds."""
    errors, networks, table = {}, {}, []
    held_end = held_curve = 0
    for pool, metrics, rows in study.panels():
        shown = _shown(metrics)
        relative = relative_errors(rows)
        curve = curves(relative)
        errors[pool, shown] = curve.assign(mean=100 * curve["mean"], se=100 * curve["se"])
        networks[pool, shown] = _network_curve(rows)
        end, whole = at_the_end(curve), relative.groupby("method")["error"].mean()
        best_end, best_whole = _best(end["mean"]), _best(whole)
        held_end += best_end == "altmas"
        held_curve += best_whole == "altmas"
        mean, se = end["mean"], end["se"]
        cells = [f"{_percent(mean[m])} ± {_percent(se[m])}" for m in PAPER_METHODS]
        cells += [_percent(whole[m]) for m in PAPER_METHODS]
        table.append(f"| {pool} | {shown} | {' | '.join(cells)} | {_verdict(best_end)} | {_verdict(best_whole)} |")
    columns = [_shown(one) for one in study.sweeps[0].metrics]
    first, second = (f"results-figure{number}.svg" for number in numbers)
    save(draw_panels(errors, study.pools, columns, "relative error, %"), docs / first)
    save(draw_panels(networks, study.pools, columns, "network accuracy, %"), docs / second)
    panels = len(table)
    return "\n".join(
        [
            f"## Figures {numbers[0]} and {numbers[1]}: {title}",
            "",
            f"![Figure {numbers[0]}: relative error of three methods, a row per model under test and a column per set "
            f"of metrics]({first})",
            "",
            f"ALT-MAS is the best of the three in {held_end} of {panels} panels at the last label, and in {held_curve} "
            f"of {panels} over the whole curve. The paper has it best in all.",
            "",
            "| model under test | metrics | end: ALT-MAS | BALD | random | curve: ALT-MAS | BALD | random "
            "| paper's order at the end | over the curve |",
            "|---|---|---|---|---|---|---|---|---|---|",
            *table,
            "",
            f"![Figure {numbers[1]}: accuracy of the networks on items without a label]({second})",
            "",
            "The networks' accuracy is that of the most probable label over all draws, for items without an answer.",
        ]
    )


def _network_curve(rows: pd.DataFrame) -> pd.DataFrame:
    known = rows.dropna(subset=["surrogate"])
    each = known.groupby(["method", "seed", "labels"], sort=False)["surrogate"].first().reset_index()
    curve = curves(each, "surrogate", window=5)  # as in the paper's Figures 3 and 4
    return curve.assign(mean=100 * curve["mean"], se=100 * curve["se"])


def field_section(studies: dict[str, Study], docs: Path) -> str:
    """Every method on both grids: wins, labels saved, coverage, time."""
    panels, coverage, ratios = [], [], []
    for networks, others in (("figure1", "field1"), ("figure2", "field2")):
        pairs = zip(studies[networks].panels(), studies[others].panels(), strict=True)
        for (pool, metrics, with_network), (_, _, without) in pairs:
            rows = pd.concat([with_network[with_network["method"] != "random"], without])
            last = int(rows["labels"].max())
            relative = relative_errors(rows)
            end = relative[relative["labels"] == last].groupby("method")["error"].mean()
            final = rows[rows["labels"] == last]
            coverage.append(final[["method", "covered"]])
            random = relative[relative["method"] == "random"]
            size = POOL_SIZE[studies[networks].profile]
            needs = {m: random_needs(random, float(e), last, size) for m, e in end.items()}
            panels.append((pool, _shown(metrics), end))
            ratios += [
                {"method": m, "ratio": e / end["random"], "needs": needs[m], "best": m == _best(end)}
                for m, e in end.items()
            ]
    table = pd.DataFrame(ratios)
    covered = pd.concat(coverage).groupby("method")["covered"].mean()
    seconds = pd.concat([study.seconds for name, study in studies.items() if name != "ablations"])
    time = seconds.groupby("method")["seconds"].median()
    save(draw_ratios(table[table["method"] != "random"]), docs / "results-field.svg")
    by = table.groupby("method")
    order = by["ratio"].median().sort_values()
    lines = [
        "## The same grid, every method",
        "",
        "ALT-MAS and BALD see the images; the others see only what the model under test said. Methods that do not look "
        "at the metrics ran once for all sets.",
        "",
        "![Error of each method relative to random sampling, a dot per panel](results-field.svg)",
        "",
        "*Wins*: panels with the smallest error at the last label. *Relative error*: median over panels, relative to "
        "random sampling. *Random needs*: median over panels of how many times as many labels random sampling needs "
        "for the same error, from its error c / sqrt(n). *Covered*: share of intervals at the last label, all panels, "
        "that hold the truth (nominal 95%; those of ALT-MAS, BALD and `ase` promise no coverage). *Seconds*: median of "
        "a run.",
        "",
        f"| method | wins of {len(panels)} | relative error | random needs | covered | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for method in order.index:
        wins, needs = int(by["best"].sum()[method]), by["needs"].median()[method]
        lines.append(
            f"| {method} | {wins} | {order[method]:.2f} | {needs:.2g} x | {covered[method]:.0%} | {time[method]:.3g} |"
        )
    lines += ["", "Relative error at the last label, in percent, mean over seeds (bold: the smallest):", ""]
    names = [str(m) for m in order.index]
    lines += [f"| model under test | metrics | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    for pool, shown, end in panels:
        best = _best(end)
        cells = [f"**{_percent(end[m])}**" if m == best else _percent(end[m]) for m in names]
        lines.append(f"| {pool} | {shown} | {' | '.join(cells)} |")
    return "\n".join(lines)


def ablation_section(study: Study) -> str:
    """One change at a time."""
    rows = study.rows
    relative = pd.concat([relative_errors(rows[rows["pool"] == pool]).assign(pool=pool) for pool in study.pools])
    labels = [method.label for sweep in study.sweeps for method in sweep.methods]
    last = int(rows["labels"].max())
    first = study.sweeps[0]
    time = study.seconds.groupby("method")["seconds"].median()
    lines = [
        "## Ablations of ALT-MAS",
        "",
        f"`alt_mas_3`, {first.initial} initial labels, {last} at the end, in batches of {first.batch} unless said: "
        "relative error in percent at the last label (± one standard error over seeds), mean over the curve in "
        f"brackets. *Refit every* is the size of a batch; `altmas` itself is refitted every {first.batch}.",
        "",
        f"| change | {' | '.join(study.pools)} | seconds |",
        "|---|" + "---|" * (len(study.pools) + 1),
    ]
    for label in labels:
        cells = []
        for pool in study.pools:
            own = relative[(relative["method"] == label) & (relative["pool"] == pool)]
            end = own.loc[own["labels"] == last, "error"]
            spread = f" ± {_percent(end.std(ddof=1) / len(end) ** 0.5)}" if len(end) > 1 else ""
            cells.append(f"{_percent(end.mean())}{spread} ({_percent(own['error'].mean())})")
        lines.append(f"| {label} | {' | '.join(cells)} | {time[label]:.3g} |")
    return "\n".join(lines)


def _shown(metrics: Sequence[str]) -> str:
    """A set of metrics by a short name.

    >>> [_shown(one) for one in (["recall:2"], ["alt_mas_3"])]
    ['recall:2', '3 metrics']
    """
    return ", ".join(SHOWN.get(name, name) for name in metrics)


def _best(errors: pd.Series) -> str:
    return str(errors.idxmin())


def _verdict(best: str) -> str:
    return "holds" if best == "altmas" else f"no: {best}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}" if abs(share) < 10 else f"{100 * share:.0f}"
