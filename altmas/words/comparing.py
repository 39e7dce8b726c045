"""Sentences that compare two groups of the pool, two models on it, or two audits."""

from __future__ import annotations

from altmas.words.language import sentence, to_say
from altmas.words.wording import (
    ONE_NUMBER,
    Row,
    chance,
    clean,
    digits_for,
    is_share,
    level_of,
    listed,
    marked,
    named,
    points,
    quoted,
)

DIRECTLY = (
    "A difference is estimated directly, which is more precise than to subtract the two estimates; "
    "it may differ a little from their difference."
)

_SIDES = {
    "p_equal": to_say("within {margin} with P {p}"),
    "p_lower": to_say("lower by more than {margin} with P {p}"),
    "p_higher": to_say("higher by more than {margin} with P {p}"),
}
"""Where a difference may lie."""


def picked_after_looking() -> str:
    """What is said of a pair that nobody named beforehand.

    >>> picked_after_looking()[:36]
    'This pair was picked after looking, '
    """
    return sentence(
        "This pair was picked after looking, the lowest and the highest estimate, so its interval is optimistic: "
        "the true difference is probably smaller. Name a pair beforehand for an interval that keeps its promise."
    )


def two_groups(by: str, row: Row, level: float, rope: float) -> str:
    """A comparison as a sentence; the row has `a`, `b`, `estimate`, `low`, `high`, `p_lower`, `p_equal`, `p_higher`.

    >>> row = {"metric": "accuracy", "a": "north", "b": "south", "estimate": -0.06, "low": -0.11, "high": -0.013}
    >>> two_groups("region", {**row, "p_lower": 0.64, "p_equal": 0.36, "p_higher": 0.0}, 0.95, 0.05)
    "For region 'north', accuracy is about 6 points below that for 'south' (95% interval: 11 below to 1 below). \
It is lower by more than 5 points with P 0.64 and within 5 points with P 0.36."
    """
    where = (
        sentence("Where it says {group}", group=quoted(row["a"]))
        if by == "class"
        else sentence("For {by} {group}", by=clean(by), group=quoted(row["a"]))
    )
    values = {"where": where, "metric": named(row["metric"]), "other": quoted(row["b"])}
    if row["estimate"] is None or row["low"] is None or row["high"] is None:
        return sentence("{where}, {metric} cannot be compared with {other} yet.", **values)
    values["size"] = _size(row, row["estimate"])
    below = row["estimate"] < 0
    if row["high"] - row["low"] < ONE_NUMBER:
        return sentence(
            "{where}, {metric} is {size} below that for {other}: all are labelled."
            if below
            else "{where}, {metric} is {size} above that for {other}: all are labelled.",
            **values,
        )
    said = sentence(
        "{where}, {metric} is about {size} below that for {other} ({span})."
        if below
        else "{where}, {metric} is about {size} above that for {other} ({span}).",
        span=_span(row, level), **values,
    )  # fmt: skip
    likely = sorted(((row[p], p) for p in _SIDES if row.get(p) is not None and row[p] >= 0.1), key=_likeliest_first)
    if not likely:
        return said
    margin = points(rope) if is_share(row["metric"]) else marked(f"{rope:g}")
    sides = [sentence(_SIDES[side], margin=margin, p=chance(p)) for p, side in likely]
    return f"{said} {sentence('It is {sides}.', sides=listed(sides))}"


