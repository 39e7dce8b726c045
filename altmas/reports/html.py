"""The report as one HTML file: no script, no network, nothing outside the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from altmas.reports.view import view
from altmas.words.wording import clean, counted, quoted

MOST_CONTENT = 2000
"""Letters of an item's text that are shown."""


def render_html(facts: Mapping[str, Any]) -> str:
    """The page. Everything that came from outside is escaped; figures are drawn, and escaped, by `figures`."""
    template = _environment().get_template("report.html")
    return template.render(facts=facts, view=view(facts))


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("altmas.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "figure": Markup,  # SVG of our own making
        "counted": counted,
        "quoted": quoted,
        "clean": clean,
        "minute": minute,
        "said": said,
        "cut": lambda text: text if len(text) <= MOST_CONTENT else text[:MOST_CONTENT] + "…",
    }
    return environment


def said(sentence: str) -> str:
    """A sentence whose probabilities stay on one line.

    >>> said("settled (P 0.31)") == "settled (P\N{NO-BREAK SPACE}0.31)"
    True
    """
    return re.sub(r"(\bP(?:\(\w+\))?) (?=\d|above|below)", "\\1\N{NO-BREAK SPACE}", sentence)


def minute(at: str) -> str:
    """A time as people read it.

    >>> minute("2026-11-16T14:02:11.123Z")
    '2026-11-16 14:02 UTC'
    """
    return f"{at[:10]} {at[11:16]} UTC" if at else "not known"
