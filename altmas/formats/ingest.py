"""From the files people have to a pool: predictions, scores, features, opinions, groups and the items themselves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax

from altmas.core.checks import same_length, sorted_classes
from altmas.core.files import sha256_of
from altmas.core.limits import few_classes
from altmas.core.pool import Pool
from altmas.core.pool_columns import MISSING
from altmas.features.auto import make_features
from altmas.features.made import MadeFeatures
from altmas.formats.arrays import read_array, read_features, read_named_rows
from altmas.formats.auto_features import AUTO, allowed, says_the_same
from altmas.formats.columns import as_objects, frame_of
from altmas.formats.files import existing
from altmas.formats.images import fingerprint, images_by_id, images_by_name
from altmas.formats.keyed import Keyed, aligned, named_sources, read_keyed
from altmas.formats.model_columns import smells_of_a_model
from altmas.formats.model_files import Cast, ModelFile, Said, caster, known_classes, outputs, read_model
from altmas.metrics.errors import InputError
from altmas.metrics.types import IntArray

RESERVED = ("unsure", "skip", "")
"""Answers that are no labels; no class may be named like them."""
_ARRAYS = (".npy", ".npz")

FEWEST_TO_COMPARE, LONGEST_CLASS = 30, 40
"""Of fewer items, or longer texts, nothing is concluded from a column that goes with the predictions."""


@dataclass(frozen=True, eq=False)
class Ingested:
    """A pool and what belongs to its items: own columns (text), images, the inputs' SHA-256, and notes."""

    pool: Pool
    items: pd.DataFrame
    media: list[str | None]
    inputs: dict[str, str]
    notes: list[str]


