"""`altmas status`, `estimate`, `worst`, `compare` and `vendors`: what is known by now."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from altmas.commands import shared
from altmas.commands.options import command
from altmas.words.classes import never_answered
from altmas.words.comparing import DIRECTLY
from altmas.words.first_phase import sample_of
from altmas.words.no_answer import failures
from altmas.words.wording import counted, is_share

if TYPE_CHECKING:
    from altmas.core.pool import Pool


@command()
@shared.folder
@shared.as_json
def status(audit: Path, as_json: bool) -> None:
    """How far the audit is, and how fresh its ranking."""
    from altmas.core.plain import plain_name

    with shared.opened(audit) as held:
        now, unseen, classes = held.status(), held.unseen_classes(), len(held.pool.classes)
        phase = held.pool.first_phase
    if as_json:
        drawn = {} if phase is None else {"drawn_from": phase.whole}
        told = {**now.as_dict(), **drawn, "unseen": [plain_name(one) for one in unseen]}
        shared.say_json("status", told, audit, version=2)
        return
    goal = f" of {now.budget:,}" if now.budget else ""
    labels = f" ({counted(now.labels, 'label')})" if now.labels != now.answered else ""
    asked = f"{now.asked:,} of {now.pool:,} items asked about, {now.open:,} open"
    shared.say(f"{now.answered:,}{goal} answered{labels}; {asked}")
    if phase is not None:
        shared.say(sample_of(phase))
    if now.unsure or now.skipped or now.disputed or now.taken_back:
        back = f", {now.taken_back} taken back" if now.taken_back else ""
        shared.say(f"without a label: {now.unsure} unsure, {now.skipped} skipped, {now.disputed} disputed{back}")
    for name, count in now.annotators.items():
        shared.say(f"  {name or '(nobody named)'}: {counted(count, 'answer')}")
    settled = f"{now.settled:,} left undecided by annotators and settled" if now.settled else ""
    if now.to_read:
        read = f"{now.to_read - now.readings_open:,} of {now.to_read:,} drawn are read"
        shared.say(f"second readings: {read}{f'; {settled}' if settled else ''}")
    elif settled:
        shared.say(f"second readings: {settled}")
    for name, count in now.experts.items():
        shared.say(f"  {name or '(nobody named)'}, expert: {counted(count, 'reading')}")
    if said := never_answered(unseen, classes, now.labels, now.pool):
        shared.say(said)
    ranking = f"knows {now.fit_labels:,} labels (refitted {now.fit_at})" if now.fit_at else "none yet: drawn at random"
    shared.say(f"ranking: {ranking}{'; a refit is under way' if now.refitting else ''}")
    shared.say(f"last answer: {now.last_answer or 'none'}; head of the log: {now.head[:16]}")


@command(short_help="Every metric with its interval.")
@shared.folder
@click.option("--metrics", help="With commas: accuracy,macro_recall,recall:cat,f1:cat,ece. Default: the audit's own.")
@shared.level
@click.option("--anytime", is_flag=True, help="Intervals that hold at all looks together.")
@shared.this_pool
@click.option("--to", "target", type=shared.FILE_OUT, help="Write the table: .csv, .json, ...")
@shared.as_json
def estimate(
    audit: Path,
    metrics: str | None,
    level: float | None,
    anytime: bool,
    this_pool: bool,
    target: Path | None,
    as_json: bool,
) -> None:
    """Every metric with its interval, and what the interval promises."""
    asked = {"level": level, "metrics": shared.names_in(metrics), "anytime": anytime, "this_pool": this_pool}
    with shared.found_in(audit, as_json, **asked) as (_, found):
        table, warnings, missing = found.estimates, found.warnings, found.missing
        shares = {"labels": found.labels, "level": found.level}
        verdict, features, people = found.verdict, found.features_verdict, found.people
        classes, unanswered = found.classes_seen if as_json else None, failures(found.pool)
    if target is not None:
        from altmas.formats.writing import write_table

        write_table(table, target)
    if as_json:
        data = {
            **shares,
            "estimates": shared.rows(table),
            "missing": missing,
            "classes_seen": shared.rows(classes),
            "verdict": verdict,
            "failures": unanswered,
            "features": features,
            "people": people,
            "warnings": list(warnings),
        }
        shared.say_json("estimate", data, audit)
        return
    columns = [
        c for c in ("model", "metric", "estimate", "interval", "plug_in", "design") if c in table or c == "interval"
    ]
    if len(table["worst_case"].dropna()):
        columns += ["worst_case", "best_case"]
    shared.say_table(shared.measured(table), columns, f"{shares['labels']:,} labels, level {shares['level']:g}")
    promises = list(dict.fromkeys(table["promise"]))
    for promise in promises:
        named = ", ".join(dict.fromkeys(table["metric"][table["promise"] == promise]))
        shared.say(f"The intervals{f' of {named}' if len(promises) > 1 else ''} promise: {promise}")
    for sentence in (verdict, *unanswered, features, *people["sentences"]):
        if sentence:
            shared.say(sentence)
    shared.say_warnings(warnings)


@command()
@shared.folder
@click.option("--by", default="class", show_default=True, help="class (predicted), score, or a group of yours.")
@shared.metric
@click.option("-m", "count", default=1, show_default=True, type=click.IntRange(1), help="How many of the worst.")
@shared.level
@shared.model
@shared.as_json
def worst(audit: Path, by: str, metric: str, count: int, level: float | None, model: str | None, as_json: bool) -> None:
    """Which classes or groups are probably the worst."""
    with shared.found_in(audit, as_json, level=level) as (_, found):
        tables = {name: found.worst(by, metric, count, name) for name in _asked_of(found.models, model)}
        warnings = found.warnings
    if as_json:
        each = [
            {"model": name, "verdict": table.attrs["verdict"], "groups": shared.rows(table)}
            for name, table in tables.items()
        ]
        data = {"by": by, "metric": metric, "m": count, "level": found.level, "models": each}
        shared.say_json("worst", data, audit, version=2)
        return
    chance = "P(worst)" if count == 1 else f"P(among {count} worst)"
    for name, table in tables.items():
        ranks = [f"{low} to {high}" for low, high in zip(table["rank_low"], table["rank_high"], strict=True)]
        shown = shared.measured(table, metric).assign(rank=ranks).rename(columns={"p": chance}).head(20)
        columns = ["group", "size", "labels", "estimate", "interval", chance, "rank"]
        shared.say_table(shown, columns, name if len(found.models) > 1 else "")
        shared.say(_of(name, found.models) + table.attrs["verdict"])
    shared.say_warnings(warnings)


def _asked_of(models: tuple[str, ...], model: str | None) -> tuple[str, ...]:
    """The model asked for, or all of them."""
    return models if model is None else (model,)


def _of(name: str, models: tuple[str, ...]) -> str:
    return f"{name}: " if len(models) > 1 else ""


@command()
@shared.folder
@click.option("--group", "by", required=True, help="The attribute, or class.")
@click.option("--a", required=True, help="One value of it.")
@click.option("--b", required=True, help="Another.")
@shared.metric
@click.option("--rope", default=0.05, show_default=True, help="Differences smaller than this do not matter.")
@shared.level
@shared.model
@shared.as_json
def compare(
    audit: Path, by: str, a: str, b: str, metric: str, rope: float, level: float | None, model: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Whether two groups differ."""
    with shared.found_in(audit, as_json, level=level) as (held, found):
        pair = _pair(held.pool, by, a, b)
        rows = {name: found.compare(*pair, metric, rope, name) for name in _asked_of(found.models, model)}
        warnings = found.warnings
    if as_json:
        each = [{"model": name, **row} for name, row in rows.items()]
        data = {"by": by, "rope": rope, "level": found.level, "models": each}
        shared.say_json("compare", data, audit, version=2)
        return
    from altmas.reports.numbers import signed, signed_interval

    share = is_share(metric)
    unit = " points" if share else ""
    for name, row in rows.items():
        shared.say(f"{_of(name, found.models)}{row['verdict']}")
        ends = signed_interval(row["low"], row["high"], share=share)
        shared.say(f"difference {signed(row['estimate'], share=share)}{unit}, interval {ends}{unit}")
        shared.say(f"P(lower) {row['p_lower']:.2f}, P(equal) {row['p_equal']:.2f}, P(higher) {row['p_higher']:.2f}")
    shared.say(DIRECTLY)
    shared.say_warnings(warnings)


