"""The tables of the page about active Bayesian assessment, as Markdown, from the stored rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from altmas.experiments.active_bayesian.comparison import COMPARISON_METHODS, LABELS_TO_COMPARE
from altmas.experiments.active_bayesian.confusion import CONFUSION_ERROR
from altmas.experiments.active_bayesian.costliest import LABELS_BY_COST
from altmas.experiments.active_bayesian.estimation import (
    ACCURACY_PER_BIN,
    ACCURACY_PER_CLASS,
    CALIBRATION_ERROR,
    PAPER_COLUMN,
    PaperNumbers,
)
from altmas.experiments.active_bayesian.groups import SETTINGS
from altmas.experiments.active_bayesian.page_figures import NAMES
from altmas.experiments.active_bayesian.ranking import PAPER_DATA
from altmas.experiments.active_bayesian.stored import NO_DATA, Stored
from altmas.experiments.active_bayesian.worst_classes import LABELS_TO_LEAST_ACCURATE, LABELS_TO_LEAST_CALIBRATED

PAPER_OF: dict[str, PaperNumbers] = {
    "aba-table3": ACCURACY_PER_CLASS, "aba-table5": CALIBRATION_ERROR, "aba-table8": ACCURACY_PER_BIN,
}  # fmt: skip
READINGS = ("crossed", "first", "held")


def markdown(table: pd.DataFrame) -> str:
    """A table of texts."""
    lines = ["| " + " | ".join(map(str, table.columns)) + " |", "|" + "---|" * len(table.columns)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in table.itertuples(index=False)]
    return "\n".join(lines)


def name_of(network: str) -> str:
    """A network as people call it."""
    return NAMES.get(network, network)


def network_table(stored: Stored) -> str:
    """Table 2: the networks."""
    rows = []
    for row in stored.rows("aba-table2").to_dict("records"):
        numbers = [f"{row[name]:.1f}" for name in ("accuracy", "confidence", "ece", "rmse of scores")]
        difference = SETTINGS[str(row["network"])][1]
        rows.append(
            [name_of(str(row["network"])), f"{row['items']:,.0f}", f"{row['classes']:,.0f}", *numbers, difference]
        )
    heads = ["network", "items", "classes", "accuracy", "mean score", "ECE", "RMSE of the scores", "beside the paper's"]
    return markdown(pd.DataFrame([*rows, ["SVHN, DBpedia", *[""] * 6, NO_DATA]], columns=pd.Index(heads)))


def estimates_table(stored: Stored, item: str, measure: str) -> str:
    """Tables 3, 5 and 8: networks and methods down, labels across."""
    rows, found = [], stored.picked(item, measure=measure)
    for network in dict.fromkeys(found["network"]):
        part = found[found["network"] == network]
        paper = PAPER_OF[item].get(SETTINGS[network][0])
        labels = sorted(set(part["labels"]))
        for method in dict.fromkeys(part["method"]):
            cells = _beside(part[part["method"] == method], labels, paper, PAPER_COLUMN.get(method), digits=1)
            rows.append([f"{name_of(network)}, N = {' / '.join(f'{n:,}' for n in labels)}", method, *cells])
    rows.append(["SVHN, DBpedia", NO_DATA, "", "", ""])
    return markdown(pd.DataFrame(rows, columns=pd.Index(["network", "method", "N/K = 2", "5", "10"])))


def _beside(
    found: pd.DataFrame, labels: Sequence[int], paper: Sequence[Sequence[float]] | None, column: int | None, digits: int
) -> list[str]:
    """A method's mean with its error after so many labels, and the paper's number beside it where there is one."""
    cells = []
    for place, count in enumerate(labels):
        one = found[found["labels"] == count].iloc[0]
        there = f" [{paper[place][column]:.{digits}f}]" if paper is not None and column is not None else ""
        cells.append(f"{one['mean']:.{digits}f} ± {one['se']:.{digits}f}{there}")
    return cells


def confusion_tables(stored: Stored) -> str:
    """Table 4: the error as defined, and what the paper printed."""
    rows, found = [], stored.rows("aba-table4")
    for network in dict.fromkeys(found["network"]):
        part = found[found["network"] == network]
        paper = CONFUSION_ERROR.get(SETTINGS[network][0])
        for kind in ("rmse", "predicted as true"):
            kept = part[part["measure"] == kind]
            labels = sorted(set(kept["labels"]))
            for method in dict.fromkeys(kept["method"]):
                column = None if kind == "rmse" else PAPER_COLUMN.get(method)  # what the paper printed is the other
                cells = _beside(kept[kept["method"] == method], labels, paper, column, digits=3)
                said = "as defined" if kind == "rmse" else "squared, predicted as true"
                rows.append([name_of(network), said, method, *cells])
    rows.append(["SVHN, DBpedia", NO_DATA, "", "", "", ""])
    heads = ["network", "error", "method", "N/K = 2", "5", "10"]
    return markdown(pd.DataFrame(rows, columns=pd.Index(heads)))


def identified_table(stored: Stored, item: str) -> str:
    """Tables 6 and 9: per cent of the labels in three readings."""
    calibration = item == "aba-table9"
    shown = {"random, strength 2": 0, "Thompson, strength 2": 1} if calibration else {
        "random, uniform": 0, "random, informed": 1, "Thompson, informed": 2,
        "random, 1e-6": 0, "Thompson, uniform": None, "Thompson, hierarchical": None,
    }  # fmt: skip
    paper = LABELS_TO_LEAST_CALIBRATED if calibration else LABELS_TO_LEAST_ACCURATE
    rows, found = [], stored.rows(item)
    for network, top in dict.fromkeys(zip(found["network"], found["top"], strict=True)):
        for line, column in shown.items():
            part = found[(found["network"] == network) & (found["top"] == top) & (found["line"] == line)]
            if not len(part):
                continue
            m = 1 if top == "top 1" else 10 if network != "news20" else 3
            there = paper.get((PAPER_DATA.get(network, ""), m))
            known = f"{there[column]:.1f}" if there is not None and column is not None else ""
            at = part.set_index("measure")
            names = (*READINGS, "crossed, of the pool")
            cells = [_percent(at.loc[name]) for name in names]
            rows.append([name_of(network), top.replace("m", str(m)), line, known, *cells, at["runs"].iloc[0]])
    rows.append(["SVHN, DBpedia", "", NO_DATA, *[""] * 6])
    heads = ["network", "", "method", "paper", "the mean curve stays above", "a run first above", "a run stays above",
             "the mean curve, ranked by the pool", "runs"]  # fmt: skip
    return markdown(pd.DataFrame(rows, columns=pd.Index(heads)))


def _percent(row: pd.Series) -> str:
    if np.isnan(row["mean"]):
        return "never"
    return f"{row['mean']:.1f} ± {row['se']:.1f}" if np.isfinite(row["se"]) else f"{row['mean']:.1f}"


def comparison_table(stored: Stored) -> str:
    """Table 7: labels needed, by reading."""
    rows, found = [], stored.rows("aba-table7")
    keys = ["network", "right", "goal", "never"]
    for key in dict.fromkeys(found[keys].itertuples(index=False, name=None)):
        part = found[(found[keys] == list(key)).all(axis=1)].set_index("method")
        cells = [f"{float(part['labels'][m]):.1f} ± {float(part['se'][m]):.1f}" if m in part.index else ""
                 for m in COMPARISON_METHODS]  # fmt: skip
        paper = LABELS_TO_COMPARE.get(key[0] if key[0] == "news20" else "resnet110_cifar100", ())
        if key[3] == "one" and part["told"].min() == 1:
            continue  # what never gets there counts otherwise, and there is none
        told = f"{100 * part['told'].min():.0f}%"
        never = "all" if key[3] == "all" else "one"
        there = " / ".join(f"{one:.1f}" for one in paper)
        spread = f"{part['over pairs'].iloc[0]:.0f}"
        rows.append([name_of(key[0]), key[1], key[2], never, *cells, spread, told, there])
    rows.append(["SVHN, DBpedia", "", NO_DATA, *[""] * 7])
    heads = [
        "network",
        "right",
        "goal of",
        "never counts",
        "uniform",
        "informed",
        "informed + Thompson",
        "over pairs",
        "reached by",
        "paper",
    ]
    return markdown(pd.DataFrame(rows, columns=pd.Index(heads)))


def cost_tables(stored: Stored) -> str:
    """Tables 10 and 11: thousands of labels."""
    rows = []
    lines: Sequence[str] = ("random, uniform", "random, informed", "Thompson, informed")
    for item, cost in (("aba-table10", "human"), ("aba-table11", "superclass")):
        found = stored.rows(item)
        for c, top in dict.fromkeys(zip(found["c"], found["top"], strict=True)):
            cells = []
            for place, line in enumerate(lines):
                part = found[(found["c"] == c) & (found["top"] == top) & (found["line"] == line)].set_index("measure")
                theirs = LABELS_BY_COST[cost, int(c)][top != "top 1"][place]
                crossed, first = (float(part.loc[name, "mean"]) / 10 for name in ("crossed", "first"))
                cells.append(f"{'never' if np.isnan(crossed) else f'{crossed:.1f}K'}, {first:.1f}K [{theirs:.1f}K]")
            rows.append([cost, f"{c:.0f}", top.replace("m", "10"), *cells])
    heads = ["cost", "times", "", "uniform", "informed", "informed + Thompson"]
    return markdown(pd.DataFrame(rows, columns=pd.Index(heads)))
