"""`altmas next` and `altmas import`: questions out to people who label elsewhere, their answers back in."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from altmas.commands import shared
from altmas.commands.options import command
from altmas.words.people import NOTHING_TO_READ
from altmas.words.wording import counted

if TYPE_CHECKING:
    import pandas as pd

    from altmas.audits.audit import Audit
    from altmas.audits.values import Query


@command(name="next", short_help="Write the next questions to a file.")
@shared.folder
@click.option("-n", "count", default=25, show_default=True, type=click.IntRange(1), help="How many questions.")
@click.option("--to", "target", type=shared.FILE_OUT,
              help="A file to label in: .csv, .tsv, .parquet, .jsonl; .json is for Label Studio.")  # fmt: skip
@click.option("--root", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="The folder that Label Studio serves as local files; images are named below it.")  # fmt: skip
@click.option("--again", is_flag=True, help="Questions answered unsure or skip, or disputed, once more.")
@click.option("--second-reading", "reads", is_flag=True,
              help="Answers for an expert to read again, and what annotators left undecided.")  # fmt: skip
@shared.annotator
@shared.as_json
def next_questions(
    audit: Path,
    count: int,
    target: Path | None,
    root: Path | None,
    again: bool,
    reads: bool,
    annotator: str,
    as_json: bool,
) -> None:
    """Write the next questions: your ids, the items' own columns, and an empty column `label`.

    The same questions come until they are answered. What a model said is never among them.
    """
    if again and reads:
        raise click.UsageError("Say --again or --second-reading: experts get what is undecided without being told.")
    if target is not None:
        check_target(target)
    with shared.opened(audit) as held:
        shared.tell_of_refit(held, again or as_json)
        several = len(held.settings.experts) > 1
        alone = held.settings.overlap == 1  # then what is asked again takes the place of an unsure or a skip
        reads = reads or annotator in held.settings.experts
        if reads and not annotator and len(held.settings.experts) == 1:
            annotator = held.settings.experts[0]
        queries = held.ask(count, annotator=annotator, again=again, second_reading=reads)
        if annotator and queries and not reads:
            held.assign([query.id for query in queries], annotator)
        if target is not None and queries:
            beside = write_questions(held, queries, target, root)
            held.record("exported", {"file": target.name, "items": [query.id for query in queries]})
        table = questions_table(held, queries)
    if as_json:
        shared.say_json("next", {"questions": table.to_dict("records")}, audit)
    elif not queries:
        shared.say(_none(again, reads))
    elif target is not None:
        named = annotator or ("NAME" if reads and several else "")
        who = f" --annotator {named}" if named else ""  # a Label Studio export says itself who it was
        who += " --expert" if reads else " --replace" if again and alone else ""
        shared.say(f"{counted(len(queries), 'question')} in {target}{beside}.")
        if target.suffix.lower() == ".json":
            shared.say(f"Import it into Label Studio, and its JSON export with: altmas import {audit} EXPORT.json"
                       f"{' --expert' if reads else ''}")  # fmt: skip
        else:
            shared.say(f"Fill in `label`, then: altmas import {audit} {target}{who}")
    else:
        shared.say(table.to_string(index=False))


def check_target(target: Path) -> None:
    """Refuse a file that cannot be written before a question is drawn for it."""
    from altmas.formats.writing import WRITERS
    from altmas.metrics.errors import InputError

    shared.check_file(target, WRITERS, "file for questions")
    if target.exists() and somebody_labelled(target):
        hint = "Import it first, or write to another file."
        raise InputError("file for questions", "hold no answers yet", f"{target} with some", hint)


def somebody_labelled(path: Path) -> bool:
    """Whether somebody has labelled in a file of questions: their work is not written over."""
    from altmas.formats.returned import read_returned
    from altmas.metrics.errors import AltmasError

    try:
        return any(row.label.strip() for row in read_returned(path))
    except AltmasError:  # tasks for Label Studio, or something else of the user's
        return path.suffix.lower() != ".json"


def _none(again: bool, reads: bool) -> str:
    if reads:
        return NOTHING_TO_READ
    if again:
        return "Nothing to ask again: no answer was unsure or skip, and none is disputed."
    return "No questions left: every item was asked about."


def write_questions(audit: Audit, queries: list[Query], target: Path, root: Path | None = None) -> str:
    """Write questions by the file's kind; words about any file written beside it."""
    from altmas.core.files import write_text
    from altmas.formats.label_studio import labelling_config, tasks, write_tasks
    from altmas.formats.writing import write_table

    if target.suffix.lower() != ".json":
        write_table(questions_table(audit, queries), target)
        return ""
    named = [replace(query, content=_own(query)) for query in queries]
    write_tasks(target, tasks(named, media=lambda query: audit.media_path(query.position), root=root))
    columns = list(named[0].content) if named else []
    kind = "image" if any(query.media for query in named) else "text" if len(columns) == 1 else "table"
    config = target.with_suffix(".xml")
    write_text(config, labelling_config(audit.pool.classes, kind, *columns[:1]) + "\n")
    return f", its Label Studio configuration in {config}"


