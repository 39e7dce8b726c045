"""`altmas backup` and `altmas recover`: a copy for a bad day, and going on after one."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from altmas.commands import shared
from altmas.commands.options import command
from altmas.words.wording import counted


@command(short_help="Copy a live audit into one zip file.")
@shared.folder
@click.argument("target", metavar="TO.zip", type=shared.FILE_OUT)
@click.option("--replace", is_flag=True, help="Write over an earlier backup.")
def backup(audit: Path, target: Path, replace: bool) -> None:
    """Write the audit into one zip file, as it is at this moment; others may go on labelling.

    To restore it, unpack it: `unzip TO.zip`.
    """
    from altmas.audits.backups import back_up

    shared.check_file(target, [".zip"], "backup")
    events = back_up(audit, target, replace=replace)
    shared.say(f"Written: {target}, {counted(events, 'event')}; to restore it: unzip {target}")


@command(short_help="Go on after acknowledged answers were lost.")
@shared.folder
@click.option("--accept-loss", is_flag=True, help="Write the loss into the log, and go on without what is lost.")
def recover(audit: Path, accept_loss: bool) -> None:
    """Say what was acknowledged and is lost; with --accept-loss, go on without it. The log tells of it for good."""
    from altmas.audits import recovery
    from altmas.audits.witness import how_to_mend, in_words

    lost = recovery.loss_of(audit)
    if lost is not None:
        problems = [in_words(lost)]
    else:
        with shared.opened(audit) as held:
            problems = held.registry_problems()
    if not problems:
        shared.say("Nothing is lost: every acknowledged event is in the log.")
        return
    if not accept_loss:
        shared.say_problems(problems)
        mend = "Restore the newest backup, if there is one" if lost is None else how_to_mend(lost)
        shared.say(f"{mend}; --accept-loss goes on without.", err=True)
        sys.exit(shared.EXIT_PROBLEMS)
    if lost is not None:
        recovery.accept_loss(audit)
    with shared.opened(audit) as held:
        if lost is None:
            held.log_recovered(problems)
        held.note_in_registry(settled=True)
    shared.say(f"{'; '.join(problems)}.\nAccepted: the log says so, and every report will.")
