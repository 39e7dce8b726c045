"""Sentences about the worst group: named where the labels settle it, else the contenders."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.words.wording import Row, chance, clean, figure, listed, quoted, right_in

SURE, PROBABLE, FAINT = 0.95, 0.75, 0.1
"""The worst or best is named as almost certain, as probable, or as a contender from these probabilities on."""


def worst_of(by: str, rows: Sequence[Row]) -> str:
    """Where it is worst, or between which it is not settled.

    The rows have `group`, `estimate`, `low`, `high` and `p_worst`.

    >>> eight = {"group": 8, "estimate": 0.72, "low": 0.604, "high": 0.829, "p_worst": 0.81}
    >>> three = {"group": 3, "estimate": 0.88, "low": 0.79, "high": 0.93, "p_worst": 0.19}
    >>> worst_of("class", [three, eight])
    "It is probably worst where it says '8' (right in 72%, 60% to 83%; P(worst) 0.81)."
    >>> worst_of("class", [{**three, "p_worst": 0.38}, {**eight, "p_worst": 0.62}])
    "Which class is worst is not settled yet: where it says '8' (P 0.62) or '3' (P 0.38)."
    >>> worst_of("region", [{**eight, "group": "north", "p_worst": 0.99}, three])
    "It is almost certainly worst for region 'north' (right in 72%, 60% to 83%; P(worst) 0.99)."
    """
    ranked = _by_worst(rows)
    if len(ranked) < 2:
        return ""
    what, first = "predicted class" if by == "class" else clean(by), ranked[0]
    if len({row["estimate"] for row in ranked}) == 1:
        return f"No {what} stands out: all have the same estimate."
    if not settled(rows):
        if first["p_worst"] < FAINT:
            return f"Which {clean(by)} is worst is not settled yet: none of the {len(ranked):,} stands out."
        said = "where it says " if by == "class" else ""
        return f"Which {clean(by)} is worst is not settled yet: {said}{_either(ranked, 'group', 'p_worst')}."
    where = f"where it says {quoted(first['group'])}" if by == "class" else f"for {what} {quoted(first['group'])}"
    if all(row["low"] == row["high"] for row in ranked):
        return f"It is worst {where}: right in {figure(first['estimate'], share=True)}."
    adverb = "almost certainly" if first["p_worst"] >= SURE else "probably"
    return f"It is {adverb} worst {where} ({right_in(first)}; P(worst) {chance(first['p_worst'])})."


def settled(rows: Sequence[Row]) -> bool:
    """Whether one group is at least probably the worst.

    >>> settled([{"estimate": 0.7, "p_worst": 0.81}, {"estimate": 0.9, "p_worst": 0.19}])
    True
    """
    ranked = _by_worst(rows)
    return len(ranked) > 1 and bool(ranked[0]["p_worst"] >= PROBABLE)


def worst_lines(found: Sequence[Row]) -> list[str]:
    """The verdicts of several tables of groups, the first one first; what is not settled of the others in one line.

    >>> by_class, by_region = {"by": "class", "verdict": "A."}, {"by": "region", "verdict": "B."}
    >>> worst_lines([{**by_class, "settled": False}, {**by_region, "settled": False}])
    ['A.', 'Not settled yet by region.']
    """
    told = [one for one in found if one["verdict"]]
    lines = [one["verdict"] for one in told[:1]] + [one["verdict"] for one in told[1:] if one["settled"]]
    waiting = [clean(one["by"]) for one in told[1:] if not one["settled"]]
    return [*lines, *([f"Not settled yet by {listed(waiting)}."] if waiting else [])]


def _by_worst(rows: Sequence[Row]) -> list[Row]:
    known = [row for row in rows if row["estimate"] is not None and row["p_worst"] is not None]
    return sorted(known, key=lambda row: (-row["p_worst"], row["estimate"]))


def _either(ranked: Sequence[Row], name: str, p: str) -> str:
    few = contenders(ranked, p)
    named_so = [f"{quoted(row[name])} (P {chance(row[p])})" for row in few]
    return (
        f"{', '.join(named_so[:-1])} or {named_so[-1]}"
        if len(few) == len(ranked) or _enough(few, p)
        else (f"{', '.join(named_so)} or another")
    )


def _enough(few: Sequence[Row], p: str) -> bool:
    return bool(sum(row[p] for row in few) >= 0.9)


def contenders(ranked: Sequence[Row], name: str, most: int = 4) -> list[Row]:
    """The first few of a ranking: at least two, then until their probabilities make nine tenths.

    >>> [row["p"] for row in contenders([{"p": p} for p in (0.5, 0.3, 0.15, 0.05)], "p")]
    [0.5, 0.3, 0.15]
    """
    chosen: list[Row] = []
    for row in ranked[:most]:
        if len(chosen) >= 2 and _enough(chosen, name):
            break
        chosen.append(row)
    return chosen
