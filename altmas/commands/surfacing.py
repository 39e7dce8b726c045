"""`altmas surface`: the accuracy of every combination of attributes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import click

from altmas.commands import shared
from altmas.commands.options import command
from altmas.words.surfaces import too_small
from altmas.words.wording import counted

if TYPE_CHECKING:
    from altmas.surfaces.surface import AccuracySurface

PICTURES = (".svg", ".png", ".pdf")


@command(short_help="Accuracy of every combination of attributes.")
@shared.folder
@click.option("--by", required=True, help="Groups of yours, with commas: sex,race. class is the predicted class.")
@click.option("--estimator", default="betagp", show_default=True, help="One of docs/surface.md; beta-i is quick.")
@click.option(
    "--bins", default=5, show_default=True, type=click.IntRange(2), help="Bins that a column of numbers is cut into."
)
@click.option(
    "--least", default=5, show_default=True, type=click.IntRange(1), help="Fewest items of a judged combination."
)
@click.option("-m", "count", default=10, show_default=True, type=click.IntRange(1), help="How many of the worst.")
@shared.level
@shared.model
@click.option(
    "--to", "target", type=shared.FILE_OUT, help="Write every arm: .csv, .tsv, .parquet, .jsonl, .json, .npz."
)
@click.option("--figure", type=shared.FILE_OUT, help="Draw the pair of attributes that differs most: .svg, .png, .pdf.")
@shared.as_json
def surface(
    audit: Path, by: str, estimator: str, bins: int, least: int, count: int, level: float | None, model: str | None,
    target: Path | None, figure: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """The accuracy of every combination of attributes, and where it is probably worst."""
    from altmas.formats.writing import WRITERS
    from altmas.surfaces.recipe import SurfaceRecipe

    recipe = SurfaceRecipe(estimator, least=least, bins=bins)
    for path, endings in ((target, WRITERS), (figure, PICTURES)):
        if path is not None:
            shared.check_file(path, endings)
    with shared.found_in(audit, as_json, level=level) as (_, found):
        if model is None and len(found.models) > 1:
            raise click.UsageError(f"Say of which model: --model, one of {', '.join(found.models)}.")
        shown, labels = found.surface(by, estimator=recipe, model=model), found.labels
        name = model or found.models[0]
    if target is not None:
        shown.write(target)
    if figure is not None:
        _draw(shown, figure)
    worst = shown.worst(count)
    if as_json:
        from altmas.reports.facts_tables import rows_with_values

        about = {"by": list(shown.arms.names), "estimator": estimator, "model": name, "level": shown.level}
        numbers = {"labels": labels, "least": least, "m": count, "combinations": _combinations(shown)}
        said = {"verdict": shown.verdict, "promise": shown.promise}
        values = {one: rows_with_values(shown.marginal(one), (one,)) for one in shown.arms.names}
        arms = rows_with_values(worst.drop(columns="arm"), shown.arms.names)
        data = {**about, **numbers, **said, "arms": arms, "attributes": values}
        shared.say_json("surface", data, audit)
        return
    chance = f"P(among {count} worst)"
    columns = [*shown.arms.names, "support", "labels", "estimate", "interval", "p_worst"]
    table = shared.with_interval(worst).rename(columns={"p": chance, "p_worst": "P(worst)"})
    telling = 1 < count < int(shown.active.sum())  # of no more arms than m, each is among the m worst
    heads = [*columns[:-1], "P(worst)", *([chance] if telling else [])]
    shared.say_table(table, heads, f"{counted(labels, 'label')}, level {shown.level:g}; {_in_words(shown)}")
    for line in (*_cuts(shown), *_advice(shown)):
        shared.say(line)
    shared.say(shown.verdict)
    shared.say(f"The intervals promise: {shown.promise}")
    if target is not None:
        shared.say(f"Written: {target}")
    if figure is not None:
        shared.say(f"Written: {figure} ({_drawn(shown)})")


def _draw(shown: AccuracySurface, path: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from altmas.core.files import write_bytes
    from altmas.plots.heat_maps import plot_surface
    from altmas.reports.svg import any_letters

    file = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": "none"}), any_letters():
        drawn = plot_surface(shown).get_figure(root=True)
        assert isinstance(drawn, Figure)
        drawn.savefig(file, format=path.suffix.lower()[1:], dpi=150, bbox_inches="tight")
    write_bytes(path, file.getvalue())


def _drawn(shown: AccuracySurface) -> str:
    """The attributes that a picture is of."""
    return " by ".join(next(iter(shown.widest()), shown.arms.names))


def _combinations(shown: AccuracySurface) -> dict[str, int]:
    held, judged = shown.where.support > 0, shown.active
    found = {"possible": shown.arms.size, "with_items": held.sum(), "judged": judged.sum()}
    return {name: int(count) for name, count in (found | {"labelled": (judged & shown.labelled).sum()}).items()}


def _in_words(shown: AccuracySurface) -> str:
    found = _combinations(shown)
    judged = f"{found['judged']:,} of {counted(found['with_items'], 'combination')} with items are judged"
    return f"{judged}, {found['labelled']:,} of them have labels"


def _cuts(shown: AccuracySurface) -> list[str]:
    """How columns of numbers were cut: a code that only looks like a number should be seen to be cut."""
    cut = [one for one in shown.arms.attributes if one.edges is not None]
    return [f"{one.name} is cut into {', '.join(map(str, one.values))}." for one in cut]


def _advice(shown: AccuracySurface) -> list[str]:
    found, least = _combinations(shown), counted(shown.recipe.least, "item")
    if shown.largest_only:
        return [f"{too_small(shown.recipe.least)} Fewer attributes make larger ones."]
    if 2 * found["judged"] < found["with_items"]:
        return [
            f"Most combinations have fewer than {least}: fewer attributes, or a smaller --least, judge more of them."
        ]
    return []
