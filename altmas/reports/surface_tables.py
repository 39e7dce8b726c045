"""Tables of combinations of attributes, as text: the same ones for every format."""

from __future__ import annotations

from altmas.reports.tables import Table, _percent, _whole
from altmas.words.verdict import Row
from altmas.words.wording import chance, clean, counted, figure, interval

WORST = 10
MOST_VALUES = 12


def arms_table(found: Row, level: float) -> Table:
    """The combinations that are probably the worst, the likeliest first."""
    cells = [
        (
            clean(row["arm"]),
            figure(row["estimate"], share=True),
            interval(row["low"], row["high"], share=True),
            chance(row["p_worst"]),
            _labels(row["labels"]),
            _labels(row["support"]),
        )
        for row in found["arms"][:WORST]
    ]
    heads = ("combination", "accuracy", f"{_percent(level)} interval", "P(worst)", "labels", "items")
    left, rare = found["judged"] - len(cells), found["combinations"] - found["judged"]
    notes = [f"{left:,} more are in the JSON report." if left else ""]
    if found["labelled"] < found["judged"]:
        notes.append(f"Of {counted(found['judged'], 'combination')} judged, {found['labelled']:,} have labels.")
    if found["largest_only"]:
        notes.append(f"No combination has {counted(found['least'], 'item')}: the largest are judged.")
    elif rare:
        fewer = f"fewer than {counted(found['least'], 'item')}"
        notes.append(f"{counted(rare, 'combination')} with {fewer} {'is' if rare == 1 else 'are'} not judged.")
    return Table("Combinations that are probably the worst", heads, tuple(cells), 1, " ".join(filter(None, notes)))


def pair_table(pair: Row) -> Table:
    """Accuracy per combination of two attributes: a row per value of the first, a column per value of the second."""
    a, b = pair["attributes"]
    if len(pair["values"][b]) > len(pair["values"][a]):
        a, b = b, a
    down, across = pair["values"][a], pair["values"][b]
    cells = {(row["values"][a], row["values"][b]): row for row in pair["cells"]}
    rows = tuple((clean(y), *(_cell(cells.get((y, x))) for x in across[:MOST_VALUES])) for y in down[:MOST_VALUES])
    left = max(len(down) - MOST_VALUES, 0) + max(len(across) - MOST_VALUES, 0)
    note = "In brackets the number of labels; a dash where the pool has no items."
    note += f" {counted(left, 'value')} more in the JSON report." if left else ""
    heads = (f"{clean(a)}, {clean(b)}", *(clean(x) for x in across[:MOST_VALUES]))
    return Table(f"Accuracy by {clean(a)} and {clean(b)}", heads, rows, 1, note)


def values_table(found: Row, level: float) -> Table:
    """Accuracy per value of one attribute."""
    name = found["attribute"]
    cells = tuple(
        (
            clean(row["values"][name]),
            figure(row["estimate"], share=True),
            interval(row["low"], row["high"], share=True),
            _labels(row["labels"]),
            _labels(row["support"]),
        )
        for row in found["rows"][:60]
    )
    heads = (clean(name), "accuracy", f"{_percent(level)} interval", "labels", "items")
    left = len(found["rows"]) - len(cells)
    return Table(f"Accuracy by {clean(name)}", heads, cells, 1, f"{left:,} more in the JSON report." if left else "")


def _cell(row: Row | None) -> str:
    return (
        "\N{EN DASH}" if row is None else f"{figure(row['estimate'], share=True, digits=0)} ({_labels(row['labels'])})"
    )


def _labels(count: float) -> str:
    return _whole(count) if float(count).is_integer() else f"{count:,.1f}"
