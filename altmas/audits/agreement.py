"""How far annotators agree on the items that several of them labelled. Experts who settle disputes are kept apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

Votes = Mapping[str, int]
"""What each annotator said of one item, by name."""


@dataclass(frozen=True)
class Agreed:
    """Of pairs of answers, how many there are, and how many agree."""

    pairs: int
    agree: int

    @property
    def share(self) -> float | None:
        """Agreeing pairs of all; None without a pair.

        >>> Agreed(6, 5).share, Agreed(0, 0).share
        (0.8333333333333334, None)
        """
        return self.agree / self.pairs if self.pairs else None


@dataclass(frozen=True)
class Agreement:
    """Of the items with two labels or more: share of pairs that agree, and Krippendorff's alpha (1: perfect).

    `annotators` has each one's answers, `with_others` each one's pairs, `of_classes` the pairs that named a class.
    Experts have their own counts: `experts`, and in `against_experts` how many of each annotator's answers that an
    expert read had the expert's label.
    """

    items: int
    share: float | None
    alpha: float | None
    annotators: dict[str, int]
    disputed: int
    with_others: dict[str, Agreed] = field(default_factory=dict)
    of_classes: dict[int, Agreed] = field(default_factory=dict)
    experts: dict[str, int] = field(default_factory=dict)
    against_experts: dict[str, Agreed] = field(default_factory=dict)


def agreement(votes: Sequence[Votes]) -> tuple[int, float | None, float | None]:
    """Items with two labels or more, the share of agreeing pairs, and Krippendorff's alpha for names.

    Every pair of answers to one item counts once. Alpha is 1 - observed / expected disagreement, each item's pairs
    weighing 1 / (labels - 1) (Krippendorff 2011); undefined (None) where only one class was ever given.

    >>> said = [{"a": 0, "b": 0}, {"a": 1, "b": 1}, {"a": 0, "b": 1}, {"a": 1, "b": 1}, {"a": 0}]
    >>> items, share, alpha = agreement(said)
    >>> items, share, round(alpha, 3)
    (4, 0.75, 0.533)
    """
    several = [Counter(one.values()) for one in votes if len(one) > 1]
    totals: Counter[int] = Counter()
    observed = pairs = agreeing = 0.0
    for counts in several:
        size = counts.total()
        apart = size**2 - sum(n**2 for n in counts.values())
        observed += apart / (size - 1)
        pairs, agreeing = pairs + size * (size - 1) / 2, agreeing + sum(n * (n - 1) for n in counts.values()) / 2
        totals.update(counts)
    size = totals.total()
    expected = (size**2 - sum(n**2 for n in totals.values())) / (size - 1) if several else 0.0
    alpha = 1 - observed / expected if expected > 0 else None
    return len(several), agreeing / pairs if several else None, alpha


def by_annotator(votes: Sequence[Votes]) -> dict[str, Agreed]:
    """Each annotator's pairs with others.

    >>> by_annotator([{"a": 0, "b": 0, "c": 1}])["c"]
    Agreed(pairs=2, agree=0)
    """
    pairs: Counter[str] = Counter()
    agree: Counter[str] = Counter()
    for one in votes:
        for (first, said), (second, other) in combinations(one.items(), 2):
            pairs.update((first, second))
            if said == other:
                agree.update((first, second))
    return {name: Agreed(pairs[name], agree[name]) for name in sorted(pairs)}


def by_class(votes: Sequence[Votes]) -> dict[int, Agreed]:
    """For each class, the pairs in which one of the two named it, and those in which both did.

    >>> by_class([{"a": 0, "b": 0, "c": 1}])
    {0: Agreed(pairs=3, agree=1), 1: Agreed(pairs=2, agree=0)}
    """
    pairs: Counter[int] = Counter()
    agree: Counter[int] = Counter()
    for one in votes:
        for said, other in combinations(one.values(), 2):
            pairs.update({said, other})
            agree.update([said] if said == other else [])
    return {c: Agreed(pairs[c], agree[c]) for c in sorted(pairs)}


def with_experts(votes: Sequence[Votes], read: Sequence[int]) -> dict[str, Agreed]:
    """Each annotator's answers that an expert read, and how many had the expert's label.

    >>> with_experts([{"a": 0, "b": 5}, {"a": 2}], [0, 1])
    {'a': Agreed(pairs=2, agree=1), 'b': Agreed(pairs=1, agree=0)}
    """
    pairs: Counter[str] = Counter()
    agree: Counter[str] = Counter()
    for one, label in zip(votes, read, strict=True):
        pairs.update(list(one))  # names: of a mapping the values would be added up
        agree.update(name for name, said in one.items() if said == label)
    return {name: Agreed(pairs[name], agree[name]) for name in sorted(pairs)}
