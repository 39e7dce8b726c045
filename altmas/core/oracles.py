"""Whoever supplies the labels: a table, a callable, or either with noise on top."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from altmas.core.checks import as_column, class_place, plain, same_length, sorted_classes
from altmas.core.pool import Pool
from altmas.core.spelling import spelt_differently
from altmas.core.streams import stream
from altmas.metrics.errors import InputError


class Oracle(Protocol):
    """Answers for one item of a pool, by its id (the position where no ids were given)."""

    def __call__(self, item: Any) -> Any: ...


@dataclass(frozen=True)
class TableOracle:
    """Labels already known, by id.

    >>> TableOracle({"a": "cat", "b": "dog"})("b")
    'dog'
    """

    labels: Mapping[Hashable, Hashable]

    @classmethod
    def of(cls, labels: Any, ids: Sequence[Hashable], who: str = "oracle") -> TableOracle:
        """From a mapping by id, a pandas Series indexed by id, or one label per item in the pool's order.

        Where the ids are only positions, a Series is a column like any other: its index may be a shuffled one.
        """
        positions = len(ids) > 0 and all(one == place for place, one in enumerate(ids))
        indexed = hasattr(labels, "index") and hasattr(labels, "to_dict")
        if indexed and set(ids) <= set(labels.index) and not (positions and len(labels) == len(ids)):
            labels = labels.to_dict()
        if isinstance(labels, Mapping):
            return cls({plain(k): plain(v) for k, v in labels.items()})
        column = as_column(who, labels)
        same_length(who, len(column), len(ids), "label", "labels")
        return cls(dict(zip(ids, column, strict=True)))

    def __post_init__(self) -> None:
        if not isinstance(self.labels, Mapping):
            hint = "TableOracle.of(labels, ids) takes a column."
            raise InputError("labels", "be a mapping of ids to labels", type(self.labels).__name__, hint)

    def __call__(self, item: Any) -> Hashable:
        if item not in self.labels:
            raise InputError("oracle", "have a label for every item", f"none for {item!r}")
        return self.labels[item]

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The distinct labels."""
        return sorted_classes(self.labels.values())


@dataclass(frozen=True)
class Noisy:
    """Wraps an oracle so that a share of its answers is another class, chosen evenly; the same item errs the same way.

    >>> noisy = Noisy(TableOracle({0: "cat"}), rate=0.999, classes=["cat", "dog"], seed=1)
    >>> noisy(0)
    'dog'
    """

    oracle: Callable[[Any], Any]
    rate: float
    classes: Sequence[Hashable]
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            raise InputError("rate", "be between 0 and 1", self.rate)

    def __call__(self, item: Any) -> Any:
        label = plain(self.oracle(item))
        rng = stream(self.seed, "noise", repr(item))
        others = [c for c in self.classes if c != label]
        return others[int(rng.integers(len(others)))] if others and rng.random() < self.rate else label


UNANSWERED = (None, "unsure", "skip")
"""Replies that are no label, unless a class is called so."""


def ask(oracle: Oracle, pool: Pool, position: int, who: str = "oracle", *, may_skip: bool = False) -> int:
    """Put one question and turn the answer into a class index, or say what is wrong with it; `who` names the oracle.

    With `may_skip`, None, `"unsure"` and `"skip"` are -1: a question without an answer.
    """
    answer = plain(oracle(pool.ids[position]))
    place = class_place(answer, pool.classes)
    if place is None and may_skip and answer in UNANSWERED:
        return -1
    if place is None:
        known = ", ".join(repr(c) for c in pool.classes[:12])
        alike = spelt_differently(pool.classes, [answer]) if isinstance(answer, Hashable) else []
        hint = "Declare classes=[...] if it is a class the model under test never predicts."
        raise InputError(
            who,
            f"answer one of the classes {known}",
            f"{answer!r} for item {pool.ids[position]!r}",
            f"{answer!r} would match {alike[0][0]!r}: spell them alike." if alike else hint,
        )
    return place


def as_oracle(oracle: Any, pool_ids: Sequence[Hashable], who: str = "oracle") -> Oracle:
    """A callable as it is; a mapping or a column of labels as a table; `who` names it where it is refused."""
    if callable(oracle):
        callable_oracle: Oracle = oracle
        return callable_oracle
    if oracle is None:
        raise InputError(who, "be a callable, a mapping of ids to labels, or one label per item", "none")
    return TableOracle.of(oracle, pool_ids, who)


def labels_in(oracle: Any, ids: Sequence[Hashable], who: str = "oracle") -> tuple[Hashable, ...]:
    """The classes an oracle is known to use on these items, for pools that declare none; empty for a callable."""
    if oracle is None or (callable(oracle) and not isinstance(oracle, TableOracle)):
        return ()
    table = oracle if isinstance(oracle, TableOracle) else TableOracle.of(oracle, ids, who)
    return sorted_classes(table.labels[one] for one in ids if one in table.labels)
