"""Answers from a table of labels that is there already: the audit asks, the table answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from altmas.audits.imports import RowsError
from altmas.audits.values import SKIP, UNSURE
from altmas.core.checks import whole_number
from altmas.formats.labels import label_table

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from altmas.audits.audit import Audit


@dataclass(frozen=True)
class FromTable:
    """How many labels a table gave, and how many questions were skipped because it lacks them."""

    labels: int
    lacking: int


def answer_from_table(
    audit: Audit,
    source: Any,
    count: int,
    *,
    annotator: str = "table",
    told: Callable[[int], None] | None = None,
    expert: bool | None = None,
    id: str | None = None,
    label: str | None = None,
) -> FromTable:
    """Ask `count` questions more and answer them from a table with `id` and `label`; what it had, and lacked.

    `id` and `label` name its columns, where they are called otherwise.

    Only what is asked is looked up, so the estimates are as good as if a person had answered. An item that the table
    does not have is skipped. `told` hears how many answers there are so far. An `expert`'s table reads answers again
    that are drawn for it; left out, it is one if the annotator is among the audit's experts.
    """
    whole_number("n", count, 1)
    labels = _labels(audit, source, id, label)
    answered = found = lacking = 0
    while answered < count:
        before = len(audit.state.order)
        size = audit.settings.batch if before >= audit.settings.initial else audit.settings.initial - before
        queries = audit.ask(min(size, count - answered), annotator=annotator, second_reading=expert)
        if not queries:
            break
        for query in queries:
            answer = labels.get(query.position, SKIP)
            audit.tell(query.id, answer, annotator=annotator, expert=expert)
            answered, found = answered + 1, found + (answer not in (SKIP, UNSURE))
            lacking += query.position not in labels
            if told is not None:
                told(answered)
    return FromTable(found, lacking)


def _labels(audit: Audit, source: Any, id: str | None, label: str | None) -> Mapping[int, Hashable]:
    found = label_table(source, audit.places, audit.pool.classes, id=id, label=label)
    if found.wrong:
        raise RowsError(found.wrong)
    return found.labels
