"""`altmas compare-audits`: one audit against the next."""

from __future__ import annotations

from pathlib import Path

import click

from altmas.commands import shared
from altmas.commands.options import command
from altmas.words.language import languages

_audit = click.Path(file_okay=False, path_type=Path)


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
    columns = [one for one in ("model", "metric", "before", "after", "difference", "interval", "p_higher") if one in shown]
    labels = f"{found.labels[0]:,} and {found.labels[1]:,} labels, level {found.level:g}"
    shared.say_table(shown, columns, f"Later minus earlier, from {labels}")
    for one in (*found.verdicts, *found.changes, *found.notes):
        shared.say(one)
