"""Estimates from a log of answers alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from altmas.certified.findings import CertifiedFindings
from altmas.certified.method import Certified
from altmas.certified.setup import Setup
from altmas.certified.state import advance, refit, start
from altmas.core.checks import fraction
from altmas.core.log import answers_in
from altmas.core.method import AskedRound, Job
from altmas.core.pool import Pool
from altmas.core.result import estimates_table
from altmas.core.targets import resolve_metrics
from altmas.metrics.errors import InputError


def estimate_from_log(
    pool: Pool, log: pd.DataFrame, metrics: Any, *, level: float = 0.95, cost: Any = None, seed: int = 0
) -> pd.DataFrame:
    """Any metrics, from a pool and a log of answers alone: columns `id`, `label` and `inclusion`.

    `inclusion` is the chance of having been asked about. Rows with an empty label are questions without an answer, and
    the intervals allow for whatever those are: leave them in. The belief is learnt anew from the log; the draws are
    made, so that the numbers are as valid as the audit's own.

    >>> pool = Pool.build([0, 1] * 50)
    >>> log = pd.DataFrame({"id": range(0, 100, 4), "label": [0] * 25, "inclusion": 0.25})
    >>> estimate_from_log(pool, log, ["precision:0"])["metric"].tolist()
    ['precision:0']
    """
    if "inclusion" not in log:
        raise InputError("log", "have the columns id, label and inclusion", "no inclusion")
    fraction("level", level)
    answers, drawn = answers_in(pool, log)
    assert drawn is not None
    total, spread = float((1 / drawn).sum()), float(((1 - drawn) / drawn**2).sum())
    if abs(total - pool.size) > 5 * np.sqrt(spread) + 1:
        rule = f"count the pool, its inverses summing to about {pool.size:,}"
        raise InputError("log's inclusion", rule, f"{total:,.0f}")
    whole = AskedRound(0, answers.items, answers.labels, drawn, inclusion=drawn)
    job = Job(pool, resolve_metrics(metrics, pool, cost), seed)
    state = advance(start(Setup(job, Certified())), whole)
    return estimates_table(CertifiedFindings(state.with_refit(refit(state)), level).ordinary)
