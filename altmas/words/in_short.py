"""What an assessment found, in a sentence or two, for those who read no table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from altmas.core.plain import plain_data
from altmas.words.language import sentence
from altmas.words.verdict import how_good
from altmas.words.wording import marked, short

if TYPE_CHECKING:
    from altmas.core.estimates import Estimate

MODELS_NAMED = 6
"""So many models have a sentence each."""


def in_short(estimates: Sequence[Estimate], level: float, pool: int) -> str:
    """The first metric of each model as a sentence.

    >>> from altmas.core.estimates import Estimate
    >>> in_short([Estimate("accuracy", 0.911, 0.883, 0.938, 200, "approximate 95% coverage")], 0.95, 10_000)
    'Accuracy is about 91%: between 88% and 94% (95% interval) on these 10,000 items, from 200 labels.'
    """
    first = {one.model: one for one in reversed(estimates)}
    told = [(name, first[name]) for name in dict.fromkeys(one.model for one in estimates)]
    said = [(f"{short(name)}: " if name else "") + how_good(plain_data(asdict(one)), level, pool) for name, one in told]
    left = len(said) - MODELS_NAMED
    more = [sentence("And {number} more models.", number=marked(f"{left:,}"))] if left > 0 else []
    return " ".join([*said[:MODELS_NAMED], *more])
