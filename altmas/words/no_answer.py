"""Failures of a vendor as a figure of their own, never as a class."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from altmas.words.language import sentence
from altmas.words.wording import counted, figure, marked, quoted, short

if TYPE_CHECKING:
    from altmas.core.answers import Answers
    from altmas.core.pool import Pool

SEEN_ENOUGH = 5
"""A class that was predicted for so many labelled items, and is none of their labels, is perhaps none."""


def failures(pool: Pool) -> list[str]:
    """A sentence for each model that sometimes gave no answer, and for each that sometimes gave no score."""
    told = [no_answer_on(one.name, pool.unanswered(k), pool.whole) for k, one in enumerate(pool.outputs)]
    told += [without_score(one.name, one.missing_scores, pool.size) for one in pool.outputs]
    return [one for one in told if one]


def no_answer_on(name: str, count: int, items: int) -> str:
    """On how many items a model gave no answer, and what that does; nothing where it always answered.

    >>> no_answer_on("ACME", 9, 1_000)
    'ACME gave no answer on 9 of 1,000 items (0.9%): they count as wrong, and belong to no class.'
    >>> no_answer_on("ACME", 0, 1_000)
    ''
    """
    if not count:
        return ""
    share = figure(count / items, share=True, digits=1 if count / items >= 0.001 else 3)
    return sentence(
        "{model} gave no answer on {count} of {items} ({share}): they count as wrong, and belong to no class.",
        model=short(name), count=marked(f"{count:,}"), items=counted(items, "item"), share=share,
    )  # fmt: skip


def without_score(name: str, count: int, items: int) -> str:
    """How many scores are missing; nothing where all are there.

    >>> without_score("ACME", 12, 1_000)
    'ACME gave no score on 12 of 1,000 items: they are left out of calibration and of metrics of scores.'
    """
    if not count:
        return ""
    return sentence(
        "{model} gave no score on {count} of {items}: they are left out of calibration and of metrics of scores.",
        model=short(name), count=marked(f"{count:,}"), items=counted(items, "item"),
    )  # fmt: skip


def never_right(pool: Pool, answers: Answers) -> list[str]:
    """A sentence for each class that models often said of labelled items, and that no label names: perhaps it is none.

    >>> from altmas.core.answers import Answers
    >>> from altmas.core.pool import Pool
    >>> pool = Pool.build(["cat", "dog"] * 5 + ["oops"] * 5)
    >>> never_right(pool, Answers().extended(range(15), [0, 1] * 5 + [0] * 5, 0, [1.0] * 15))
    ["Class 'oops' was predicted for 5 labelled items and is the label of none: is it a class? If it is another \
spelling of one, spell it alike; if it stands for no answer, altmas init --not-a-class counts it as that."]
    """
    labels = set(answers.labels.tolist())
    said = Counter(place for one in pool.outputs for place in one.predictions[answers.items].tolist())
    return [
        sentence(
            "Class {name} was predicted for {items} and is the label of none: is it a class? If it is another "
            "spelling of one, spell it alike; if it stands for no answer, altmas init --not-a-class counts it as that.",
            name=quoted(pool.classes[c]), items=counted(said[c], "labelled item"),
        )
        for c in range(len(pool.classes))
        if said[c] >= SEEN_ENOUGH and c not in labels
    ]  # fmt: skip
