"""How far annotators agree on the items that several of them labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """Of the items with two labels or more: share of pairs that agree, and Krippendorff's alpha (1: perfect)."""

    items: int
    share: float | None
    alpha: float | None
    annotators: dict[str, int]
    disputed: int


def agreement(labels: Iterable[Sequence[int]]) -> tuple[int, float | None, float | None]:
    """Items with two labels or more, the mean share of agreeing pairs, and Krippendorff's alpha for names.

    Alpha is 1 - observed / expected disagreement, each item's pairs weighing 1 / (labels - 1) (Krippendorff 2011);
    undefined (None) where only one class was ever given.

    >>> items, share, alpha = agreement([(0, 0), (1, 1), (0, 1), (1, 1), (0,)])
    >>> items, share, round(alpha, 3)
    (4, 0.75, 0.533)
    """
    several = [Counter(one) for one in labels if len(one) > 1]
    if not several:
        return 0, None, None
    totals: Counter[int] = Counter()
    observed, shares = 0.0, []
    for votes in several:
        count = votes.total()
        apart = count**2 - sum(n**2 for n in votes.values())
        observed += apart / (count - 1)
        shares.append(1 - apart / (count * (count - 1)))
        totals.update(votes)
    size = totals.total()
    expected = (size**2 - sum(n**2 for n in totals.values())) / (size - 1)
    alpha = 1 - observed / expected if expected > 0 else None
    return len(several), sum(shares) / len(shares), alpha
