"""Verdicts on groups, short enough for a command line: which is worst, and whether two differ.

A group is named only where the answers settle it at the level asked for; below it, the likeliest are listed.
"""

from __future__ import annotations

from collections.abc import Sequence

from altmas.words.language import sentence, to_say
from altmas.words.wording import Row, marked

_NOT_SETTLED = to_say("not settled; likeliest: {likeliest}")
_SIDES = {
    "p_lower": to_say("{metric} of {a} is more than {rope} below that of {b}"),
    "p_equal": to_say("{metric} of {a} and of {b} are within {rope} of each other"),
    "p_higher": to_say("{metric} of {a} is more than {rope} above that of {b}"),
}
CONTENDERS = 4
"""So many groups are listed while the worst is not settled; more where several are sought."""


def worst_by(metric: str, by: str, *, highest: bool = False) -> str:
    """What is sought where the worst groups are: the lowest of a metric, the highest of one that counts errors.

    >>> worst_by("accuracy", "class"), worst_by("error_rate", "region", highest=True)
    ('lowest accuracy by class', 'highest error_rate by region')
    """
    return sentence("highest {metric} by {by}" if highest else "lowest {metric} by {by}", metric=metric, by=by)


def ranking_verdict(what: str, rows: Sequence[Row], m: int, together: float, level: float) -> str:
    """The m groups sought, or the likeliest; rows have `group` and `p`, the likeliest first.

    `together` is the probability that the first m rows are the m groups sought, all of them.

    >>> rows = [{"group": "a", "p": 0.7}, {"group": "b", "p": 0.3}]
    >>> ranking_verdict("lowest accuracy by class", rows, 1, 0.7, 0.95)
    'lowest accuracy by class: not settled; likeliest: a (P = 0.70), b (P = 0.30)'
    >>> ranking_verdict("lowest accuracy by class", [{"group": "a", "p": 0.98}], 1, 0.98, 0.95)
    'lowest accuracy by class: a (P = 0.98)'
    """
    if together >= level:
        groups = ", ".join(str(row["group"]) for row in rows[:m])
        return f"{what}: {_with_chance(groups, together)}"
    listed = rows[: max(CONTENDERS, m + 2)]
    certain = ", ".join(str(row["group"]) for row in listed if row["p"] >= level)
    others = ", ".join(_with_chance(str(row["group"]), row["p"]) for row in listed if row["p"] < level)
    return f"{what}: {f'{certain}; ' if certain else ''}{sentence(_NOT_SETTLED, likeliest=others)}"


def comparison_verdict(row: Row, rope: float, level: float) -> str:
    """Whether `metric` of group `a` is lower or higher than that of `b` by more than `rope`, or equal within it.

    The row has `p_lower`, `p_equal` and `p_higher`; no more is claimed than these allow.

    >>> row = {"metric": "accuracy", "a": "n", "b": "s", "p_lower": 0.72, "p_equal": 0.28, "p_higher": 0.0}
    >>> comparison_verdict(row, 0.05, 0.7)
    'accuracy of n is more than 0.05 below that of s (P = 0.72)'
    >>> comparison_verdict(row, 0.05, 0.95)
    'not settled; likeliest: accuracy of n is more than 0.05 below that of s (P = 0.72)'
    """
    likeliest = max(_SIDES, key=lambda side: row[side])
    side = sentence(_SIDES[likeliest], metric=row["metric"], a=row["a"], b=row["b"], rope=marked(f"{rope:g}"))
    said = _with_chance(side, row[likeliest])
    return said if row[likeliest] >= level else sentence(_NOT_SETTLED, likeliest=said)


def _with_chance(what: str, p: float) -> str:
    return f"{what} (P = {marked(f'{p:.2f}')})"
