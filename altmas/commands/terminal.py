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


def label_in_terminal(audit: Audit, annotator: str, *, expert: bool = False) -> None:
    """Ask until nothing is left or the annotator stops; Ctrl-D stops like q, Ctrl-C interrupts.

    An `expert` reads answers of others again.
    """
    from altmas.page.refits import Refits

    worker = Refits(audit.folder)
    notes: dict[int, str] = {}
    say(f"Keys: {HELP}")
    # An expert waits until readings are drawn: nobody else would have them drawn in a terminal.
    while queries := audit.ask(1, annotator=annotator, wait=expert and _readings_left(audit), second_reading=expert):
        query = queries[0]
        _show(audit, query, notes.get(query.position, ""), expert)
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
        if _act(audit, query, said, annotator, notes.get(query.position, ""), shown, expert) and audit.refit_due():
            worker.start()
    say("No answers left to read again." if expert else "No questions left.")


def _readings_left(audit: Audit) -> bool:
    """Whether fewer answers were drawn for a second reading than planned by now."""
    from altmas.audits.second_readings import planned

    audit.refresh()
    return planned(audit, audit.state)[0] > len(audit.state.to_read)


def _show(audit: Audit, query: Query, note: str, expert: bool) -> None:
    status = audit.status()
    goal = f" of {status.budget}" if status.budget else ""
    done = f"{status.answered}{goal} answered"
    if expert:
        done = f"second reading: {status.to_read - status.readings_open} of {status.to_read} read"
    click.secho(f"\n{done} · item {printable(str(query.id))}", bold=True)
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


def _act(audit: Audit, query: Query, said: str, annotator: str, note: str, shown: float, expert: bool) -> bool:
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
    spent = int(1000 * (time.monotonic() - shown))
    told = audit.tell(query.id, label, annotator=annotator, note=note, took_ms=spent, expert=expert)
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
