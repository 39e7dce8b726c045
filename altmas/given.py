"""From what people hold to a pool and whoever answers: arrays, tables, tensors, files, or a fitted model."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from altmas.core.alignment import in_one_order
from altmas.core.checks import as_column, is_blank, plain, unwrapped
from altmas.core.oracles import TableOracle, labels_in
from altmas.core.pool import Pool
from altmas.core.pool_columns import prediction_column
from altmas.formats.auto_features import AUTO, given_features
from altmas.formats.fitted import fitted_outputs
from altmas.formats.held import is_file, labels_of_file, oracle_of_file, pool_of_file
from altmas.formats.model_files import caster
from altmas.metrics.errors import InputError

LABELLED = ("oracle", "expert", "known")
"""What has labels, and may have them of more items than the pool's."""


@dataclass(frozen=True, eq=False)
class Given:
    """The pool, and those who answer about it."""

    pool: Pool
    oracle: Any
    expert: Any


def given(predictions: Any, scores: Any, *, model: Any, **held: Any) -> Given:
    """A pool of predictions, of files, or of what a fitted model says of the items.

    >>> given(["cat", "dog"], None, model=None, oracle={0: "cat", 1: "emu"}).pool.classes
    ('cat', 'dog', 'emu')
    """
    held = {**dict.fromkeys(_OPTIONAL), "logits": False, "not_a_class": (), "is_a_class": (), **held}
    drawn: dict[str, Any] = {name: held.pop(name) for name in ("sample", "seed", "scheduler") if name in held}
    if (predictions is None) == (model is None):
        got = "neither" if model is None else "both"
        raise InputError("predictions", "be given, or model= with items=", got)
    if isinstance(predictions, Pool):
        return _of_pool(predictions, scores, held)
    if drawn:
        return _of_files(predictions, scores, held, drawn)
    if is_file(predictions):
        return _of_files(predictions, scores, held)
    return _of_arrays(predictions, scores, model, held)


_OPTIONAL = ("features", "items", "opinions", "groups", "clusters", "classes", "ids", *LABELLED)


def _of_pool(pool: Pool, scores: Any, held: Mapping[str, Any]) -> Given:
    """A pool that was made before, which has everything but those who answer."""
    more = {name: held[name] for name in _OPTIONAL if name not in LABELLED} | {"scores": scores}
    if named := [name for name, one in more.items() if one is not None]:
        raise InputError(named[0], "be left out where predictions are a Pool, which has them", "some")
    return _with_people(pool, *map(held.get, LABELLED))


def _of_files(
    predictions: Any, scores: Any, held: Mapping[str, Any], drawn: Mapping[str, Any] = MappingProxyType({})
) -> Given:
    if held["ids"] is not None:
        raise InputError("ids", "be left out where predictions are a file, which has them", type(held["ids"]).__name__)
    with _columns_by_hand():
        return _read(predictions, scores, held, drawn)


@contextmanager
def _columns_by_hand() -> Iterator[None]:
    """Refusals that name options of `altmas init` for columns, which a call with arrays does not need."""
    try:
        yield
    except InputError as error:
        subject, rule, got, hint = error.args
        if not any(f"{name}=..." in hint for name in ("id", "prediction", "label")):
            raise
        by_hand = "Files with other columns are read with pandas, and their columns given: assess(table['said'], ...)."
        raise InputError(subject, rule, got, by_hand) from None


_OF_FILES = ("features", "items", "opinions", "groups", "clusters", "classes", "logits", "not_a_class", "is_a_class")


def _read(predictions: Any, scores: Any, held: Mapping[str, Any], drawn: Mapping[str, Any]) -> Given:
    labels: list[Any] = []
    for name in LABELLED:
        one = held[name]
        labels += labels_of_file(one) if is_file(one) else _values(one) if _is_table(one) else []
    options = {name: held[name] for name in _OF_FILES if held[name] is not None}
    labels = [] if held["classes"] is not None else labels
    pool = pool_of_file(predictions, labels, scores=scores, **options, **drawn)
    return _with_people(pool, *map(held.get, LABELLED))


def _with_people(pool: Pool, oracle: Any, expert: Any, known: Any) -> Given:
    """Those who answer, tables of labels read from their files; labels known before go into the pool."""
    oracle, expert, known = (
        oracle_of_file(one, pool.ids, pool.classes) if is_file(one) else one for one in (oracle, expert, known)
    )
    return Given(pool if known is None else pool.with_known(known), oracle, expert)


