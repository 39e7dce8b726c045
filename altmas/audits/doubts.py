"""What looks wrong about an audit's classes before anybody relies on them: a wrong column, a failure, a spelling."""

from __future__ import annotations

import re

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
    counts = np.bincount(np.concatenate([one.predictions for one in pool.outputs]), minlength=len(classes) + 1)
    if found := suspicious({name: int(n) for name, n in zip(classes, counts, strict=False) if n}):
        few = "looks" if len(found) == 1 else "look"
        it = "it" if len(found) == 1 else "them"
        doubts.append(f"{asked_about(found)} {few} like no answer: altmas init --not-a-class counts {it} as none")
    doubts += _telling_ids(pool, classes)
    alike: dict[str, str] = {}
    for one in classes:
        other = alike.setdefault(folded(one), one)
        if other != one:
            doubts.append(f"classes {other!r} and {one!r} differ in case or blanks only")
    return doubts if answers is None else [*doubts, *never_right(pool, answers)]


ENOUGH, TELLING = 30, 0.9
"""Of so many items, so large a share of ids with the predicted class in them is no chance."""


def _telling_ids(pool: Pool, classes: list[str]) -> list[str]:
    """A sentence for each model whose predictions stand in the ids, which annotators see."""
    if pool.size < ENOUGH or len(classes) < 2:
        return []
    some = range(0, pool.size, max(pool.size // MOST_IDS, 1))
    ids = [re.split(r"[\W_]+", folded(pool.ids[i])) for i in some]
    names = [folded(one) for one in classes]
    told = []
    for one in pool.outputs:
        said = [int(one.predictions[i]) for i in some]
        found = [names[c] in words for c, words in zip(said, ids, strict=True) if c < len(names)]
        if len(set(said)) > 1 and len(found) >= ENOUGH and sum(found) >= TELLING * len(found):
            told.append(f"ids contain what {one.name} said, and annotators see them: give the items other ids")
    return told


MOST_IDS = 2000
"""So many ids are looked at."""
