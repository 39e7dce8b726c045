"""Labelling in a terminal: one question at a time, a key or a word for an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from altmas.audits.values import SKIP, UNSURE

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from altmas.audits.audit import Audit
    from altmas.audits.values import Query

HELP = "a number or a class; u unsure, s skip, z undo, Z redo, n note, g guidelines, ? this, q quit"


def label_in_terminal(audit: Audit, annotator: str) -> None:
    """Ask until nothing is left or the annotator stops."""
    from altmas.page.refits import Refits

    worker = Refits(audit.folder)
    note = ""
    click.echo(f"Keys: {HELP}")
    while queries := audit.ask(1, annotator=annotator, wait=False):
        query = queries[0]
        _show(audit, query)
        try:
            said = click.prompt("label", prompt_suffix="> ").strip()
        except click.Abort:
            click.echo("\nStopped; every answer is kept.")
            return
        if said == "q":
            return
        if said == "n":
            note = click.prompt("note", default="", show_default=False)
            continue
        if not _act(audit, query, said, annotator, note):
            continue
        note = ""
        if audit.refit_due():
            worker.start()
    click.echo("No questions left.")


def _show(audit: Audit, query: Query) -> None:
    status = audit.status()
    goal = f" of {status.budget}" if status.budget else ""
    click.secho(f"\n{status.answered}{goal} answered · item {query.id}", bold=True)
    for name, text in query.content.items():
        click.echo(f"  {name}: {printable(text)}")
    if query.media:
        click.echo(f"  image: {audit.media_path(query.position)}")
    click.echo("  " + "  ".join(f"{k} {printable(str(one))}" for k, one in enumerate(audit.pool.classes, start=1)))


def printable(text: str) -> str:
    r"""Text that cannot command a terminal: control characters are shown, not sent.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def _act(audit: Audit, query: Query, said: str, annotator: str, note: str) -> bool:
    """Do what was typed; whether it was an answer."""
    if said == "?":
        click.echo(HELP)
        return False
    if said == "g":
        click.echo(printable(audit.settings.guidelines) or "No guidelines were given.")
        return False
    if said in ("z", "Z"):
        done = audit.undo(annotator) if said == "z" else audit.redo(annotator)
        words = ("Undone", "undo") if said == "z" else ("Given again", "redo")
        click.echo(f"Nothing to {words[1]}." if done is None else f"{words[0]}: {done.label} for {done.id}.")
        return False
    label = {"u": UNSURE, "s": SKIP}.get(said) or class_meant(said, audit.pool.classes)
    if label is None:
        click.echo(f"{said!r} is no class; {HELP}")
        return False
    told = audit.tell(query.id, label, annotator=annotator, note=note)
    click.echo(f"saved {told.at[11:19]}")
    return True


def class_meant(said: str, classes: Sequence[Hashable]) -> Hashable | None:
    """The class of a number shown beside it, or of its name; a name that reads as a number goes first.

    >>> class_meant("2", ["cat", "dog"]), class_meant("cat", ["cat", "dog"]), class_meant("2", [2, 3])
    ('dog', 'cat', 2)
    """
    for one in classes:
        if str(one) == said:
            return one
    if said.isdecimal() and 1 <= int(said) <= len(classes):
        return classes[int(said) - 1]
    return None
