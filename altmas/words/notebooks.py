"""Values as a notebook shows them: a sentence, and a table with numbers as reports write them. All text is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from altmas.words.wording import clean, digits_for, figure, interval, is_share, short

ROWS_SHOWN = 30


def page(title: str, sentences: Iterable[str], table: str = "") -> str:
    """A title, sentences and a table.

    >>> page("Pool", ["3 items & 2 classes"])
    '<div><b>Pool</b><p>3 items &amp; 2 classes</p></div>'
    """
    said = "".join(f"<p>{escape(clean(one))}</p>" for one in sentences if one)
    return f"<div><b>{escape(clean(title))}</b>{said}{table}</div>"


def table_html(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of texts; of many rows the first.

    >>> table_html(["class"], [["<b>"]])
    '<table><thead><tr><th>class</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(one)}</th>" for one in columns)
    shown = [list(row) for row in rows[:ROWS_SHOWN]]
    if len(rows) > ROWS_SHOWN:
        shown.append([f"… and {len(rows) - ROWS_SHOWN:,} more", *[""] * (len(columns) - 1)])
    body = "".join("<tr>" + "".join(f"<td>{escape(short(cell))}</td>" for cell in row) + "</tr>" for row in shown)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def estimates_html(rows: Sequence[Mapping[str, Any]]) -> str:
    """Estimates with their intervals, and what these promise; one column more where there are several models.

    >>> row = {"metric": "accuracy", "estimate": 0.911, "low": 0.883, "high": 0.938, "promise": "approximate"}
    >>> "<td>91%</td><td>88% to 94%</td>" in estimates_html([row])
    True
    """
    several = any(row.get("model") for row in rows)
    out = []
    for row in rows:
        share, low, high = is_share(row["metric"]), row["low"], row["high"]
        known = None not in (low, high) and not math.isnan(high - low)
        digits = digits_for(high - low, share=share) if known else 1
        cells = [
            row["metric"],
            figure(row["estimate"], share=share, digits=digits),
            interval(low, high, share=share, digits=digits) if known else "not known",
            row["promise"],
        ]
        out.append([row.get("model", ""), *cells] if several else cells)
    return table_html([*(["model"] if several else []), "metric", "estimate", "interval", "promise"], out)
