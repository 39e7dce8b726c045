"""A pool that is a sample of a log too large to be read whole: one pass over its files, on one machine or on many."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from altmas.core.checks import whole_number
from altmas.core.doing import doing
from altmas.core.first_phase import FirstPhase
from altmas.core.keyed_draws import most_likely
from altmas.core.streams import new_seed
from altmas.formats.arrow import from_arrow
from altmas.formats.first_pass import Drawn, Part, Plan, draw, enough, scanned
from altmas.formats.ingest import Ingested, ingest
from altmas.formats.keyed import named_sources
from altmas.formats.many_files import Piece, batches, column_names, count_rows, found_files
from altmas.formats.model_columns import model_columns
from altmas.formats.on_cluster import scanned_on_cluster
from altmas.formats.tables import Numbered
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray

BANDS = 10
"""Bands of the score: the bins of calibration, where scores are probabilities; else as many equal shares of rows."""

_LOOKED_AT, _ROWS_LOOKED_AT = 8, 1 << 14


class Place(str):
    """Where a row lies, as messages name it: `17 of part-3.parquet`."""

    def __format__(self, spec: str) -> str:
        return str(self)


@dataclass(frozen=True)
class Places(Sequence[Any]):
    """Where each row of a sample lies."""

    drawn: Drawn
    names: list[str]

    def __len__(self) -> int:
        return len(self.drawn.row)

    def __getitem__(self, at: Any) -> Any:
        return Place(f"{self.drawn.row[at] + 1} of {self.names[int(self.drawn.file[at])]}")


def ingest_sample(
    predictions: Any,
    *,
    sample: int,
    seed: int | None = None,
    scheduler: str = "",
    id: Any = None,
    prediction: Any = None,
    scores: Any = None,
    confidence: str | None = None,
    groups: Sequence[str] = (),
    clusters: str | None = None,
    image: str | None = None,
    text: str | None = None,
    show: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    **more: Any,
) -> Ingested:
    """As `ingest`, of a sample of so many rows of files too large to be read: the numbers are then about all rows.

    `predictions` are Parquet or CSV files of one model under test: patterns, `logs/*.parquet`, folders, or paths. One
    pass counts all rows by predicted class, band of the score, and groups, and draws the sample from these strata:
    half of it alike from each, as far as they have so many rows, half from all rows. Which rows follows from the `seed`
    (drawn by the operating system where none is given), file and row alone. With `scheduler`, the address of one of
    Dask, its workers make the pass: the same rows are drawn. Where `text` or `show` name what annotators see, no other
    columns are read but those that the audit needs.
    """
    sample = whole_number("sample", sample, 1)
    seed = new_seed() if seed is None else whole_number("seed", seed, 0)
    if clusters is not None:
        rule = "be left out where the pool is a sample of rows"
        raise InputError("clusters", rule, repr(clusters), "A sample of whole clusters can be made beforehand.")
    groups = [groups] if isinstance(groups, str) else list(groups)
    name, pieces = _sources(predictions, names)
    options = {"id": _only("id", id), "prediction": _only("prediction", prediction), "scores": _only("scores", scores)}
    show = [show] if isinstance(show, str) else show
    wanted = None if show is None and text is None else [*(show or ()), *([text] if text else [])]
    plan = planned(pieces, options | {"confidence": confidence}, groups, wanted, image, sample, seed)
    with doing(f"reading {len(pieces):,} files"):
        part = first_pass(plan, pieces, scheduler)
    with doing("drawing the sample"):
        found = draw(plan, part)
        table = Numbered(from_arrow(found.table, name), Places(found, [one.name for one in pieces]))
    made = ingest(
        table, names=[name], **options, confidence=confidence, groups=groups, image=image, text=text, show=show, **more
    )
    phase = FirstPhase(found.stratum, found.rows, tuple(map(", ".join, found.strata)), seed)
    whole = f"{phase.whole:,} rows in {len(found.files):,} files"
    if len(found.row) == phase.whole:
        return replace(made, notes=[f"all {whole} are in the pool: no sample was needed", *made.notes])
    notes = [f"{len(found.row):,} of {whole} were drawn", *made.notes]
    return replace(made, pool=made.pool.drawn_from(phase), notes=notes)


def first_pass(plan: Plan, pieces: Sequence[Piece], scheduler: str = "") -> Part:
    """What is known of all rows, of which no more are kept than will be needed; else, once in a lifetime, once more."""
    scan = partial(scanned_on_cluster, scheduler=scheduler) if scheduler else scanned
    rows = count_rows(pieces)
    likely = plan if rows is None else replace(plan, most=most_likely(plan.sample, rows))
    part = scan(likely, pieces)
    return part if enough(likely, part) else scan(plan, pieces)


def _only(option: str, given: Any) -> Any:
    """One name of a column: all files are one model's."""
    if given is None or isinstance(given, str):
        return given
    if len(given) != 1:
        raise InputError(option, "be one column of all files, where they are sampled", f"{len(given)}")
    return given[0]


