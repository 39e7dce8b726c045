"""Tables for pages: Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(columns: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; cells are text already, or become it.

    >>> print(markdown(["method", 100], [["new", "0.75"]]))
    | method | 100 |
    |---|---|
    | new | 0.75 |
    """
    first, *rest = ("| " + " | ".join(map(str, line)) + " |" for line in (columns, *rows))
    return "\n".join([first, "|" + "---|" * len(columns), *rest])
