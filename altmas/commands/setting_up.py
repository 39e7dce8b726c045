"""`altmas init` and `altmas check`: from a vendor's file to an audit; mistakes are found before a label is spent."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from altmas.commands import shared
from altmas.commands.options import command, in_options
from altmas.words.clusters import cluster_warnings
from altmas.words.conduct import drawing_warnings
from altmas.words.no_answer import no_answer_on, without_score
from altmas.words.people import known_before
from altmas.words.wording import counted, listed

if TYPE_CHECKING:
    from altmas.audits.audit import Audit
    from altmas.core.clusters import Clusters
    from altmas.core.pool import Pool

_file_or_folder = click.Path(exists=True, path_type=Path)


class _FileOrAuto(click.Path):
    """A file, or the word that has features made of the items; a file of that name is ./auto."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word as it is, anything else as the path of something that is there."""
        return value if value == "auto" else super().convert(value, param, ctx)


FILES = (
    "id", "prediction", "scores", "logits", "features", "opinions", "groups", "clusters", "items", "image", "text",
    "not_a_class", "is_a_class",
)  # fmt: skip
PER_FILE = ("id", "prediction", "scores")
SETTINGS = (
    "method", "seed", "secret", "initial", "batch", "level", "budget", "overlap", "title", "task", "second_readings",
    "cost_expert", "reveal", "targets",
)  # fmt: skip
"""Options that `ingest` and `Audit.create` take by the same names."""

DESCRIBED = (
    "title", "metrics", "method", "options", "task", "level", "budget", "initial", "batch", "overlap", "seed",
    "experts", "second_readings", "cost_expert", "reveal",
)  # fmt: skip
"""Settings of an audit that a person should see before a label is spent."""


@command()
@shared.folder
@click.option("--predictions", multiple=True, required=True, metavar="[NAME=]FILE", help="What the model under test "
              "said: CSV, TSV, Excel (.xlsx), Parquet, JSONL, npz. Several for several vendors.")  # fmt: skip
@click.option("--sample", type=click.IntRange(1), metavar="ROWS", help="Of files too large to be read: draw so many "
              "rows, and have the numbers about all. --predictions takes 'logs/*.parquet' and folders.")  # fmt: skip
@click.option("--scheduler", default="", metavar="ADDRESS", help="With --sample: of Dask, whose workers make the pass, "
              "tcp://127.0.0.1:8786.")  # fmt: skip
@click.option("--id", multiple=True, help="Column with your ids; once for all files, or once for each in turn.")
@click.option("--prediction", multiple=True, help="Column with the predicted class; likewise.")
@click.option("--scores", multiple=True, help="Columns with class probabilities ('p_*'), one column with a confidence, "
              "or a .npy file; likewise.")  # fmt: skip
@click.option("--logits", is_flag=True, help="The scores are logits.")
@click.option("--features", type=_FileOrAuto(exists=True, path_type=Path), help="A row of numbers per item: .npy, .npz "
              "or a table; or auto, to have them made of the items: text, images, columns.")  # fmt: skip
@click.option("--opinions", multiple=True, metavar="[NAME=]FILE", help="Other models' outputs: evidence only.")
@click.option("--group", "groups", multiple=True, help="A column to look into, such as region. Several may be given.")
@click.option("--cluster", "clusters", metavar="COLUMN", help="A column that says which items belong together, such as "
              "patient: the intervals are then about patients like these.")  # fmt: skip
@click.option("--items", type=_file_or_folder, help="What annotators see: a folder of images named by id, or a table.")
@click.option("--image", help="The column with the names of image files in the folder of --items.")
@click.option("--text", help="The column that is the item's text.")
@click.option("--show", help="Columns annotators see, with commas; id for the id alone. Never a model's outputs.")
@click.option("--classes", help="The label set, with commas, or a file with one class per line.")
@click.option("--not-a-class", multiple=True, metavar="VALUE", help="A prediction that is no answer: ERROR, 'HTTP*'. "
              "Blanks are none by themselves. Several may be given.")  # fmt: skip
@click.option("--is-a-class", multiple=True, metavar="VALUE", help="A class that only looks like no answer: none.")
@click.option(
    "--metrics", help="With commas. Left out: accuracy,macro_precision,macro_recall, or what the method knows."
)
@click.option("--method", default="certified", show_default=True)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="For the method, such as worth=uniform.")
@click.option("--anytime", is_flag=True, help="Intervals that hold at all looks together: watch, stop when you like.")
@click.option("--budget", type=click.IntRange(1), help="How many labels you plan for.")
@click.option("--initial", type=click.IntRange(1), help="Questions before the first fit: 50, or what suits the task.")
@click.option("--batch", type=click.IntRange(1), help="Questions drawn at a time: 10, or what the method prefers.")
@click.option("--task", default="estimate", show_default=True, help="Or best, identify, compare, surface.")
@click.option("--about", multiple=True, metavar="NAME=VALUE", help="What the task is about: by=region, a=north, m=3.")
@click.option("--overlap", default=1, show_default=True, type=click.IntRange(1), help="Annotators per question.")
@click.option("--experts", help="Names, with commas, of those who read some answers again and decide what is true.")
@click.option("--second-readings", type=click.IntRange(1), help="How many answers they read. Default: one of four.")
@click.option("--cost-expert", type=float, metavar="ANSWERS", help="What a second reading costs, in answers: --budget "
              "is then money for both, split so that the intervals are narrowest.")  # fmt: skip
