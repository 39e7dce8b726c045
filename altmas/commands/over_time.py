"""`altmas renew` and `altmas compare-audits`: one audit after another."""

from __future__ import annotations

from pathlib import Path

import click

from altmas.commands import shared
from altmas.commands.options import command
from altmas.words.language import languages
from altmas.words.over_time import renewed_from
from altmas.words.wording import counted

_audit = click.Path(file_okay=False, path_type=Path)


@command(short_help="Begin with an earlier audit's answers.")
@shared.folder
@click.option("--from", "earlier", type=_audit, required=True, help="The earlier audit.")
@click.option("--keep-labels", is_flag=True, help="Labels of items that stayed the same (id, content, predictions, "
              "scores) count as this audit's. Only where they still hold and chose no items.")  # fmt: skip
@shared.as_json
def renew(audit: Path, earlier: Path, keep_labels: bool, as_json: bool) -> None:
    """Begin an audit that altmas init has made with an earlier one's answers: as evidence, unless labels are kept."""
    with shared.opened(audit) as held:
        body = held.renew(earlier, keep_labels=keep_labels)
    told = renewed_from(body)
    if as_json:
        shared.say_json("renew", {**body, "sentences": told}, audit)
        return
    if keep_labels:
        shared.say(f"{counted(body['stayed'], 'item')} stayed the same")
    for one in told:
        shared.say(one)
    shared.say(f"Next: altmas label {audit} --annotator you")


@command("compare-audits", short_help="How the metrics changed from one audit to the next.")
@click.argument("earlier", type=_audit)
@click.argument("later", type=_audit)
@click.option("--metrics", help="With commas. Default: those of both audits.")
@shared.level
@shared.model
@click.option("--lang", type=click.Choice(languages()), default="en", show_default=True, help="Of the sentences.")
@shared.as_json
def compare_two(
    earlier: Path, later: Path, metrics: str | None, level: float | None, model: str | None, lang: str, as_json: bool
) -> None:
    """How every metric changed from one audit to the next, and what changed in the pool."""
    from altmas.audits.comparison import compare_audits

    found = compare_audits(earlier, later, metrics=shared.names_in(metrics), level=level, model=model, lang=lang)
    if as_json:
        shared.say_json("compare-audits", {"earlier": str(earlier), "later": str(later), **found.as_dict()})
        return
    table = found.metrics
    then, now = (shared.measured(table.assign(estimate=table[name]))["estimate"] for name in ("before", "after"))
    shown = shared.behind(table, "", "").rename(columns={"estimate": "difference"}).assign(before=then, after=now)
    columns = [
        one for one in ("model", "metric", "before", "after", "difference", "interval", "p_higher") if one in shown
    ]
    labels = f"{found.labels[0]:,} and {found.labels[1]:,} labels, level {found.level:g}"
    shared.say_table(shown, columns, f"Later minus earlier, from {labels}")
    for one in (*found.verdicts, *found.changes, *found.notes):
        shared.say(one)
