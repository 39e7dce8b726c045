"""Columns that have an index are joined by it, as pandas does; a join by position would be silently wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from altmas.metrics.errors import InputError

BY_POSITION = "Where position is meant, give columns without an index: series.to_numpy()."


def in_one_order(columns: Mapping[str, Any], more: tuple[str, ...] = ()) -> dict[str, Any]:
    """The same columns, those with an index of pandas in the order of the first of them.

    Values may be columns, tables, mappings of names to them, and pairs. An index that merely counts from 0 says nothing
    about the items, so one of another order beside it is refused; so is any other order where some columns have no
    index. What is named in `more` may have further rows, as a table of labels does.

    >>> import pandas as pd
    >>> said, truth = pd.Series(["cat", "dog"], index=["a", "b"]), pd.Series(["dog", "cat"], index=["b", "a"])
    >>> in_one_order({"predictions": said, "oracle": truth})["oracle"].tolist()
    ['cat', 'dog']
    """
    leaves = [leaf for name, value in columns.items() for leaf in _leaves(name, value)]
    first = next(((name, one) for name, one in leaves if _indexed(one)), None)
    if first is None:
        return dict(columns)
    alone = [name for name, one in leaves if not _indexed(one)]
    return {name: _ordered(name, value, first, alone, name in more) for name, value in columns.items()}


def _indexed(value: Any) -> bool:
    return hasattr(value, "iloc") and hasattr(value, "index")


def _leaves(name: str, value: Any) -> list[tuple[str, Any]]:
    if value is None or isinstance(value, str) or (callable(value) and not _indexed(value)):
        return []
    if isinstance(value, Mapping):
        return [leaf for one in value.values() for leaf in _leaves(name, one)]
    if isinstance(value, tuple) and any(_indexed(one) for one in value):
        return [leaf for one in value for leaf in _leaves(name, one)]
    return [(name, value)]


def _ordered(name: str, value: Any, first: tuple[str, Any], alone: list[str], more: bool) -> Any:
    if isinstance(value, Mapping):
        return {key: _ordered(name, one, first, alone, more) for key, one in value.items()}
    if isinstance(value, tuple) and any(_indexed(one) for one in value):
        return tuple(_ordered(name, one, first, alone, more) for one in value)
    if not _indexed(value) or value.index.equals(first[1].index):
        return value
    if len(value) != len(first[1]) and not (more and first[1].index.isin(value.index).all()):
        return value  # its length is at fault, and whoever reads it says so
    _tells_items(name, value.index, *first, alone)
    return value.loc[first[1].index]


def _tells_items(name: str, own: Any, leader: str, column: Any, alone: list[str]) -> None:
    """Refuse an index of another order that does not tell for certain which row is which item."""
    subject, rule, wanted = f"index of {name}", f"have the index of {leader}", column.index
    if not (wanted.is_unique and own.is_unique):
        raise InputError(subject, rule, "another one, with repeated values", BY_POSITION)
    missing = wanted[~wanted.isin(own)]
    if len(missing):
        raise InputError(subject, rule, f"no row {missing[0]!r}", BY_POSITION)
    if alone:
        got = f"another order, and {alone[0]} without an index to tell which is meant"
        raise InputError(subject, rule, got, BY_POSITION)
    filtered = len(own) > len(wanted) and not _merely_counts(wanted)  # then no position can be meant
    if not filtered and (_merely_counts(wanted) or _merely_counts(own)):
        got = "another order, and one of the two merely counts rows"
        raise InputError(subject, rule, got, f"Give both the items' own index. {BY_POSITION}")


def _merely_counts(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
