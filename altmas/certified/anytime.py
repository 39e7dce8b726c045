"""Anytime intervals: which ratios a metric is bet on with, and the interval that their sequences give."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from altmas.certified.betting import BettingSequence, mean_interval, promise
from altmas.certified.functionals import Ratio, functionals_of
from altmas.core.targets import Target
from altmas.metrics.errors import InputError


def ratios_of(target: Target, classes: Sequence[Hashable]) -> tuple[Ratio, ...]:
    """The ratios whose mean is a target; a metric that has none is refused, before any label is spent."""
    found = functionals_of(target.metric, target.columns, classes)
    if found is None:
        rule = "be a ratio of sums over items, or a mean of such, for an anytime interval"
        raise InputError(f"metric {target.name!r}", rule, "another form", "Leave it out, or use interval='wald'.")
    return found


def anytime_interval(sequences: Sequence[BettingSequence], level: float) -> tuple[float, float, str]:
    """Low, high, and what they promise, of a metric that is the mean of these sequences' ratios."""
    return *mean_interval(sequences, level), promise(len(sequences), level)
