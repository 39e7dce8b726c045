"""The exceptions of altmas: one tree, one grammar.

They live in the room that depends on nothing, so that every room can raise them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


class AltmasError(Exception):
    """Anything altmas raises on purpose."""


class InputError(AltmasError, ValueError):
    """Bad input, said as *subject, rule, value*.

    >>> str(InputError("budget", "be an int >= 1", 0))
    'budget must be an int >= 1; got 0.'
    """

    def __init__(self, subject: str, rule: str, got: object, hint: str = "") -> None:
        super().__init__(subject, rule, got, hint)

    def __str__(self) -> str:
        subject, rule, got, hint = self.args
        sentence = f"{subject} must {rule}; got {got}."
        return f"{sentence} {hint}" if hint else sentence


def rows_at_fault(rows: Iterable[int], limit: int = 5) -> str:
    """Name the rows that are wrong, shortly.

    >>> rows_at_fault([3, 7])
    'rows 3, 7'
    >>> rows_at_fault(range(100))
    'rows 0, 1, 2, 3, 4 and 95 more'
    """
    numbers = np.asarray(list(rows)).tolist()
    word = "row" if len(numbers) == 1 else "rows"
    shown = ", ".join(str(n) for n in numbers[:limit])
    more = f" and {len(numbers) - limit:,} more" if len(numbers) > limit else ""
    return f"{word} {shown}{more}"
