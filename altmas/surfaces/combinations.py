"""The arms of an accuracy surface: combinations of a pool's attributes, and the numbers a kernel sees them as."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from altmas.core.checks import as_column, is_blank, is_number, same_length, sorted_classes, whole_number
from altmas.core.pool_columns import MISSING
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray, IntArray
from altmas.surfaces.bins import bin_names, quantile_edges

MOST_COMBINATIONS = 20_000
"""Up to this number all combinations are arms; where there are more, only those that occur in the pool."""

MOST_VALUES = 2_000
"""Values that one attribute may have. ImageNet has 1,000 classes; a column with more than this is rather an id."""

FEW_VALUES = 20
"""An attribute with no more values than this is never taken for an id, however few items there are."""

MOST_NUMBERS = 25_000_000
"""Numbers that the table a kernel sees may hold: 200 MB, of which estimators make a few copies."""

ACTIVE = 5
"""Items an arm must have to be judged (Appendix G)."""


def is_missing(value: object) -> bool:
    """Whether a cell is empty: None, NaN, blank text, or what a file's empty cell is called.

    >>> [is_missing(one) for one in (None, float("nan"), " ", "(missing)", 0, "no")]
    [True, True, True, True, False, False]
    """
    return not value.strip() or value == MISSING if isinstance(value, str) else is_blank(value)


def shown(value: Hashable) -> str:
    """A value as people read it; one that is missing says so.

    >>> shown("no"), shown(None)
    ('no', '(missing)')
    """
    return MISSING if is_missing(value) else str(value)


@dataclass(frozen=True, eq=False)
class Attribute:
    """A column with few values, in order; `edges` are the inner cuts of one that was binned.

    Beside bins, items without a number have the value `MISSING`, the last.
    """

    name: str
    values: tuple[Hashable, ...]
    edges: FloatArray | None = None

    @property
    def ordered(self) -> bool:
        """Whether neighbouring values are alike: a binned number."""
        return self.edges is not None

    @property
    def columns(self) -> int:
        """How many numbers stand for this attribute in the table that a kernel sees."""
        if self.ordered:
            return 2 if MISSING in self.values else 1
        return 1 if len(self.values) <= 2 else len(self.values)

    def codes(self, column: Any) -> IntArray:
        """The index of each value, for a column of any length.

        >>> Attribute("hat", ("no", "yes")).codes(["yes", "no"])
        array([1, 0])
        """
        given = as_column(f"attribute {self.name}", column)
        if self.edges is not None:
            absent = np.array([is_missing(value) for value in given])
            bad = [row for row, value in enumerate(given) if not absent[row] and not is_number(value)]
            if bad or (absent.any() and MISSING not in self.values):
                rows = bad or np.flatnonzero(absent).tolist()
                raise InputError(f"attribute {self.name}", "be numbers, as it is binned", rows_at_fault(rows))
            numbers = np.array([0.0 if gone else value for gone, value in zip(absent, given, strict=True)], np.float64)
            places = np.searchsorted(self.edges, numbers, side="right").astype(np.int64)
            return np.where(absent, len(self.values) - 1, places)
        place = {value: index for index, value in enumerate(self.values)}
        found = np.array([place.get(value, -1) for value in given], dtype=np.int64)
        if (found < 0).any():
            bad = np.flatnonzero(found < 0).tolist()
            rule = f"be one of the {len(self.values)} values seen when the arms were made"
            raise InputError(f"attribute {self.name}", rule, f"{given[bad[0]]!r} in {rows_at_fault(bad)}")
        return found


@dataclass(frozen=True, eq=False)
class Combinations:
    """Combinations `codes [A, K]` of K attributes, and the arm `index [N]` of each item.

    >>> arms = Combinations.build({"hat": ["no", "yes", "no"], "hair": ["fair", "dark", "dark"]})
    >>> arms.size, arms.index, arms.support
    (4, array([1, 2, 0]), array([1, 1, 1, 0]))
    >>> arms.name(2)
    'hat=yes, hair=dark'
    """

    attributes: tuple[Attribute, ...]
    codes: IntArray
    index: IntArray

    @classmethod
    def build(
        cls, columns: Mapping[str, Any], *, bins: int = 5, most: int = MOST_COMBINATIONS,
        order: Mapping[str, Sequence[Hashable]] | None = None,
    ) -> Combinations:  # fmt: skip
        """The combinations of some columns. A column of numbers with more than `bins` values is cut at its quantiles.

        Columns named in `order` are categories, never cut, and have their values in this order.

        >>> Combinations.build({"class": [2, 10, 2]}, order={"class": [10, 2, 1]}).attributes[0].values
        (10, 2)
        """
        if not isinstance(columns, Mapping) or not columns:
            raise InputError("attributes", "name at least one column", "none")
        whole_number("bins", bins, 2)
        whole_number("most", most, 1)
        given = {str(name): as_column(f"attribute {name}", column) for name, column in columns.items()}
        items = len(next(iter(given.values())))
        if items == 0:
            raise InputError("attributes", "hold at least one item", "0 items")
        for name, column in given.items():
            same_length(f"attribute {name}", len(column), items, "value", "values")
        attributes = tuple(_attribute(name, column, bins, (order or {}).get(name)) for name, column in given.items())
        item_codes = np.column_stack([a.codes(given[a.name]) for a in attributes])
        sizes = [len(a.values) for a in attributes]
        if np.prod(sizes, dtype=np.float64) <= most:
            return cls(attributes, every_combination(sizes), np.ravel_multi_index(tuple(item_codes.T), sizes)).checked()
        codes, index = np.unique(item_codes, axis=0, return_inverse=True)
        return cls(attributes, codes, index.reshape(-1)).checked()

    def checked(self) -> Combinations:
        """The same combinations; refused where the kernel's table would be too large for memory."""
        columns = sum(a.columns for a in self.attributes)
        if self.size * columns > MOST_NUMBERS:
            rule = f"make a table of at most {MOST_NUMBERS:,} numbers, combinations times values"
            hint = "Leave an attribute out, or group its values."
            raise InputError("attributes", rule, f"{self.size:,} times {columns:,}", hint)
        return self

    @property
    def size(self) -> int:
        """Number of arms, A."""
        return len(self.codes)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(a.name for a in self.attributes)

    @cached_property
    def support(self) -> IntArray:
        """Items of the pool in each arm `[A]`, which needs no labels."""
        return np.bincount(self.index, minlength=self.size)

    def active(self, least: int = ACTIVE) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which arms have enough items to be judged `[A]`."""
        return np.asarray(self.support >= least)

    def name(self, arm: int) -> str:
        """One arm in words."""
        return ", ".join(f"{name}={shown(value)}" for name, value in self.value(arm).items())

    def value(self, arm: int) -> dict[str, Hashable]:
        """The values of one arm, by attribute."""
        return {a.name: a.values[code] for a, code in zip(self.attributes, self.codes[arm], strict=True)}

    @cached_property
    def features(self) -> FloatArray:
        """The arms as a kernel sees them `[A, D]`: two values of an attribute lie at distance 1.

        A two-valued attribute is 0 or 1, a binned one lies on [0, 1] in order, with a second number where some are
        missing; any other is one-hot over sqrt(2).

        >>> Combinations.build({"hat": ["no", "yes"]}).features.tolist()
        [[0.0], [1.0]]
        """
        return np.concatenate([_encoded(a, self.codes[:, k]) for k, a in enumerate(self.attributes)], axis=1)

    def arm_of(self, columns: Mapping[str, Any]) -> IntArray:
        """The arm of other items; a combination that is no arm is an error."""
        if missing := [name for name in self.names if name not in columns]:
            raise InputError("attributes", f"hold the columns {', '.join(self.names)}", f"no {', '.join(missing)}")
        return self.find(np.column_stack([a.codes(columns[a.name]) for a in self.attributes]))

    def find(self, codes: IntArray) -> IntArray:
        """The arm of each row of codes `[n, K]`."""
        sizes = [len(a.values) for a in self.attributes]
        if np.prod(sizes, dtype=np.float64) == self.size:
            return np.asarray(np.ravel_multi_index(tuple(codes.T), sizes))
        place = {tuple(row): arm for arm, row in enumerate(self.codes.tolist())}
        found = np.array([place.get(tuple(row), -1) for row in codes.tolist()], dtype=np.int64)
        if (found < 0).any():
            bad = np.flatnonzero(found < 0).tolist()
            raise InputError("attributes", "form a combination that occurs in the pool", rows_at_fault(bad))
        return found

    def counts(self, items: IntArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Right and wrong answers per arm `[A]`, from labelled items and whether each was right.

        >>> Combinations.build({"hat": ["no", "yes", "no"]}).counts(np.array([0, 1, 2]), np.array([1.0, 1, 0]))
        (array([1., 1.]), array([1., 0.]))
        """
        arms, truth = self.index[items], np.asarray(right, dtype=np.float64)
        total = np.bincount(arms, minlength=self.size).astype(np.float64)
        good = np.asarray(np.bincount(arms, truth, minlength=self.size), dtype=np.float64)
        return good, total - good


