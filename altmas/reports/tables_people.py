"""Tables about people: who answered, how far they agree, what experts changed, what wrong answers would change."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.reports.numbers import table_digits
from altmas.reports.tables import Table, interval_head
from altmas.words.wording import Row, clean, figure, interval, is_share


def annotators_table(people: dict[str, int], each: Sequence[Row] = (), experts: dict[str, int] | None = None) -> Table:
    """Answers by annotator, how often each agreed with others and with experts, and experts' readings."""
    known = {str(row["annotator"]): row for row in each}
    several = any(row["pairs"] for row in each)
    read = any(row["read"] for row in each)
    heads = ["annotator", "answers", *(["agrees with others"] * several), *(["confirmed by experts"] * read)]
    rows = []
    for name, count in people.items():
        row = known.get(name, {})
        cells = [clean(name) or "(nobody named)", f"{count:,}"]
        cells += [_share(row.get("share"), row.get("pairs", 0), "pairs")] if several else []
        if read:
            cells.append(f"{row['confirmed']:,} of {row['read']:,}" if row.get("read") else "")
        rows.append(tuple(cells))
    blank = ("",) * (len(heads) - 2)
    for name, count in (experts or {}).items():
        rows.append((f"{clean(name) or '(nobody named)'}, expert", f"{count:,} readings", *blank))
    return Table("Annotators", tuple(heads), tuple(rows))


def class_agreement_table(each: Sequence[Row]) -> Table:
    """How far annotators agree, class by class."""
    rows = tuple((clean(row["class"]), f"{row['pairs']:,}", _share(row["share"])) for row in each)
    return Table("Agreement by class", ("class", "pairs that name it", "both name it"), rows)


def sensitivity_table(rows: Sequence[Row], level: float) -> Table:
    """The main metric if some answers are wrong."""
    several = any(row.get("model") for row in rows)
    heads = (*(["model"] * several), "metric", "answers wrong", "how", "estimate", interval_head(level))
    out = []
    for row in rows:
        share = is_share(row["metric"])
        digits = table_digits(row["low"], row["high"], share=share)
        value = figure(row["estimate"], share=share, digits=digits) if row["how"] == "at random" else ""
        ends = interval(row["low"], row["high"], share=share, digits=digits)
        name = [clean(row.get("model", ""))] if several else []
        out.append((*name, clean(row["metric"]), f"{100 * row['wrong']:g}%", str(row["how"]), value, ends))
    return Table("If answers are wrong", heads, tuple(out), 3 + several)


def _share(share: float | None, pairs: int = 0, of: str = "") -> str:
    if share is None:
        return ""
    return f"{100 * share:.0f}%" + (f" of {pairs:,} {of}" if of else "")
