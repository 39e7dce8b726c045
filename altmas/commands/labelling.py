"""`altmas label`: answer questions on a page in the browser, or in the terminal."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from altmas.commands import shared
from altmas.commands.options import command
from altmas.words.people import NOTHING_TO_READ
from altmas.words.wording import counted

if TYPE_CHECKING:
    from altmas.audits.audit import Audit


@command(short_help="Answer questions on a page, or in the terminal.")
@shared.folder
@click.option("--web/--tty", "web", default=True, help="On a page in the browser (default), or in this terminal.")
@click.option(
    "--annotator", "annotators", multiple=True, callback=shared.checked_name, help="Who answers; several for a page."
)
@click.option("--from", "table", type=shared.FILE_IN,
              help="Take the answers from a table of labels you have already: columns id and label.")  # fmt: skip
@shared.id_column
@shared.label_column
@click.option("-n", "count", type=click.IntRange(1), help="With --from: how many questions. Default: up to the budget.")
@click.option("--expert", is_flag=True, help="Who answers is an expert, who reads answers of others again; those named "
              "by altmas init --experts are known as such.")  # fmt: skip
@click.option("--port", default=0, help="Port of the page; 0 takes a free one.", show_default=True)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to serve on; others than this machine need --allow-remote.",
)
@click.option("--allow-remote", is_flag=True, help="Let others on the network reach the page. There is no encryption.")
@click.option("--open/--no-open", "browser", default=False, help="Open the browser.")
def label(
    audit: Path, web: bool, annotators: tuple[str, ...], table: Path | None, id_column: str | None,
    label_column: str | None, count: int | None, expert: bool, port: int, host: str, allow_remote: bool, browser: bool,
) -> None:  # fmt: skip
    """Answer questions. Every answer is on disk before it is acknowledged; Ctrl-C is always safe."""
    if table is not None:
        _from_table(audit, table, count, annotators, expert, id=id_column, label=label_column)
        return
    if id_column is not None or label_column is not None:
        raise click.UsageError("--id and --label name columns of the table of --from; say --from.")
    if not annotators:
        raise click.UsageError("Say who answers: --annotator NAME.")
    if web:
        from altmas.page.server import serve

        serve(audit, annotator=annotators, port=port, host=host, allow_remote=allow_remote, open_browser=browser,
              experts=annotators if expert else ())  # fmt: skip
        return
    if len(annotators) != 1:
        raise click.BadParameter("one annotator sits at a terminal", param_hint="--annotator")
    from altmas.commands.terminal import label_in_terminal

    with shared.opened(audit) as held:
        label_in_terminal(held, annotators[0], expert=expert or annotators[0] in held.settings.experts)


def _from_table(
    audit: Path, table: Path, count: int | None, annotators: tuple[str, ...], expert: bool, **columns: str | None
) -> None:
    from altmas.audits.from_table import answer_from_table
    from altmas.core.progress import PROGRESS, reporter

    with shared.opened(audit) as held, reporter(os.environ.get(PROGRESS) != "off") as progress:
        experts = held.settings.experts
        unnamed = (experts[0] if len(experts) == 1 else "expert") if expert else "table"
        who = next(iter(annotators), unnamed)
        reads = expert or who in experts
        wanted = count if count is not None else _left(held, reads)
        if wanted < 1:
            what = "no second reading is planned" if reads else "the budget is spent, or there is none"
            shared.say(f"Nothing to ask: {what}; say -n.")
            return
        found = answer_from_table(
            held, table, wanted, annotator=who, expert=reads, **columns,
            told=lambda answered: progress.step(answered, wanted, "asked of the table", "questions"),
        )  # fmt: skip
    if reads and not found.labels and not found.lacking:
        shared.say(NOTHING_TO_READ)
        return
    lacking = f"; {counted(found.lacking, 'question')} skipped, which it lacks" if found.lacking else ""
    shared.say(f"{counted(found.labels, 'label')} taken from {table}{lacking}.")


def _left(audit: Audit, reads: bool) -> int:
    """How many questions, or second readings, are still to be asked by the plan."""
    from altmas.audits.second_readings import answers_planned, planned

    done = audit.status()
    if not reads:
        return answers_planned(audit, audit.state) - done.asked + done.open
    wanted, total = planned(audit, audit.state)
    return (wanted if total is None else total) - done.to_read + done.readings_open
