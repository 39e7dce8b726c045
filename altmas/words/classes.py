"""Classes that were declared and never were the answer, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.words.language import sentence
from altmas.words.wording import counted, listed, marked, quoted

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
    values = {
        "labels": counted(labels, "label"), "number": marked(f"{len(unseen):,}"), "classes": marked(f"{classes:,}"),
        "name": quoted(unseen[0]), "names": _named(unseen),
    }  # fmt: skip
    if labels >= pool:
        return sentence(
            "Class {name} was never the answer, and every item is labelled: it does not occur in the pool. Its recall "
            "is 0 by scikit-learn's rule, and counts in macro recall; macro_recall_occurring leaves it out."
            if len(unseen) == 1
            else "{number} of {classes} classes were never the answer, and every item is labelled: {names}. They do "
            "not occur in the pool. Their recall is 0 by scikit-learn's rule, and counts in macro recall; "
            "macro_recall_occurring leaves them out.",
            **values,
        )
    return sentence(
        "Class {name} was never the answer in {labels}: it may not occur in the pool. Its recall is then 0 by "
        "scikit-learn's rule, and counts in macro recall; macro_recall_occurring leaves it out."
        if len(unseen) == 1
        else "{number} of {classes} classes were never the answer in {labels}: {names}. They may not occur in the "
        "pool. Their recall is then 0 by scikit-learn's rule, and counts in macro recall; macro_recall_occurring "
        "leaves them out.",
        **values,
    )


def _named(unseen: Sequence[object]) -> str:
    few, more = [quoted(one) for one in unseen[:MOST_NAMED]], len(unseen) - MOST_NAMED
    return listed([*few, counted(more, "other")] if more > 0 else few)
