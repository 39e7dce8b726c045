"""`altmas log`, `undo`, `redo`, `refit`, `report` and `export`: the record, and what is made of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from altmas.commands import shared
from altmas.commands.options import command
from altmas.commands.setting_up import hashed
from altmas.words.language import ENGLISH, languages
from altmas.words.wording import counted, short

if TYPE_CHECKING:
    import pandas as pd

    from altmas.audits.audit import Audit
    from altmas.audits.events import Event

whose = click.option("--annotator", callback=shared.checked_name, help="Whose answers, where several answered.")


@command()
@shared.folder
@click.option("--verify", is_flag=True, help="Check the chain and every file; draw every question and make every refit "
              "again.")  # fmt: skip
@click.option("--head", help="With --verify: the hash that a report or a status named; it must be in the chain.")
@click.option("--to", "target", type=shared.FILE_OUT, help="Write every event, one JSON object a line.")
@shared.as_json
def log(audit: Path, verify: bool, head: str | None, target: Path | None, as_json: bool) -> None:
    """Everything that happened."""
    from altmas.audits.events import canonical
    from altmas.audits.replay import verify_whole

    checked = verify_whole(audit) if verify or head is not None else None
    if checked and not checked.ok:
        _say_problems(audit, list(checked.problems), as_json)
        sys.exit(shared.EXIT_PROBLEMS)
    with shared.opened(audit) as held:
        events = held.events()
    named = None if head is None else _in_chain(head, events)
    if head is not None and named is None:
        _say_problems(
            audit, [f"no event has the hash {head}: later events were cut off, or it is another audit"], as_json
        )
        sys.exit(shared.EXIT_PROBLEMS)
    if target is not None:
        _write_events(events, target)
    if as_json:
        verdict: dict[str, Any] = {}
        if checked:
            verdict = {"ok": True, "problems": [], "notices": list(checked.notices), "head": checked.head}
        shared.say_json("log", {**verdict, "events": [vars(event) for event in events]}, audit)
    elif checked is not None:
        drawn = "" if checked.notices else "; every question was drawn again, every refit made again"
        shared.say(f"{counted(checked.events, 'event')}, each follows the one before{drawn}; head {checked.head}")
        if named is not None:
            after = len(events) - named.seq
            later = f"{counted(after, 'event')} came after it" if after else "the last one"
            shared.say(f"{head} is event {named.seq}, {named.kind!r} at {named.at}; {later}.")
        for notice in checked.notices:
            shared.say(f"Note: {notice}")
        if (images := events[0].body.get("media", {})).get("files"):
            shared.say(f"Images: {hashed(images)}, and are what they were.")
    elif target is None:
        for event in events:
            shared.say(f"{event.seq:>6} {event.at} {event.kind:<9} {short(canonical(event.body), 100)}")
    if target is not None and not as_json:
        shared.say(f"Written: {target}, {counted(len(events), 'event')}")


def _write_events(events: Sequence[Event], target: Path) -> None:
    """One JSON object a line."""
    from altmas.audits.events import canonical
    from altmas.core.files import write_text

    write_text(target, "".join(canonical(vars(event)) + "\n" for event in events))


def _say_problems(audit: Path, problems: list[str], as_json: bool) -> None:
    if as_json:
        shared.say_json("log", {"ok": False, "problems": problems, "events": []}, audit)
        return
    shared.say_problems(problems)


def _in_chain(head: str, events: Sequence[Event]) -> Event | None:
    """The event of a hash, given by its first digits."""
    if len(head) < SHORTEST_HEAD:
        raise click.BadParameter(f"{head!r} has fewer than {SHORTEST_HEAD} digits", param_hint="--head")
    return next((event for event in events if event.hash.startswith(head)), None)


SHORTEST_HEAD = 8


@command(short_help="Take the last answers back.")
@shared.folder
@whose
@click.option("-n", "count", default=1, show_default=True, type=click.IntRange(1), help="How many answers.")
def undo(audit: Path, annotator: str | None, count: int) -> None:
    """Take the annotator's last answers back; they stay in the log."""
    _turn(audit, annotator, count, "undo", "Undone")


@command()
@shared.folder
@whose
@click.option("-n", "count", default=1, show_default=True, type=click.IntRange(1), help="How many answers.")
def redo(audit: Path, annotator: str | None, count: int) -> None:
    """Give answers again that were undone last."""
    _turn(audit, annotator, count, "redo", "Given again")


def _turn(audit: Path, annotator: str | None, count: int, verb: str, done_word: str) -> None:
    with shared.opened(audit) as held:
        who = _only_annotator(held) if annotator is None else annotator
        for _ in range(count):
            done = held.undo(who) if verb == "undo" else held.redo(who)
            if done is None:
                shared.say(f"Nothing to {verb} for {who or 'nobody named'}.")
                return
            shared.say(f"{done_word}: {done.label!r} for {done.id!r}.")


