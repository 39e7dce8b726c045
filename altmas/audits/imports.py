"""Answers that come back in a file: all of them are taken, or none, and every wrong row is named."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from altmas.core.files import sha256_of
from altmas.formats.matching import MatchedRow, match
from altmas.formats.returned import read_returned
from altmas.metrics.errors import InputError

if TYPE_CHECKING:
    from altmas.audits.audit import Audit


@dataclass(frozen=True)
class Imported:
    """What a file brought: new answers, known ones, rows left empty; what was refused, and what was noticed."""

    new: int
    known: int
    empty: int
    refused: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


SHOWN = 20
CLASSES = (
    "Classes that the model under test never says are declared when the audit is made: altmas init --classes. "
    "A label that nobody knows is written as unsure."
)


class RowsError(InputError):
    """Rows of a file are wrong; `rows` has a sentence for each. Nothing was taken."""

    def __init__(self, rows: list[str], what: str = "file") -> None:
        self.rows = rows
        more = [f"and {len(rows) - SHOWN:,} more"] if len(rows) > SHOWN else []
        lines = "".join(f"\n  {line}" for line in [*rows[:SHOWN], *more])
        found = f"{_rows(len(rows))} that cannot; nothing was taken"
        super().__init__(what, "hold answers that can be taken", found, lines)

    def __str__(self) -> str:
        text = super().__str__().replace(". \n", ".\n")
        unknown = any(": label " in row and "is none of" in row for row in self.rows)
        return f"{text}\n{CLASSES}" if unknown else text


def import_answers(
    audit: Audit,
    source: Any,
    *,
    annotator: str = "",
    partial: bool = False,
    replace: bool = False,
    expert: bool | None = None,
    id: str | None = None,
    label: str | None = None,
) -> Imported:
    """Take the answers of a table or a Label Studio export. Rows without a label are questions still open.

    `expert` as for `Audit.tell`; `id` and `label` name the columns, where they are called otherwise.
    """
    experts = audit.settings.experts
    if expert and annotator and experts and annotator not in experts:
        raise InputError("annotator", f"be one of the experts, {', '.join(experts)}", repr(annotator))
    returned = read_returned(source, id, label)
    audit.refresh()
    asked = {str(audit.pool.ids[position]): position for position in audit.state.order}
    found = match(returned, asked, audit.places.keys(), audit.pool.classes)
    empty = sum(not row.label.strip() for row in returned)
    name = Path(source).name if isinstance(source, str | Path) else "table"
    found_hash = sha256_of(Path(source)) if isinstance(source, str | Path) else None
    body = {"file": name, "sha256": found_hash, "rows": len(found.rows), "annotator": annotator}
    counts = {True: 0, False: 0}
    wrong = list(found.wrong)
    with audit.importing(body):
        for row in found.rows:
            try:
                counts[_take(audit, row, annotator, replace, expert)] += 1
            except InputError as error:
                wrong.append(f"row {row.row:,}: {error}")
        if wrong and not partial:
            raise RowsError(wrong)
    return Imported(counts[True], counts[False], empty, tuple(wrong), tuple(found.notices))


def _take(audit: Audit, row: MatchedRow, annotator: str, replace: bool, expert: bool | None) -> bool:
    if annotator and row.annotator not in ("", annotator):
        rule = f"be {annotator!r} or nobody, as --annotator says"
        raise InputError("annotator", rule, repr(row.annotator), "Left out, the file's own names are taken.")
    answer = row.label if isinstance(row.label, str) else audit.pool.classes[row.label]
    kept_for = None if expert else audit.state.assigned.get(row.position)  # an annotator, who is not the one to read
    who = row.annotator or annotator or _only(kept_for)
    id = audit.pool.ids[row.position]
    told = audit.tell(id, answer, annotator=who, note=row.note, replace=replace, given_at=row.at, expert=expert)
    return told.new


def _only(names: set[str] | None) -> str:
    """The one annotator a question was kept for."""
    return next(iter(names)) if names and len(names) == 1 else ""


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
