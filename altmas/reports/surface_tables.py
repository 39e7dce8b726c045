"""Tables of combinations of attributes, as text: the same ones for every format."""

from __future__ import annotations

from altmas.plots.heat_maps import VALUES_SHOWN
from altmas.reports.tables import TABLE_ROWS, Column, Table, accuracy, probability, text
from altmas.words.surfaces import too_small
from altmas.words.wording import Row, amount, clean, counted, figure

WORST_SHOWN = 10
_COUNTS: list[Column] = [
    ("labels", lambda row: amount(row["labels"])),
    ("items", lambda row: amount(row["support"])),
]


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
