"""Sentences about a pool that is a sample of a larger whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from altmas.words.language import sentence
from altmas.words.wording import counted, marked

if TYPE_CHECKING:
    from altmas.core.first_phase import FirstPhase
    from altmas.core.pool import Pool


def sample_of(phase: FirstPhase) -> str:
    """How a pool was drawn, in a sentence.

    >>> import numpy as np
    >>> from altmas.core.first_phase import FirstPhase
    >>> sample_of(FirstPhase(np.array([0, 0, 1]), np.array([5_000, 1]), ("cat", "dog")))
    'The pool is a sample of 3 of 5,001 rows: 2 strata by what was predicted, score and groups, 1 of them taken whole.'
    """
    return sentence(
        "The pool is a sample of {items} of {rows}: {strata} by what was predicted, score and groups, {whole} of them "
        "taken whole.",
        items=_whole(len(phase.stratum)), rows=counted(phase.whole, "row"),
        strata=counted(len(phase.rows), "stratum", "strata"), whole=_whole(phase.whole_strata),
    )  # fmt: skip


def about_whole(phase: FirstPhase) -> str:
    """What the numbers of such a pool are about.

    >>> import numpy as np
    >>> from altmas.core.first_phase import FirstPhase
    >>> about_whole(FirstPhase(np.array([0, 0, 1]), np.array([5_000, 1]), ("cat", "dog")))[:92]
    'The numbers are about all 5,001 rows, of which the pool has 3, drawn with known chances befo'
    """
    return sentence(
        "The numbers are about all {rows}, of which the pool has {items}, drawn with known chances before any label. "
        "How often each class was predicted is counted on all of them; the intervals allow for the rows that were not "
        "drawn. How the model does elsewhere they do not say.",
        rows=counted(phase.whole, "row"), items=_whole(len(phase.stratum)),
    )  # fmt: skip


def first_phase_facts(pool: Pool) -> dict[str, Any]:
    """How a pool was drawn: strata, and rows and items of each class as the first model predicted it."""
    from altmas.core.plain import plain_name  # late: a command's help needs none of it
    from altmas.core.pool import NO_CLASS

    phase, first = pool.first_phase, pool.outputs[0].predictions
    if phase is None:
        return {}
    said = [(plain_name(name), first == k) for k, name in enumerate((*pool.classes, NO_CLASS))]
    return {
        "rows": phase.whole, "strata": len(phase.rows), "taken_whole": phase.whole_strata, "seed": phase.seed,
        "predicted": [{"class": n, "rows": pool.rows(one), "items": int(one.sum())} for n, one in said if one.any()],
        "sentence": sample_of(phase),
    }  # fmt: skip


def _whole(number: int) -> str:
    return marked(f"{number:,}")
