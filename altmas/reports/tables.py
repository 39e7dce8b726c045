"""The tables of a report, as text: the same ones for every format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from altmas.reports.numbers import class_name, minus, signed, signed_interval, table_digits
from altmas.words.language import sentence
from altmas.words.promises import promised
from altmas.words.wording import (
    Row,
    chance,
    clean,
    counted,
    figure,
    interval,
    is_share,
    level_of,
    marked,
    named,
)

TABLE_ROWS = 60
"""Of a longer table the two ends are shown, or its beginning; the JSON report has all of it."""

MOST_CONFUSED = 12
"""Cells of the confusion in a table of the worst."""

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
            note = f"{note} {rows_left(len(rows) - most)}".strip()
        return cls(caption, tuple(head for head, _ in columns), cells, words, note)


def rows_left(count: int) -> str:
    """Where rows are that a table leaves out.

    >>> rows_left(2)
    '2 more rows are in the JSON report.'
    """
    rows = counted(count, "more row is", "more rows are")
    return sentence("{rows} in the JSON report.", rows=rows)


def more_left(count: int) -> str:
    """The same of what is no row.

    >>> more_left(1_200), more_left(0)
    ('1,200 more are in the JSON report.', '')
    """
    return sentence("{number} more are in the JSON report.", number=marked(f"{count:,}")) if count > 0 else ""


def ends_shown(half: int, left: int) -> str:
    """What a table of the two ends leaves out."""
    return sentence(
        "The {half} lowest and the {half} highest; {left} between them are in the JSON report.",
        half=half, left=marked(f"{left:,}"),
    )  # fmt: skip


def text(head: str, name: str = "") -> Column:
    """A column of names."""
    return head, lambda row: clean(row[name or head])


def whole(head: str, name: str = "") -> Column:
    """A column of whole numbers, empty where one is not known."""
    return head, lambda row: "" if row.get(name or head) is None else marked(f"{row[name or head]:,.0f}")


def probability(head: str, name: str) -> Column:
    """A column of probabilities."""
    return head, lambda row: chance(row.get(name))


def accuracy(level: float) -> list[Column]:
    """Two columns: accuracy and its interval."""
    return share_of(sentence("accuracy"), interval_head(level))


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
    return sentence("{level}% interval", level=level_of(level))


def _metric() -> Column:
    return sentence("metric"), lambda row: named(row["metric"])


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
    return rows, [text(sentence("model"), "model")] if len(models) > 1 else []


def estimates_table(models: Sequence[Row], level: float) -> Table:
    """Every metric of every model; what the intervals promise is a column only where they promise different things."""
    rows, whose = _of_models(models, "estimates")
    promises = list(dict.fromkeys(row["promise"] for row in rows))
    spent = {row["labels"] for row in rows}
    optional = {
        "plug_in": _measured(sentence("plug-in"), "plug_in", _as_precise),
        "design": _measured(sentence("design"), "design", _as_precise),
        "worst_case": _measured(sentence("worst case"), "worst_case", _as_precise),
        "best_case": _measured(sentence("best case"), "best_case", _as_precise),
        "random_needed": whole(sentence("random would need"), "random_needed"),
    }
    columns = [
        *whose,
        _metric(),
        _measured(sentence("estimate"), "estimate", _as_precise),
        _measured_interval(level, _as_precise),
        *(column for name, column in optional.items() if any(row.get(name) is not None for row in rows)),
        *([whole(sentence("labels"), "labels")] if len(spent) > 1 else []),
        *([(sentence("promise"), lambda row: promised(row["promise"]))] if len(promises) > 1 else []),
    ]
    notes = [sentence("All from {labels}.", labels=counted(int(spent.pop()), "label"))] if len(spent) == 1 else []
    if len(promises) == 1:
        notes.append(sentence("The intervals promise: {promise}.", promise=promised(promises[0])))
    return Table.of(sentence("Estimates"), columns, rows, 1 + len(whose), " ".join(notes))


def groups_table(found: Row, level: float) -> Table:
    """One row per group, the lowest first; of many groups the two ends."""
    rows = sorted(found["rows"], key=lambda row: (row["estimate"] is None, row["estimate"]))
    half, left = TABLE_ROWS // 2, len(rows) - TABLE_ROWS
    shown = [*rows[:half], *rows[-half:]] if left > 0 else rows
    first = sentence("predicted class") if found["by"] == "class" else found["by"]
    heads = [text(first, "group"), *accuracy(level), probability(sentence("P(worst)"), "p_worst")]
    columns = [*heads, whole(sentence("labels"), "labels"), whole(sentence("items"), "size")]
    caption = sentence("Accuracy by {by}", by=first)
    return Table.of(caption, columns, shown, 1, ends_shown(half, left) if left > 0 else "")


def comparisons_table(rows: Sequence[Row], level: float) -> Table:
    """Pairs of groups, and how probable it is that they differ by more than matters."""
    columns = [
        (sentence("difference of accuracy"), lambda row: f"{clean(row['by'])}: {minus(row['a'], row['b'])}"),
        (sentence("points"), lambda row: signed(row["estimate"])),
        (interval_head(level), lambda row: signed_interval(row["low"], row["high"])),
        probability(sentence("P(lower)"), "p_lower"),
        probability(sentence("P(equal)"), "p_equal"),
        probability(sentence("P(higher)"), "p_higher"),
    ]
    rope = marked(f"{100 * rows[0]['rope'] if rows else 0:g}")
    note = sentence("Equal means within ±{rope} points.", rope=rope)
    return Table.of(sentence("Comparisons"), columns, rows, 1, note, len(rows))


def _items(level: float) -> list[Column]:
    return [
        whole(sentence("items, estimated"), "estimate"),
        (interval_head(level), _between_items),
    ]


def _between_items(row: Row) -> str:
    least, most = row["low"] // 1, -(-row["high"] // 1)
    return sentence("{low} to {high}", low=marked(f"{least:,.0f}"), high=marked(f"{most:,.0f}"))


def cells_table(cells: Iterable[Row], level: float, most: int, left_out: int = 0) -> Table:
    """Cells of the confusion with their intervals."""
    rows = [row for row in cells if row["estimate"] is not None]
    columns = [
        text(sentence("true class"), "true"),
        (sentence("predicted class"), lambda row: class_name(row["predicted"])),
        *_items(level),
    ]
    left = left_out + max(len(rows) - most, 0)
    number = marked(f"{left:,}")
    note = sentence("{number} more are in the JSON report, or below half an item.", number=number) if left > 0 else ""
    return Table.of(sentence("Cells of the confusion"), columns, rows[:most], 2, note, most)


def every_cell_table(found: Row, level: float) -> Table:
    """Cells that hold half an item or more; of a large confusion the most confused."""
    seen = [row for row in found["cells"] if (row["estimate"] or 0) >= 0.5]
    return cells_table(seen, level, 400) if seen else cells_table(found["worst"], level, 200)


def classes_table(rows: Sequence[Row], level: float) -> Table:
    """How often each declared class was the answer, the rarest first; where told, how many items the pool holds."""
    told = any(row.get("estimate") is not None for row in rows)
    columns = [text(sentence("class"), "class"), whole(sentence("labels"), "labels"), *(_items(level) if told else [])]
    return Table.of(sentence("Declared classes"), columns, sorted(rows, key=lambda row: row["labels"]))


def calibration_table(bins: Sequence[Row], level: float) -> Table:
    """One row per score bin."""
    columns = [
        (sentence("score"), lambda row: marked(clean(row["bin"]))),
        whole(sentence("items"), "size"),
        (sentence("mean score"), lambda row: figure(row["score"], share=True)),
        *accuracy(level),
        (sentence("gap, points"), lambda row: signed(row["bias"])),
    ]
    note = sentence("The gap is mean score minus accuracy: above 0 it is too sure.")
    return Table.of(sentence("Calibration"), columns, bins, 1, note, len(bins))


def forecast_table(models: Sequence[Row], method: str) -> Table:
    """Labels for a precision, and what random sampling would have needed, unless it is what was done."""
    rows, whose = _of_models(models, "forecast")
    within = rows[0]["within"] if rows else 0
    goal = sentence("±{number} points", number=marked(f"{100 * within:g}"))
    by_random = method == "random"
    columns = [*whose, _metric(), (sentence("now"), _half_width), whole(sentence("labels spent"), "labels")]
    columns += [] if by_random else [whole(sentence("random, as precise"), "random_needed")]
    columns += [whole(sentence("labels for {goal}", goal=goal), "labels_needed")]
    columns += [] if by_random else [whole(sentence("random, for {goal}", goal=goal), "random_needed_for_goal")]
    other, number = any(not is_share(row["metric"]) for row in rows), marked(f"{within:g}")
    note = sentence("±{number} for a metric that is no share.", number=number) if other else ""
    return Table.of(sentence("Labels and precision"), columns, rows, 1 + len(whose), note)


def _half_width(row: Row) -> str:
    half = row["half_width"]
    if is_share(row["metric"]):
        return sentence("±{number} points", number=marked(f"{100 * half:.1f}"))
    return f"±{marked(f'{half:.3f}')}"


def history_table(rows: Sequence[Row], level: float) -> Table:
    """The estimates after each refit."""
    columns = [
        _metric(),
        whole(sentence("labels"), "labels"),
        _measured(sentence("estimate"), "estimate", _alike),
        _measured_interval(level, _alike),
    ]
    return Table.of(sentence("Estimates against labels"), columns, rows, most=2 * TABLE_ROWS)


def best_table(rows: Sequence[Row], level: float) -> Table:
    """The models by each metric, best first, and how far each is behind the leader."""
    leaders = {row["metric"]: row["model"] for row in reversed(rows)}

    def behind(row: Row) -> str:
        leads = leaders[row["metric"]] == row["model"]
        return sentence("leads") if leads else signed(row["behind"], share=is_share(row["metric"]))

    def between(row: Row) -> str:
        if leaders[row["metric"]] == row["model"]:
            return ""
        return signed_interval(row["behind_low"], row["behind_high"], share=is_share(row["metric"]))

    columns = [
        _metric(),
        text(sentence("model"), "model"),
        probability(sentence("P(best)"), "p_best"),
        _measured(sentence("estimate"), "estimate", _as_precise),
        _measured_interval(level, _as_precise),
        (sentence("behind the leader by"), behind),
        (sentence("behind, {interval}", interval=interval_head(level)), between),
        (sentence("ruled out"), lambda row: sentence("yes") if row["ruled_out"] else ""),
    ]
    return Table.of(sentence("Which is best"), columns, rows, 2)


def differences_table(rows: Sequence[Row], level: float) -> Table:
    """Paired differences of models."""
    columns = [
        _metric(),
        (sentence("difference"), lambda row: minus(row["first"], row["second"])),
        (sentence("points or units"), lambda row: signed(row["estimate"], share=is_share(row["metric"]))),
        (interval_head(level), lambda row: signed_interval(row["low"], row["high"], share=is_share(row["metric"]))),
        probability(sentence("P(first is higher)"), "p_first_higher"),
    ]
    return Table.of(sentence("Differences"), columns, rows, 2)
