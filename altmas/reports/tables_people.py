"""Tables about people: who answered, how far they agree, what experts changed, what wrong answers would change."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.reports.numbers import table_digits
from altmas.reports.tables import Table, interval_head
from altmas.words.language import sentence
from altmas.words.wording import Row, clean, figure, interval, is_share, marked, named, percent


def annotators_table(people: dict[str, int], each: Sequence[Row] = (), experts: dict[str, int] | None = None) -> Table:
    """Answers by annotator, how often each agreed with others and with experts, and experts' readings."""
    known = {str(row["annotator"]): row for row in each}
    several = any(row["pairs"] for row in each)
    read = any(row["read"] for row in each)
    heads = [sentence("annotator"), sentence("answers")]
    heads += [sentence("agrees with others")] if several else []
    heads += [sentence("confirmed by experts")] if read else []
    rows = []
    for name, count in people.items():
        row = known.get(name, {})
        cells = [_person(name), marked(f"{count:,}")]
        cells += [_share(row.get("share"), row.get("pairs", 0))] if several else []
        cells += [_confirmed(row) if row.get("read") else ""] if read else []
        rows.append(tuple(cells))
    blank = ("",) * (len(heads) - 2)
    for name, count in (experts or {}).items():
        readings = sentence("{number} readings", number=marked(f"{count:,}"))
        rows.append((sentence("{who}, expert", who=_person(name)), readings, *blank))
    return Table(sentence("Annotators"), tuple(heads), tuple(rows))


def class_agreement_table(each: Sequence[Row]) -> Table:
    """How far annotators agree, class by class."""
    rows = tuple((clean(row["class"]), marked(f"{row['pairs']:,}"), _share(row["share"])) for row in each)
    heads = (sentence("class"), sentence("pairs that name it"), sentence("both name it"))
    return Table(sentence("Agreement by class"), heads, rows)


def sensitivity_table(rows: Sequence[Row], level: float) -> Table:
    """The main metric if some answers are wrong: a row for each share of wrong ones, and model."""
    several = any(row.get("model") for row in rows)
    found: dict[tuple[str, float], dict[str, Row]] = {}
    for row in rows:
        found.setdefault((str(row.get("model", "")), row["wrong"]), {})[str(row["how"])] = row
    out = []
    for (model, wrong), how in found.items():
        value, between = _cells(how.get("at random"))
        cells = (percent(wrong, "g"), value, between, _cells(how.get("at worst"))[1])
        out.append((clean(model), *cells) if several else cells)
    whose = [sentence("model")] if several else []
    heads = (*whose, sentence("answers wrong"), sentence("at random"), interval_head(level), sentence("at worst"))
    metric = named(rows[0]["metric"]) if rows else sentence("The metric")
    return Table(sentence("{metric} if answers are wrong", metric=metric), heads, tuple(out))


def _person(name: str) -> str:
    return clean(name) or sentence("(nobody named)")


def _confirmed(row: Row) -> str:
    return sentence("{number} of {all}", number=marked(f"{row['confirmed']:,}"), all=marked(f"{row['read']:,}"))


def _cells(row: Row | None) -> tuple[str, str]:
    """An estimate and its interval."""
    if row is None:
        return "", ""
    share = is_share(row["metric"])
    digits = table_digits(row["low"], row["high"], share=share)
    ends = interval(row["low"], row["high"], share=share, digits=digits)
    return figure(row["estimate"], share=share, digits=digits), ends


def _share(share: float | None, pairs: int | None = None) -> str:
    if share is None:
        return ""
    if pairs is None:
        return percent(share)
    return sentence("{share} of {number} pairs", share=percent(share), number=marked(f"{pairs:,}"))
