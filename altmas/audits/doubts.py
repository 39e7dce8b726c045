"""What looks wrong about an audit's classes before anybody relies on them: a wrong column, a failure, a spelling."""

from __future__ import annotations

import numpy as np

from altmas.core.answers import Answers
from altmas.core.no_answer import asked_about, suspicious
from altmas.core.pool import Pool
from altmas.core.spelling import folded
from altmas.words.no_answer import never_right
from altmas.words.wording import counted

MANY = 50
"""More classes than this, and less than so many items for each, are most likely another column."""

def doubts_of(pool: Pool, answers: Answers | None = None) -> list[str]:
    """What a wrong column, a failure of the vendor or careless spelling looks like; each a sentence.

    >>> doubts_of(Pool.build(["cat", "dog", "n/a", None], is_a_class=["n/a"]))[0]
    "'n/a' (1 prediction) looks like no answer: altmas init --not-a-class counts it as none"
    """
    classes = [str(one) for one in pool.classes]
    doubts = []
    if len(classes) > MANY and len(classes) > pool.size / MANY:
        doubts.append(f"{len(classes):,} classes for {counted(pool.size, 'item')}: is it the right column?")
    counts = sum(np.bincount(one.predictions, minlength=len(classes) + 1) for one in pool.outputs)
    if found := suspicious({name: int(n) for name, n in zip(classes, counts, strict=False) if n}):
        few = "looks" if len(found) == 1 else "look"
        it = "it" if len(found) == 1 else "them"
        doubts.append(f"{asked_about(found)} {few} like no answer: altmas init --not-a-class counts {it} as none")
    alike: dict[str, str] = {}
    for one in classes:
        other = alike.setdefault(folded(one), one)
        if other != one:
            doubts.append(f"classes {other!r} and {one!r} differ in case or blanks only")
    return doubts if answers is None else [*doubts, *never_right(pool, answers)]
