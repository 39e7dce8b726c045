"""The tables of a report, as text: the same ones for every format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from altmas.words.events import event_words
from altmas.words.wording import Row, chance, clean, counted, digits_for, figure, interval, is_share, named, quoted

TABLE_ROWS = 60
"""Of a longer table the two ends are shown, or its beginning; the JSON report has all of it."""


MOST_EVENTS = 4000
"""Of more events the first and the last are listed; the JSON report, and the audit itself, have every one."""

MOST_ITEMS = 1000
"""Items whose contents are listed; the JSON report has all of them."""


@dataclass(frozen=True)
class Table:
    """A caption, the heads of the columns, rows of text, how many columns at the left hold words, and a note."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    note: str = ""


def estimates_table(models: Sequence[Row], level: float) -> Table:
    """Every metric of every model; what the intervals promise is a column only where they promise different things."""
    several = len(models) > 1
    rows = [(one["name"], row) for one in models for row in one["estimates"]]
    shown = rows[:TABLE_ROWS]
    promises = list(dict.fromkeys(row["promise"] for _, row in rows))
    known = {name: any(row.get(name) is not None for _, row in rows) for name in _OPTIONAL}
    heads = [*(["model"] if several else []), "metric", "estimate", interval_head(level)]
    heads += [head for name, head in _OPTIONAL.items() if known[name]]
    spent = {row["labels"] for _, row in rows}
    heads += [*(["labels"] if len(spent) > 1 else []), *(["promise"] if len(promises) > 1 else [])]
    cells = []
    for model, row in shown:
        share = is_share(row["metric"])
        digits = table_digits(row["low"], row["high"], share=share)
        line = [
            *([clean(model)] if several else []),
            named(row["metric"]),
            figure(row["estimate"], share=share, digits=digits),
        ]
        line.append(interval(row["low"], row["high"], share=share, digits=digits))
        for name in _OPTIONAL:
            if known[name]:
                value = row.get(name)
                line.append(_whole(value) if name == "random_needed" else figure(value, share=share, digits=digits))
        line += [_whole(row["labels"])] if len(spent) > 1 else []
        cells.append((*line, *([row["promise"]] if len(promises) > 1 else [])))
    note = f"All from {counted(int(spent.pop()), 'label')}. " if len(spent) == 1 else ""
    note += f"The intervals promise: {promises[0]}." if len(promises) == 1 else ""
    return Table("Estimates", tuple(heads), tuple(cells), 1 + several, _with_left_out(note, len(rows) - len(shown)))


_OPTIONAL = {
    "plug_in": "plug-in",
    "design": "design",
    "worst_case": "worst case",
    "best_case": "best case",
    "random_needed": "random would need",
}


def groups_table(found: Row, level: float) -> Table:
    """One row per group, the lowest first; of many groups the two ends."""
    rows = sorted(found["rows"], key=lambda row: (row["estimate"] is None, row["estimate"]))
    half = TABLE_ROWS // 2
    shown = rows if len(rows) <= TABLE_ROWS else [*rows[:half], *rows[-half:]]
    first = "predicted class" if found["by"] == "class" else found["by"]
    cells = [
        (
            clean(row["group"]),
            figure(row["estimate"], share=True),
            interval(row["low"], row["high"], share=True),
            chance(row["p_worst"]),
            _whole(row["labels"]),
            _whole(row["size"]),
        )
        for row in shown
    ]
    heads = (first, "accuracy", interval_head(level), "P(worst)", "labels", "items")
    left = len(rows) - len(shown)
    note = f"The {half} lowest and the {half} highest; {left:,} between them are in the JSON report." if left else ""
    return Table(f"Accuracy by {first}", heads, tuple(cells), 1, note)


def comparisons_table(rows: Sequence[Row], level: float) -> Table:
    """Pairs of groups, and how probable it is that they differ by more than matters."""
    cells = [
        (
            f"{clean(row['by'])}: {clean(row['a'])} − {clean(row['b'])}",  # noqa: RUF001
            signed(row["estimate"]),
            signed_interval(row["low"], row["high"]),
            *(chance(row.get(name)) for name in ("p_lower", "p_equal", "p_higher")),
        )
        for row in rows
    ]
    heads = ("difference of accuracy", "points", interval_head(level), "P(lower)", "P(equal)", "P(higher)")
    rope = 100 * rows[0]["rope"] if rows else 0
    return Table("Comparisons", heads, tuple(cells), 1, f"Equal means within ±{rope:g} points.")


