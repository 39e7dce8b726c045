"""What all pictures share: colours and shapes, fresh axes, numbers in percent. Matplotlib is loaded when needed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from altmas.words.language import sentence
from altmas.words.wording import marked, short
from altmas.words.wording import percent as in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = ["#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce", "#0f766e", "#b91c1c", "#a16207", "#1d4ed8"]
"""Line colours, dark enough to read on white."""

SHAPES = ["o", "s", "^", "D", "v", "P", "X", "*"]
"""Shapes of markers, so that nothing is told by colour alone."""

LONGEST_LABEL = 28
"""Letters of a name that are written beside an axis."""

GREY = "#6b7280"
"""The colour of what is not the point of a picture."""


def new_axes(width: float = 7, height: float = 4.2) -> Axes:
    """Axes on a figure of their own, in inches. Not by pyplot: no global state, no window, nothing to close.

    A notebook shows what pyplot made; so that it shows these too, they say themselves what they look like.

    >>> new_axes()._repr_png_()[1:4]
    b'PNG'
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes: Axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    axes._repr_png_ = partial(_png, figure)  # type: ignore[attr-defined]
    return axes


def _png(figure: Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=100)
    return file.getvalue()


def in_percent(ax: Axes, axis: str, *, unit: bool = True) -> None:
    """Write the numbers along an axis, `x` or `y`, in percent; without `unit` the numbers alone."""
    from matplotlib.ticker import FuncFormatter

    def written(value: float, _: Any) -> str:
        number = marked(f"{100 * value:.3g}".replace("-", "\N{MINUS SIGN}"))
        return sentence("{number}%", number=number) if unit else number

    (ax.xaxis if axis == "x" else ax.yaxis).set_major_formatter(FuncFormatter(written))


def place_names(ax: Axes, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Names below the columns and beside the rows of a grid of cells, the first row on top; long ones are turned."""
    ax.set_xticks(range(len(columns)), columns, parse_math=False)
    if max(map(len, columns)) * len(columns) > 60:
        ax.tick_params(axis="x", rotation=90)
    ax.set_yticks(range(len(rows)), rows, parse_math=False)
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def write_column(ax: Axes, head: str, places: Iterable[float], texts: Iterable[str], offset: int) -> None:
    """Text right of the axes, a line for each place along y, below a head; it ends `offset` points from the axes."""
    style: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "fontsize": 8}
    ax.annotate(head, (1, 1), (offset, 4), xycoords="axes fraction", va="bottom", **style)
    style |= {"xycoords": ("axes fraction", "data"), "va": "center_baseline", "annotation_clip": False}
    for y, text in zip(places, texts, strict=True):
        ax.annotate(text, (1, y), (offset, 0), **style)


def in_legend(name: object) -> str:
    """A name from data as the label of a line; `write_legend` writes it as it was.

    >>> in_legend("cat"), in_legend("_cat") == "_cat"
    ('cat', False)
    """
    text = short(str(name), LONGEST_LABEL)
    return _VISIBLE + text if text.startswith("_") else text  # matplotlib leaves out what begins so


def write_legend(ax: Axes, **style: Any) -> None:
    """The legend, its names as they are: in data a $ begins no formula."""
    for text in ax.legend(frameon=False, **style).get_texts():
        text.set_parse_math(False)
        text.set_text(text.get_text().removeprefix(_VISIBLE))


_VISIBLE = "\N{ZERO WIDTH SPACE}"


def percent(p: float) -> str:
    """A probability as people read it, shortly.

    >>> percent(0.95), percent(0.123), percent(0.004), percent(0.995)
    ('95%', '12%', '<1%', '99.5%')
    """
    if 0 < p < 0.01:
        return f"<{in_words(0.01)}"
    return in_words(p, ".0f" if p < 0.95 else ".3g")
