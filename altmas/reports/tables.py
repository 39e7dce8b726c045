"""The tables of a report, as text: the same ones for every format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from altmas.plots.heat_maps import VALUES_SHOWN
from altmas.reports.numbers import minus, signed, signed_interval, table_digits
from altmas.words.conduct import conduct_rows
from altmas.words.events import event_words
from altmas.words.surfaces import too_small
from altmas.words.wording import (
    Row,
    amount,
    chance,
    clean,
    counted,
    figure,
    interval,
    is_share,
    named,
    quoted,
)

TABLE_ROWS = 60
"""Of a longer table the two ends are shown, or its beginning; the JSON report has all of it."""

MOST_EVENTS = 4000
"""Of more events the first and the last are listed; the JSON report, and the audit itself, have every one."""

MOST_ITEMS = 1000
"""Items whose contents are listed; the JSON report has all of them."""

MOST_CONFUSED, WORST_SHOWN = 12, 10
"""Cells of the confusion, and combinations of attributes, in a table of the worst."""

Column = tuple[str, Callable[[Row], str]]
"""The head of a column, and what it says about a row."""


@dataclass(frozen=True)
class Table:
    """A caption, the heads of the columns, rows of text, how many columns at the left hold words, and a note."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    note: str = ""

    @classmethod
    def of(
        cls, caption: str, columns: Sequence[Column], rows: Sequence[Row], words: int = 1, note: str = "",
        most: int = TABLE_ROWS,
    ) -> Table:  # fmt: skip
        """The first rows, column by column; the note says how many are left out.

        >>> Table.of("Names", [text("name")], [{"name": "a"}, {"name": "b"}], most=1)
        Table(caption='Names', columns=('name',), rows=(('a',),), words=1, note='1 more row is in the JSON report.')
        """
        cells = tuple(tuple(said(row) for _, said in columns) for row in rows[:most])
        if len(rows) > most:
            left = counted(len(rows) - most, "more row is", "more rows are")
            note = f"{note} {left} in the JSON report.".strip()
        return cls(caption, tuple(head for head, _ in columns), cells, words, note)


def text(head: str, name: str = "") -> Column:
    """A column of names."""
    return head, lambda row: clean(row[name or head])


def whole(head: str, name: str = "") -> Column:
    """A column of whole numbers, empty where one is not known."""
    return head, lambda row: "" if row.get(name or head) is None else f"{row[name or head]:,.0f}"


def probability(head: str, name: str) -> Column:
    """A column of probabilities."""
    return head, lambda row: chance(row.get(name))


def accuracy(level: float) -> list[Column]:
    """Two columns: accuracy and its interval."""
    return share_of("accuracy", interval_head(level))


def share_of(head: str, between: str) -> list[Column]:
    """Two columns: a share and its interval, in as many digits as everywhere else."""

    def digits(row: Row) -> int:
        return table_digits(row["low"], row["high"], share=True)

    return [
        (head, lambda row: figure(row["estimate"], share=True, digits=digits(row))),
        (between, lambda row: interval(row["low"], row["high"], share=True, digits=digits(row))),
    ]


def interval_head(level: float) -> str:
    """The head of a column of intervals.

    >>> interval_head(0.95)
    '95% interval'
    """
    return f"{100 * level:.6g}% interval"


_COUNTS: list[Column] = [("labels", lambda row: amount(row["labels"])), whole("items", "support")]
_METRIC: Column = ("metric", lambda row: named(row["metric"]))


def _measured(head: str, name: str, digits: Callable[[Row], int]) -> Column:
    """A metric's value, in percent where it is a share."""
    return head, lambda row: figure(row.get(name), share=is_share(row["metric"]), digits=digits(row))


def _measured_interval(level: float, digits: Callable[[Row], int]) -> Column:
    return interval_head(level), lambda row: interval(
        row["low"], row["high"], share=is_share(row["metric"]), digits=digits(row)
    )


def _as_precise(row: Row) -> int:
    return table_digits(row["low"], row["high"], share=is_share(row["metric"]))


def _alike(row: Row) -> int:
    return 1 if is_share(row["metric"]) else 3


def _of_models(models: Sequence[Row], part: str) -> tuple[list[Row], list[Column]]:
    """The rows of all models, and a column that tells whose they are, where there are several."""
    rows: list[Row] = [{**row, "model": one["name"]} for one in models for row in one[part]]
    return rows, [text("model")] if len(models) > 1 else []


