"""A belief as arrays that a file can hold, and back: part by part, each number as it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.core.method import ArrayMap
from altmas.core.pool import Pool
from altmas.metrics.belief import Belief, Own, Part, Shared, Single
from altmas.metrics.types import FloatArray

BELIEF = "belief"
_KINDS: Mapping[str, type[Shared] | type[Single] | type[Own]] = {"shared": Shared, "single": Single, "own": Own}


def arrays_of(belief: Belief, pool: Pool) -> dict[str, NDArray[Any]]:
    """The arrays of every part, `belief:NUMBER:KIND:FIELD`.

    Scores that the pool has are named and not kept again; others, which a learner made, in single precision.

    >>> pool = Pool.build(["a", "b"], scores=[[0.9, 0.1], [0.2, 0.8]], classes=["a", "b"])
    >>> sorted(arrays_of(Belief.dense(pool.scores), pool))
    ['belief:0:own:of', 'belief:0:own:share']
    """
    names = {kind: name for name, kind in _KINDS.items()}
    given, found = _scores(pool), {}
    for number, part in enumerate(belief.parts):
        held = {one.name: getattr(part, one.name) for one in fields(part)}  # type: ignore[arg-type]
        if isinstance(part, Own):
            held |= _named(part, given) if any(one is part.scores for one in given) else _alone(part)
        for name, value in held.items():
            if value is not None:
                found[f"{BELIEF}:{number}:{names[type(part)]}:{name}"] = _small(value)  # type: ignore[index]
    return found


def belief_in(arrays: ArrayMap, pool: Pool) -> Belief:
    """The belief that `arrays_of` made arrays of; or one of an earlier version, a table `[N, C]`.

    >>> pool = Pool.build(["a", "b"])
    >>> belief_in({"belief": np.array([[2.0, 2.0], [1.0, 3.0]])}, pool).rows().tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    if BELIEF in arrays:
        table = arrays[BELIEF]
        return Belief.dense(table).scaled(1.0 / table.sum(1, dtype=np.float64))
    held: dict[tuple[int, str], dict[str, NDArray[Any]]] = {}
    for name in arrays:
        if name.startswith(f"{BELIEF}:"):
            _, number, kind, field = name.split(":")
            held.setdefault((int(number), kind), {})[field] = arrays[name]
    return Belief(pool.size, len(pool.classes), tuple(_part(kind, held[n, kind], pool) for n, kind in sorted(held)))


def _part(kind: str, held: dict[str, NDArray[Any]], pool: Pool) -> Part:
    if "of" in held:
        held = {**held, "scores": _scores(pool)[int(held["of"])]}
        del held["of"]
    return _KINDS[kind](**held)


def _named(part: Own, given: Sequence[FloatArray]) -> dict[str, Any]:
    return {"scores": None, "of": np.array([one is part.scores for one in given]).argmax()}


def _alone(part: Own) -> dict[str, Any]:
    """The scores of these items in single precision; their shares make up for what rounding took from each sum."""
    scores = part.scores if part.place is None else part.scores[part.place]
    rounded = scores.astype(np.float32)
    whole = rounded.sum(1, dtype=np.float64)
    share = part.share * np.divide(scores.sum(1), whole, out=np.ones(len(whole)), where=whole > 0)
    return {"scores": rounded, "share": share, "place": None}


def _scores(pool: Pool) -> list[FloatArray]:
    """Scores of every label that the pool has."""
    return [one.scores for one in (*pool.outputs, *pool.opinions) if one.scores is not None and one.scores.ndim == 2]


def _small(value: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in as few bytes as hold them."""
    if np.ndim(value) == 0 or value.dtype.kind not in "iu" or not value.size:
        return np.asarray(value)
    return value.astype(np.result_type(np.min_scalar_type(value.max()), np.int8))
