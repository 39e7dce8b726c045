"""Anytime intervals of an audit: the bets made again from its log, round by round, as they were drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from altmas.audits.design import Design
from altmas.audits.missing import filled
from altmas.beliefs.cross_fit import Belief
from altmas.certified.anytime import Anytime
from altmas.core.answers import Answers
from altmas.core.targets import Target, targets_of
from altmas.metrics.types import IntArray

if TYPE_CHECKING:
    from altmas.audits.findings import Findings


def anytime_intervals(found: Findings) -> list[dict[str, Any]]:
    """Low, high and promise of each metric and model.

    A bet needs its answer: where some are missing, the lower end is of the world in which all of those are against the
    model under test, the upper end of that in which they are for it.
    """
    rows = []
    for target in targets_of(found.metrics, found.pool):
        worlds = [found.drawn.answers]
        if len(found.drawn.missing):
            assert found.estimator is not None
            sample = found.estimator.sample
            worlds = [filled(target, sample, found.drawn.missing, best=best) for best in (False, True)]
        ends = [_interval(found, target, answers) for answers in worlds]
        low, high = min(low for low, _, _ in ends), max(high for _, high, _ in ends)
        rows.append({"low": low, "high": high, "promise": ends[0][2]})
    return rows


def _interval(found: Findings, target: Target, answers: Answers) -> tuple[float, float, str]:
    audit = found.audit
    label = dict(zip(answers.items.tolist(), answers.labels.tolist(), strict=True))
    watch = Anytime([target], audit.pool)
    design = Design(audit.pool.size, audit.method, audit.files.ideal)  # type: ignore[arg-type]
    for one in found.drawn.rounds:
        chances = design.run(one.fit, one.positions)
        belief = None if one.fit is None else Belief(audit.files.array(one.fit, "belief").astype(np.float64), {})
        drawn: IntArray = np.array(one.positions, dtype=np.int64)
        labels = [label[position] for position in one.positions]
        watch.bet(chances, belief, Answers().extended(drawn, labels, one.round, list(one.propensities)), len(drawn))
    return watch.interval(target.name, target.model, found.level)
