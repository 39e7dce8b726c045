"""Tables of combinations of attributes."""

from __future__ import annotations

from altmas.plots.heat_maps import VALUES_SHOWN
from altmas.reports.tables import TABLE_ROWS, Column, Table, accuracy, more_left, probability, text, whole
from altmas.words.language import sentence
from altmas.words.surfaces import too_small
from altmas.words.wording import Row, amount, clean, counted, figure, listed, marked

WORST_SHOWN = 10
"""Combinations in a table of the worst."""


def _counts() -> list[Column]:
    return [(sentence("labels"), lambda row: amount(row["labels"])), whole(sentence("items"), "support")]


def arms_table(found: Row, level: float) -> Table:
    """The combinations that are probably the worst, the likeliest first."""
    shown = found["arms"][:WORST_SHOWN]
    left, rare = found["judged"] - len(shown), found["combinations"] - found["judged"]
    notes = [more_left(left)]
    if found["labelled"] < found["judged"]:
        judged, labelled = counted(found["judged"], "combination"), marked(f"{found['labelled']:,}")
        notes.append(sentence("Of {judged} judged, {labelled} have labels.", judged=judged, labelled=labelled))
    if found["largest_only"]:
        notes.append(too_small(found["least"]))
    elif rare:
        notes.append(
            sentence(
                "{combinations} with fewer than {items} is not judged."
                if rare == 1
                else "{combinations} with fewer than {items} are not judged.",
                combinations=counted(rare, "combination"), items=counted(found["least"], "item"),
            )
        )  # fmt: skip
    columns = [
        text(sentence("combination"), "arm"),
        *accuracy(level),
        probability(sentence("P(worst)"), "p_worst"),
        *_counts(),
    ]
    caption = sentence("Combinations that are probably the worst")
    return Table.of(caption, columns, shown, 1, " ".join(filter(None, notes)))


def pair_table(pair: Row) -> Table:
    """Accuracy per combination of two attributes: a row per value of the first, a column per value of the second."""
    a, b = pair["attributes"]
    if len(pair["values"][b]) > len(pair["values"][a]):
        a, b = b, a
    down, across = pair["values"][a], pair["values"][b]
    cells = {(row["values"][a], row["values"][b]): row for row in pair["cells"]}
    rows = tuple((clean(y), *(_cell(cells.get((y, x))) for x in across[:VALUES_SHOWN])) for y in down[:VALUES_SHOWN])
    left = max(len(down) - VALUES_SHOWN, 0) + max(len(across) - VALUES_SHOWN, 0)
    note = sentence("In brackets the number of labels; a dash where the pool has no items.")
    if left:
        note += " " + sentence("{values} more in the JSON report.", values=counted(left, "value"))
    heads = (f"{clean(a)}, {clean(b)}", *(clean(x) for x in across[:VALUES_SHOWN]))
    return Table(sentence("Accuracy by {by}", by=listed([clean(a), clean(b)])), heads, rows, 1, note)


def values_table(found: Row, level: float) -> Table:
    """Accuracy per value of one attribute."""
    name, left = found["attribute"], len(found["rows"]) - TABLE_ROWS
    columns = [(clean(name), lambda row: clean(row["values"][name])), *accuracy(level), *_counts()]
    note = sentence("{number} more in the JSON report.", number=marked(f"{left:,}")) if left > 0 else ""
    return Table.of(sentence("Accuracy by {by}", by=clean(name)), columns, found["rows"][:TABLE_ROWS], 1, note)


def _cell(row: Row | None) -> str:
    if row is None:
        return "\N{EN DASH}"
    return f"{figure(row['estimate'], share=True, digits=0)} ({amount(row['labels'])})"
