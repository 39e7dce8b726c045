"""Tables of the first screen and of classes: the ranking of several models, targets, precision beside recall."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from altmas.core.requirements import read_requirement
from altmas.reports.numbers import table_digits
from altmas.reports.tables import (
    TABLE_ROWS,
    Column,
    Table,
    ends_shown,
    interval_head,
    probability,
    share_of,
    text,
    whole,
)
from altmas.words.good_enough import asked_for, goal_in_short, outcome_in_words
from altmas.words.language import sentence
from altmas.words.wording import Row, chance, figure, interval, is_share, marked, named, percent

MOST_RANKED, MOST_TARGETS = 12, 3
"""Models of the ranking, and columns of targets in it, at most."""


def ranking_table(rows: Sequence[Row], level: float) -> Table:
    """The models, best first: how good, how sure, how often without an answer, and whether targets are met."""
    metric = rows[0]["metric"]
    share, targets = is_share(metric), list(dict.fromkeys(key for row in rows for key in row["targets"]))

    def digits(row: Row) -> int:
        return table_digits(row["low"], row["high"], share=share)

    columns: list[Column] = [
        ("", lambda row: str(row["rank"])),
        text(sentence("model"), "model"),
        (named(metric), lambda row: figure(row["estimate"], share=share, digits=digits(row))),
        (interval_head(level), lambda row: interval(row["low"], row["high"], share=share, digits=digits(row))),
        probability(sentence("P(best)"), "p_best"),
    ]
    if any(row["no_answer"] for row in rows):
        columns.append((sentence("no answer"), lambda row: no_answer_share(row["no_answer"])))
    columns += [(goal_in_short(read_requirement(one)), _outcome(one)) for one in targets[:MOST_TARGETS]]
    return Table.of(sentence("The models, best first"), columns, rows, 2, most=MOST_RANKED)


def no_answer_share(share: float) -> str:
    """The share of items without an answer, in percent.

    >>> no_answer_share(0.0), no_answer_share(0.009), no_answer_share(0.0002)
    ('0%', '0.9%', '0.020%')
    """
    return percent(0) if share == 0 else figure(share, share=True, digits=1 if share >= 0.001 else 3)


def _goal(target: str) -> str:
    return asked_for(read_requirement(target))


def _outcome(target: str) -> Callable[[Row], str]:
    def said(row: Row) -> str:
        found = row["targets"].get(target)
        return "" if found is None else outcome_in_words(found)

    return said


def targets_table(rows: Sequence[Row], level: float) -> Table:
    """Every requirement: what came of it, and the interval that it rests on."""
    several = len({row["model"] for row in rows}) > 1

    def digits(row: Row) -> int:
        return table_digits(row["low"], row["high"], share=is_share(row["metric"]))

    columns: list[Column] = [
        *([text(sentence("model"), "model")] if several else []),
        (sentence("must reach"), lambda row: _goal(row["target"])),
        (sentence("outcome"), lambda row: outcome_in_words(row["outcome"])),
        (sentence("estimate"), lambda row: figure(row["estimate"], share=is_share(row["metric"]), digits=digits(row))),
        (interval_head(level), lambda row: interval(
            row["low"], row["high"], share=is_share(row["metric"]), digits=digits(row))),
        whole(sentence("labels to settle it"), "labels_needed"),
    ]  # fmt: skip
    return Table.of(sentence("Targets"), columns, rows, 2 + several, most=len(rows))


def classes_table(said: Row | None, true: Row, level: float) -> Table:
    """Both sides of every class: how often it is right where it says it, and how many of the class it finds."""
    by_name = {row["group"]: row for row in said["rows"]} if said else {}
    found = {row["class"]: row for row in true["rows"]}
    names = dict.fromkeys([*found, *by_name])
    rows = [{"class": name, "true": found.get(name), "said": by_name.get(name)} for name in names]
    rows.sort(key=lambda row: _lowest(row["said"], row["true"]))
    between = interval_head(level)

    def part(name: str, column: Column) -> Column:
        head, cell = column
        return head, lambda row: "" if row[name] is None or row[name].get("estimate") is None else cell(row[name])

    def count(head: str, name: str, key: str) -> Column:
        return head, lambda row: "" if row[name] is None else marked(f"{row[name][key]:,.0f}")

    columns: list[Column] = [
        text(sentence("class"), "class"),
        *(part("said", one) for one in share_of(sentence("right where it says so (precision)"), between)),
        part("said", (sentence("P(worst)"), lambda row: chance(row["p_worst"]))),
        count(sentence("items it says so of"), "said", "size"),
        *(part("true", one) for one in share_of(sentence("found where it is so (recall)"), between)),
        part("true", (sentence("P(worst)"), lambda row: chance(row["p_worst"]))),
        count(sentence("labels of the class"), "true", "labels"),
    ]
    left = len(rows) - TABLE_ROWS
    note = sentence("A class without numbers was never said, or never the answer.")
    if left > 0:
        half = TABLE_ROWS // 2
        rows = [*rows[:half], *rows[-half:]]
        note = f"{ends_shown(half, left)} {note}"
    return Table.of(sentence("Precision and recall by class"), columns, rows, 1, note)


def _lowest(said: Row | None, true: Row | None) -> tuple[bool, float]:
    known = [row["estimate"] for row in (said, true) if row is not None and row["estimate"] is not None]
    return not known, min(known, default=0.0)
