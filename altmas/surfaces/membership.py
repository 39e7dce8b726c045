"""Which combination of attributes each item belongs to: for sure, or as far as attribute predictors can tell."""

from __future__ import annotations

import csv
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.core.checks import as_column, class_indices, same_length, sorted_classes
from altmas.core.pool import NO_CLASS, Pool
from altmas.core.pool_columns import with_missing
from altmas.core.streams import stream
from altmas.metrics.errors import InputError, rows_at_fault
from altmas.metrics.types import FloatArray, IntArray
from altmas.surfaces.combinations import MOST_COMBINATIONS, Attribute, Combinations, every_combination, is_missing

if TYPE_CHECKING:
    from altmas.surrogates.surface.affiliation import Affiliation
    from altmas.surrogates.surface.gp import Layer

COLUMNS = ("support", "labels", "estimate", "low", "high", "p_worst", "p", "arm", "interval")
"""Columns of a surface's tables: no attribute may have one of these names."""

LEAST_P = 1e-12
"""Smaller probabilities are taken as this, so that their logarithm is finite."""

ENOUGH = 20
"""With fewer items whose attribute is known, scores are not checked against them."""


@dataclass(frozen=True, eq=False)
class Membership:
    """The arms of a pool, and P(a|x) of each item: `sure` where the attributes are known exactly."""

    arms: Combinations
    belongs: Affiliation
    support: FloatArray
    """Items per arm `[A]`; where attributes are guessed, the number expected."""
    sure: bool = True
    layer: Layer | None = None
    """Hidden layer of the network that guessed the attributes: where a deep kernel starts."""

    @property
    def items(self) -> int:
        """Size of the pool."""
        return len(self.belongs.arms)

    def count(self, items: Any) -> FloatArray:
        """How many of these items belong to each arm `[A]`; where attributes are guessed, the number expected."""
        arms, p = self.belongs.arms[items], self.belongs.probability[items]
        return np.bincount(arms.ravel(), p.ravel(), minlength=self.arms.size).astype(np.float64)

    def open_support(self, items: Any) -> FloatArray:
        """Items per arm that are not among these `[A]`."""
        mask = np.ones(self.items, dtype=bool)
        mask[items] = False
        return self.count(mask)


By = str | Sequence[str] | Membership | None
"""How attributes are named: `"sex,race"`, `["sex", "race"]`, a membership made beforehand, or None for all groups."""


def membership(pool: Pool, by: By = None, *, bins: int = 5) -> Membership:
    """The arms of a pool's attributes, by name; `class` is the predicted class, None all groups of the pool.

    >>> pool = Pool.build([0, 1, 1], groups={"region": ["n", "s", "n"]})
    >>> membership(pool, "region,class").support
    array([1., 1., 0., 1.])
    """
    from altmas.surrogates.surface.affiliation import Affiliation

    if isinstance(by, Membership):
        if by.items != pool.size:
            raise InputError("by", f"be a membership of this pool's {pool.size:,} items", f"one of {by.items:,}")
        return by
    order = {} if "class" in pool.groups else {"class": (*pool.classes, NO_CLASS)}
    arms = Combinations.build(_columns(pool, by, bins), bins=bins, order=order)
    return Membership(arms, Affiliation.exact(arms.index), arms.support.astype(np.float64))


def _columns(pool: Pool, by: str | Sequence[str] | None, bins: int) -> dict[str, Any]:
    wanted = _names(pool, by)
    columns: dict[str, Any] = dict(pool.groups)
    if "class" not in columns:
        said = (*pool.classes, NO_CLASS)
        columns["class"] = [said[k] for k in pool.predictions]
    if unknown := [name for name in wanted if name not in columns]:
        rule = f"be attributes of the pool: {', '.join(f'{name!r}' if ',' in name else name for name in columns)}"
        raise InputError("by", rule, ", ".join(map(repr, unknown)), "" if pool.groups else "The pool has no groups.")
    if len(set(checked_names(wanted))) < len(wanted):
        raise InputError("by", "name each attribute once", ", ".join(wanted))
    return {name: _numbers_in(columns[name], bins) if name in pool.groups else columns[name] for name in wanted}


