"""`altmas set`: change an audit's plan, and what people see and are told. An event of the log, never an edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from altmas.commands import shared
from altmas.words.wording import counted, short

if TYPE_CHECKING:
    from altmas.audits.audit import Audit

REFUSED = (
    "metrics", "level", "method", "option", "anytime", "seed", "secret", "task", "about", "initial", "batch", "overlap",
    "cost_expert", "experts", "classes", "known", "predictions", "features", "group",
)  # fmt: skip
"""Options of `altmas init` that may not change. They are taken here to say what to do instead."""

NAMED = {"option": "options", "about": "task", "group": "groups"}


def _refused(command: Callable[..., Any]) -> Callable[..., Any]:
    for name in REFUSED:
        option, flag = f"--{name.replace('_', '-')}", name == "anytime"
        command = click.option(option, hidden=True, is_flag=flag, default=None)(command)
    return command


@click.command("set", short_help="Change the plan, and what annotators see.")
@shared.folder
@click.option("--budget", type=click.IntRange(1), help="How many labels you plan for.")
@click.option("--second-readings", type=click.IntRange(1), help="How many answers experts read again.")
@shared.guidelines
@click.option("--show", help="Columns annotators see, with commas, of those kept with the audit; id for the id alone.")
@click.option("--title", help="Title of the page and of the report.")
@click.option("--reveal/--no-reveal", default=None, help="Whether annotators may look at predictions and estimates.")
@shared.target
@click.option("--no-target", is_flag=True, help="Take all targets away.")
@_refused
@shared.as_json
def set_settings(audit: Path, as_json: bool, targets: tuple[str, ...], no_target: bool, **given: Any) -> None:
    """Change what may change without changing which questions are drawn, or what was promised.

    It is an event of the log; what was planned before stays there. Pages that are open take it up with the next answer.
    """
    from altmas.formats.files import read_text

    changes = {NAMED.get(name, name): value for name, value in given.items() if value is not None}
    if changes.get("guidelines") is not None:
        changes["guidelines"] = read_text(changes["guidelines"])
    if "show" in changes:
        changes["show"] = shared.names_in(changes["show"])
    if targets and no_target:
        raise click.UsageError("Say either --target or --no-target.")
    if targets or no_target:
        changes["targets"] = targets
    if not changes:
        raise click.UsageError("Say what to change: --budget, --guidelines, --show, ...; --help lists all.")
    with shared.opened(audit) as held:
        before = held.settings
        told = held.set(**changes)
        now = held.settings.as_dict()
        was = before.as_dict()
        notes = [] if told is None else _notes(held, before.budget)
    changed = {name: now[name] for name in now if now[name] != was[name]}
    if as_json:
        shared.say_json("set", {"event": None if told is None else told.seq, "changed": changed, "notes": notes}, audit)
        return
    if told is None:
        shared.say("Nothing changed: it is so already.")
        return
    for name, value in changed.items():
        shared.say(f"{name.replace('_', ' ')}: {_shown(was[name])} -> {_shown(value)}")
    shared.say(f"Event {told.seq} of the log, {told.at}; pages that are open take it up with the next answer.")
    for note in notes:
        shared.say(f"Note: {note}")


def _notes(audit: Audit, planned: int | None) -> list[str]:
    """What whoever changes a plan should know."""
    now, done = audit.settings.budget, audit.state.answered
    notes = []
    if planned is not None and done >= planned and (now is None or now > planned):
        notes.append(
            "a report made when the first plan was done has revealed the secret behind the questions: whoever has seen "
            "it can know those still to come"
        )
    if now != planned and any(event.kind == "looked" for event in audit.events()):
        notes.append(
            "the estimates were looked at before the plan was changed, which the report says: ordinary intervals are "
            "those of one look; --anytime gives others"
        )
    if now is not None and done > now:
        notes.append(f"{counted(done, 'question')} are answered already, more than that")
    return notes


def _shown(value: Any) -> str:
    """A setting on one line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return short(value, 60) if value not in (None, "") else "none"