def estimates_table(models: Sequence[Row], level: float) -> Table:
    """Every metric of every model; what the intervals promise is a column only where they promise different things."""
    rows, whose = _of_models(models, "estimates")
    promises = list(dict.fromkeys(row["promise"] for row in rows))
    spent = {row["labels"] for row in rows}
    optional = {
        "plug_in": _measured("plug-in", "plug_in", _as_precise),
        "design": _measured("design", "design", _as_precise),
        "worst_case": _measured("worst case", "worst_case", _as_precise),
        "best_case": _measured("best case", "best_case", _as_precise),
        "random_needed": whole("random would need", "random_needed"),
    }
    columns = [
        *whose,
        _METRIC,
        _measured("estimate", "estimate", _as_precise),
        _measured_interval(level, _as_precise),
        *(column for name, column in optional.items() if any(row.get(name) is not None for row in rows)),
        *([whole("labels")] if len(spent) > 1 else []),
        *([("promise", lambda row: str(row["promise"]))] if len(promises) > 1 else []),
    ]
    note = f"All from {counted(int(spent.pop()), 'label')}. " if len(spent) == 1 else ""
    note += f"The intervals promise: {promises[0]}." if len(promises) == 1 else ""
    return Table.of("Estimates", columns, rows, 1 + len(whose), note)


def groups_table(found: Row, level: float) -> Table:
    """One row per group, the lowest first; of many groups the two ends."""
    rows = sorted(found["rows"], key=lambda row: (row["estimate"] is None, row["estimate"]))
    half, left = TABLE_ROWS // 2, len(rows) - TABLE_ROWS
    shown = [*rows[:half], *rows[-half:]] if left > 0 else rows
    first = "predicted class" if found["by"] == "class" else found["by"]
    heads = [text(first, "group"), *accuracy(level), probability("P(worst)", "p_worst")]
    note = f"The {half} lowest and the {half} highest; {left:,} between them are in the JSON report."
    columns = [*heads, whole("labels"), whole("items", "size")]
    return Table.of(f"Accuracy by {first}", columns, shown, 1, note if left > 0 else "")


def comparisons_table(rows: Sequence[Row], level: float) -> Table:
    """Pairs of groups, and how probable it is that they differ by more than matters."""
    columns = [
        ("difference of accuracy", lambda row: f"{clean(row['by'])}: {minus(row['a'], row['b'])}"),
        ("points", lambda row: signed(row["estimate"])),
        (interval_head(level), lambda row: signed_interval(row["low"], row["high"])),
        *(probability(f"P({side})", f"p_{side}") for side in ("lower", "equal", "higher")),
    ]
    rope = 100 * rows[0]["rope"] if rows else 0
    return Table.of("Comparisons", columns, rows, 1, f"Equal means within ±{rope:g} points.", len(rows))


def _items(level: float) -> list[Column]:
    return [
        whole("items, estimated", "estimate"),
        (interval_head(level), lambda row: f"{row['low'] // 1:,.0f} to {-(-row['high'] // 1):,.0f}"),
    ]


def cells_table(cells: Iterable[Row], level: float, most: int, left_out: int = 0) -> Table:
    """Cells of the confusion with their intervals."""
    rows = [row for row in cells if row["estimate"] is not None]
    columns = [
        text("true class", "true"),
        text("predicted class", "predicted"),
        *_items(level),
    ]
    left = left_out + max(len(rows) - most, 0)
    note = f"{left:,} more are in the JSON report, or below half an item." if left > 0 else ""
    return Table.of("Cells of the confusion", columns, rows[:most], 2, note, most)


def every_cell_table(found: Row, level: float) -> Table:
    """Cells that hold half an item or more; of a large confusion the most confused."""
    seen = [row for row in found["cells"] if (row["estimate"] or 0) >= 0.5]
    return cells_table(seen, level, 400) if seen else cells_table(found["worst"], level, 200)


def classes_table(rows: Sequence[Row], level: float) -> Table:
    """How often each declared class was the answer, the rarest first; where told, how many items the pool holds."""
    told = any(row.get("estimate") is not None for row in rows)
    columns = [text("class"), whole("labels"), *(_items(level) if told else [])]
    return Table.of("Declared classes", columns, sorted(rows, key=lambda row: row["labels"]))


