"""Names come from data: in a picture they are text, never a formula, and none is left out."""

import io

import numpy as np
import pandas as pd
import pytest

from altmas.plots.axes import new_axes
from altmas.plots.curves import Band, CurvesDisplay
from altmas.plots.displays import AccuracyCalibrationDisplay, ForestDisplay, RankingDisplay
from altmas.plots.heat_maps import MarginalDisplay, PairDisplay
from altmas.plots.history import plot_history, plot_relative_error
from altmas.reports import figures

BAD = r"$\undefined$"
NAMES = [BAD, "$x^2$", "\\\\", "_", "_x", "%", "a" * 500, "two\nlines", "שלום", "😀", "$", "{", "^", r"\frac{", "a$b$c"]
DRAWS = np.random.default_rng(0).random((20, len(NAMES)))
HISTORY = pd.DataFrame(
    [{"metric": name, "labels": n, "estimate": 0.5, "low": 0.4, "high": 0.6} for name in NAMES[:8] for n in (10, 20)]
)
ROWS = [{"label": one, "group": one, "low": 0.1, "high": 0.9, "estimate": 0.5, "p_worst": 0.1} for one in NAMES]
CELLS = [{"true": a, "predicted": b, "estimate": 3.0} for a in NAMES for b in NAMES]
TABLE = pd.DataFrame(
    [
        {BAD: a, "_b": b, "support": 9, "labels": 3, "estimate": 0.8, "low": 0.5, "high": 0.9}
        for a in NAMES
        for b in NAMES
    ]
)
SERIES = {name: pd.Series([0.1, 0.2], index=[1, 2]) for name in NAMES}
CURVES = CurvesDisplay.from_curves({name: ([1, 2], [[0.1], [0.2]]) for name in NAMES}, quantity=BAD)
PICTURES = {
    "history": lambda: plot_history(HISTORY, title=BAD),
    "errors": lambda: plot_relative_error(SERIES, title=BAD),
    "curves": CURVES.plot,
    "forest": lambda: ForestDisplay.from_band(NAMES, Band.of_draws(DRAWS, 0.9), 0.9).plot(),
    "ranking": lambda: RankingDisplay.from_draws(NAMES, DRAWS).plot(),
    "calibration": lambda: AccuracyCalibrationDisplay.from_draws(NAMES, DRAWS, DRAWS).plot(),
    "values": lambda: MarginalDisplay.from_table(TABLE.drop_duplicates(BAD), BAD).plot(),
    "pairs": lambda: PairDisplay.from_table(TABLE, BAD, "_b").plot(),
    "pairs on axes": lambda: PairDisplay.from_table(TABLE, BAD, "_b").plot(new_axes()),
    "report's confusion": lambda: figures.confusion(CELLS),
    "report's history": lambda: figures.history(HISTORY.to_dict("records"), BAD),
    "report's widths": lambda: figures.widths(HISTORY.to_dict("records"), NAMES[:5], 0.05),
    "report's differences": lambda: figures.differences(ROWS, 0.1),
    "report's forest": lambda: figures.forest(ROWS, 0.9, 0.5),
}


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font:UserWarning")
@pytest.mark.parametrize("picture", PICTURES)
def test_any_name_can_be_drawn(picture):
    ax = PICTURES[picture]()
    ax.get_figure(root=True).savefig(io.BytesIO(), format="svg")


@pytest.mark.parametrize("picture", ["errors", "curves"])
def test_every_line_is_in_the_legend_under_its_own_name(picture):
    shown = [text.get_text() for text in PICTURES[picture]().get_legend().get_texts()]
    assert shown == [*NAMES[:6], "a" * 27 + "…", "two lines", *NAMES[8:]]