def cells_table(cells: Iterable[Row], level: float, most: int, left_out: int = 0) -> Table:
    """Cells of the confusion with their intervals."""
    rows = [row for row in cells if row["estimate"] is not None]
    shown = [
        (clean(row["true"]), clean(row["predicted"]), f"{row['estimate']:,.1f}", _counts(row["low"], row["high"]))
        for row in rows[:most]
    ]
    heads = ("true class", "predicted class", "items, estimated", interval_head(level))
    left = left_out + len(rows) - len(shown)
    note = f"{left:,} more are in the JSON report, or below half an item." if left > 0 else ""
    return Table("Cells of the confusion", heads, tuple(shown), 2, note)


def calibration_table(bins: Sequence[Row], level: float) -> Table:
    """One row per score bin."""
    cells = [
        (
            clean(row["bin"]),
            _whole(row["size"]),
            figure(row["score"], share=True),
            figure(row["estimate"], share=True),
            interval(row["low"], row["high"], share=True),
            signed(row["bias"]),
        )
        for row in bins
    ]
    heads = ("score", "items", "mean score", "accuracy", interval_head(level), "gap, points")
    return Table("Calibration", heads, tuple(cells), 1, "The gap is mean score minus accuracy: above 0 it is too sure.")


def forecast_table(models: Sequence[Row], method: str) -> Table:
    """Labels for a precision, and what random sampling would have needed, unless it is what was done."""
    rows = [(one["name"], row) for one in models for row in one["forecast"]]
    several, other = len(models) > 1, method != "random"
    cells = [
        (
            *([clean(model)] if several else []),
            named(row["metric"]),
            f"±{100 * row['half_width']:.1f} points" if is_share(row["metric"]) else f"±{row['half_width']:.3f}",
            _whole(row["labels"]),
            *([_whole(row["random_needed"])] if other else []),
            _whole(row.get("labels_needed")),
            *([_whole(row.get("random_needed_for_goal"))] if other else []),
        )
        for model, row in rows[:TABLE_ROWS]
    ]
    goal = f"±{100 * (rows[0][1]['within'] if rows else 0):g} points"
    heads = (
        *(["model"] if several else []), "metric", "now", "labels spent", *(["random, as precise"] if other else []),
        f"labels for {goal}", *([f"random, for {goal}"] if other else []),
    )  # fmt: skip
    note = (
        f"±{rows[0][1]['within']:g} for a metric that is no share."
        if any(not is_share(row["metric"]) for _, row in rows)
        else ""
    )
    return Table("Labels and precision", heads, tuple(cells), 1 + several, _with_left_out(note, len(rows) - len(cells)))


def history_table(rows: Sequence[Row], level: float) -> Table:
    """The estimates as they came."""
    cells = [
        (
            named(row["metric"]),
            _whole(row["labels"]),
            figure(row["estimate"], share=is_share(row["metric"]), digits=1 if is_share(row["metric"]) else 3),
            interval(
                row["low"], row["high"], share=is_share(row["metric"]), digits=1 if is_share(row["metric"]) else 3
            ),
        )
        for row in rows[: 2 * TABLE_ROWS]
    ]
    heads = ("metric", "labels", "estimate", interval_head(level))
    return Table("Estimates against labels", heads, tuple(cells), 1, _with_left_out("", len(rows) - len(cells)))


def best_table(rows: Sequence[Row]) -> Table:
    """P(best) by metric and model."""
    cells = [
        (
            named(row["metric"]),
            clean(row["model"]),
            figure(row["estimate"], share=is_share(row["metric"]), digits=1 if is_share(row["metric"]) else 3),
            chance(row["p_best"]),
        )
        for row in rows[:TABLE_ROWS]
    ]
    heads = ("metric", "model", "estimate", "P(best)")
    return Table("Which is best", heads, tuple(cells), 2, _with_left_out("", len(rows) - len(cells)))


