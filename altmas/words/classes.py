"""Classes that were declared and never were the answer, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.words.wording import counted, listed, quoted

MOST_NAMED = 5
"""Classes named in a sentence; of more, the rest is counted."""


def never_answered(unseen: Sequence[object], classes: int, labels: int, pool: int) -> str:
    """Which of so many classes no label named, and what that does to macro averages; nothing where there is none.

    >>> never_answered(["contempt"], 8, 400, 9_000)
    "Class 'contempt' was never the answer in 400 labels: it may not occur in the pool. Its recall is then 0 by \
scikit-learn's rule, and counts in macro recall; macro_recall_occurring leaves it out."
    >>> never_answered("abcdefg", 100, 50, 9_000).partition(". ")[0]
    "7 of 100 classes were never the answer in 50 labels: 'a', 'b', 'c', 'd', 'e' and 2 others"
    >>> never_answered(["b"], 2, 60, 60).partition(". ")[0]
    "Class 'b' was never the answer, and every item is labelled: it does not occur in the pool"
    >>> never_answered([], 8, 400, 9_000), never_answered("ab", 2, 0, 9_000)
    ('', '')
    """
    if not unseen or not labels:
        return ""
    one, every = len(unseen) == 1, labels >= pool
    it, them, their, does = ("it", "it", "Its", "does") if one else ("they", "them", "Their", "do")
    asked = ", and every item is labelled" if every else f" in {counted(labels, 'label')}"
    occurs = f"{does} not occur in the pool" if every else "may not occur in the pool"
    if one:
        said = f"Class {quoted(unseen[0])} was never the answer{asked}: {it} {occurs}."
    else:
        said = f"{len(unseen):,} of {classes:,} classes were never the answer{asked}: {_named(unseen)}. They {occurs}."
    rule = f"{their} recall is {'' if every else 'then '}0 by scikit-learn's rule, and counts in macro recall"
    return f"{said} {rule}; macro_recall_occurring leaves {them} out."


def _named(unseen: Sequence[object]) -> str:
    few, more = [quoted(one) for one in unseen[:MOST_NAMED]], len(unseen) - MOST_NAMED
    return listed([*few, counted(more, "other")] if more > 0 else few)