def calibration_table(bins: Sequence[Row], level: float) -> Table:
    """One row per score bin."""
    columns = [
        text("score", "bin"),
        whole("items", "size"),
        ("mean score", lambda row: figure(row["score"], share=True)),
        *accuracy(level),
        ("gap, points", lambda row: signed(row["bias"])),
    ]
    note = "The gap is mean score minus accuracy: above 0 it is too sure."
    return Table.of("Calibration", columns, bins, 1, note, len(bins))


def forecast_table(models: Sequence[Row], method: str) -> Table:
    """Labels for a precision, and what random sampling would have needed, unless it is what was done."""
    rows, whose = _of_models(models, "forecast")
    goal = f"±{100 * (rows[0]['within'] if rows else 0):g} points"
    columns = [*whose, _METRIC, ("now", _half_width), whole("labels spent", "labels")]
    columns += [whole("random, as precise", "random_needed"), whole(f"labels for {goal}", "labels_needed")]
    columns += [whole(f"random, for {goal}", "random_needed_for_goal")]
    if method == "random":
        columns = [column for column in columns if not column[0].startswith("random")]
    other = any(not is_share(row["metric"]) for row in rows)
    note = f"±{rows[0]['within']:g} for a metric that is no share." if other else ""
    return Table.of("Labels and precision", columns, rows, 1 + len(whose), note)


def _half_width(row: Row) -> str:
    half = row["half_width"]
    return f"±{100 * half:.1f} points" if is_share(row["metric"]) else f"±{half:.3f}"


def history_table(rows: Sequence[Row], level: float) -> Table:
    """The estimates after each refit."""
    columns = [_METRIC, whole("labels"), _measured("estimate", "estimate", _alike), _measured_interval(level, _alike)]
    return Table.of("Estimates against labels", columns, rows, most=2 * TABLE_ROWS)


def best_table(rows: Sequence[Row], level: float) -> Table:
    """The models by each metric, best first, and how far each is behind the leader."""
    leaders = {row["metric"]: row["model"] for row in reversed(rows)}

    def behind(row: Row) -> str:
        return (
            "leads" if leaders[row["metric"]] == row["model"] else signed(row["behind"], share=is_share(row["metric"]))
        )

    def between(row: Row) -> str:
        if leaders[row["metric"]] == row["model"]:
            return ""
        return signed_interval(row["behind_low"], row["behind_high"], share=is_share(row["metric"]))

    columns = [
        _METRIC, text("model"), probability("P(best)", "p_best"), _measured("estimate", "estimate", _as_precise),
        _measured_interval(level, _as_precise), ("behind the leader by", behind),
        (f"behind, {interval_head(level)}", between),
        ("ruled out", lambda row: "yes" if row["ruled_out"] else ""),
    ]  # fmt: skip
    return Table.of("Which is best", columns, rows, 2)


def differences_table(rows: Sequence[Row], level: float) -> Table:
    """Paired differences of models."""
    columns = [
        _METRIC,
        ("difference", lambda row: minus(row["first"], row["second"])),
        ("points or units", lambda row: signed(row["estimate"], share=is_share(row["metric"]))),
        (interval_head(level), lambda row: signed_interval(row["low"], row["high"], share=is_share(row["metric"]))),
        probability("P(first is higher)", "p_first_higher"),
    ]
    return Table.of("Differences", columns, rows, 2)


def arms_table(found: Row, level: float) -> Table:
    """The combinations that are probably the worst, the likeliest first."""
    shown = found["arms"][:WORST_SHOWN]
    left, rare = found["judged"] - len(shown), found["combinations"] - found["judged"]
    notes = [f"{left:,} more are in the JSON report." if left else ""]
    if found["labelled"] < found["judged"]:
        notes.append(f"Of {counted(found['judged'], 'combination')} judged, {found['labelled']:,} have labels.")
    if found["largest_only"]:
        notes.append(too_small(found["least"]))
    elif rare:
        fewer = f"fewer than {counted(found['least'], 'item')}"
        notes.append(f"{counted(rare, 'combination')} with {fewer} {'is' if rare == 1 else 'are'} not judged.")
    columns = [text("combination", "arm"), *accuracy(level), probability("P(worst)", "p_worst"), *_COUNTS]
    return Table.of("Combinations that are probably the worst", columns, shown, 1, " ".join(filter(None, notes)))


