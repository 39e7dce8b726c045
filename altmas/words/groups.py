"""Verdicts on groups, short enough for a command line: which is worst, and whether two differ.

A group is named only where the answers settle it at the level asked for; below it, the likeliest are listed.
"""

from __future__ import annotations

from collections.abc import Sequence

from altmas.words.wording import Row

CONTENDERS = 4
"""So many groups are listed while the worst is not settled; more where several are sought."""


def worst_by(metric: str, by: str) -> str:
    """What is sought where the worst groups are: the lowest of a metric, the highest of an error.

    >>> worst_by("accuracy", "class"), worst_by("error_rate", "region")
    ('lowest accuracy by class', 'highest error_rate by region')
    """
    return f"{'highest' if metric == 'error_rate' else 'lowest'} {metric} by {by}"


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
        return f"{what}: {', '.join(str(row['group']) for row in rows[:m])} (P = {together:.2f})"
    listed = rows[: max(CONTENDERS, m + 2)]
    certain = ", ".join(str(row["group"]) for row in listed if row["p"] >= level)
    others = ", ".join(f"{row['group']} (P = {row['p']:.2f})" for row in listed if row["p"] < level)
    return f"{what}: {f'{certain}; ' if certain else ''}not settled; likeliest: {others}"


def comparison_verdict(row: Row, rope: float, level: float) -> str:
    """Whether `metric` of group `a` is lower or higher than that of `b` by more than `rope`, or equal within it.

    The row has `p_lower`, `p_equal` and `p_higher`; no more is claimed than these allow.

    >>> row = {"metric": "accuracy", "a": "n", "b": "s", "p_lower": 0.72, "p_equal": 0.28, "p_higher": 0.0}
    >>> comparison_verdict(row, 0.05, 0.7)
    'accuracy of n is more than 0.05 below that of s (P = 0.72)'
    >>> comparison_verdict(row, 0.05, 0.95)
    'not settled; likeliest: accuracy of n is more than 0.05 below that of s (P = 0.72)'
    """
    metric, a, b = row["metric"], row["a"], row["b"]
    sides = {
        "p_lower": f"{metric} of {a} is more than {rope:g} below that of {b}",
        "p_equal": f"{metric} of {a} and of {b} are within {rope:g} of each other",
        "p_higher": f"{metric} of {a} is more than {rope:g} above that of {b}",
    }
    likeliest = max(sides, key=lambda side: row[side])
    settled = "" if row[likeliest] >= level else "not settled; likeliest: "
    return f"{settled}{sides[likeliest]} (P = {row[likeliest]:.2f})"
