"""Tables of combinations of attributes, as text: the same ones for every format."""

from __future__ import annotations

from altmas.plots.heat_maps import VALUES_SHOWN
from altmas.reports.tables import Table, interval_head
from altmas.words.surfaces import too_small
from altmas.words.wording import Row, amount, chance, clean, counted, figure, interval

WORST = 10


def arms_table(found: Row, level: float) -> Table:
    """The combinations that are probably the worst, the likeliest first."""
    cells = [
        (
            clean(row["arm"]),
            figure(row["estimate"], share=True),
            interval(row["low"], row["high"], share=True),
            chance(row["p_worst"]),
            amount(row["labels"]),
            amount(row["support"]),
        )
        for row in found["arms"][:WORST]
    ]
    heads = ("combination", "accuracy", interval_head(level), "P(worst)", "labels", "items")
    left, rare = found["judged"] - len(cells), found["combinations"] - found["judged"]
    notes = [f"{left:,} more are in the JSON report." if left else ""]
    if found["labelled"] < found["judged"]:
        notes.append(f"Of {counted(found['judged'], 'combination')} judged, {found['labelled']:,} have labels.")
    if found["largest_only"]:
        notes.append(too_small(found["least"]))
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
    rows = tuple((clean(y), *(_cell(cells.get((y, x))) for x in across[:VALUES_SHOWN])) for y in down[:VALUES_SHOWN])
    left = max(len(down) - VALUES_SHOWN, 0) + max(len(across) - VALUES_SHOWN, 0)
    note = "In brackets the number of labels; a dash where the pool has no items."
    note += f" {counted(left, 'value')} more in the JSON report." if left else ""
    heads = (f"{clean(a)}, {clean(b)}", *(clean(x) for x in across[:VALUES_SHOWN]))
    return Table(f"Accuracy by {clean(a)} and {clean(b)}", heads, rows, 1, note)


def values_table(found: Row, level: float) -> Table:
    """Accuracy per value of one attribute."""
    name = found["attribute"]
    cells = tuple(
        (
            clean(row["values"][name]),
            figure(row["estimate"], share=True),
            interval(row["low"], row["high"], share=True),
            amount(row["labels"]),
            amount(row["support"]),
        )
        for row in found["rows"][:60]
    )
    heads = (clean(name), "accuracy", interval_head(level), "labels", "items")
    left = len(found["rows"]) - len(cells)
    return Table(f"Accuracy by {clean(name)}", heads, cells, 1, f"{left:,} more in the JSON report." if left else "")


def _cell(row: Row | None) -> str:
    return (
        "\N{EN DASH}" if row is None else f"{figure(row['estimate'], share=True, digits=0)} ({amount(row['labels'])})"
    )