def _only_annotator(audit: Audit) -> str:
    """The only annotator there is; refused where several have answered."""
    names = sorted(audit.state.annotators()) or [""]
    if len(names) > 1:
        raise click.UsageError(f"Say whose: --annotator, one of {', '.join(map(repr, names))}.")
    return names[0]


@command(short_help="Refit now, if it is due.")
@shared.folder
def refit(audit: Path) -> None:
    """Refit now, if enough answers have come since the last time; labelling does it by itself.

    Refits whose files were lost are made again from the log first.
    """
    with shared.opened(audit) as held:
        if restored := held.restore_fits():
            shared.say(f"Made again from the log: {', '.join(f'refit {number}' for number in restored)}.")
        made = held.refit()
        labels = held.status().fit_labels
    shared.say(f"The ranking knows {labels:,} labels{'' if made else '; no refit is due'}.")


@command()
@shared.folder
@click.option("-o", "--out", "target", type=shared.FILE_OUT, help=".html, .md, .json, .xlsx or .pdf. Default: "
              "report.html.")  # fmt: skip
@click.option("--pdf", is_flag=True, help="Write report.pdf, or another name by -o; printed by a browser that is "
              "there: Chromium, Chrome or Edge.")  # fmt: skip
@shared.level
@click.option("--compare", "pairs", multiple=True, metavar="GROUP:A:B", help="Compare two groups, such as region:n:s.")
@click.option("--surface", metavar="GROUP,GROUP", help="Add the accuracy of every combination of some groups.")
@click.option("--within", default=0.03, show_default=True, help="Say how many labels this precision would take.")
@click.option("--contents", is_flag=True, help="Show the items' own columns in the report.")
@click.option("--lang", default=ENGLISH, show_default=True, type=click.Choice(languages()), help="Its language.")
def report(
    audit: Path, target: Path | None, pdf: bool, level: float | None, pairs: tuple[str, ...], surface: str | None,
    within: float, contents: bool, lang: str,
) -> None:  # fmt: skip
    """Write the report: one file that needs nothing else."""
    compare = [_three(pair) for pair in pairs]
    if target is None:
        target = Path("report.pdf" if pdf else "report.html")
    elif pdf and target.suffix.lower() != ".pdf":
        raise click.BadParameter(f"{target.name!r} does not end in .pdf", param_hint="--out")
    with shared.opened(audit) as held:
        written = held.report(
            target, level=level, compare=compare, within=within, contents=contents, surface=surface, lang=lang
        )
    shared.say(f"Written: {written}")


def _three(pair: str) -> tuple[str, str, str]:
    parts = pair.split(":")
    if len(parts) != 3:
        raise click.BadParameter(f"{pair!r} is not GROUP:A:B", param_hint="--compare")
    return parts[0], parts[1], parts[2]


@command(short_help="Estimates, labels, events, report: for other programs.")
@shared.folder
@click.argument("out", type=shared.FOLDER_OUT)
@click.option("--replace", is_flag=True, help="Write over what an earlier export left there.")
def export(audit: Path, out: Path, replace: bool) -> None:
    """Write everything for other programs: estimates, labels with their chances, events, and the report."""
    if out.is_dir() and any(out.iterdir()) and not replace:
        raise click.UsageError(f"{out} is not empty; --replace writes over an earlier export.")
    from altmas.core.doing import doing
    from altmas.formats.writing import write_table

    with shared.opened(audit) as held:
        with doing("estimating"):
            found = held.findings()
            out.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_table(found.estimates, out / "estimates.csv")
            write_table(found.estimates, out / "estimates.json")
        with doing("writing labels.csv"):
            write_table(labels_table(held), out / "labels.csv")
        _write_events(held.events(), out / "events.jsonl")
        held.report(out / "report.html")
    shared.say(f"Written to {out}/: estimates.csv and .json, labels.csv, events.jsonl, report.html")


def labels_table(audit: Audit) -> pd.DataFrame:
    """Every question with its answer, the round it was drawn in, and its chances.

    `inclusion` is the probability to have been asked about by now, as `altmas.estimate_from_log` takes it.
    """
    import pandas as pd

    from altmas.audits.looks import inclusion_of
    from altmas.audits.sample import drawing
    from altmas.audits.state import OPEN, TAKEN_BACK

    drawn, gone = drawing(audit.state), audit.state.taken_back
    inclusion = inclusion_of(audit, drawn)
    out = []
    for one in drawn.rounds:
        for position, chance in zip(one.positions, one.propensities, strict=True):
            verdict = audit.state.verdict(position)
            known = isinstance(verdict, int)
            out.append(
                {
                    "id": audit.pool.ids[position],
                    "label": audit.pool.classes[verdict] if isinstance(verdict, int) else "",
                    "answer": "label" if known else verdict or (TAKEN_BACK if position in gone else OPEN),
                    "annotators": len(audit.state.standing(position)),
                    "round": one.round,
                    "propensity": chance,
                    "inclusion": None if inclusion is None else float(inclusion[position]),
                }
            )
    columns = ["id", "label", "answer", "annotators", "round", "propensity", "inclusion"]
    return pd.DataFrame(out, columns=columns)