def _sources(predictions: Any, names: Sequence[str] | None) -> tuple[str, list[Piece]]:
    """The model's name and the files it said things in."""
    given = [predictions] if isinstance(predictions, str | os.PathLike) else list(predictions)
    sources = [named_sources([one], None, "predictions")[0] for one in given]
    for _, one in sources:
        if not isinstance(one, str | os.PathLike):
            raise InputError("predictions", "be files, where they are sampled", type(one).__name__)
    named = [name for (name, path), one in zip(sources, given, strict=True) if str(path) != str(one)]
    if len(set(named)) > 1:
        hint = "Put the models' predictions into one file each, joined beforehand, or audit them one by one."
        raise InputError("predictions", "be one model's, where they are sampled", named, hint)
    pieces = found_files([path for _, path in sources])
    chosen = names[0] if names else named[0] if named else sources[0][0] if len(pieces) == 1 else "model"
    return str(chosen), pieces


def planned(
    pieces: Sequence[Piece],
    options: dict[str, Any],
    groups: Sequence[str],
    shown: Sequence[str] | None,
    image: str | None,
    sample: int,
    seed: int,
) -> Plan:
    """What to read, by the columns of the first file and a look at some rows of a few."""
    import pyarrow as pa

    names = column_names(pieces[0])
    some = [pieces[k] for k in np.unique(np.linspace(0, len(pieces) - 1, _LOOKED_AT).astype(int))]
    heads = [head for one in some for head in islice(_heads(one, names), 1)]
    looked = from_arrow(pa.Table.from_batches(heads[:1]), pieces[0].name) if heads else None
    if looked is None:
        raise InputError(pieces[0].name, "hold at least one row", "none")
    model = model_columns(looked, pieces[0].name, **options)
    scores = tuple(model.scores.values()) or ((model.confidence,) if model.confidence else ())
    strata = [name for name in groups if name in names]
    columns = names
    if shown is not None:
        needed = {model.id, *model.outputs, *strata, *shown, *([image] if image else [])}
        columns = [name for name in names if name in needed]
    seen = [_scores_in(head, scores) for head in heads] if scores else []
    edges, probable = _edges(np.concatenate(seen)) if seen else ((), False)
    return Plan(tuple(columns), model.prediction, scores, tuple(strata), edges, sample, seed, probable)


def _heads(piece: Piece, names: Sequence[str]) -> Iterator[Any]:
    return (batch.slice(0, _ROWS_LOOKED_AT) for batch in batches(piece, names) if batch.num_rows)


def _scores_in(head: Any, scores: Sequence[str]) -> FloatArray:
    import pandas as pd
    import pyarrow as pa

    frame = from_arrow(pa.Table.from_batches([head]).select(list(scores)), "scores")
    table = np.column_stack([pd.to_numeric(frame[name], errors="coerce").astype(float) for name in scores])
    return np.asarray(np.fmax.reduce(table, axis=1))


def _edges(scores: FloatArray) -> tuple[tuple[float, ...], bool]:
    """Where one band of scores ends and the next begins, and whether the scores are probabilities.

    >>> _edges(np.array([0.5, 0.9, np.nan]))[0][-1], _edges(np.arange(21.0))[0][:2]
    (0.9, (2.0, 4.0))
    """
    known = scores[~np.isnan(scores)]
    if not len(known):
        return (), False
    if known.min() >= 0 and known.max() <= 1:
        return tuple((np.arange(1, BANDS) / BANDS).tolist()), True
    return tuple(np.unique(np.quantile(known, np.arange(1, BANDS) / BANDS)).tolist()), False