def _numbers_in(column: Any, bins: int) -> Any:
    """A column of numbers that a CSV file made text of, where there are too many to be categories."""
    if not all(isinstance(one, str) or is_missing(one) for one in column) or len(set(column)) <= bins:
        return column
    try:
        numbers = [math.nan if is_missing(one) else float(one) for one in column]
    except ValueError:
        return column
    return [None if math.isnan(one) else one for one in numbers]  # a file may say nan where it means nothing


def _names(pool: Pool, by: str | Sequence[str] | None) -> list[str]:
    if by is None:
        names = list(pool.groups)
    elif isinstance(by, str):
        # As a row of a CSV file: a name that has a comma itself stands in quotes.
        parts = next(csv.reader([by], skipinitialspace=True), [])
        names = [by] if by in pool.groups else [one.strip() for one in parts if one.strip()]
    elif isinstance(by, Iterable) and all(isinstance(one, str) for one in by):
        names = list(by)
    else:
        raise InputError("by", "be names of attributes", repr(by)[:60])
    if not names:
        hint = "Give groups={...} and by=[...]." if not pool.groups else f"There are {', '.join(pool.groups)}."
        raise InputError("by", "name at least one attribute for a surface", "none", hint)
    return names


def checked_names(names: list[str]) -> list[str]:
    """Names of attributes that can be columns of a surface's table."""
    if taken := [name for name in names if name in COLUMNS]:
        raise InputError("attributes of a surface", f"not be called {', '.join(COLUMNS)}", taken[0])
    return names


def membership_from_scores(
    scores: Mapping[str, Any],
    truth: Mapping[str, Any],
    known: Mapping[str, Any] | None = None,
    *,
    values: Mapping[str, Sequence[Hashable]] | None = None,
    probabilities: bool = False,
    bins: int = 5,
    joint: bool = True,
    seed: int = 0,
    settings: Any = None,
) -> Membership:
    """Arms of attributes that nobody wrote down, from predictors' scores, calibrated on items where they are known.

    `scores`: per attribute logits `[N, V]`, or log-odds `[N]` of the second of two values; with `probabilities`, these.
    `truth`: per attribute its true value for some items, None for the others; items for which all are known calibrate.
    `known`: attributes known for every item. `values` names an attribute's values in the order of its scores; left out,
    they are those of `truth`, sorted. An item counts for its likely combinations, each by its probability.

    >>> looks = np.array([-9.0, 9.0, -9.0, 9.0] * 10)
    >>> seen = ["no", "yes", "no", "yes"] * 4 + [None] * 24
    >>> found = membership_from_scores({"hat": looks}, {"hat": seen}, joint=False)
    >>> found.support.round().tolist(), found.sure
    ([20.0, 20.0], False)
    """
    from altmas.surrogates.surface.attribute_calibration import calibrate

    for subject, given in (("attribute scores", scores), ("truth", truth)):
        if not isinstance(given, Mapping):
            raise InputError(subject, "be columns by name of attribute", type(given).__name__)
    if not scores:
        raise InputError("attribute scores", "be given for at least one attribute", "none")
    if missing := [name for name in scores if name not in truth]:
        raise InputError("truth", "have a column for every attribute with scores", f"none for {missing[0]!r}")
    attributes = [Attribute(name, _values(name, truth[name], (values or {}).get(name))) for name in scores]
    tables = [_logits(one, scores[one.name], probabilities) for one in attributes]
    true = [_codes_where_known(one, truth[one.name]) for one in attributes]
    if known:
        exact = Combinations.build(known, bins=bins)
        attributes += exact.attributes
        columns = list(exact.codes[exact.index].T)
        tables, true = [*tables, *columns], [*true, *columns]
    _check(attributes, tables, true)
    for one, table, codes in zip(attributes[: len(scores)], tables, true, strict=False):
        _check_order(one, table, codes)
    sizes = [len(one.values) for one in attributes]
    codes = every_combination(sizes)
    said = [table if table.ndim == 1 else table.argmax(1) for table in tables]
    labelled = np.flatnonzero(np.all([one >= 0 for one in true], axis=0))
    fit = calibrate(
        tables, labelled, np.column_stack(true)[labelled], codes, joint=joint, settings=settings,
        rng=stream(seed, "surface", "attributes"),
    )  # fmt: skip
    places = np.ravel_multi_index(tuple(np.column_stack(true)[labelled].T), sizes)
    belongs = fit.affiliation(tables, codes).with_known(labelled, places)
    arms = Combinations(tuple(attributes), codes, np.ravel_multi_index(tuple(said), sizes)).checked()
    return Membership(arms, belongs, belongs.support(arms.size), sure=False, layer=fit.weights[:2] if joint else None)