@click.option("--known", type=shared.FILE_IN, help="A table of labels you have already, columns id and label. They "
              "were not drawn, so they teach and never weigh.")  # fmt: skip
@click.option("--level", default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--seed", type=int, help="Of the draws. Left out, the operating system draws one.")
@click.option("--secret", help="Only to replay an audit: with its seed, the secret that its report revealed.")
@shared.guidelines
@click.option("--title", default="", help="Title of the page and of the report.")
@shared.target
@click.option("--reveal/--no-reveal", default=True, help="Whether annotators may look at predictions and estimates, "
              "which is logged. They are hidden at first in any case.")  # fmt: skip
@shared.as_json
def init(audit: Path, predictions: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Make an audit from what a model said about your items."""
    from altmas.audits.audit import Audit
    from altmas.core.doubtful_scores import DoubtfulScoresWarning
    from altmas.formats.files import read_text
    from altmas.formats.ingest import ingest

    _check_new(audit)
    files = {name: given[name] for name in FILES} | {name: _columns(given[name]) for name in PER_FILE}
    warnings.simplefilter("ignore", DoubtfulScoresWarning)  # said below, of the vendor, and by `altmas check`
    files |= {"show": shared.names_in(given["show"]), "classes": _classes(given["classes"])}
    if given["sample"] is not None:
        from altmas.formats.sampled import ingest_sample

        drawn = {name: given[name] for name in ("sample", "seed", "scheduler")}
        found = ingest_sample(predictions, **files, **drawn)
    elif given["scheduler"]:
        raise click.UsageError("--scheduler comes with --sample.")
    else:
        found = ingest(predictions, **files)
    options = dict(_option(one) for one in given["options"])
    if given["anytime"]:
        options["interval"] = "anytime"
    guidelines = read_text(given["guidelines"]) if given["guidelines"] else ""
    known, hashes = _known(given["known"], found.pool)
    made = Audit.create(
        audit, found.pool, metrics=_metrics(given["metrics"]), options=options, guidelines=guidelines,
        items=found.items, withheld=found.withheld, media=found.media, inputs=found.inputs | hashes, known=known,
        experts=_names(given["experts"], "--experts"), **{name: given[name] for name in SETTINGS},
        **_about(given["about"], found.pool),
    )  # fmt: skip
    notes = list(map(in_options, found.notes))
    with made:
        summary = describe(made)
    if as_json:
        shared.say_json("init", {"notes": notes, **summary}, audit)
        return
    if given["classes"] is None:
        shared.say("Note: the classes are those in the files; --classes names others that labels may be")
    for note in notes:
        if not note.startswith("annotators see") and note != _without_image(summary):  # said below
            shared.say(f"Note: {note}")
    _tell(audit, summary)
    how = "the one you gave" if given["secret"] else "one made after the files were hashed"
    shared.say(f"  questions follow from seed {summary['seed']} and a secret, {how}; the report reveals both")
    shared.say(f"  this hash commits to them; keep it, or send it to the vendor now: {summary['commitment']}")
    shared.say_warnings(summary["warnings"])
    shared.say(f"Next: altmas check {audit}, then altmas label {audit} --annotator you")


def _columns(named: tuple[str, ...]) -> str | tuple[str, ...] | None:
    """A column of all files, of each in turn, or none named."""
    return named[0] if len(named) == 1 else named or None


def _names(text: str | None, option: str) -> list[str]:
    """Names with commas between them; a comma alone names nobody, and was meant to."""
    from altmas.metrics.errors import InputError

    names = shared.names_in(text)
    if names == []:
        raise InputError(option, "be names, with commas between them", repr(text))
    return names or []


def _known(path: Path | None, pool: Pool) -> tuple[dict[Any, Any] | None, dict[str, str]]:
    """Labels there are already, by id, and the hash of their file."""
    from altmas.audits.imports import RowsError
    from altmas.audits.values import SKIP, UNSURE
    from altmas.core.files import sha256_of
    from altmas.core.places import Places
    from altmas.formats.labels import label_table

    if path is None:
        return None, {}
    found = label_table(path, Places(pool.ids), pool.classes, "known labels")
    if found.wrong:
        raise RowsError(found.wrong, f"known labels in {path.name}")
    if found.elsewhere:
        shared.say(f"Note: {counted(found.elsewhere, 'known label')} of other items left aside")
    labels = {pool.ids[at]: label for at, label in found.labels.items() if label not in (SKIP, UNSURE)}
    return labels or None, {path.name: sha256_of(path)}


def _check_new(folder: Path) -> None:
    """Refuse a folder that is there, before large files are read for it."""
    from altmas.metrics.errors import InputError

    if folder.is_dir() and any(folder.iterdir()):
        hint = f"altmas status {folder} shows one that is there." if (folder / "audit.db").exists() else ""
        raise InputError("audit folder", "be new or empty", str(folder), hint)


@command()
@shared.folder
@shared.as_json
def check(audit: Path, as_json: bool) -> None:
    """Look for anything wrong before a label is spent."""
    from altmas.audits.verification import verify_folder

    checked = verify_folder(audit)
    problems, summary = list(checked.problems), {}
    if checked.ok or checked.only_images:
        with shared.opened(audit) as held:
            summary = describe(held)
    if as_json:
        shared.say_json("check", {"ok": not problems, "problems": problems, **summary}, audit)
    else:
        if summary:
            _tell(audit, summary)
            shared.say_warnings(summary["warnings"])
        shared.say_problems(problems)
        if not problems:
            doubtful = summary.get("doubts") or summary.get("warnings")
            shared.say("Nothing else wrong found." if doubtful else "Nothing wrong found.")
    if problems:
        sys.exit(shared.EXIT_PROBLEMS)


def describe(audit: Audit) -> dict[str, Any]:
    """What an audit is about, for a person to check."""
    import numpy as np

    from altmas.audits.doubts import doubts_of
    from altmas.audits.sample import drawing
    from altmas.words.first_phase import first_phase_facts

    pool, seen = audit.pool, audit.content(0)
    images = audit.created.body.get("media", {"files": 0, "hashed": 0})
    without, ids = audit.without_image()
    names = [*map(str, pool.classes), "(no class)"]
    models = []
    weights = None if pool.first_phase is None else pool.first_phase.weights
    for one in pool.outputs:
        counts = np.rint(np.bincount(one.predictions, weights, len(names))).astype(int)
        kind = "none" if one.scores is None else "probabilities" if one.scores.ndim == 2 else "one confidence per item"
        said = {name: int(n) for name, n in zip(names, counts, strict=True) if n or name in names[:-1]}
        unscored = 0 if one.unscored is None else pool.rows(one.unscored)
        failed = {"no_answer": int(counts[-1]), "no_score": unscored}
        models.append({"name": one.name, "scores": kind, "predicted": said, **failed})
    return {
        "items": pool.size,
        "classes": names[:-1],
        "models": models,
        "doubts": doubts_of(pool, drawing(audit.state).answers),
        "opinions": [one.name for one in pool.opinions],
        "features": None if pool.features is None else list(pool.features.shape[1:]),
        "features_from": pool.features_from,
        "groups": {name: len(set(values.tolist())) for name, values in pool.groups.items()},
        **({} if pool.clusters is None else {"clusters": _described(pool.clusters)}),
        **({} if pool.first_phase is None else {"drawn_from": first_phase_facts(pool)}),
        "known": 0 if pool.known is None else int((pool.known >= 0).sum()),
        "images": images,
        "without_image": {"items": without, "ids": ids},
        "annotators_see": [*seen, *(["image"] if images["files"] else [])],
        "withheld": [name for name in audit.columns if name not in seen],
        "targets": [str(one) for one in audit.settings.targets],
        **{name: getattr(audit.settings, name) for name in DESCRIBED},
        "commitment": audit.created.hash,
        "warnings": [*_scores_warnings(pool), *cluster_warnings(pool.clusters), *drawing_warnings(audit.created.body)],
    }


def _described(clusters: Clusters) -> dict[str, Any]:
    sizes = clusters.sizes
    return {"name": clusters.name, "count": clusters.count, "largest": int(sizes.max()), "blank": clusters.blank}


def _scores_warnings(pool: Pool) -> list[str]:
    """What is strange about the scores of each model, and of each opinion, by its name."""
    from altmas.core.doubtful_scores import scores_doubt

    told = [(one.name, scores_doubt(one, pool.classes)) for one in (*pool.outputs, *pool.opinions)]
    return [f"{name}: {doubt}" for name, doubt in told if doubt]


def hashed(images: dict[str, int]) -> str:
    """How many images are watched.

    >>> hashed({"files": 50_000, "hashed": 20_000})
    '20,000 of 50,000 are known by the hash of their contents'
    """
    return f"{images['hashed']:,} of {images['files']:,} are known by the hash of their contents"


def _tell_of_groups(summary: dict[str, Any]) -> None:
    for name, count in summary["groups"].items():
        shared.say(f"  group {name}: {count} values")
    if clusters := summary.get("clusters"):
        most = f"at most {counted(clusters['largest'], 'item')} each"
        said = f"{clusters['count']:,}, {most}; the intervals are about others like them"
        shared.say(f"  clusters by {clusters['name']}: {said}")


def _tell(path: Path, summary: dict[str, Any]) -> None:
    size = f"{counted(summary['items'], 'item')}, {len(summary['classes'])} classes"
    shared.say(f"{path}: {size}, method {summary['method']}")
    drawn, whole = summary.get("drawn_from"), summary["items"]
    if drawn:
        shared.say(f"  {drawn['sentence']} What each model said is counted on all rows.")
        whole = drawn["rows"]
    for one in summary["models"]:
        most = sorted(one["predicted"].items(), key=lambda pair: -pair[1])
        said = ", ".join(f"{name} {count:,}" for name, count in most[:8]) + (", ..." if len(most) > 8 else "")
        shared.say(f"  {one['name']} said: {said}; scores: {one['scores']}")
        for told, count in ((no_answer_on, one["no_answer"]), (without_score, one["no_score"])):
            if count:
                shared.say(f"  {told(one['name'], count, whole)}")
    if summary["opinions"]:
        shared.say(f"  second opinions, evidence only: {', '.join(summary['opinions'])}")
    if summary["features"] is not None:
        numbers = " x ".join(map(str, summary["features"])) + " per item"
        shared.say(f"  features: {summary['features_from'] or numbers}")
    _tell_of_groups(summary)
    if summary["known"]:
        shared.say(f"  {known_before(summary['known'])}")
    for doubt in summary["doubts"]:
        shared.say(f"  doubtful: {doubt}")
    if summary["task"]["task"] != "estimate":
        about = ", ".join(f"{name} {value}" for name, value in summary["task"]["about"].items() if value is not None)
        shared.say(f"  questions are drawn for the task {summary['task']['task']}: {about}")
    _tell_of_items(summary)
    if summary["targets"]:
        shared.say(f"  good enough is {listed(summary['targets'])}")
    goal = f"{summary['budget']:,} labels planned" if summary["budget"] else "no budget set"
    if summary["experts"]:
        shared.say(f"  {_second_readings(summary)}")
    if summary["cost_expert"]:
        goal = f"money for {summary['budget']:,} answers, second readings included"
    each = f", {summary['overlap']} annotators for each question" if summary["overlap"] > 1 else ""
    shared.say(f"  metrics: {', '.join(summary['metrics'])}, at level {summary['level']:g}; {goal}{each}")


def _tell_of_items(summary: dict[str, Any]) -> None:
    """What annotators see, and what they do not."""
    if summary["images"]["files"]:
        shared.say(f"  images: {hashed(summary['images'])}")
    if without := _without_image(summary):
        shared.say(f"  {without}")
    seen = ", ".join(["the id", *summary["annotators_see"]]) if summary["annotators_see"] else "only the id"
    shared.say(f"  annotators see: {seen}; never what a model said{'' if summary['reveal'] else ', nor an estimate'}")
    if summary["withheld"]:
        shared.say(f"  kept, and not shown to annotators: {', '.join(summary['withheld'])}")


def _without_image(summary: dict[str, Any]) -> str:
    from altmas.formats.images import without_image

    without = summary["without_image"]
    return without_image(without["items"], summary["items"], without["ids"]) if without["items"] else ""


def _second_readings(summary: dict[str, Any]) -> str:
    """Who reads answers again, and how many."""
    who, count, cost = listed(summary["experts"]), summary["second_readings"], summary["cost_expert"]
    many = f"{count:,} answers again" if count else "one of four answers again"
    if cost:
        many = f"as many answers again as is best, where one reading costs {cost:g} answers"
    return f"{who} {'reads' if len(summary['experts']) == 1 else 'read'} {many}: what they say is the truth"


def _classes(text: str | None) -> list[str] | None:
    from altmas.formats.files import read_text

    if text is not None and Path(text).is_file():
        return [line.strip() for line in read_text(Path(text)).splitlines() if line.strip()]
    return shared.names_in(text)


def _metrics(text: str | None) -> str | list[str]:
    from altmas.core.tasks import USUAL

    return USUAL if text is None else shared.names_in(text) or []


def _about(texts: tuple[str, ...], pool: Pool) -> dict[str, Any]:
    """What a task is about; groups to compare are named by their text."""
    from altmas.core.groups import named_pair

    about = dict(_option(one, "--about") for one in texts)
    if {"a", "b"} <= set(about):
        about["by"], about["a"], about["b"] = named_pair(pool, str(about.get("by", "class")), about["a"], about["b"])
    return about


def _option(text: str, where: str = "--option") -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint=where)
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
