"""Anytime intervals for the certified method: one betting sequence per ratio, fed with every draw as it was made."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.beliefs.cross_fit import Belief
from altmas.certified.betting import BettingSequence, mean_interval, promise
from altmas.certified.functionals import functionals_of
from altmas.core.answers import Answers
from altmas.core.pool import Pool
from altmas.core.targets import Target
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray


class Anytime:
    """Sequences of every target; refuses, before any label is spent, a metric that has none."""

    def __init__(self, targets: Sequence[Target], pool: Pool) -> None:
        self._watched: dict[tuple[str, str], list[BettingSequence]] = {}
        for target in targets:
            ratios = functionals_of(target.metric, target.columns, pool.classes)
            if ratios is None:
                rule = "be a ratio of sums over items, or a mean of such, for an anytime interval"
                hint = "Leave it out, or use interval='wald'."
                raise InputError(f"metric {target.name!r}", rule, "another form", hint)
            self._watched[target.name, target.model] = [BettingSequence(one, pool.size) for one in ratios]

    def bet(self, chances: FloatArray, belief: Belief | None, answers: Answers, new: int) -> None:
        """Bet on the last `new` answers, with what was believed, and the chances there were, before them."""
        for sequences in self._watched.values():
            for one in sequences:
                bet_round(one, chances, belief, answers, new)

    def interval(self, name: str, model: str, level: float) -> tuple[float, float, str]:
        """Low, high, and the promise."""
        sequences = self._watched[name, model]
        low, high = mean_interval(sequences, level)
        return low, high, promise(len(sequences), level)


def bet_round(one: BettingSequence, chances: FloatArray, belief: Belief | None, answers: Answers, new: int) -> None:
    """Bet on the last `new` answers in the order they were drawn."""
    top, bottom = (None, None) if belief is None else one.ratio.expected(belief.probabilities)
    one.begin_round(chances, top, bottom)
    for item, label in zip(answers.items[-new:], answers.labels[-new:], strict=True):
        one.bet(int(item), int(label))