def ingest(
    predictions: Any,
    *,
    id: str | None = None,
    prediction: str | None = None,
    scores: str | Path | None = None,
    confidence: str | None = None,
    logits: bool = False,
    features: Any = None,
    opinions: Sequence[Any] = (),
    groups: Sequence[str] = (),
    items: Any = None,
    image: str | None = None,
    text: str | None = None,
    show: Sequence[str] | None = None,
    classes: Sequence[Hashable] | None = None,
    names: Sequence[str] | None = None,
) -> Ingested:
    """Read files, or tables, into a pool.

    `predictions` are one file per model under test, joined on ids; the first gives the order of the pool. A model is
    named by `name=path`, by `names`, or by its file. `id`, `prediction`, `scores` (a pattern such as `p_*` with the
    class for its star, one column of confidences, or an npy file) and `confidence` name columns; where they do not,
    only common names are tried, and `notes` tells which. `opinions` are further models' files of the same form.
    `items` is a folder of images, each named by its id or by the column `image`, or a table with more about the items.
    `show` names the columns annotators see, `text` the one that is the item. `features` are numbers from a file or an
    array; `"auto"` makes them of the items' images and of every column that is no model's, shown or not.

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
    beside = Path(scores) if scores is not None and Path(scores).suffix.lower() in _ARRAYS else None
    columns = {"id": id, "prediction": prediction, "confidence": confidence}
    columns["scores"] = None if scores is None or beside is not None else str(scores)
    pool = read_keyed(*sources[0], id)
    models = [read_model(one, pool, **columns) for one in (pool, *(read_keyed(*source, id) for source in sources[1:]))]
    others = [
        read_model(read_keyed(*source, id), pool, **columns) for source in named_sources(opinions, None, "opinions")
    ]
    inputs = {one.keyed.origin: one.keyed.digest for one in (*models, *others)}
    notes = [one.columns.note(one.keyed.subject) for one in (*models, *others)]

    if classes is None:  # sooner than the pool would: most likely ids were taken for classes
        few_classes(len({value for one in models for value in one.said or ()}), len(pool.keys))
    cast = caster(models[0].said or ())
    known = known_classes(models, classes, cast)
    _well_named(known or ())
    told = {one.keyed.name: outputs(one, known, cast, logits, notes) for one in models}
    scored: dict[str, Any] = {name: array for name, (_, array) in told.items() if array is not None}
    if beside is not None:
        if len(models) > 1:
            raise InputError("scores", "be columns where there are several models", f"the file {beside}")
        scored[pool.name] = read_array(beside)
        same_length("scores", len(scored[pool.name]), len(pool.keys), "row")
        inputs[str(beside)] = sha256_of(existing(beside))
        notes.append(f"scores are taken row by row from {beside.name}, in the order of {pool.subject}")
    said = {name: predicted for name, (predicted, _) in told.items()}
    described, media = _items(items, image, models[0], id, inputs)
    own, seen = described.own(show, text, image)
    made_of = ""
    if isinstance(features, str) and features == AUTO:
        found = _made(described, media, [*models, *others], image, text, show or ())
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
        features_from=made_of,
    )
    _well_named(built.classes)
    return Ingested(built, own, media, inputs, [*notes, *seen, *_outside(built, said)])


def _items(
    items: Any, image: str | None, first: ModelFile, id: str | None, inputs: dict[str, str]
) -> tuple[Described, list[str | None]]:
    """Where the items' own columns are, and each item's image."""
    pool = first.keyed
    folder = Path(items) if isinstance(items, str | Path) and Path(items).is_dir() else None
    table = None if items is None or folder is not None else read_keyed("items", items, id)
    if table is not None:
        inputs[table.origin] = table.digest
        order = aligned(pool, table.ids, table.subject, more=True)
        if image is not None and isinstance(items, str | Path):  # names in a file are relative to where it lies
            folder = Path(items).parent
    described = Described(first, table, order if table is not None else None)
    media: list[str | None] = [None] * len(pool.keys)
    if folder is not None:
        if image is None:
            media = [*images_by_id(folder, pool.ids)]
        else:
            media = images_by_name(folder, described.cells(image, "image"))
        inputs[f"{folder}/"] = fingerprint(folder, media)
    elif image is not None:
        raise InputError("image", "be given with items, a folder of images or a table file", repr(image))
    return described, media


def _made(
    described: Described,
    media: list[str | None],
    models: list[ModelFile],
    image: str | None,
    text: str | None,
    show: Sequence[str],
) -> MadeFeatures:
    """Features of the items themselves: nothing that any model said."""
    ids = {one.keyed.column for one in models} | ({described.items.column} if described.items is not None else set())
    outputs = {name for one in models for name in one.columns.outputs} | {name for name in (image,) if name}
    table = described.table()
    table = table[[name for name in table.columns if name not in outputs]]
    said = [one.said for one in models if one.said is not None]
    table, left_out = allowed(table, said, ids, [name for name in (text, *show) if name])
    shown = {name: why for name, why in left_out.items() if name not in ids}
    pictures = media if any(media) else None
    if not len(table.columns) and not shown and pictures is None:
        hint = "Give items=, a table or a folder of images (--items)."
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
    return array[aligned(pool, ids, "the features", more=True)]


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
        raise InputError("classes", "not be named 'unsure' or 'skip', which are answers", repr(reserved[0]))
    if len(set(names)) < len(names):
        raise InputError("classes", "differ as text", names[:12])


def _outside(pool: Pool, said: dict[str, Said]) -> list[str]:
    """What is worth knowing of answers that are no class."""
    notes = []
    for one in pool.outputs:
        outside = np.flatnonzero(one.predictions == len(pool.classes))
        if len(outside):
            example = said[one.name][outside[0]]
            shown = "nothing" if example is None else repr(example)
            notes.append(f"{len(outside):,} predictions of {one.name} are no class and count as wrong, e.g. {shown}")
    return notes


@dataclass(frozen=True, eq=False)
class Described:
    """Where columns about the items come from: a table of items and its order if there is one, and the first file."""

    first: ModelFile
    items: Keyed | None
    order: IntArray | None

    def cells(self, name: str, subject: str) -> list[str]:
        """A column of either, in the order of the pool."""
        if self.items is not None and self.order is not None and self.items.has(name):
            column = self.items.cells(name)
            return [column[i] for i in self.order]
        if self.first.keyed.has(name):
            return self.first.keyed.cells(name)
        known = [str(n) for one in (self.first.keyed, self.items) if one is not None for n in one.table.frame.columns]
        raise InputError(subject, "name columns of the predictions or the items", f"{name!r}; there are {known[:12]}")

    def table(self) -> pd.DataFrame:
        """All columns of both, in the order of the pool."""
        found = self.first.keyed.table.frame
        if self.items is None or self.order is None:
            return found
        more = self.items.table.frame.iloc[self.order].reset_index(drop=True)
        return pd.concat([more, found[[name for name in found.columns if not self.items.has(name)]]], axis=1)

    def own(self, show: Sequence[str] | None, text: str | None, image: str | None) -> tuple[pd.DataFrame, list[str]]:
        """The columns annotators see, all text, in the order of the pool; and notes on what is shown and withheld."""
        if show is None and text is None:
            chosen, withheld = self._by_default(image)
        else:
            chosen, withheld = list(dict.fromkeys([*([text] if text else []), *(show or ())])), []
        said = self.first.columns.outputs
        told = [name for name in chosen if name in said and not (self.items is not None and self.items.has(name))]
        if told:
            raise InputError("columns to show", "be the item's own", f"{told[0]!r}, which the model under test said")
        repeated = [name for name in chosen if name != text and self._repeats(name)]
        if repeated:
            got = f"{repeated[0]!r}, which says what the model under test said"
            raise InputError("columns to show", "be the item's own", got)
        columns = {name: as_objects(self.cells(name, "columns to show")) for name in chosen}
        notes = [f"annotators see {_listed(chosen) or 'no columns'}"]
        notes += [f"withheld from annotators: {_listed(withheld)}"] if withheld else []
        return frame_of(columns, len(self.first.keyed.keys)), notes

    def _by_default(self, image: str | None) -> tuple[list[str], list[str]]:
        source = self.items or self.first.keyed
        said = set() if self.items else self.first.columns.outputs
        names = [str(name) for name in source.table.frame.columns if name not in (source.column, image)]
        own = [name for name in names if name not in said and not smells_of_a_model(name)]
        shown = [name for name in own if not self._repeats(name)]
        return shown, [name for name in names if name not in shown]

    def _repeats(self, name: str) -> bool:
        """Whether a column has another word for every class that was predicted, and so shows annotators which."""
        said = self.first.said
        if said is None or len(said) < FEWEST_TO_COMPARE:
            return False
        cells = self.cells(name, "columns to show")
        return max(map(len, cells)) <= LONGEST_CLASS and says_the_same(cells, said)


def _listed(names: Sequence[str], limit: int = 12) -> str:
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(map(repr, names[:limit])) + more
