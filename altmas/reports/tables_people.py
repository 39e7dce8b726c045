"""Tables about people: who answered, how far they agree, what experts changed, what wrong answers would change."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.reports.numbers import table_digits
from altmas.reports.tables import Table, interval_head
from altmas.words.wording import Row, clean, figure, interval, is_share, named


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
    """The main metric if some answers are wrong: a row for each share of wrong ones, and model."""
    several = any(row.get("model") for row in rows)
    found: dict[tuple[str, float], dict[str, Row]] = {}
    for row in rows:
        found.setdefault((str(row.get("model", "")), row["wrong"]), {})[str(row["how"])] = row
    out = []
    for (model, wrong), how in found.items():
        value, between = _cells(how.get("at random"))
        cells = (f"{100 * wrong:g}%", value, between, _cells(how.get("at worst"))[1])
        out.append((clean(model), *cells) if several else cells)
    heads = (*(["model"] * several), "answers wrong", "at random", interval_head(level), "at worst")
    return Table(f"{named(rows[0]['metric']) if rows else 'The metric'} if answers are wrong", heads, tuple(out))


def _cells(row: Row | None) -> tuple[str, str]:
    """An estimate and its interval."""
    if row is None:
        return "", ""
    share = is_share(row["metric"])
    digits = table_digits(row["low"], row["high"], share=share)
    ends = interval(row["low"], row["high"], share=share, digits=digits)
    return figure(row["estimate"], share=share, digits=digits), ends


def _share(share: float | None, pairs: int = 0, of: str = "") -> str:
    if share is None:
        return ""
    return f"{100 * share:.0f}%" + (f" of {pairs:,} {of}" if of else "")
