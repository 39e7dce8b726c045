"""Labelling in a terminal: one question at a time, a key or a word for an answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from altmas.audits.values import SKIP, UNSURE
from altmas.commands.shared import printable, say

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from altmas.audits.audit import Audit
    from altmas.audits.values import Query

HELP = "a number or a class; u unsure, s skip, z undo, Z redo, n note, g guidelines, ? this, q quit"


def label_in_terminal(audit: Audit, annotator: str) -> None:
    """Ask until nothing is left or the annotator stops; Ctrl-D stops like q, Ctrl-C interrupts."""
    from altmas.page.refits import Refits

    worker = Refits(audit.folder)
    notes: dict[int, str] = {}
    say(f"Keys: {HELP}")
    while queries := audit.ask(1, annotator=annotator, wait=False):
        query = queries[0]
        _show(audit, query, notes.get(query.position, ""))
        shown = time.monotonic()
        try:
            said = input("label> ").strip()
            if said == "n":
                notes[query.position] = input("note> ").strip()
                continue
        except EOFError:
            said = "q"
        if said == "q":
            say("Stopped; every answer is kept.")
            return
        if _act(audit, query, said, annotator, notes.get(query.position, ""), shown) and audit.refit_due():
            worker.start()
    say("No questions left.")


def _show(audit: Audit, query: Query, note: str) -> None:
    status = audit.status()
    goal = f" of {status.budget}" if status.budget else ""
    click.secho(f"\n{status.answered}{goal} answered · item {printable(str(query.id))}", bold=True)
    for name, text in query.content.items():
        say(f"  {name}: {text}")
    if query.media:
        say(f"  image: {audit.media_path(query.position)}")
    if note:
        say(f"  note: {note}")
    names = [str(one) for one in audit.pool.classes]
    if keyed(audit.pool.classes):
        names = [f"{k} {name}" for k, name in enumerate(names, start=1)]
    say("  " + "  ".join(names))


def keyed(classes: Sequence[Hashable]) -> bool:
    """Whether numbers may stand for classes: not where a class is called like a number.

    >>> keyed(["cat", "dog"]), keyed([0, 1])
    (True, False)
    """
    return not any(str(one).strip().isdecimal() for one in classes)


def _act(audit: Audit, query: Query, said: str, annotator: str, note: str, shown: float) -> bool:
    """Do what was typed, and tell whether it was an answer."""
    if said == "?":
        say(HELP)
        return False
    if said == "g":
        say(audit.settings.guidelines or "No guidelines were given.")
        return False
    if said in ("z", "Z"):
        done = audit.undo(annotator) if said == "z" else audit.redo(annotator)
        words = ("Undone", "undo") if said == "z" else ("Given again", "redo")
        say(f"Nothing to {words[1]}." if done is None else f"{words[0]}: {done.label!r} for {done.id!r}.")
        return False
    label = {"u": UNSURE, "s": SKIP}.get(said) or class_meant(said, audit.pool.classes)
    if label is None:
        say(f"{said!r} is no class; {HELP}")
        return False
    told = audit.tell(query.id, label, annotator=annotator, note=note, took_ms=int(1000 * (time.monotonic() - shown)))
    say(f"saved {told.at[11:19]}")
    return True


def class_meant(said: str, classes: Sequence[Hashable]) -> Hashable | None:
    """The class of a name, or of the number shown beside it.

    >>> class_meant("2", ["cat", "dog"]), class_meant("cat", ["cat", "dog"]), class_meant("1", [2, 3])
    ('dog', 'cat', None)
    """
    for one in classes:
        if str(one) == said:
            return one
    if keyed(classes) and said.isdecimal() and 1 <= int(said) <= len(classes):
        return classes[int(said) - 1]
    return None