def _of_arrays(predictions: Any, scores: Any, model: Any, held: Mapping[str, Any]) -> Given:
    ids = None if held["ids"] is None else as_column("ids", held["ids"])
    people = {name: _by_id(held[name], ids) for name in LABELLED}
    columns = in_one_order(
        {
            "predictions": predictions, "scores": scores, "opinions": held["opinions"], "groups": held["groups"],
            "features": held["features"], "items": held["items"], "ids": held["ids"], "clusters": held["clusters"],
            **{name: one for name, one in people.items() if not isinstance(one, Mapping)},
        },
        more=LABELLED,
    )  # fmt: skip
    ids = None if ids is None else as_column("ids", columns["ids"])
    oracle, expert, known = (columns.get(name, people[name]) for name in LABELLED)
    predictions, scores, classes = columns["predictions"], columns["scores"], held["classes"]
    items, features = columns["items"], columns["features"]
    automatic = isinstance(features, str) and features == AUTO
    if items is not None and model is None and not automatic:
        raise InputError("items", "come with features='auto', which are made of them, or with model=", "neither")
    if model is not None:
        if scores is not None:
            raise InputError("scores", "be left out with model=, which gives them", type(scores).__name__)
        if items is None:
            raise InputError("items", "be given with model=, to be classified", "none")
        names = range(_count(items)) if ids is None else ids
        labels = () if classes is not None else _labels(oracle, expert, known, names, ())
        found = fitted_outputs(model, items, classes, labels)
        predictions, scores, classes = found.predictions, found.scores, found.classes
    several = isinstance(predictions, Mapping)
    predictions = {k: unwrapped(v) for k, v in predictions.items()} if several else unwrapped(predictions)
    column = next(iter(predictions.values()), ()) if several else predictions
    names = range(_count(column)) if ids is None else ids
    seen = _labels(oracle, expert, known, names, prediction_column(column)) if classes is None else ()
    told = () if features is None else _told(predictions, scores, (oracle, expert), names)
    features, made_of = given_features(features, items if automatic else None, len(names), said=told, ids=ids)
    pool = Pool.build(
        predictions, ids=ids, scores=scores, logits=held["logits"], features=features, opinions=columns["opinions"],
        groups=columns["groups"], classes=classes, labels_seen=seen, not_a_class=held["not_a_class"],
        is_a_class=held["is_a_class"], features_from=made_of, clusters=columns["clusters"],
    )  # fmt: skip
    return _with_people(pool, oracle, expert, known)


def _by_id(labels: Any, ids: Sequence[Hashable] | None) -> Any:
    """Labels by id where they come as a column of pandas whose index are the ids."""
    if ids is not None and hasattr(labels, "to_dict") and hasattr(labels, "index") and set(ids) <= set(labels.index):
        return labels.to_dict()
    return labels


def _is_table(one: Any) -> bool:
    return isinstance(one, Mapping | TableOracle)


def _labels(oracle: Any, expert: Any, known: Any, ids: Sequence[Hashable], said: Any) -> tuple[Hashable, ...]:
    """Labels that are known to be used; those of a file in the type of the predictions."""
    files = [one for one in (oracle, expert, known) if is_file(one)]
    cast = caster(said) if files else str
    written = [cast(label) for path in files for label in labels_of_file(path)]
    oracle, expert, known = (None if is_file(one) else one for one in (oracle, expert, known))
    return (*written, *labels_in(oracle, ids), *labels_in(expert, ids, "expert"), *_values(known))


def _values(known: Any) -> list[Any]:
    """The labels there are already."""
    known = known.labels if isinstance(known, TableOracle) else known
    column = known.values() if isinstance(known, Mapping) else () if known is None else as_column("known labels", known)
    return [one for one in map(plain, column) if not is_blank(one)]


def _told(predictions: Any, scores: Any, people: Sequence[Any], ids: Sequence[Hashable]) -> list[Any]:
    """What no feature may tell: predictions, scores, and labels where they are known beforehand."""
    told = [*predictions.values()] if isinstance(predictions, Mapping) else [predictions]
    told += [*scores.values()] if isinstance(scores, Mapping) else [scores]
    for one in people:
        labels = one.labels if isinstance(one, TableOracle) else None if callable(one) or is_file(one) else one
        told.append([labels.get(id) for id in ids] if isinstance(labels, Mapping) else labels)
    return told


def _count(column: Any) -> int:
    """How many items there are, or a sentence that says why they are none."""
    if hasattr(column, "shape") and len(column.shape):
        return int(column.shape[0])
    return len(column) if isinstance(column, list | tuple) else len(as_column("predictions", column))
