"""What an assessment found: tables, and a picture of how it got there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from altmas.core.loop import Round
from altmas.core.pool import Pool

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Result:
    """`estimates`: a row per metric. `history`: the same after every batch. `answers`: a row per label, in order."""

    method: str
    estimates: pd.DataFrame
    history: pd.DataFrame
    answers: pd.DataFrame
    pool: Pool

    @classmethod
    def of(cls, method: str, pool: Pool, seen: Sequence[Round]) -> Result:
        """Lay the rounds out as tables."""
        history = _table([{"round": r.round, **asdict(e)} for r in seen for e in r.estimates])
        last = seen[-1]
        drawn = getattr(last.run, "inclusion", None)
        answers = pd.DataFrame(
            {
                "id": [pool.ids[i] for i in last.answers.items],
                "position": last.answers.items,
                "label": [pool.classes[y] for y in last.answers.labels],
                "round": last.answers.rounds,
                "propensity": last.answers.propensities,
                **({} if drawn is None else {"inclusion": drawn()[last.answers.items]}),
            }
        )
        estimates = _table([asdict(e) for e in last.estimates])
        return cls(method, estimates, history, answers, pool)

    def plot(
        self, metrics: Sequence[str] | None = None, *, truth: Mapping[str, float] | None = None, ax: Axes | None = None
    ) -> Any:
        """Draw each metric's estimate and interval against labels spent; dashed lines where the truth is given."""
        from altmas.plots.history import plot_history

        band = self.estimates["promise"].iloc[0]
        title = f"{self.method}; band: {band}"
        return plot_history(self.history, metrics=metrics, truth=truth, ax=ax, title=title)

    def __repr__(self) -> str:
        return f"Result of {self.method} after {len(self.answers)} labels\n{self.estimates.to_string(index=False)}"


def _table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Columns in the order they are read, without those that say nothing for this method and pool."""
    table = pd.DataFrame(rows)
    first = [c for c in ("round", "model", "metric", "estimate", "low", "high", "plug_in", "design") if c in table]
    table = table[[*first, *(c for c in table if c not in first)]]
    empty = [c for c in ("plug_in", "design") if table[c].isna().all()]
    if (table["model"] == "").all():
        empty.append("model")
    return table.drop(columns=empty)