def questions_table(audit: Audit, queries: list[Query]) -> pd.DataFrame:
    """Id, own columns and an empty label."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    images = any(query.media for query in queries)  # an empty cell where one of them has none
    for query in queries:
        media = {"file": str(audit.media_path(query.position) or "")} if images else {}
        rows.append({"id": query.id, **media, **_own(query), "label": ""})
    return pd.DataFrame(rows, columns=None if rows else ["id", "label"])


def _own(query: Query) -> dict[str, str]:
    """An item's own columns; one that has a name of ours gets a prefix."""
    named: dict[str, str] = {}
    for name, text in query.content.items():
        own = name
        while own.strip().lower() in TAKEN or own in named or (own != name and own in query.content):
            own = f"item {own}"
        named[own] = text
    return named


TAKEN = (
    "id", "label", "file", "annotator", "at", "time", "note", "notes", "altmas_id", "altmas_label", "image", "table",
    "created_at", "updated_at",
)  # fmt: skip


@command(name="import", short_help="Take answers from a file.")
@shared.folder
@click.argument("file", type=shared.FILE_IN)
@shared.id_column
@shared.label_column
@shared.annotator
@click.option("--partial", is_flag=True, help="Take the good rows of a file that has wrong ones.")
@click.option("--replace", is_flag=True, help="Let the file change answers given before.")
@click.option("--expert", is_flag=True, help="These are an expert's second readings, as altmas next --second-reading "
              "asked for; whoever altmas init --experts named needs no saying.")  # fmt: skip
@shared.as_json
def import_file(
    audit: Path, file: Path, id_column: str | None, label_column: str | None, annotator: str, partial: bool,
    replace: bool, expert: bool, as_json: bool,
) -> None:  # fmt: skip
    """Take answers from a file: a table with `id` and `label`, or a Label Studio export.

    Labels may be `unsure` or `skip`; rows without one are left open. Importing a file twice changes nothing.
    """
    from altmas.audits.imports import RowsError, import_answers

    with shared.opened(audit) as held:
        experts = held.settings.experts
        if expert and not annotator and len(experts) == 1:
            annotator = experts[0]
        try:
            done = import_answers(
                held, file, annotator=annotator, partial=partial, replace=replace, expert=expert or None,
                id=id_column, label=label_column,
            )  # fmt: skip
        except RowsError as error:
            shared.say(f"Error: {error}", err=True)
            shared.say("--partial takes the other rows; --replace changes answers given before.", err=True)
            if any("was not asked about" in row for row in error.rows):
                shared.say(f"For a table of labels you have already: altmas label {audit} --from {file}", err=True)
            sys.exit(shared.EXIT_REFUSED)
    if as_json:
        shared.say_json("import", {"file": str(file), **vars(done)}, audit)
        return
    for notice in [*done.notices, *(f"Refused {row}" for row in done.refused)]:
        shared.say(notice, err=True)
    left = counted(done.empty, "row")
    shared.say(f"{counted(done.new, 'answer')} taken, {done.known} known already, {left} without a label.")
