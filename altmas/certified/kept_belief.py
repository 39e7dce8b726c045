"""A belief as arrays that a file can hold, and back: part by part, each number as it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from altmas.core.method import ArrayMap
from altmas.core.pool import Pool
from altmas.metrics.belief import Belief, Own, Part, Shared, Single
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray

BELIEF = "belief"
_CLOSE = 1e-4
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
        if isinstance(part, Shared):
            held |= _of_somebody(part)
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
    try:
        with np.errstate(all="ignore"):
            found = _read(arrays, pool)
            if _is_belief(found):
                return found
    except (LookupError, TypeError, ValueError):  # names, numbers and shapes of a file that somebody wrote
        pass
    raise InputError(
        "refit", "hold a belief about the pool's items and classes", "one that was changed after it was made",
        "altmas log AUDIT --verify says which.",
    )  # fmt: skip


def _read(arrays: ArrayMap, pool: Pool) -> Belief:
    if BELIEF in arrays:
        table = arrays[BELIEF]
        belief = Belief.dense(table)
        return Belief(pool.size, len(pool.classes), belief.scaled(1.0 / table.sum(1, dtype=np.float64)).parts)
    held: dict[tuple[int, str], dict[str, NDArray[Any]]] = {}
    for name in arrays:
        if name.startswith(f"{BELIEF}:"):
            _, number, kind, field = name.split(":")
            held.setdefault((int(number), kind), {})[field] = arrays[name]
    return Belief(pool.size, len(pool.classes), tuple(_part(kind, held[n, kind], pool) for n, kind in sorted(held)))


def _is_belief(found: Belief) -> bool:
    """Whether every part is about these items and classes, and all of them together are probabilities."""
    size, classes = found.size, found.classes
    for part in found.parts:
        if isinstance(part, Single):
            good = _numbers(part.mass, (size,)) and _places(part.label, size, classes + 1)
        elif isinstance(part, Shared):
            good = _numbers(part.rows, (len(part.rows), classes), least=0.0) and _numbers(
                part.share, (size,), least=0.0
            )
            good = good and _places(part.key, size, len(part.rows))
        else:
            own = cast(Own, part)
            rows = size if own.place is None else len(own.scores)
            good = _numbers(own.scores, (rows, classes), least=0.0) and _numbers(own.share, (size,), least=0.0)
            good = good and (own.place is None or _places(own.place, size, rows))
        if not good:
            return False
    taken = (one for one in found.parts if isinstance(one, Single) and (one.mass < 0).any())  # only these take away
    whole = found.expect(np.ones((classes, 1)))[:, 0]
    return bool((np.abs(whole - 1) < _CLOSE).all() and all((found.chance(one.label) > -_CLOSE).all() for one in taken))


def _numbers(value: NDArray[Any], shape: tuple[int, ...], least: float = -np.inf) -> bool:
    known = value.dtype.kind == "f" and value.shape == shape and value.size > 0
    return bool(known and value.min() >= least and value.max() < np.inf)  # neither is so of what is no number


def _places(value: NDArray[Any], size: int, count: int) -> bool:
    known = value.dtype.kind in "iu" and value.shape == (size,)
    return bool(known and value.min() >= 0 and value.max() < count)


def _part(kind: str, held: dict[str, NDArray[Any]], pool: Pool) -> Part:
    if "of" in held:
        held = {**held, "scores": dict(enumerate(_scores(pool)))[int(held["of"])]}
        del held["of"]
    return _KINDS[kind](**held)


def _of_somebody(part: Shared) -> dict[str, Any]:
    """Rows that some item has: with few items of many classes, most have none."""
    some = np.bincount(part.key, minlength=len(part.rows)) > 0
    return {"key": (np.cumsum(some) - 1)[part.key], "rows": part.rows[some]}


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