def pair_table(pair: Row) -> Table:
    """Accuracy per combination of two attributes: a row per value of the first, a column per value of the second."""
    a, b = pair["attributes"]
    if len(pair["values"][b]) > len(pair["values"][a]):
        a, b = b, a
    down, across = pair["values"][a], pair["values"][b]
    cells = {(row["values"][a], row["values"][b]): row for row in pair["cells"]}
    rows = tuple((clean(y), *(_cell(cells.get((y, x))) for x in across[:VALUES_SHOWN])) for y in down[:VALUES_SHOWN])
    left = max(len(down) - VALUES_SHOWN, 0) + max(len(across) - VALUES_SHOWN, 0)
    note = "In brackets the number of labels; a dash where the pool has no items."
    note += f" {counted(left, 'value')} more in the JSON report." if left else ""
    heads = (f"{clean(a)}, {clean(b)}", *(clean(x) for x in across[:VALUES_SHOWN]))
    return Table(f"Accuracy by {clean(a)} and {clean(b)}", heads, rows, 1, note)


def values_table(found: Row, level: float) -> Table:
    """Accuracy per value of one attribute."""
    name, left = found["attribute"], len(found["rows"]) - TABLE_ROWS
    columns = [(clean(name), lambda row: clean(row["values"][name])), *accuracy(level), *_COUNTS]
    note = f"{left:,} more in the JSON report." if left > 0 else ""
    return Table.of(f"Accuracy by {clean(name)}", columns, found["rows"][:TABLE_ROWS], 1, note)


def _cell(row: Row | None) -> str:
    if row is None:
        return "\N{EN DASH}"
    return f"{figure(row['estimate'], share=True, digits=0)} ({amount(row['labels'])})"


def conduct_table(conduct: Row) -> Table:
    """How the answers came about."""
    return Table("Conduct", ("what", "how often"), tuple(conduct_rows(conduct)))


def pairs_table(caption: str, heads: tuple[str, str], pairs: dict[str, Any]) -> Table:
    """Names and values."""
    return Table(caption, heads, tuple((clean(key), _plain(value)) for key, value in pairs.items()), 2)


def record_tables(record: Row) -> dict[str, Table]:
    """What an audit was made from: its input files, settings, and the versions of programs."""
    heads = {"inputs": ("file", "SHA-256"), "settings": ("setting", "value"), "versions": ("of", "version")}
    return {name: pairs_table(name.capitalize(), pair, record[name]) for name, pair in heads.items()}


def events_table(events: Sequence[Row]) -> Table:
    """Every event, as far as a page can hold them."""
    half, left = MOST_EVENTS // 2, len(events) - MOST_EVENTS
    shown = [*events[:half], *events[-half:]] if left > 0 else events
    columns = [
        ("number", lambda one: str(one["seq"])),
        ("time (UTC)", lambda one: str(one["at"])),
        text("event", "kind"),
        ("what", lambda one: event_words(one["kind"], one["body"])),
        ("hash", lambda one: str(one["hash"][:12])),
    ]
    note = f"The first and the last {half:,}; {left:,} between them are in the JSON report."
    return Table.of("Events", columns, shown, 5, note if left > 0 else "", MOST_EVENTS)


def items_table(items: Sequence[Row]) -> Table:
    """Items with an answer: what they say, and what was answered."""
    contents = list(dict.fromkeys(name for one in items for name in one["content"]))
    rows = tuple(
        (
            clean(one["id"]),
            "; ".join(f"{clean(a['annotator']) or '(nobody named)'}: {quoted(a['label'])}" for a in one["answers"]),
            "; ".join(clean(a["note"]) for a in one["answers"] if a["note"]),
            *(str(one["content"].get(name, "")) for name in contents),
        )
        for one in items[:MOST_ITEMS]
    )
    note = f"{len(items) - MOST_ITEMS:,} more are in the JSON report." if len(items) > MOST_ITEMS else ""
    return Table("Items", ("id", "answers", "notes", *contents), rows, 3 + len(contents), note)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{clean(key)} = {_plain(one)}" for key, one in value.items()) or "none"
    return "none" if value in (None, "") else clean(value)
