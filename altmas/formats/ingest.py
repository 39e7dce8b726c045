"""From the files people have to a pool: predictions, scores, features, opinions, groups and the items themselves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax

from altmas.core.checks import same_length, sorted_classes
from altmas.core.doing import doing
from altmas.core.files import sha256_of
from altmas.core.limits import few_classes
from altmas.core.no_answer import no_class, none_of, refuse_doubtful, were_said
from altmas.core.pool import Pool
from altmas.core.pool_columns import MISSING
from altmas.features.auto import make_features
from altmas.features.made import MadeFeatures
from altmas.formats.arrays import read_array, read_features, read_named_rows
from altmas.formats.auto_features import AUTO, allowed
from altmas.formats.described import Described
from altmas.formats.files import existing
from altmas.formats.images import Images, fingerprint, images_by_id, images_by_name
from altmas.formats.keyed import Keyed, aligned, named_sources, read_keyed
from altmas.formats.model_columns import named_columns
from altmas.formats.model_files import Cast, ModelFile, Said, caster, known_classes, one_spelling, outputs, read_model
from altmas.metrics.errors import InputError
from altmas.words.no_answer import no_answer_on, without_score

RESERVED = ("unsure", "skip", "")
"""Answers that are no labels; no class may be named like them."""
_ARRAYS = (".npy", ".npz")


@dataclass(frozen=True, eq=False)
class Ingested:
    """A pool and what belongs to its items: own columns (text), images, the inputs' SHA-256, and notes.

    `items` are the columns annotators see, `withheld` further ones that they may be shown later.
    """

    pool: Pool
    items: pd.DataFrame
    media: list[str | None]
    inputs: dict[str, str]
    notes: list[str]
    withheld: pd.DataFrame = field(default_factory=pd.DataFrame)


def ingest(
    predictions: Any,
    *,
    id: str | Sequence[str] | None = None,
    prediction: str | Sequence[str] | None = None,
    scores: str | Path | Sequence[str] | None = None,
    confidence: str | None = None,
    logits: bool = False,
    features: Any = None,
    opinions: Sequence[Any] = (),
    groups: Sequence[str] = (),
    clusters: str | None = None,
    items: Any = None,
    image: str | None = None,
    text: str | None = None,
    show: Sequence[str] | None = None,
    classes: Sequence[Hashable] | None = None,
    names: Sequence[str] | None = None,
    not_a_class: Sequence[str] = (),
    is_a_class: Sequence[str] = (),
    labels_seen: Sequence[str] = (),
) -> Ingested:
    """Read files, or tables, into a pool.

    `predictions` are one file per model under test, joined on ids; the first gives the order of the pool. A model is
    named by `name=path`, by `names`, or by its file. `id`, `prediction`, `scores` (a pattern such as `p_*` with the
    class for its star, one column of confidences, or an npy file) and `confidence` name columns, one for every file or
    one for each in turn; where they do not, only common names are tried, and `notes` tells which. `opinions` are
    further models' files of the same form.
    `items` is a folder of images, each named by its id or by the column `image`, or a table with more about the items.
    A blank prediction is no answer, and so is one that `not_a_class` names, `HTTP*`; what only looks so `is_a_class`
    names. Spellings that differ in case or blanks are one class. `labels_seen` are classes that labels are known to be.
    `show` names the columns annotators see, `text` the one that is the item. `features` are numbers from a file or an
    array; `"auto"` makes them of the items' images and of every column that is no model's, shown or not. `clusters`
    names the column that says which items belong together, such as the patient; annotators do not see it.

    >>> table = pd.DataFrame({"id": ["a", "b"], "prediction": ["cat", "dog"], "text": ["Miaow.", "Woof."]})
    >>> found = ingest(table)
    >>> found.pool.classes, found.items["text"].tolist()
    (('cat', 'dog'), ['Miaow.', 'Woof.'])
    >>> found.notes[1]
    "annotators see 'text'"
    """
    groups = [groups] if isinstance(groups, str) else groups
    show = [show] if isinstance(show, str) else show
    sources = named_sources(predictions, names, "predictions")
    if not sources:
        raise InputError("predictions", "be at least one file", "none")
    further = named_sources(opinions, None, "opinions")
    beside = Path(scores) if isinstance(scores, str | Path) and Path(scores).suffix.lower() in _ARRAYS else None
    files = named_columns(
        len(sources), len(further), id=id, prediction=prediction, confidence=confidence,
        scores=None if beside is not None else str(scores) if isinstance(scores, Path) else scores,
    )  # fmt: skip
    pool, joined = read_keyed(*sources[0], files[0]["id"], of_model=True), list[str]()
    read = [
        pool if k == 0 else read_keyed(*source, columns["id"], of_model=True)
        for k, (source, columns) in enumerate(zip((*sources, *further), files, strict=True))
    ]
    every = [read_model(one, pool, joined, **columns) for one, columns in zip(read, files, strict=True)]
    models, others = every[: len(sources)], every[len(sources) :]
    inputs = {one.keyed.origin: one.keyed.digest for one in (*models, *others)}
    notes = [one.columns.note(one.keyed.subject) for one in (*models, *others)]
    notes += [note for one in (*models, *others) for note in one.keyed.table.notes] + joined

    were_said(not_a_class, (one for model in (*models, *others) for one in model.said or ()))
    failed = no_class(not_a_class)
    cast = caster([one for one in models[0].said or () if one is not None and not failed(one)])
    known = known_classes(models, classes, cast)
    _well_named(known or ())
    none_of(known or (), not_a_class)
    labels = [cast(one) for one in labels_seen]
    cast = one_spelling(cast, [*models, *others], known, labels, notes)
    if known is None:
        _answers(models, failed, labels, [*is_a_class, *map(cast, is_a_class)])
    told = {one.keyed.name: outputs(one, known, cast, logits, notes, failed) for one in models}
    scored: dict[str, Any] = {name: array for name, (_, array) in told.items() if array is not None}
    if beside is not None:
        if len(models) > 1:
            raise InputError(
                "scores",
                "be columns where there are several models",
                f"the file {beside}",
                "Name columns, such as scores='p_*'.",
            )
        scored[pool.name] = read_array(beside)
        same_length("scores", len(scored[pool.name]), len(pool.keys), "row")
        inputs[str(beside)] = sha256_of(existing(beside))
        notes.append(f"scores are taken row by row from {beside.name}, in the order of {pool.subject}")
    said = {name: predicted for name, (predicted, _) in told.items()}
    described, images = _items(items, image, models[0], files[0]["id"], inputs, notes)
    media = images.paths
    together = _clusters(clusters, described, [*models, *others])
    own, seen = described.own(show, text, image, [*groups, *together])
    withheld, kept = described.withheld(list(own.columns), image, told=told_columns([*models, *others]))
    made_of = ""
    if isinstance(features, str) and features == AUTO:
        with doing("making features of the items"):
            found = _made(described, media, [*models, *others], [image, *together], text, show or ())
        features, made_of = found.array, found.used
        notes.append(f"features: {made_of}")
    built = Pool.build(
        said,
        ids=pool.keys,
        scores=scored or None,
        logits=logits,
        features=_features(features, pool, inputs, notes),
        groups={name: [cell or MISSING for cell in described.cells(name, "groups")] for name in groups} or None,
        opinions={one.keyed.name: _opinion(one, known or _all(said), cast, logits, notes) for one in others} or None,
        classes=known,
        labels_seen=[cast(one) for one in labels_seen] if known is None else (),
        is_a_class=_all(said) if known is None else (),  # all that remain have been looked at
        features_from=made_of,
        clusters=together or None,
    )
    _well_named(built.classes)
    notes += [*seen, *kept, *(images.notes(pool.ids) if any(media) else []), *_failures(built, models, others)]
    return Ingested(built, own, media, inputs, notes, withheld)


def _items(
    items: Any, image: str | None, first: ModelFile, id: str | None, inputs: dict[str, str], notes: list[str]
) -> tuple[Described, Images]:
    """Where the items' own columns are, and each item's image."""
    pool = first.keyed
    folder = Path(items) if isinstance(items, str | Path) and Path(items).is_dir() else None
    table = None if items is None or folder is not None else read_keyed("items", items, id)
    if table is not None:
        inputs[table.origin] = table.digest
        order = aligned(pool, table.ids, table.subject, notes, more=True)
        notes += table.table.notes
        if image is not None and isinstance(items, str | Path):  # names in a file are relative to where it lies
            folder = Path(items).parent
    described = Described(first, table, order if table is not None else None)
    images = Images([None] * len(pool.keys))
    if folder is not None:
        if image is None:
            images = images_by_id(folder, pool.ids)
        else:
            images = images_by_name(folder, described.cells(image, "image"), pool.ids)
        inputs[f"{folder}/"] = fingerprint(folder, images.paths)
    elif image is not None:
        raise InputError(
            "image", "be given with items, a folder of images or a table file", repr(image), "Give items=...."
        )
    return described, images


def _clusters(name: Any, described: Described, models: list[ModelFile]) -> dict[str, list[str]]:
    """The column of clusters by its name, if there is one: never what a model said."""
    if name is None:
        return {}
    if not isinstance(name, str):
        raise InputError("clusters", "name a column where predictions are a file or a table", type(name).__name__)
    if name in told_columns(models):
        hint = "clusters=... names the column of what items belong to."
        raise InputError("clusters", "name a column of the items", f"{name!r}, which a model said", hint)
    return {name: described.cells(name, "clusters")}


def _made(
    described: Described,
    media: list[str | None],
    models: list[ModelFile],
    neither: Sequence[str | None],
    text: str | None,
    show: Sequence[str],
) -> MadeFeatures:
    """Features of the items themselves: nothing that any model said."""
    ids = {one.keyed.column for one in models} | ({described.items.column} if described.items is not None else set())
    outputs = told_columns(models) | {name for name in neither if name}
    table = described.table()
    table = table[[name for name in table.columns if name not in outputs]]
    said = [one.said for one in models if one.said is not None]
    table, left_out = allowed(table, said, ids, [name for name in (text, *show) if name])
    shown = {name: why for name, why in left_out.items() if name not in ids}
    pictures = media if any(media) else None
    if not len(table.columns) and not shown and pictures is None:
        hint = "Give items=..., a table or a folder of images."
        got = "neither columns of their own nor images"
        raise InputError("features", "have items to be made of where they are 'auto'", got, hint)
    return make_features(table, text=[text] if text else [], images=pictures, left_out=shown)


def _features(features: Any, pool: Keyed, inputs: dict[str, str], notes: list[str]) -> Any:
    """Features in the order of the pool: joined on ids where the file has them, else by row."""
    if features is None or isinstance(features, np.ndarray):
        return features
    array: Any
    ids: list[str] | None = None
    if isinstance(features, str | Path) and Path(features).suffix.lower() == ".npz":
        array, ids = read_named_rows(features, pool.column)
    elif isinstance(features, str | Path) and Path(features).suffix.lower() == ".npy":
        array = read_array(features)
    else:
        array, ids = read_features(features, pool.column)
    if ids is None:
        same_length("features", len(array), len(pool.keys), "row")  # before a file of any size is hashed
    if isinstance(features, str | Path):
        inputs[str(features)] = sha256_of(existing(features))
    if ids is None:
        notes.append(f"features are taken row by row, in the order of {pool.subject}")
        return array
    return array[aligned(pool, ids, "the features", notes, more=True)]


def told_columns(models: Sequence[ModelFile]) -> set[str]:
    """Columns in which any model said something."""
    return {name for one in models for name in one.columns.outputs}


def _opinion(model: ModelFile, classes: tuple[Hashable, ...], cast: Cast, logits: bool, notes: list[str]) -> Any:
    """An opinion as a pool takes it: scores `[N, C]`, predictions with a confidence, or predictions."""
    said, scores = outputs(model, classes, cast, logits, notes)
    if scores is None or scores.ndim == 1:
        return (said, scores)
    return softmax(scores, axis=1) if logits else scores


def _all(said: dict[str, Said]) -> tuple[Hashable, ...]:
    return sorted_classes(value for column in said.values() for value in column if value is not None)


def _well_named(classes: Sequence[Hashable]) -> None:
    """Classes must be told apart as text, and from the answers that are no labels."""
    names = [str(one) for one in classes]
    reserved = [name for name in names if name.strip().casefold() in RESERVED]
    if reserved:
        rule = "not be named 'unsure' or 'skip', which are answers"
        hint = "not_a_class=... takes it as no answer; a class must be renamed in the files."
        raise InputError("classes", rule, repr(reserved[0]), hint)
    if len(set(names)) < len(names):
        raise InputError("classes", "differ as text", names[:12])


def _answers(
    models: Sequence[ModelFile],
    failed: Callable[[Any], bool],
    known: Sequence[Hashable],
    is_a_class: Sequence[Hashable],
) -> None:
    """Refuse predictions that look like no answer, where nobody has said what they are; and ids taken for classes."""
    said = Counter(one for model in models for one in model.said or () if one is not None and not failed(one))
    if len(models[0].keyed.keys) == 0:
        return  # which the pool refuses
    nested = [one for one in said if isinstance(one, str) and one[:1] in ("{", "[") and _is_json(one)]
    if 2 * sum(said[one] for one in nested) > said.total():
        hint = "Name a column of plain values with prediction=..., or declare classes=[...]."
        raise InputError("predictions", "be classes", f"objects, e.g. {nested[0][:60]!r}", hint)
    few_classes(len(said), len(models[0].keyed.keys))
    refuse_doubtful(said, known, is_a_class)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _failures(pool: Pool, models: Sequence[ModelFile], others: Sequence[ModelFile]) -> list[str]:
    """What is worth knowing of predictions that are no class, and of scores that are not there."""
    notes = []
    for k, one in enumerate(pool.outputs):
        if said := no_answer_on(one.name, pool.unanswered(k), pool.size):
            failed = one.predictions == len(pool.classes)
            notes.append(f"{said.removesuffix('.')} (it said {_each(models[k].said_where(failed))})")
        if said := without_score(
            one.name, pool.size - int(one.scored.sum()) if one.scores is not None else 0, pool.size
        ):
            notes.append(said.removesuffix("."))
    for other, file in zip(pool.opinions, others, strict=True):
        if (outside := other.predictions == len(pool.classes)).any() and file.said is not None:
            notes.append(f"{other.name}, an opinion, said no class of {_each(file.said_where(outside))}")
    return notes


def _each(said: Said) -> str:
    """What was said that is no class, the commonest first."""
    outside = Counter(said)
    each = [f"{'nothing' if v is None else repr(v)} {count:,}" for v, count in outside.most_common(5)]
    return ", ".join(each) + (", ..." if len(outside) > len(each) else "")
