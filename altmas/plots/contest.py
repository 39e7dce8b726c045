"""The picture of a contest: how far each of the best models is behind the leader, and its P(best)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from altmas.core.contest import Contest
from altmas.plots.axes import GREY, INK, LONGEST_LABEL, in_percent, new_axes, write_column
from altmas.words.wording import chance, is_share, named, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MODELS_DRAWN = 15


def plot_contest(found: Contest, *, most: int = MODELS_DRAWN, ax: Axes | None = None) -> Axes:
    """Draw the best models, the leader on top: by how much each is behind it, with intervals, and P(best) beside."""
    table = found.table.head(most)
    axes = new_axes(7, 1.4 + 0.3 * len(table)) if ax is None else ax
    places = np.arange(len(table))
    behind, low, high = (table[name].to_numpy(dtype=float) for name in ("behind", "behind_low", "behind_high"))
    out = table["ruled_out"].to_numpy(dtype=bool)
    for some, colour, shape in ((~out, INK[0], "o"), (out, GREY, "x")):
        axes.hlines(places[some], low[some], high[some], color=colour, linewidth=2)
        axes.plot(behind[some], places[some], shape, color=colour)
    axes.axvline(0, color=GREY, linewidth=1, linestyle="--")
    axes.set_yticks(places, [short(one, LONGEST_LABEL) for one in table["model"]], parse_math=False)
    axes.set_ylim(len(table) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.25)
    axes.grid(visible=False, axis="y")
    if is_share(found.metric):
        in_percent(axes, "x", unit=False)
    unit = ", points" if is_share(found.metric) else ""
    axes.set_xlabel(f"{named(found.metric)} behind {short(found.leader, LONGEST_LABEL)}{unit}", parse_math=False)
    axes.margins(x=0.08)
    write_column(axes, "P(best)", places, [chance(p) for p in table["p_best"]], 40)
    more = len(found.table) - len(table)
    left = f"; {more:,} more models lie behind" if more else ""
    axes.set_title(f"{found.labels:,} labels, {100 * found.level:.6g}% intervals{left}", fontsize=10)
    return axes