def _attribute(name: str, column: list[Hashable], bins: int, order: Sequence[Hashable] | None) -> Attribute:
    there = [value for value in column if not is_missing(value)]
    found = set(column)
    numbers = order is None and len(found) > bins and bool(there) and all(is_number(value) for value in there)
    if not numbers:
        values = sorted_classes(found) if order is None else tuple(value for value in order if value in found)
        hint = "It looks like an id: leave it out, or group its values."
        if len(values) > MOST_VALUES:
            raise InputError(f"attribute {name}", f"have at most {MOST_VALUES:,} values", f"{len(values):,}", hint)
        if len(values) > max(FEW_VALUES, len(column) / 2):
            got = f"{len(values):,} for {len(column):,} items"
            raise InputError(f"attribute {name}", "have at most half as many values as items", got, hint)
        return Attribute(name, values)
    if endless := [row for row, value in enumerate(column) if is_number(value) and math.isinf(value)]:  # type: ignore[arg-type]
        raise InputError(f"attribute {name}", "be finite", rows_at_fault(endless))
    array = np.asarray(there, dtype=np.float64)
    edges = quantile_edges(array, bins)
    names = bin_names(array, edges)
    return Attribute(name, names if len(there) == len(column) else (*names, MISSING), edges)


def every_combination(sizes: Sequence[int]) -> IntArray:
    """All combinations of values `[A, K]`, the last attribute changing fastest.

    >>> every_combination([2, 2]).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return np.stack(np.unravel_index(np.arange(int(np.prod(sizes))), sizes), axis=1).astype(np.int64)


def _encoded(attribute: Attribute, codes: IntArray) -> FloatArray:
    values = len(attribute.values)
    if attribute.ordered and MISSING in attribute.values:
        # Bins keep their order beside it; what is missing lies off their line, at distance 1 from both ends.
        absent = codes == values - 1
        return np.column_stack([np.where(absent, 0.5, codes / max(values - 2, 1)), absent * np.sqrt(0.75)])
    if attribute.columns == 1:
        return codes[:, None] / max(values - 1, 1)
    table = np.zeros((len(codes), values))
    table[np.arange(len(codes)), codes] = np.sqrt(0.5)
    return table