def two_models(row: Row, level: float) -> str:
    """A difference as a sentence; the row has `metric`, `first`, `second`, `estimate`, `low`, `high`, `p_first_higher`.

    >>> row = {"metric": "accuracy", "first": "ours", "second": "theirs", "estimate": 0.04, "low": -0.01, "high": 0.088}
    >>> two_models({**row, "p_first_higher": 0.94}, 0.95)
    "By accuracy 'ours' is about 4 points above 'theirs' (95% interval: 1 below to 9 above; P(higher) 0.94)."
    >>> two_models({**row, "low": 0.04, "high": 0.04, "p_first_higher": 1.0}, 0.95)
    "By accuracy 'ours' is 4.00 points above 'theirs', exactly."
    """
    values = {"first": quoted(row["first"]), "second": quoted(row["second"]), "metric": named(row["metric"])}
    if row["estimate"] is None or row["low"] is None or row["high"] is None:
        return sentence("{first} and {second} cannot be compared by {metric} yet.", **values)
    if row["high"] - row["low"] < ONE_NUMBER:
        if abs(row["estimate"]) < ONE_NUMBER:
            return sentence("By {metric} {first} and {second} are equal.", **values)
        return sentence(
            "By {metric} {first} is {size} below {second}, exactly."
            if row["estimate"] < 0
            else "By {metric} {first} is {size} above {second}, exactly.",
            size=_size(row, row["estimate"]), **values,
        )  # fmt: skip
    return sentence(
        "By {metric} {first} is about {size} below {second} ({span}; P(higher) {p})."
        if row["estimate"] < 0
        else "By {metric} {first} is about {size} above {second} ({span}; P(higher) {p}).",
        size=_size(row, row["estimate"]), span=_span(row, level), p=chance(row["p_first_higher"]), **values,
    )  # fmt: skip


def two_audits(row: Row, level: float) -> str:
    """How a metric changed from one audit to the next; the row is the difference, later minus earlier.

    >>> row = {"metric": "accuracy", "estimate": -0.06, "low": -0.11, "high": -0.013, "p_higher": 0.004}
    >>> two_audits(row, 0.95)
    'accuracy fell by about 6 points (95% interval: 11 below to 1 below; P(higher) below 0.01).'
    >>> two_audits({**row, "high": 0.01, "p_higher": 0.1}, 0.95)[:60]
    'Whether accuracy changed is not settled: it is about 6 point'
    """
    values = {"metric": named(row["metric"])}
    if any(row[name] is None for name in ("estimate", "low", "high")):
        return sentence("{metric} cannot be compared yet.", **values)
    fell, values["size"] = row["estimate"] < 0, _size(row, row["estimate"])
    if row["high"] - row["low"] < ONE_NUMBER:
        if abs(row["estimate"]) < ONE_NUMBER:
            return sentence("{metric} did not change: all are labelled.", **values)
        return sentence(
            "{metric} fell by {size}: all are labelled." if fell else "{metric} rose by {size}: all are labelled.",
            **values,
        )
    values |= {"span": _span(row, level), "p": chance(row["p_higher"])}
    if row["low"] > 0 or row["high"] < 0:
        return sentence(
            "{metric} fell by about {size} ({span}; P(higher) {p})."
            if fell
            else "{metric} rose by about {size} ({span}; P(higher) {p}).",
            **values,
        )
    return sentence(
        "Whether {metric} changed is not settled: it is about {size} below that of before ({span}; P(higher) {p})."
        if fell
        else "Whether {metric} changed is not settled: it is about {size} above that of before ({span}; P(higher) "
        "{p}).",
        **values,
    )


def _span(row: Row, level: float) -> str:
    def end(value: float, outwards: int) -> str:
        size = _number(row, value, up=(value < 0) == (outwards < 0))
        return sentence("{size} below" if value < 0 else "{size} above", size=size)

    low, high = end(row["low"], -1), end(row["high"], 1)
    return sentence("{level}% interval: {low} to {high}", level=level_of(level), low=low, high=high)


def _size(row: Row, value: float) -> str:
    """A difference with its unit."""
    share = is_share(row["metric"])
    digits = digits_for(row["high"] - row["low"], share=share)
    return points(value, digits) if share else marked(f"{abs(value):.{digits}f}")


def _number(row: Row, value: float, *, up: bool) -> str:
    """An end of its interval, rounded up or down, without its unit."""
    share = is_share(row["metric"])
    digits = digits_for(row["high"] - row["low"], share=share)
    half_unit = 0.5 / 10**digits - 1e-6
    size = (100 if share else 1) * max(abs(value) + (half_unit if up else -half_unit) / (100 if share else 1), 0.0)
    return marked(f"{size:.{digits}f}")


def _likeliest_first(side: tuple[float, str]) -> float:
    return -side[0]
