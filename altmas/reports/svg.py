"""A matplotlib figure as SVG inside a page: with the page's colours and font, ids of its own, and text that is text."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec
from xml.etree import ElementTree

from altmas.plots.axes import GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")

STYLE: dict[Any, Any] = {
    "font.size": 8.5,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "svg.fonttype": "none",  # text that can be read, searched and selected, and that needs no outlines
    "svg.hashsalt": "altmas",  # the same figure, the same file
}

SCALE = 1.5
"""Pixels of the page for each point of the figure, where the page is wide enough."""

LEAST_SCALE = 1.4
"""The same where it is narrow: letters of 8 points are then 11 pixels high."""

COLOURS = {
    **{colour: f"var(--series-{k})" for k, colour in enumerate(INK)},
    GREY: "var(--muted)",
    "#000000": "currentColor",
    "#ffffff": "var(--paper)",
    "#b0b0b0": "var(--line)",  # grids
}
"""What stands in a figure's file for the colours of the page, light or dark."""

_LONG = re.compile(r"-?\d+\.\d{3,}")
_FONT = re.compile(r"font:[^;\"]*?([\d.]+px)[^;\"]*|font-family:[^;\"]*")
_LINK = re.compile(r"url\(#([^)]+)\)")
_HREF = "{http://www.w3.org/1999/xlink}href"
_DRAWN = ("style", "fill", "stroke")


@contextmanager
def any_letters() -> Iterator[None]:
    """No warning of letters that matplotlib's own font lacks: in an SVG they stay text, which the browser draws.

    >>> with any_letters():
    ...     warnings.warn("Glyph 21271 missing from font(s) DejaVu Sans.", UserWarning)
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph .* missing from font", UserWarning)
        yield


def draw(key: str, title: str, plot: Callable[P, Axes], *values: P.args, **options: P.kwargs) -> str:
    """Plot these values under the page's style, and give the SVG; `key` keeps its ids apart from other figures'.

    >>> from altmas.plots.axes import new_axes
    >>> svg = draw("fig", "Nothing <yet>", new_axes)
    >>> svg.startswith('<svg'), 'aria-label="Nothing &lt;yet&gt;"' in svg, 'id="fig-' in svg or 'id=' not in svg
    (True, True, True)
    """
    import matplotlib as mpl

    with mpl.rc_context(STYLE), any_letters():
        figure: Figure = plot(*values, **options).get_figure(root=True)  # type: ignore[assignment]
        file = io.BytesIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return inlined(file.getvalue(), key, title)


def inlined(svg: bytes, key: str, title: str) -> str:
    """An SVG file made fit to lie in a page beside others."""
    root = ElementTree.fromstring(svg)
    _drop_what_speaks_to_the_whole_page(root)
    used = {name for one in root.iter() for name in _references(one)}
    for one in root.iter():
        one.tag = str(one.tag).rpartition("}")[2]
        if one.tag != "text":  # between shapes there are only line ends
            one.text = None
        one.tail = None
        _rename(one, key, used)
        for name, value in one.attrib.items():
            one.set(name, _fit(name, value))
        if one.get("transform", "").startswith("rotate(-0 "):
            del one.attrib["transform"]
    wide = float(root.get("viewBox", "0 0 0 0").split()[2])
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    # One size of letters for all figures; where the page is narrow the figure scrolls, rather than become unreadable.
    root.set("style", f"max-width: {SCALE * wide:.0f}px; min-width: {LEAST_SCALE * wide:.0f}px")
    root.set("role", "img")
    root.set("aria-label", title)
    return ElementTree.tostring(root, encoding="unicode")


def _drop_what_speaks_to_the_whole_page(root: ElementTree.Element) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if str(child.tag).rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)


def _references(one: ElementTree.Element) -> list[str]:
    linked = [name for value in one.attrib.values() for name in _LINK.findall(value)]
    return [*linked, one.attrib[_HREF][1:]] if _HREF in one.attrib else linked


def _rename(one: ElementTree.Element, key: str, used: set[str]) -> None:
    name = one.attrib.pop("id", None)
    if name in used:
        one.set("id", f"{key}-{name}")
    for attribute, value in list(one.attrib.items()):
        one.set(attribute, _LINK.sub(lambda found: f"url(#{key}-{found[1]})", value))
    if _HREF in one.attrib:
        one.set("href", f"#{key}-{one.attrib.pop(_HREF)[1:]}")


def _fit(name: str, value: str) -> str:
    if name in _DRAWN:
        value = _FONT.sub(lambda found: f"font-size: {found[1]}" if found[1] else "", value).replace("; ;", ";")
        for colour, ours in COLOURS.items():
            value = value.replace(colour, ours)
    return _LONG.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)
