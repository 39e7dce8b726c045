"""Sentences that compare two groups of the pool, or two models on it."""

from __future__ import annotations

from altmas.words.wording import ONE_NUMBER, Row, chance, clean, digits_for, is_share, listed, named, points, quoted

DIRECTLY = (
    "A difference is estimated directly, which is more precise than to subtract the two estimates; "
    "it may differ a little from their difference."
)

PICKED = (
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
    where = "Where it says" if by == "class" else f"For {clean(by)}"
    subject = f"{where} {quoted(row['a'])}, {named(row['metric'])}"
    if row["estimate"] is None or row["low"] is None or row["high"] is None:
        return f"{subject} cannot be compared with {quoted(row['b'])} yet."
    if row["high"] - row["low"] < ONE_NUMBER:
        side = "below" if row["estimate"] < 0 else "above"
        return f"{subject} is {_size(row, row['estimate'])} {side} that for {quoted(row['b'])}: all are labelled."
    said = f"{subject} is {_apart(row)} that for {quoted(row['b'])} ({_span(row, level)})."
    margin = points(rope) if is_share(row["metric"]) else f"{rope:g}"
    sides = [
        (row.get("p_lower"), f"lower by more than {margin}"),
        (row.get("p_equal"), f"within {margin}"),
        (row.get("p_higher"), f"higher by more than {margin}"),
    ]
    likely = sorted(((p, word) for p, word in sides if p is not None and p >= 0.1), reverse=True)
    if not likely:
        return said
    return f"{said} It is {listed([f'{word} with P {chance(p)}' for p, word in likely])}."


def two_models(row: Row, level: float) -> str:
    """A difference as a sentence; the row has `metric`, `first`, `second`, `estimate`, `low`, `high`, `p_first_higher`.

    >>> row = {"metric": "accuracy", "first": "ours", "second": "theirs", "estimate": 0.04, "low": -0.01, "high": 0.088}
    >>> two_models({**row, "p_first_higher": 0.94}, 0.95)
    "By accuracy 'ours' is about 4 points above 'theirs' (95% interval: 1 below to 9 above; P(higher) 0.94)."
    >>> two_models({**row, "low": 0.04, "high": 0.04, "p_first_higher": 1.0}, 0.95)
    "By accuracy 'ours' is 4.00 points above 'theirs', exactly."
    """
    names = quoted(row["first"]), quoted(row["second"])
    if row["estimate"] is None or row["low"] is None or row["high"] is None:
        return f"{names[0]} and {names[1]} cannot be compared by {named(row['metric'])} yet."
    if row["high"] - row["low"] < ONE_NUMBER:
        if abs(row["estimate"]) < ONE_NUMBER:
            return f"By {named(row['metric'])} {names[0]} and {names[1]} are equal."
        side = "below" if row["estimate"] < 0 else "above"
        return f"By {named(row['metric'])} {names[0]} is {_size(row, row['estimate'])} {side} {names[1]}, exactly."
    certain = f"{_span(row, level)}; P(higher) {chance(row['p_first_higher'])}"
    return f"By {named(row['metric'])} {names[0]} is {_apart(row)} {names[1]} ({certain})."


def _apart(row: Row) -> str:
    value = row["estimate"]
    return f"about {_size(row, value)} {'below' if value < 0 else 'above'}"


def _span(row: Row, level: float) -> str:
    def end(value: float, outwards: int) -> str:
        side = "below" if value < 0 else "above"
        text = _size(row, value, up=(value < 0) == (outwards < 0)).removesuffix(" points").removesuffix(" point")
        return f"{text} {side}"

    return f"{100 * level:.6g}% interval: {end(row['low'], -1)} to {end(row['high'], 1)}"


def _size(row: Row, value: float, *, up: bool | None = None) -> str:
    share = is_share(row["metric"])
    digits = digits_for(row["high"] - row["low"], share=share)
    half_unit = 0.5 / 10**digits - 1e-6
    nudge = 0.0 if up is None else half_unit if up else -half_unit  # ends are rounded outwards
    if share:
        return points(max(abs(value) + nudge / 100, 0.0), digits)
    return f"{max(abs(value) + nudge, 0.0):.{digits}f}"
