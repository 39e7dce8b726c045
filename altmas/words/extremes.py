"""Sentences about the worst group: named where the labels settle it, else the contenders."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.words.language import sentence, to_say
from altmas.words.wording import Row, chance, clean, figure, listed, marked, quoted, right_in

SURE, PROBABLE, FAINT = 0.95, 0.75, 0.1
"""The worst or best is named as almost certain, as probable, or as a contender from these probabilities on."""

ALMOST_CERTAINLY = to_say("It is almost certainly worst {where} ({right}; P(worst) {p}).")
PROBABLY = to_say("It is probably worst {where} ({right}; P(worst) {p}).")


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
    first, by_class, values = ranked[0], by == "class", {"by": clean(by)}
    if len({row["estimate"] for row in ranked}) == 1:
        return sentence(
            "No predicted class stands out: all have the same estimate."
            if by_class
            else "No {by} stands out: all have the same estimate.",
            **values,
        )
    if not settled(rows):
        if first["p_worst"] < FAINT:
            return sentence(
                "Which class is worst is not settled yet: none of the {number} stands out."
                if by_class
                else "Which {by} is worst is not settled yet: none of the {number} stands out.",
                number=marked(f"{len(ranked):,}"), **values,
            )  # fmt: skip
        return sentence(
            "Which class is worst is not settled yet: where it says {groups}."
            if by_class
            else "Which {by} is worst is not settled yet: {groups}.",
            groups=_either(ranked, "group", "p_worst"), **values,
        )  # fmt: skip
    group = quoted(first["group"])
    where = sentence("where it says {group}" if by_class else "for {by} {group}", group=group, **values)
    if all(row["low"] == row["high"] for row in ranked):
        share = figure(first["estimate"], share=True)
        return sentence("It is worst {where}: right in {share}.", where=where, share=share)
    return sentence(
        ALMOST_CERTAINLY if first["p_worst"] >= SURE else PROBABLY,
        where=where, right=right_in(first), p=chance(first["p_worst"]),
    )  # fmt: skip


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
    return [*lines, *([sentence("Not settled yet by {groups}.", groups=listed(waiting))] if waiting else [])]


def _by_worst(rows: Sequence[Row]) -> list[Row]:
    known = [row for row in rows if row["estimate"] is not None and row["p_worst"] is not None]
    return sorted(known, key=lambda row: (-row["p_worst"], row["estimate"]))


def _either(ranked: Sequence[Row], name: str, p: str) -> str:
    few = contenders(ranked, p)
    named_so = [sentence("{group} (P {p})", group=quoted(row[name]), p=chance(row[p])) for row in few]
    if len(few) < len(ranked) and not _enough(few, p):
        return sentence("{some} or another", some=", ".join(named_so))
    return sentence("{some} or {last}", some=", ".join(named_so[:-1]), last=named_so[-1])


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
