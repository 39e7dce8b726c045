"""The report as Markdown: the same sentences and tables, without the figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from altmas.reports import surface_tables, tables
from altmas.reports.view import MOST_CONFUSED
from altmas.words.wording import clean, counted

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def render_markdown(facts: Mapping[str, Any]) -> str:
    """The whole report. Whatever came from outside is escaped, so that it stays text."""
    blocks = [block for part in _PARTS for block in part(facts) if block]
    return "\n\n".join(blocks) + "\n"


def escape(text: object) -> str:
    r"""Text that no reader of Markdown takes for anything else.

    >>> print(escape("a|b <script> *x*"))
    a\|b \<script\> \*x\*
    """
    return _SPECIAL.sub(r"\\\1", clean(text))


def _verdict(facts: Mapping[str, Any]) -> Iterator[str]:
    size, labels = facts["pool"]["size"], facts["labels"]
    yield f"# {escape(facts['title'] or 'Audit report')}"
    about = f"{counted(labels, 'label')} on a pool of {counted(size, 'item')}, method {facts['method']}"
    yield escape(f"{about}; as of {facts['as_of']}.")
    yield "## Verdict"
    yield _paragraphs(f"**{escape(one)}**" for one in facts["headline"])
    for one in facts["models"]:
        whose = f"{one['name']}: " if len(facts["models"]) > 1 else ""
        said = one["verdict"]
        sentences = [f"{said['reach']} {said['promise']}".strip(), *said["worst"], said["next"], said["random"]]
        yield _paragraphs(escape(whose + sentence) for sentence in sentences if sentence)


def _estimates(facts: Mapping[str, Any]) -> Iterator[str]:
    models, level = facts["models"], facts["level"]
    if any(one["estimates"] for one in models):
        yield "## Estimates"
        yield _table(tables.estimates_table(models, level))
    if facts["vendors"]:
        yield "## Models compared"
        yield _paragraphs(map(escape, facts["vendors"]["sentences"][:12]))
        yield _table(tables.best_table(facts["vendors"]["best"]))
        yield _table(tables.differences_table(facts["vendors"]["differences"], level))


def _models(facts: Mapping[str, Any]) -> Iterator[str]:
    level = facts["level"]
    for one in facts["models"]:
        whose = f", {escape(one['name'])}" if len(facts["models"]) > 1 else ""
        if one["groups"]:
            yield f"## Where it is worst{whose}"
        for found in one["groups"]:
            yield escape(found["verdict"])
            yield _table(tables.groups_table(found, level))
        if one["comparisons"]:
            yield f"## One group against another{whose}"
            yield _paragraphs(escape(f"{row['sentence']} {row['note']}".strip()) for row in one["comparisons"])
            yield _table(tables.comparisons_table(one["comparisons"], level))
        if one["surface"]:
            yield f"## Accuracy by combination{whose}"
            found = one["surface"]
            yield escape(found["verdict"])
            yield _table(surface_tables.arms_table(found, level))
            yield escape(f"The intervals promise: {found['promise']}.")
            for pair in found["pairs"]:
                yield _table(surface_tables.pair_table(pair))
            for values in found["attributes"] if not found["pairs"] else ():
                yield _table(surface_tables.values_table(values, level))
        if one["confusion"]:
            yield f"## Most confused{whose}"
            found = one["confusion"]
            left = len(found["worst"]) - MOST_CONFUSED + found["left_out"]
            yield _table(tables.cells_table(found["worst"][:MOST_CONFUSED], level, MOST_CONFUSED, max(left, 0)))
        if one["calibration"]:
            yield f"## Calibration{whose}"
            yield escape(one["calibration"]["sentence"])
            yield _table(tables.calibration_table(one["calibration"]["bins"], level))
        if one["left_out"]:
            yield f"## Left out{whose}"
            yield "\n".join(f"- {escape(reason['part'])}: {escape(reason['why'])}" for reason in one["left_out"])
    if any(one["forecast"] for one in facts["models"]):
        yield "## Labels and precision"
        yield _table(tables.forecast_table(facts["models"], facts["method"]))


def _answers(facts: Mapping[str, Any]) -> Iterator[str]:
    status, found = facts["status"], facts["agreement"]
    yield "## Answers and annotators"
    yield escape(f"{counted(status['asked'], 'question')} asked, {counted(status['answered'], 'item')} with a label.")
    yield escape(facts["models"][0]["verdict"]["unanswered"])
    if status["annotators"]:
        yield _table(tables.annotators_table(status["annotators"]))
    if found and found["items"]:
        alpha = "" if found["alpha"] is None else f"; Krippendorff's alpha {found['alpha']:.2f}"
        yield escape(f"{counted(found['items'], 'item')} with two labels or more: {found['share']:.0%} agree{alpha}.")


def _careful(facts: Mapping[str, Any]) -> Iterator[str]:
    yield "## Warnings"
    yield "\n".join(f"- {escape(one)}" for one in facts["warnings"]) or "None."
    if facts["assumptions"]:
        yield "## Assumptions"
        yield "\n".join(f"- {escape(one)}" for one in facts["assumptions"])


def _trail(facts: Mapping[str, Any]) -> Iterator[str]:
    record = facts["trail"]
    yield "## Audit trail"
    intact = (
        "The record is intact." if record["intact"] else f"The record is not intact: {'; '.join(record['problems'])}."
    )
    yield escape(f"{intact} Begun {record['created']}, seed {record['seed']}.")
    yield f"Hash of the last event: `{record['head']}`"
    yield from map(_table, tables.record_tables(record).values())
    yield _table(tables.events_table(record["events"]))
    if facts["items"] is not None:
        yield "## Items"
        yield _table(tables.items_table(facts["items"]))


_PARTS = (_verdict, _estimates, _models, _answers, _careful, _trail)


def _table(one: tables.Table) -> str:
    if not one.rows:
        return ""
    rule = " | ".join("---" if k < one.words or head == "promise" else "---:" for k, head in enumerate(one.columns))
    lines = [" | ".join(map(escape, one.columns)), rule, *(" | ".join(map(escape, row)) for row in one.rows)]
    text = "\n".join(f"| {line} |" for line in lines)
    return f"{text}\n\n{escape(one.note)}" if one.note else text


def _paragraphs(lines: Iterable[str]) -> str:
    return "\n\n".join(lines)
