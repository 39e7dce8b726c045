"""One row for each table and figure of the two papers: their number, ours with its error, a verdict, and why.

Everything is read off the stored rows. Where a verdict depends on a number, it is worked out from that number.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from altmas.experiments.active_bayesian.front_figures import FIGURES
from altmas.experiments.active_bayesian.front_tables import TABLES
from altmas.experiments.active_bayesian.front_workshop import WORKSHOP
from altmas.experiments.active_bayesian.stored import Front, Stored


def front_rows(folder: Path) -> list[Front]:
    """Every table and figure of both papers, in their order."""
    stored = Stored(folder)
    return [make(stored) for make in (*TABLES, *FIGURES, *WORKSHOP)]


def front_table(folder: Path) -> pd.DataFrame:
    """The same as a table, for a page that puts several papers together."""
    return pd.DataFrame([vars(one) for one in front_rows(folder)])