def _values(name: str, truth: Any, given: Sequence[Hashable] | None) -> tuple[Hashable, ...]:
    found = tuple(given) if given is not None else sorted_classes(one for one in truth if not is_missing(one))
    if len(found) < 2 or len(set(found)) < len(found):
        hint = "Name them with values={...}, in the order of the scores."
        raise InputError(f"values of attribute {name}", "be at least two, each once", list(found)[:12], hint)
    return found


def _logits(attribute: Attribute, scores: Any, probabilities: bool) -> Any:
    subject = f"scores of attribute {attribute.name}"
    table = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(table).all():
        bad = np.flatnonzero(~np.isfinite(table.reshape(len(table), -1)).all(1))
        raise InputError(subject, "be finite", rows_at_fault(bad))
    within = bool(((table >= 0) & (table <= 1)).all())
    if probabilities and not within:
        bad = np.flatnonzero(((table < 0) | (table > 1)).reshape(len(table), -1).any(1))
        raise InputError(subject, "be probabilities, from 0 to 1", rows_at_fault(bad))
    if within and not probabilities and table.size > 1 and table.min() < table.max():
        hint = "Of probabilities, say probabilities=True."
        raise InputError(subject, "be logits or log-odds", "numbers from 0 to 1 only", hint)
    if probabilities:
        table = np.log(np.clip(table, LEAST_P, 1)) - (np.log(np.clip(1 - table, LEAST_P, 1)) if table.ndim == 1 else 0)
    if table.ndim == 1 and len(attribute.values) == 2:
        table = np.stack([np.zeros(len(table)), table], axis=1)
    if table.ndim != 2 or table.shape[1] != len(attribute.values):
        rule = f"be [N, {len(attribute.values)}], a column per value"
        raise InputError(subject, rule, f"shape {np.shape(scores)}")
    return table


def _check_order(attribute: Attribute, table: FloatArray, codes: IntArray) -> None:
    """Scores that are worse than a coin on items whose value is known have their columns in another order."""
    known = np.flatnonzero(codes >= 0)
    agree = float((table[known].argmax(1) == codes[known]).mean()) if len(known) else 1.0
    if len(known) >= ENOUGH and agree < 1 / len(attribute.values) - 2 / np.sqrt(len(known)):
        hint = f"Are {', '.join(map(str, attribute.values[:12]))} in the order of the scores? values={{...}} sets it."
        got = f"{agree:.0%} of {len(known):,} right"
        raise InputError(f"scores of attribute {attribute.name}", "agree with the values that are known", got, hint)


def _codes_where_known(attribute: Attribute, truth: Any) -> IntArray:
    """The index of each value, -1 where there is none."""
    column = as_column(f"truth of attribute {attribute.name}", with_missing(truth))
    codes = class_indices(column, attribute.values)
    unseen = [row for row, value in enumerate(column) if not is_missing(value) and codes[row] == len(attribute.values)]
    if unseen:
        rule = f"be among {', '.join(map(str, attribute.values[:12]))}"
        raise InputError(
            f"truth of attribute {attribute.name}", rule, f"{column[unseen[0]]!r} in {rows_at_fault(unseen)}"
        )
    return np.where(codes == len(attribute.values), -1, codes)


def _check(attributes: Sequence[Attribute], tables: Sequence[Any], true: Sequence[Any]) -> None:
    names = checked_names([one.name for one in attributes])
    if len(set(names)) < len(names):
        raise InputError("attributes", "be known or scored, not both", ", ".join(names))
    for name, table, codes in zip(names, tables, true, strict=True):
        for column in (table, codes):
            same_length(f"attribute {name}", len(column), len(tables[0]), "row", "rows")
    if (arms := math.prod(len(one.values) for one in attributes)) > MOST_COMBINATIONS:
        raise InputError("attributes", f"have at most {MOST_COMBINATIONS:,} combinations", f"{arms:,}")
