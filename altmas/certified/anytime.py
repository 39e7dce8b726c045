"""Anytime intervals: which ratios a metric is bet on with, and the interval that their sequences give."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from altmas.certified.betting import BettingSequence
from altmas.certified.functionals import Ratio, functionals_of
from altmas.certified.macro import MacroSequence, MeanRecall
from altmas.certified.threshold import Threshold, ThresholdTest
from altmas.core.checks import fraction
from altmas.core.targets import Target
from altmas.metrics.errors import InputError

Watched = Ratio | MeanRecall | Threshold
"""What can be bet on."""

Bets = BettingSequence | MacroSequence | ThresholdTest
"""The bets placed on it so far."""


def ratios_of(target: Target, classes: Sequence[Hashable]) -> tuple[Watched, ...]:
    """What is bet on, whose mean is a target; a metric that has no such form is refused, before any label is spent."""
    found = functionals_of(target.metric, target.columns, classes)
    if found is None:
        rule = "be a ratio of sums over items, or a mean of such, for an anytime interval"
        hint = "Leave it out, or use intervals of one look: interval='wald', without --anytime."
        raise InputError(f"metric {target.name!r}", rule, "another form", hint)
    together = len(found) > 1 and all(one.name.startswith("recall:") for one in found)
    return (MeanRecall(target.columns, found),) if together else found


def first_bets(watched: Watched, size: int) -> Bets:
    """The bets on one thing before the first draw."""
    return BettingSequence(watched, size) if isinstance(watched, Ratio) else watched.sequence()


def interval_of(bets: Bets, level: float) -> tuple[float, float]:
    """The interval that bets on a ratio give; tests of a threshold answer yes or no, and have none.

    >>> from altmas.certified.functionals import accuracy
    >>> interval_of(BettingSequence(accuracy(np.array([0, 1, 1]), 2), 3), 0.95)
    (0.0, 1.0)
    """
    assert not isinstance(bets, ThresholdTest)
    return bets.interval(level)


def mean_interval(sequences: Sequence[Bets], level: float) -> tuple[float, float]:
    """The interval of the mean of several ratios: each at `1 - alpha / count`, the ends averaged (Bonferroni).

    >>> from altmas.certified.functionals import functionals_of
    >>> parts = [BettingSequence(one, 3) for one in functionals_of("macro_f1", np.array([0, 1, 1]), "ab")]
    >>> mean_interval(parts, 0.95)
    (0.0, 1.0)
    """
    each = 1 - (1 - fraction("level", level)) / len(sequences)
    ends = np.array([interval_of(one, each) for one in sequences])
    low, high = ends.mean(0)
    return float(low), float(high)


def promise(count: int, level: float) -> str:
    """What the interval of a metric made of `count` ratios promises, in words.

    >>> promise(4, 0.95)
    'at least 95% coverage at all looks together; 4 classes at 98.75% each'
    """
    words = f"at least {100 * level:.6g}% coverage at all looks together"
    return words if count == 1 else f"{words}; {count} classes at {100 * (1 - (1 - level) / count):.6g}% each"