def differences_table(rows: Sequence[Row], level: float) -> Table:
    """Paired differences of models."""
    cells = []
    for row in rows[:TABLE_ROWS]:
        share = is_share(row["metric"])
        cells.append(
            (
                named(row["metric"]),
                f"{clean(row['first'])} − {clean(row['second'])}",  # noqa: RUF001
                signed(row["estimate"], share=share),
                signed_interval(row["low"], row["high"], share=share),
                chance(row["p_first_higher"]),
            )
        )
    heads = ("metric", "difference", "points or units", interval_head(level), "P(first is higher)")
    return Table("Differences", heads, tuple(cells), 2, _with_left_out("", len(rows) - len(cells)))


def annotators_table(people: dict[str, int]) -> Table:
    """Answers by annotator."""
    rows = tuple((clean(name) or "(nobody named)", f"{count:,}") for name, count in people.items())
    return Table("Annotators", ("annotator", "answers"), rows)


def pairs_table(caption: str, heads: tuple[str, str], pairs: dict[str, Any]) -> Table:
    """Names and values."""
    return Table(caption, heads, tuple((clean(key), _text(value)) for key, value in pairs.items()), 2)


def events_table(events: Sequence[Row]) -> Table:
    """Every event, as far as a page can hold them."""
    half = MOST_EVENTS // 2
    shown = events if len(events) <= MOST_EVENTS else [*events[:half], *events[-half:]]
    rows = tuple(
        (str(one["seq"]), str(one["at"]), clean(one["kind"]), event_words(one["kind"], one["body"]), one["hash"][:12])
        for one in shown
    )
    left = len(events) - len(shown)
    note = f"The first and the last {half:,}; {left:,} between them are in the JSON report." if left else ""
    return Table("Events", ("number", "time (UTC)", "event", "what", "hash"), rows, 5, note)


def items_table(items: Sequence[Row]) -> Table:
    """Items with an answer: what they say, and what was answered."""
    columns = list(dict.fromkeys(name for one in items for name in one["content"]))
    rows = tuple(
        (
            clean(one["id"]),
            "; ".join(f"{clean(a['annotator']) or '(nobody named)'}: {quoted(a['label'])}" for a in one["answers"]),
            "; ".join(clean(a["note"]) for a in one["answers"] if a["note"]),
            *(str(one["content"].get(name, "")) for name in columns),
        )
        for one in items[:MOST_ITEMS]
    )
    note = f"{len(items) - MOST_ITEMS:,} more are in the JSON report." if len(items) > MOST_ITEMS else ""
    return Table("Items", ("id", "answers", "notes", *columns), rows, 3 + len(columns), note)


def table_digits(low: float | None, high: float | None, *, share: bool) -> int:
    """Digits in a table: one more than a sentence needs.

    >>> table_digits(0.88, 0.94, share=True)
    1
    """
    if low is None or high is None or low == high:
        return 2 if share else 3
    return min(digits_for(high - low, share=share) + 1, 4)


def signed(value: float | None, *, share: bool = True) -> str:
    """A difference in points, with its sign.

    >>> signed(0.031), signed(-0.5, share=False)
    ('+3.1', '−0.500')
    """  # noqa: RUF002
    if value is None:
        return "not known"
    return (f"{100 * value:+.1f}" if share else f"{value:+.3f}").replace("-", "\N{MINUS SIGN}")


def signed_interval(low: float | None, high: float | None, *, share: bool = True) -> str:
    """An interval of a difference, in points."""
    return f"{signed(low, share=share)} to {signed(high, share=share)}"


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{clean(key)} = {_text(one)}" for key, one in value.items()) or "none"
    return "none" if value in (None, "") else clean(value)


def _counts(low: float, high: float) -> str:
    first, second = (f"{end:,.0f}" for end in (low // 1, -(-high // 1)))
    return f"{first} to {second}"


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def interval_head(level: float) -> str:
    """The head of a column of intervals.

    >>> interval_head(0.95)
    '95% interval'
    """
    return f"{100 * level:.6g}% interval"


def _with_left_out(note: str, left: int) -> str:
    return f"{note} {left:,} more rows are in the JSON report.".strip() if left > 0 else note
