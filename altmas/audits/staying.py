"""Which items of an earlier audit's pool stayed the same in a later one's: id, content, and what the models said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from altmas.audits.media_files import MEDIA_FILE
from altmas.audits.pool_files import POOL_FOLDER
from altmas.core.pool import Outputs, Pool
from altmas.core.pool_changes import same_models
from altmas.metrics.errors import InputError
from altmas.metrics.types import BoolArray, IntArray

if TYPE_CHECKING:
    from altmas.audits.audit import Audit

SAME = 1e-6
"""Scores and features may be written with fewer digits: they are the same if they differ by less, relatively."""


def stayed(earlier: Audit, later: Audit) -> IntArray:
    """Where each item of the later pool stood in the earlier one `[N]`, -1 if it is new or anything of it changed.

    What was asked plays no part in it: else the chances that kept labels were drawn with would not be theirs.
    """
    then, now = earlier.pool, later.pool
    pairs = same_models(then, now)
    if lacking := {one.name for one in now.outputs} - {one.name for _, one in pairs}:
        hint = "Without keep_labels its answers still teach."
        raise InputError("models under test", "be in the earlier audit for labels to be kept", min(lacking), hint)
    place = earlier.places.positions([str(one) for one in now.ids])
    rows = np.flatnonzero(place >= 0)
    same = _same_contents(earlier, later, place, rows)
    for old, new in pairs:
        same &= _same_outputs(old, then, new, now, place[rows], rows)
    if then.features is not None and now.features is not None:
        same &= _same_features(then, now, place[rows], rows)
    found = np.full(now.size, -1)
    found[rows[same]] = place[rows[same]]
    return found


def _same_contents(earlier: Audit, later: Audit, place: IntArray, rows: IntArray) -> BoolArray:
    """Whether annotators would see the same of each item: its own columns, and its image by its hash."""
    held = dict(enumerate(_contents(earlier)))
    shown = _contents(later)
    same = [held[int(at)] == one for at, one in zip(place, shown, strict=True) if at >= 0]
    return np.array(same, dtype=bool).reshape(len(rows))


def _contents(audit: Audit) -> Iterator[int]:
    hashes: dict[str, str | None] = {}
    if MEDIA_FILE in audit.created.body["files"]:
        hashes = json.loads((audit.folder / POOL_FOLDER / MEDIA_FILE).read_text("utf-8"))
    for _, _, content, media in audit.store.items():
        columns = tuple(sorted(json.loads(content).items())) if content != "{}" else ()
        yield hash((columns, media and (hashes.get(media) or media)))


def _same_outputs(old: Outputs, then: Pool, new: Outputs, now: Pool, at: IntArray, rows: IntArray) -> BoolArray:
    names = [np.array([*map(str, pool.classes), None], dtype=object) for pool in (then, now)]
    same = np.asarray(names[0][old.predictions[at]] == names[1][new.predictions[rows]], dtype=bool)
    if old.scores is None and new.scores is None:
        return same
    if old.scores is None or new.scores is None or old.scores.ndim != new.scores.ndim:
        return np.zeros_like(same)
    first, second = old.scores[at], new.scores[rows]
    if second.ndim == 2:
        columns = [list(map(str, pool.classes)) for pool in (then, now)]
        if set(columns[0]) != set(columns[1]):
            return np.zeros_like(same)
        first = first[:, [columns[0].index(one) for one in columns[1]]]
    close = np.isclose(first, second, rtol=SAME, atol=SAME)
    near = close if close.ndim == 1 else close.all(1)
    scored = old.scored[at], new.scored[rows]  # without one, what stands in its place is the pool's, and tells nothing
    return np.asarray(same & (scored[0] == scored[1]) & (near | ~scored[1]), dtype=bool)


def _same_features(then: Pool, now: Pool, at: IntArray, rows: IntArray) -> BoolArray:
    assert then.features is not None
    assert now.features is not None
    if then.features.shape[1:] != now.features.shape[1:]:
        return np.zeros(len(rows), dtype=bool)
    close = np.isclose(then.features[at], now.features[rows], rtol=SAME, atol=SAME)
    return np.asarray(close.reshape(len(rows), -1).all(1))
