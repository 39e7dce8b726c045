"""What changed from one pool to another: numbers only. `altmas.words.over_time` puts them in sentences."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import repeat
from typing import Any

import numpy as np

from altmas.core.pool import NO_CLASS, Outputs, Pool
from altmas.metrics.types import FloatArray, IntArray


@dataclass(frozen=True)
class Shares:
    """How often each value occurs, before and after, and how far the two are apart: half the sum of differences."""

    before: dict[str, float]
    after: dict[str, float]

    @property
    def distance(self) -> float:
        """The share of items that would have to change for the two to be alike."""
        names = self.before.keys() | self.after.keys()
        return sum(abs(self.after.get(one, 0.0) - self.before.get(one, 0.0)) for one in names) / 2


@dataclass(frozen=True)
class ModelChanges:
    """What changed in the outputs of one model.

    `scores_distance` is the largest difference of the two distributions of its confidence (Kolmogorov and Smirnov); of
    items that are in both pools, `changed` have another prediction.
    """

    name: str
    predicted: Shares
    no_answer: tuple[float, float]
    no_score: tuple[float, float] | None
    mean_score: tuple[float, float] | None
    scores_distance: float | None
    changed: int | None


@dataclass(frozen=True)
class PoolChanges:
    """What changed from one pool to another."""

    size: tuple[int, int]
    shared_ids: int
    new_classes: tuple[str, ...]
    gone_classes: tuple[str, ...]
    models: tuple[ModelChanges, ...]
    groups: dict[str, Shares]
    only_before: tuple[str, ...]
    """Models that only the earlier pool has."""
    only_after: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON, with distances."""
        plain = asdict(self)
        for made, one in zip(plain["models"], self.models, strict=True):
            made["predicted"]["distance"] = one.predicted.distance
        for name, shares in self.groups.items():
            plain["groups"][name]["distance"] = shares.distance
        return plain


def same_models(before: Pool, after: Pool) -> list[tuple[Outputs, Outputs]]:
    """The models under test of both pools, by name; of one each, these two whatever they are called.

    >>> a, b = Pool.build({"x": [0, 1], "y": [1, 1]}), Pool.build({"y": [0, 1], "z": [1, 1]})
    >>> [(one.name, other.name) for one, other in same_models(a, b)]
    [('y', 'y')]
    """
    if len(before.outputs) == len(after.outputs) == 1:
        return [(before.outputs[0], after.outputs[0])]
    known = {one.name: one for one in before.outputs}
    return [(known[one.name], one) for one in after.outputs if one.name in known]


def pool_changes(before: Pool, after: Pool) -> PoolChanges:
    """What changed from one pool to another: size, ids, classes, outputs, groups.

    >>> found = pool_changes(Pool.build(["cat", "dog"]), Pool.build(["cat", "cat", "cow"], classes=["cat", "cow"]))
    >>> found.size, found.shared_ids, found.new_classes, round(found.models[0].predicted.distance, 2)
    ((2, 3), 2, ('cow',), 0.5)
    """
    pairs = same_models(before, after)
    old, new = (tuple(map(str, pool.classes)) for pool in (before, after))
    place = {str(id): k for k, id in enumerate(before.ids)}
    both = [(place[str(id)], k) for k, id in enumerate(after.ids) if str(id) in place]
    shared = np.array(both, dtype=np.int64).reshape(-1, 2)
    named = ({one.name for one, _ in pairs}, {one.name for _, one in pairs})
    groups = {
        name: Shares(*(_shares(list(map(str, pool.groups[name].tolist())), _weights(pool)) for pool in (before, after)))
        for name in before.groups
        if name in after.groups
    }
    return PoolChanges(
        (before.whole, after.whole), len(shared), tuple(one for one in new if one not in old),
        tuple(one for one in old if one not in new), tuple(_changes(*pair, before, after, shared) for pair in pairs),
        groups, *(tuple(one.name for one in pool.outputs if one.name not in some)
                  for pool, some in zip((before, after), named, strict=True)),
    )  # fmt: skip


def _changes(old: Outputs, new: Outputs, before: Pool, after: Pool, shared: IntArray) -> ModelChanges:
    said = [
        np.array([*map(str, pool.classes), NO_CLASS], dtype=object)[one.predictions]
        for one, pool in ((old, before), (new, after))
    ]
    weights = [_weights(pool) for pool in (before, after)]
    shares = Shares(*(_shares(one.tolist(), weight) for one, weight in zip(said, weights, strict=True)))
    none = tuple(pool.unanswered(pool.outputs.index(one)) / pool.whole for one, pool in ((old, before), (new, after)))
    scored = [one.confidence[one.scored] for one in (old, new) if one.confidence is not None and one.scored.any()]
    means, distance, lacking = None, None, None
    if len(scored) == 2:
        known = [None if one is None else one[of.scored] for one, of in zip(weights, (old, new), strict=True)]
        mean = [float(np.average(one, weights=weight)) for one, weight in zip(scored, known, strict=True)]
        means, distance = (mean[0], mean[1]), farthest(scored[0], scored[1], known[0], known[1])
        lacking = before.rows(~old.scored) / before.whole, after.rows(~new.scored) / after.whole
    other = int((said[0][shared[:, 0]] != said[1][shared[:, 1]]).sum()) if len(shared) else None
    return ModelChanges(new.name, shares, (none[0], none[1]), lacking, means, distance, other)


def _weights(pool: Pool) -> FloatArray | None:
    """How many rows each item stands for `[N]`; None where each is one."""
    return None if pool.first_phase is None else pool.first_phase.weights


def _shares(values: list[str], weights: FloatArray | None) -> dict[str, float]:
    counts: dict[str, float] = {}
    for one, weight in zip(values, repeat(1) if weights is None else weights.tolist(), strict=weights is not None):
        counts[one] = counts.get(one, 0) + weight
    whole = len(values) if weights is None else float(weights.sum())
    return {name: count / whole for name, count in sorted(counts.items())}


def farthest(
    first: FloatArray, second: FloatArray, weights: FloatArray | None = None, others: FloatArray | None = None
) -> float:
    """The largest difference of two distributions, as their values show them: Kolmogorov's and Smirnov's distance.

    Values may be weighted, `others` being the weights of the second.

    >>> farthest(np.array([0.1, 0.2]), np.array([0.2, 0.9, 0.9, 0.9]))
    0.75
    """
    places = np.concatenate([first, second])
    shares = (_up_to(places, *pair) for pair in ((first, weights), (second, others)))
    return float(np.abs(next(shares) - next(shares)).max())


def _up_to(places: FloatArray, values: FloatArray, weights: FloatArray | None) -> FloatArray:
    """The share of values that are no greater than each place."""
    order = np.argsort(values, kind="stable")
    below = np.searchsorted(values[order], places, side="right")
    if weights is None:
        return np.asarray(below / len(values))
    return np.append(0.0, np.cumsum(weights[order]))[below] / float(weights.sum())
