"""How often the networks are right about items without an answer, in numbers, beside what the paper says of its own."""

from __future__ import annotations

import pandas as pd

from altmas.experiments.alt_mas.results_figures import NAMES
from altmas.experiments.alt_mas.results_rows import Study
from altmas.experiments.bench.tables import markdown

PAPER_RANGES = {"figure1": (70, 90), "figure2": (40, 60), "panel1": (70, 90), "panel2": (40, 60)}
"""Of BALD's networks in per cent, from Appendix C.3; of ALT-MAS' own there is a picture and no number."""

SAID = """
The networks' accuracy is that of the most probable label over all draws, for items without an answer. In per cent, mean
over seeds, the lowest and the highest of the sets of metrics at the first and at the last fit:
"""
PAPER_SAID = "\nThe paper has {low}-{high}% for BALD's networks here, over its whole curves. Ours have {least}-{most}%."


def network_accuracies(study: Study) -> pd.DataFrame:
    """Per cent, mean over seeds, by model under test, set of metrics, method and number of labels."""
    parts = []
    for pool, metrics, rows in study.panels():
        known = rows.dropna(subset=["surrogate"]).drop_duplicates(["method", "seed", "labels"])
        mean = 100 * known.groupby(["method", "labels"], sort=False)["surrogate"].mean()
        parts.append(mean.rename("accuracy").reset_index().assign(pool=pool, metrics=" ".join(metrics)))
    return pd.concat(parts, ignore_index=True)


def whole_range(accuracies: pd.DataFrame, method: str = "bald") -> tuple[float, float]:
    """The lowest and the highest of a method.

    >>> whole_range(pd.DataFrame({"method": ["bald", "bald", "altmas"], "accuracy": [60.0, 70.0, 90.0]}))
    (60.0, 70.0)
    """
    own = accuracies.loc[accuracies["method"] == method, "accuracy"]
    return float(own.min()), float(own.max())


def spelled(values: pd.Series) -> str:
    """A range, or one number where there is one.

    >>> spelled(pd.Series([70.2, 81.0])), spelled(pd.Series([70.2]))
    ('70-81', '70')
    """
    low, high = f"{values.min():.0f}", f"{values.max():.0f}"
    return low if low == high else f"{low}-{high}"


def network_section(study: Study) -> str:
    """The table, and the paper's range where it has one."""
    found = network_accuracies(study)
    first, last = found["labels"].min(), found["labels"].max()
    lines = []
    for (pool, method), own in found.groupby(["pool", "method"], sort=False):
        ends = [spelled(own.loc[own["labels"] == one, "accuracy"]) for one in (first, last)]
        lines.append((pool, NAMES[str(method)], *ends))
    parts = [SAID, markdown(["model under test", "networks of", f"{first} labels", f"{last} labels"], lines)]
    if study.name in PAPER_RANGES:
        (low, high), (least, most) = PAPER_RANGES[study.name], whole_range(found)
        parts.append(PAPER_SAID.format(low=low, high=high, least=f"{least:.0f}", most=f"{most:.0f}"))
    return "\n".join(parts)