def _pair(pool: Pool, by: str, a: str, b: str) -> tuple[str, Hashable, Hashable]:
    """The two groups; what is wrong with `by` is said of the option that it comes from."""
    from altmas.core.groups import named_pair
    from altmas.metrics.errors import InputError

    try:
        return named_pair(pool, by, a, b)
    except InputError as error:
        subject, *rest = error.args
        raise InputError("--group" if subject == "by" else subject, *rest) from None


@command(short_help="Rank and compare several models under test.")
@shared.folder
@click.option("--metric", help="Which is best by this metric. Default: every metric of the audit.")
@click.option("--anytime", is_flag=True, help="Intervals and a loss that hold at all looks together.")
@shared.level
@shared.as_json
def vendors(audit: Path, metric: str | None, anytime: bool, level: float | None, as_json: bool) -> None:
    """Several models under test: which is probably best, how far the others are behind, what choosing now costs."""
    from altmas.metrics.errors import InputError
    from altmas.words.best import contest_facts

    with shared.found_in(audit, as_json, level=level, metrics=shared.names_in(metric), anytime=anytime) as (_, found):
        contests, apart, best = found.contests, found.differences(), found.best()
        if not contests or best is None:
            hint = "Give --predictions several times to altmas init."
            raise InputError("audit", "have several models under test", f"one, {found.models[0]!r}", hint)
        table, warnings = found.estimates, found.warnings
    told = [contest_facts(one) for one in contests]
    if as_json:
        data = {
            "contests": told,
            "best": shared.rows(best),
            "estimates": shared.rows(table),
            "differences": [] if apart is None else shared.rows(apart),
        }
        shared.say_json("vendors", data, audit)
        return
    for one in contests:
        shown = shared.behind(shared.measured(one.table, one.metric), one.metric)
        shown["behind_interval"] = shown["behind_interval"].where(shown["model"] != one.leader, "leads")
        shown["ruled_out"] = shown["ruled_out"].map({True: "yes", False: ""})
        columns = ["model", "p_best", "estimate", "interval", "behind", "behind_interval", "ruled_out"]
        shared.say_table(shown.head(MODELS_SHOWN), columns, f"By {one.metric}, best first")
        if len(shown) > MODELS_SHOWN:
            shared.say(f"... and {len(shown) - MODELS_SHOWN:,} more, which --json has")
        shared.say(f"The intervals promise: {one.promise}")
    if apart is not None and len(found.models) <= FEW_MODELS and not anytime:
        columns = ["metric", "first", "second", "estimate", "interval", "p_first_higher"]
        shared.say_table(shared.behind(apart, "", ""), columns, "First minus second, on the same items")
        shared.say(DIRECTLY)
    shared.say_warnings(warnings)
    for facts in told:
        shared.say(facts["verdict"])


MODELS_SHOWN, FEW_MODELS = 20, 4
"""Rows of a table of models, and for how many models every pair is shown."""
